// SPDX-License-Identifier: Apache-2.0
//
// fixpoint operator: runs operators against any Kubernetes.
#include "cli/build_info.h"
#include "cli/command_line/arguments.h"
#include "cli/command_line/console.h"
#include "cli/command_line/route.h"
#include "cli/command_line/shared_flags.h"
#include "cli/commands.h"
#include "cli/operators.h"
#include "client/open_client.h"
#include "runtime/metrics/controller_metrics.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <utility>

namespace fixpoint::cli {
namespace {

// Kubebuilder's programs name two of the flags differently; Deployments written for those work.
std::string_view either(const Arguments& arguments, std::string_view name, std::string_view alias) {
  return arguments.value(arguments.given(alias) ? alias : name);
}

std::string own_namespace(const Arguments& arguments, const client::Config& config) {
  if (arguments.given("leader-elect-namespace")) {
    return std::string{arguments.value("leader-elect-namespace")};
  }
  if (const char* pod = std::getenv("POD_NAMESPACE"); pod != nullptr && *pod != '\0') return pod;
  return config.default_namespace;
}

// Deployments of different operators in one namespace must not wait for each other.
std::string lease_name(const std::vector<runtime::ManagedPart>& parts) {
  std::string name = "fixpoint";
  std::string last;
  for (const auto& part : parts) {
    if (part.entry != last) name += "-" + part.entry;
    last = part.entry;
  }
  constexpr std::size_t kNameMax = 253;
  return name.substr(0, kNameMax);
}

Result<runtime::ElectionOptions> election_from(const Arguments& arguments, kube::Key lease,
                                               std::string identity) {
  runtime::ElectionOptions election;
  election.lease = std::move(lease);
  election.identity = std::move(identity);
  FP_TRY(lease_duration, arguments.duration("leader-elect-lease-duration"));
  FP_TRY(renew_deadline, arguments.duration("leader-elect-renew-deadline"));
  FP_TRY(retry_period, arguments.duration("leader-elect-retry-period"));
  election.lease_duration = lease_duration;
  election.renew_deadline = renew_deadline;
  election.retry_period = retry_period;
  FP_TRY_VOID(runtime::check(election));
  return election;
}

Result<runtime::ManagerOptions> manager_options(const Arguments& arguments,
                                                const client::Config& config,
                                                const std::vector<runtime::ManagedPart>& parts,
                                                Rng& rng) {
  runtime::ManagerOptions options;
  options.identity = process_identity(rng);
  options.version = kBuildInfo.version;
  for (auto& name : arguments.list("namespace")) {
    if (!name.empty()) options.namespaces.insert(std::move(name));
  }
  options.own_namespace = own_namespace(arguments, config);
  if (arguments.given("leader-elect")) {
    FP_TRY(election,
           election_from(arguments, {options.own_namespace, lease_name(parts)}, options.identity));
    options.election = std::move(election);
  }
  FP_TRY(metrics,
         runtime::parse_endpoint(either(arguments, "metrics-bind", "metrics-bind-address")));
  FP_TRY(health,
         runtime::parse_endpoint(either(arguments, "health-bind", "health-probe-bind-address")));
  options.metrics = metrics;
  options.health = health;
  if (arguments.given("traces")) options.traces = runtime::Traces::On;
  return options;
}

int run_operator(const Arguments& arguments) {
  // A log that nobody reads any more is no reason to end.
  std::signal(SIGPIPE, SIG_IGN);
  auto parts = parts_of(arguments.value("operators"));
  if (!parts) return misused("operator", parts.error());
  auto config = client::load_config({.kubeconfig = std::string{arguments.value("kubeconfig")},
                                     .context = std::string{arguments.value("context")}},
                                    client::Surroundings::of_process());
  if (!config) return failed("operator", config.error());
  auto rng = Rng::from_kernel();
  auto options = manager_options(arguments, *config, *parts, rng);
  if (!options) return misused("operator", options.error());

  net::Loop loop;
  std::unique_ptr<runtime::Manager> manager;
  bool stopping = false;
  const auto stop = [&] {
    // Asked twice: whoever asks means it.
    if (std::exchange(stopping, true) || !manager) return loop.stop();
    manager->stop([&] { loop.stop(); });
  };
  for (const int signal : {SIGTERM, SIGINT}) {
    if (auto ok = loop.on_signal(signal, stop); !ok) return failed("operator", ok.error());
  }
  const runtime::Log log(log_format_of(arguments.value("log-format")), runtime::LogLevel::Info,
                         loop.clock(), runtime::Log::to_stdout());
  runtime::MetricsRegistry metrics;
  runtime::ClientMetrics client_metrics(metrics, [&](std::string_view text) {
    log.warn(text, {
                       {"from", "the API server"}
    });
  });
  const auto server = config->url;
  client::RequesterOptions requests;
  requests.listener = &client_metrics;
  if (arguments.given("request-timeout")) {
    const auto limit = arguments.duration("request-timeout");
    if (!limit) return misused("operator", limit.error());
    requests.deadline_max = *limit;
  }
  auto client = client::open_client(loop, *std::move(config), requests);
  if (!client) return failed("operator", client.error());
  log.info("starting", {
                           {"server",    server                      },
                           {"operators", arguments.value("operators")},
                           {"identity",  options->identity           }
  });
  manager = std::make_unique<runtime::Manager>(
      runtime::Manager::Surroundings{loop, **client, metrics, log}, *std::move(options),
      *std::move(parts), rng);
  if (auto started = manager->start(); !started) return failed("operator", started.error());
  loop.run();
  manager.reset();
  log.info("stopped");
  return kExitDone;
}

constexpr std::array kOperatorFlags{
    Flag{.name = "operators",
         .placeholder = "LIST",
         .help = "which, by name and separated by commas; all but examples if not given"},
    kKubeconfigFlag,
    kContextFlag,
    Flag{.name = "namespace",
         .placeholder = "LIST",
         .help = "look only at these namespaces; all if not given"},
    Flag{.name = "leader-elect",
         .help = "of several processes let one reconcile, the others stand by"},
    Flag{.name = "leader-elect-namespace",
         .placeholder = "NS",
         .help =
             "of the lease and of what the edit-war guard remembers; the pod's own if not given"},
    Flag{.name = "leader-elect-lease-duration",
         .placeholder = "TIME",
         .help = "a leader that is not heard of for so long is replaced",
         .fallback = "15s"},
    Flag{.name = "leader-elect-renew-deadline",
         .placeholder = "TIME",
         .help = "a leader that could not renew its lease for so long writes no more",
         .fallback = "10s"},
    Flag{.name = "leader-elect-retry-period",
         .placeholder = "TIME",
         .help = "between two looks at the lease",
         .fallback = "2s"},
    Flag{.name = "request-timeout",
         .placeholder = "TIME",
         .help = "give up on an answer after this long, retries included; 30s, and for a page of a "
                 "list 60s, if not given"},
    Flag{.name = "metrics-bind",
         .placeholder = "ADDR",
         .help = "serve /metrics, and /debug to this machine; 0 for nowhere",
         .fallback = ":8080"},
    Flag{.name = "metrics-bind-address",
         .placeholder = "ADDR",
         .help = "the same as --metrics-bind"},
    Flag{.name = "health-bind",
         .placeholder = "ADDR",
         .help = "serve /healthz and /readyz; 0 for nowhere",
         .fallback = ":8081"},
    Flag{.name = "health-probe-bind-address",
         .placeholder = "ADDR",
         .help = "the same as --health-bind"},
    kLogFormatFlag,
    Flag{.name = "traces", .help = "print a span for every pass, as OpenTelemetry writes them"},
};

constexpr std::array kOperatorExamples{
    Example{"operator --operators greeting",                                               "against the current cluster of kubectl"},
    Example{"operator --operators greeting --leader-elect",
            "as one of several: they agree on who reconciles"                                                                      },
    Example{"operator --operators greeting --namespace team-a,team-b",                     "only in these namespaces"              },
    Example{"operator --operators greeting --metrics-bind 127.0.0.1:8080 --health-bind 0",
            "metrics for this machine, no probes"                                                                                  },
};

}  // namespace

const Command kOperatorCommand{
    .name = "operator",
    .summary = "Run operators against any Kubernetes",
    .description =
        "Runs the named operators until SIGTERM or Ctrl-C, inside a cluster or outside of one.\n"
        "Their kinds must be installed (fixpoint manifests); one that is not there yet is waited\n"
        "for. With --leader-elect several processes agree by a Lease on which one reconciles; a\n"
        "clean stop hands over at once, a killed one is replaced when its lease runs out.\n\n"
        "An object that somebody else keeps changing back is paused, with an event and the\n"
        "annotation fixpoint.dev/reconcile-paused; remove the annotation to resume.\n",
    .flags = kOperatorFlags,
    .examples = kOperatorExamples,
    .run = run_operator,
};

}  // namespace fixpoint::cli
