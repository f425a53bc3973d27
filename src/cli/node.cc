// SPDX-License-Identifier: Apache-2.0
//
// fixpoint node: this machine as a node of any Kubernetes, with pods as local processes.
#include "base/file.h"
#include "cli/command_line/arguments.h"
#include "cli/command_line/console.h"
#include "cli/command_line/route.h"
#include "cli/command_line/shared_flags.h"
#include "cli/commands.h"
#include "cli/node_flags.h"
#include "cli/node_server.h"
#include "cli/operators.h"
#include "cli/up/state_directory.h"
#include "client/open_client.h"
#include "node/agent/agent.h"
#include "node/process/run_spec.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <utility>

namespace fixpoint::cli {
namespace {

constexpr Duration kAgentStopGrace = std::chrono::seconds(5);

Result<node::NodeOptions> agent_options(const Arguments& arguments) {
  FP_TRY(options, node_options(arguments));
  options.name = arguments.given("name") ? std::string{arguments.value("name")} : machine_name();
  options.directory = arguments.given("directory")
                          ? std::filesystem::path(std::string{arguments.value("directory")})
                          : state_directory() / "node";
  options.volumes = options.directory / "volumes";
  options.host_ip = arguments.value("address");
  return options;
}

Result<std::string> file_at(const Arguments& arguments, std::string_view flag) {
  if (!arguments.given(flag)) return std::string{};
  return read_file(std::string{arguments.value(flag)});
}

// None when nobody could be let in.
Result<std::unique_ptr<NodeServer>> open_server(net::Loop& loop, client::Client& client,
                                                const Arguments& arguments,
                                                const node::NodeOptions& node) {
  NodeServerOptions options{.node = node.name, .address = node.host_ip};
  FP_TRY(authority, file_at(arguments, "client-ca-file"));
  FP_TRY(certificate, file_at(arguments, "tls-cert-file"));
  FP_TRY(key, file_at(arguments, "tls-private-key-file"));
  FP_TRY(port, parse_port(arguments.value("port")));
  if (authority.empty()) return nullptr;
  if (certificate.empty() != key.empty()) {
    return fail(ErrorKind::Invalid, "--tls-cert-file and --tls-private-key-file go together");
  }
  options.client_authority_pem = std::move(authority);
  options.certificate_pem = std::move(certificate);
  options.private_key_pem = std::move(key);
  options.port = port;
  return NodeServer::open(loop, client, std::move(options));
}

int run_node(const Arguments& arguments) {
  // A log that nobody reads any more is no reason to end.
  std::signal(SIGPIPE, SIG_IGN);
  auto options = agent_options(arguments);
  if (!options) return misused("node", options.error());
  auto config = client::load_config({.kubeconfig = std::string{arguments.value("kubeconfig")},
                                     .context = std::string{arguments.value("context")}},
                                    client::Surroundings::of_process());
  if (!config) return failed("node", config.error());
  net::Loop loop;
  std::unique_ptr<NodeServer> server;
  std::unique_ptr<node::Agent> agent;
  bool stopping = false;
  const auto stop = [&] {
    // Asked twice: whoever asks means it. What runs then is ended by the supervisors.
    if (std::exchange(stopping, true) || !agent) return loop.stop();
    agent->stop(kAgentStopGrace, [&] { loop.stop(); });
  };
  for (const int signal : {SIGTERM, SIGINT}) {
    if (auto ok = loop.on_signal(signal, stop); !ok) return failed("node", ok.error());
  }
  const runtime::Log log(log_format_of(arguments.value("log-format")), runtime::LogLevel::Info,
                         loop.clock(), runtime::Log::to_stdout());
  auto client = client::open_client(loop, *std::move(config));
  if (!client) return failed("node", client.error());
  auto serving = open_server(loop, **client, arguments, *options);
  if (!serving) return failed("node", serving.error());
  server = *std::move(serving);
  if (server) {
    options->port = server->port();
    log.info("serving",
             {
                 {"address", options->host_ip             },
                 {"port",    std::to_string(options->port)}
    });
  }
  auto opened = node::Agent::open({loop, **client, log}, *std::move(options));
  if (!opened) return failed("node", opened.error());
  agent = *std::move(opened);
  if (server) server->use(agent.get());
  agent->start();
  loop.run();
  server.reset();
  agent.reset();
  log.info("stopped");
  return kExitDone;
}

constexpr std::array kNodeFlags{
    kKubeconfigFlag,
    kContextFlag,
    Flag{.name = "name", .placeholder = "NAME", .help = "of the node; this machine's if not given"},
    Flag{.name = "directory",
         .placeholder = "DIR",
         .help = "where pods live; one node each, kept across restarts"},
    Flag{.name = "address",
         .placeholder = "IP",
         .help = "of this machine, for the API server",
         .fallback = "127.0.0.1"},
    Flag{.name = "port",
         .placeholder = "PORT",
         .help = "where it is asked about its pods; 0 for any that is free",
         .fallback = "10250"},
    Flag{.name = "client-ca-file",
         .placeholder = "FILE",
         .help = "who signs the certificate that the API server shows; none: nobody is served"},
    Flag{.name = "tls-cert-file",
         .placeholder = "FILE",
         .help = "what the node shows; one is made if not given"},
    Flag{.name = "tls-private-key-file", .placeholder = "FILE", .help = "and its key"},
    kImageFlag,
    kAllowHostPathFlag,
    kAllowPrivilegedFlag,
    kLogFormatFlag,
};

constexpr std::array kNodeExamples{
    Example{"node --kubeconfig ~/.kube/config --name laptop", "run pods of that cluster here"        },
    Example{"node --image web=python3",                       "and say what the image web stands for"},
};

}  // namespace

const Command kNodeCommand{
    .name = "node",
    .summary = "Run pods of any Kubernetes on this machine, as processes",
    .description =
        "Registers this machine as a node and runs the pods that are bound to it as local\n"
        "processes: each with a loopback address, a directory and an environment of its own. An\n"
        "image stands for a local program (see --image); one without is simulated. As root each\n"
        "container has a file system of its own; otherwise paths of volumes are rewritten. Ctrl-C\n"
        "or SIGTERM ends the pods' processes, and the next start runs them again.\n",
    .flags = kNodeFlags,
    .examples = kNodeExamples,
    .run = run_node,
};

}  // namespace fixpoint::cli
