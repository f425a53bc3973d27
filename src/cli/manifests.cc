// SPDX-License-Identifier: Apache-2.0
//
// fixpoint manifests: what a cluster needs to run the operators, as YAML.
#include "runtime/manifests/manifests.h"

#include "cli/build_info.h"
#include "cli/command_line/arguments.h"
#include "cli/command_line/console.h"
#include "cli/commands.h"
#include "cli/program.h"
#include "types/reference.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

#include <fmt/format.h>

namespace fixpoint::cli {
namespace {

constexpr std::string_view kParts[]{"all", "crds", "rbac", "workload", "reference"};

Result<int> parse_replicas(std::string_view text) {
  int replicas = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), replicas);
  if (end.ec != std::errc{} || end.ptr != text.data() + text.size() || replicas < 0 ||
      replicas > runtime::kReplicasMax) {
    return fail(ErrorKind::Invalid, fmt::format("--replicas {}: give a number from 0 to {}", text,
                                                runtime::kReplicasMax));
  }
  return replicas;
}

Result<runtime::ManifestOptions> manifest_options(const Arguments& arguments) {
  runtime::ManifestOptions options;
  auto chosen = runtime::choose(operators(), arguments.value("operators"));
  if (!chosen) {
    const auto given = arguments.value("operators");
    return fail(ErrorKind::Invalid, fmt::format("--operators{}{}: {}", given.empty() ? "" : " ",
                                                given, chosen.error().message));
  }
  options.operators = *std::move(chosen);
  options.name = arguments.value("name");
  options.ns = arguments.value("namespace");
  options.image = arguments.given("image") ? std::string{arguments.value("image")}
                                           : fmt::format("fixpoint:{}", kBuildInfo.version);
  options.watch_namespaces = arguments.list("watch-namespace");
  FP_TRY(replicas, parse_replicas(arguments.value("replicas")));
  options.replicas = replicas;
  FP_TRY_VOID(runtime::check(options));
  return options;
}

void append(std::vector<json::Value>& all, std::vector<json::Value> more) {
  std::ranges::move(more, std::back_inserter(all));
}

std::string reference_pages(const runtime::ManifestOptions& options) {
  std::string pages;
  for (const auto* entry : options.operators) {
    for (const auto* kind : entry->kinds()) pages += types::reference_page(*kind);
  }
  return pages;
}

int run_manifests(const Arguments& arguments) {
  const auto options = manifest_options(arguments);
  if (!options) return misused("manifests", options.error());
  const auto only = arguments.value("only");
  if (only == "reference") return answer(reference_pages(*options));
  std::vector<json::Value> objects;
  // In the order in which they must be there.
  if (only == "all") objects.push_back(runtime::namespace_object(*options));
  if (only == "all" || only == "crds") {
    append(objects, runtime::custom_resource_definitions(*options));
  }
  if (only == "all" || only == "rbac") append(objects, runtime::access_objects(*options));
  if (only == "all" || only == "workload") append(objects, runtime::workload_objects(*options));
  if (arguments.given("alerts")) append(objects, runtime::alert_objects(*options));
  return answer(runtime::to_yaml_documents(objects));
}

constexpr std::array kManifestsFlags{
    Flag{.name = "operators",
         .placeholder = "LIST",
         .help = "which, by name and separated by commas; all but examples if not given"},
    Flag{.name = "namespace",
         .placeholder = "NS",
         .help = "where they run",
         .fallback = "fixpoint-system"},
    Flag{.name = "name",
         .placeholder = "NAME",
         .help = "of everything that is not a CRD",
         .fallback = "fixpoint"},
    Flag{.name = "image",
         .placeholder = "IMAGE",
         .help = "what the pods run; fixpoint and this version if not given"},
    Flag{.name = "replicas",
         .placeholder = "N",
         .help = "how many pods; one of them leads, the others wait with a warm cache",
         .fallback = "2"},
    Flag{.name = "watch-namespace",
         .placeholder = "NS",
         .help = "look only into these, separated by commas: Roles there instead of a ClusterRole"},
    Flag{.name = "only",
         .placeholder = "PART",
         .help = "print one part; reference is a page in Markdown about every field of the kinds",
         .fallback = "all",
         .values = kParts},
    Flag{.name = "alerts",
         .help = "also a PrometheusRule and a ServiceMonitor; their CRDs must be installed"},
};

constexpr std::array kManifestsExamples{
    Example{"manifests --operators greeting",                          "everything that installs an operator"},
    Example{"manifests --operators greeting --only crds",              "only the kinds it brings"            },
    Example{"manifests --operators greeting --only reference",
            "what each field of its kinds means"                                                             },
    Example{"manifests --operators greeting --watch-namespace team-a",
            "with rights in one namespace only"                                                              },
};

}  // namespace

const Command kManifestsCommand{
    .name = "manifests",
    .summary = "Print what a cluster needs to run operators, as YAML",
    .description =
        "Prints Namespace, CustomResourceDefinitions, ServiceAccount, roles and bindings,\n"
        "Deployment, Service and PodDisruptionBudget. The kinds come from the operators' own\n"
        "tables, the rights from what they declare to watch and to write: nothing more is\n"
        "granted. Nothing is sent anywhere; pipe it to 'kubectl apply --server-side -f -'.\n",
    .flags = kManifestsFlags,
    .examples = kManifestsExamples,
    .run = run_manifests,
};

}  // namespace fixpoint::cli
