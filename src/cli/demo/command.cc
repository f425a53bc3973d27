// SPDX-License-Identifier: Apache-2.0
//
// fixpoint demo: starts this program as a server, uses it, kills it, and leaves nothing behind.
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/demo/page.h"
#include "cli/demo/session.h"
#include "cli/demo/story.h"
#include "cli/route.h"
#include "store/scratch_directory.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

namespace fixpoint::cli {
namespace {

// Colours only where a person looks on; https://no-color.org is the convention to refuse them.
demo::Colour colour() {
  const char* refused = std::getenv("NO_COLOR");
  const bool wanted = ::isatty(STDOUT_FILENO) == 1 && (refused == nullptr || *refused == '\0');
  return wanted ? demo::Colour::On : demo::Colour::Off;
}

Result<void> watch_for_interrupts(demo::Stage& stage) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    FP_TRY_VOID(stage.loop.on_signal(signal, [&stage] { stage.interrupted = true; }));
  }
  return {};
}

int failed(const Error& error, const std::string& log) {
  fmt::print(stderr, "\nfixpoint demo: {}\n", error.message);
  if (!log.empty()) fmt::print(stderr, "\nThe server's log:\n{}", log);
  return kExitFailed;
}

int run(const Arguments&) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that leaves must not keep us from cleaning up
  demo::Stage stage;
  if (auto ok = watch_for_interrupts(stage); !ok) return failed(ok.error(), {});
  const auto scratch =
      store::ScratchDirectory::make("demo", std::filesystem::temp_directory_path());
  if (!scratch) return failed(scratch.error(), {});
  demo::Page page(colour());
  demo::Story story(stage, page, scratch->path());
  if (auto ok = story.tell(); !ok) return failed(ok.error(), story.server_log());
  if (page.broken()) {
    return failed({ErrorKind::Unavailable, "the account could not be written to stdout"}, {});
  }
  return kExitDone;
}

constexpr Example kExamples[] = {
    {"demo", "the tour, in a few seconds, in a directory that is removed again"}
};

}  // namespace

const Command kDemoCommand{
    .name = "demo",
    .summary = "Start a cluster, use it, kill it, find everything still there",
    .description =
        "A tour that runs this program as a server on a temporary directory and checks every\n"
        "answer: a custom kind, its columns, a watch, a conflict of two field owners, kill -9\n"
        "under load, garbage collection, a rolling update, and, where valkey-server or\n"
        "redis-server is installed, a database that is killed and keeps its data. Exits 1 when\n"
        "anything is not as it should be, with the server's log.\n",
    .examples = kExamples,
    .run = run,
};

}  // namespace fixpoint::cli
