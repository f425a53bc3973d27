// SPDX-License-Identifier: Apache-2.0
//
// fixpoint version: which build this is, for bug reports and for scripts.
#include "cli/version.h"

#include "cli/command_line/arguments.h"
#include "cli/command_line/console.h"
#include "cli/commands.h"

#include <fmt/format.h>

namespace fixpoint::cli {
namespace {

constexpr Flag kVersionFlags[] = {
    {.name = "json", .help = "Print one JSON object"}
};
constexpr Example kVersionExamples[] = {
    {"version",        "the version, commit, compiler and build type"},
    {"version --json", "the same, for programs"                      }
};

int run_version(const Arguments& arguments) {
  return answer(arguments.given("json") ? version_json(kBuildInfo) : version_line(kBuildInfo));
}

}  // namespace

const Command kVersionCommand{
    .name = "version",
    .summary = "Say which build this is",
    .description = {},
    .flags = kVersionFlags,
    .examples = kVersionExamples,
    .run = run_version,
};

std::string version_line(const BuildInfo& build) {
  return fmt::format("fixpoint {} (commit {}, {}, {})\n", build.version, build.commit,
                     build.compiler, build.build_type);
}

// The values come from our own build and hold nothing that JSON would have to escape.
std::string version_json(const BuildInfo& build) {
  return fmt::format(R"({{"version":"{}","commit":"{}","compiler":"{}","buildType":"{}"}})"
                     "\n",
                     build.version, build.commit, build.compiler, build.build_type);
}

}  // namespace fixpoint::cli
