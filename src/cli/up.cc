// SPDX-License-Identifier: Apache-2.0
//
// fixpoint up: a Kubernetes API on this machine.
#include "cli/up.h"

#include "base/footprint.h"
#include "cli/command_line/arguments.h"
#include "cli/command_line/console.h"
#include "cli/command_line/route.h"
#include "cli/commands.h"
#include "cli/node_flags.h"
#include "cli/operators.h"
#include "cli/up/access_log.h"
#include "cli/up/controller_shell.h"
#include "cli/up/local_node.h"
#include "cli/up/settings.h"
#include "cli/up/state_directory.h"
#include "front/host.h"
#include "json/parsing/scratch.h"
#include "net/certificate.h"
#include "store/scratch_directory.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <tuple>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

namespace fixpoint::cli {
namespace {

constexpr auto kServerStopGrace = std::chrono::milliseconds(800);
// Until what only the start needed is given back.
constexpr auto kUntilSettled = std::chrono::seconds(1);
// The store's files, the loop, the log, a kubeconfig on its way to disk: what is not a connection.
constexpr std::size_t kDescriptorsReserved = 64;

// Every connection takes a descriptor, and the soft limit is often 1024: this process may have as
// many as the hard limit allows. Returns how many connections then fit beside everything else.
std::size_t connections_that_fit() {
  struct rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return 0;
  if (files.rlim_cur != files.rlim_max) {
    const auto before = files.rlim_cur;
    files.rlim_cur = files.rlim_max;
    if (::setrlimit(RLIMIT_NOFILE, &files) != 0) files.rlim_cur = before;
  }
  const std::size_t wanted = net::ServerOptions{}.connections_max;
  if (files.rlim_cur == RLIM_INFINITY || files.rlim_cur >= wanted + kDescriptorsReserved) {
    return wanted;
  }
  const auto have = static_cast<std::size_t>(files.rlim_cur);
  return have > kDescriptorsReserved ? have - kDescriptorsReserved : 1;
}

// Where pods and persistent volumes lie: with the cluster, or, of one in memory, in a directory
// that goes with it.
struct Home {
  std::filesystem::path path;
  std::optional<store::ScratchDirectory> scratch;

  static Result<Home> of(const std::optional<std::filesystem::path>& data_dir) {
    if (data_dir) return Home{.path = std::filesystem::absolute(*data_dir), .scratch = {}};
    FP_TRY(parent, store::temporary_directory());
    FP_TRY(made, store::ScratchDirectory::make("up", parent));
    const auto path = made.path();
    return Home{.path = path, .scratch = std::move(made)};
  }
  std::filesystem::path volumes() const { return path / "volumes"; }
};

Result<std::unique_ptr<LocalNode>> open_node(node::NodeOptions options, front::Host& host,
                                             const runtime::Log& log, const Home& home,
                                             Duration simulated_delay) {
  options.name = machine_name();
  options.directory = home.path / "node";
  options.volumes = home.volumes();
  options.simulated_delay = simulated_delay;
  // Nobody comes back for the pods of a cluster that was in memory.
  if (home.scratch) options.orphan_time = std::chrono::seconds(1);
  return LocalNode::open(host, log, std::move(options));
}

// Removes one volume's directory. The path comes from an object that anybody may have written:
// only a direct child of the volumes' own directory is ever touched.
Result<void> remove_volume(const std::filesystem::path& volumes, const std::string& path) {
  const std::filesystem::path wanted{path};
  if (wanted.parent_path() != volumes || wanted != wanted.lexically_normal()) {
    return fail(ErrorKind::Invalid, fmt::format("{} is no volume of this cluster: it stays", path));
  }
  std::error_code error;
  std::filesystem::remove_all(wanted, error);
  if (error) {
    return fail(ErrorKind::Unavailable, fmt::format("cannot remove {}: {}", path, error.message()));
  }
  return {};
}

Result<std::string> sign_with(const net::KeyPair& authority,
                              const cluster::CertificateOrder& order) {
  return net::sign_client_request(authority, {.request_pem = order.request_pem,
                                              .digital_signature = order.digital_signature,
                                              .key_encipherment = order.key_encipherment,
                                              .not_before = order.from,
                                              .not_after = order.until});
}

// Where it was asked for, else with the cluster.
Result<std::filesystem::path> kubeconfig_path(
    const Arguments& arguments, const std::optional<std::filesystem::path>& data_dir) {
  if (arguments.given("kubeconfig")) {
    return std::filesystem::path{std::string{arguments.value("kubeconfig")}};
  }
  if (data_dir) return *data_dir / "kubeconfig";
  FP_TRY(parent, store::temporary_directory());
  return parent / fmt::format("fixpoint-{}.kubeconfig", ::getpid());
}

int run_up(const Arguments& arguments) {
  const auto began = std::chrono::steady_clock::now();
  auto settings = up_settings(arguments);
  if (!settings) return misused("up", settings.error());
  auto& cluster_options = settings->cluster;

  // A file that may not grow, or a log that nobody reads any more, is an error of that write and
  // not the end of the cluster.
  for (const int signal : {SIGXFSZ, SIGPIPE}) std::signal(signal, SIG_IGN);
  net::Loop loop;
  std::unique_ptr<front::Host> host;
  std::unique_ptr<LocalOperators> local;
  std::unique_ptr<LocalNode> node;
  bool stopping = false;
  const auto stop_server = [&] { host->stop(kServerStopGrace, [&] { loop.stop(); }); };
  const auto stop_host = [&] {
    if (node) return node->stop(stop_server);
    stop_server();
  };
  const auto stop = [&] {
    if (std::exchange(stopping, true) || !host) return;
    // Operators first: what they are about to write must still find a server.
    if (local) return local->stop(stop_host);
    stop_host();
  };
  for (const int signal : {SIGTERM, SIGINT}) {
    if (auto ok = loop.on_signal(signal, stop); !ok) return failed("up", ok.error());
  }
  front::HostOptions options;
  if (!arguments.given("ephemeral")) {
    options.data_dir = arguments.given("data-dir")
                           ? std::filesystem::path(std::string{arguments.value("data-dir")})
                           : state_directory();
    if (!arguments.given("data-dir")) {
      std::error_code ignored;  // a missing parent is reported when the directory is opened
      std::filesystem::create_directories(options.data_dir->parent_path(), ignored);
    }
  }
  options.address = settings->listen.address;
  options.port = settings->listen.port;
  options.connections_max = connections_that_fit();
  AccessLog requests(loop, log_format_of(arguments.value("log-format")));
  options.access_log = [&](const front::AccessLine& line) { requests.tell(line); };
  const auto data_dir = options.data_dir;
  const auto home = Home::of(data_dir);
  if (!home) return failed("up", home.error());
  const auto volumes = home->volumes();
  cluster_options.volumes = volumes.string();
  cluster_options.remove_directory = [volumes](const std::string& path) {
    return remove_volume(volumes, path);
  };
  auto started = front::Host::start(loop, std::move(options));
  if (!started) return failed("up", started.error());
  host = *std::move(started);
  const bool workloads = arguments.value("controllers") == "all";
  cluster_options.sign_certificate = [&host](const cluster::CertificateOrder& order) {
    return sign_with(host->authority(), order);
  };
  ControllerShell controllers(host->service(), [&host, &cluster_options, workloads] {
    return workloads ? cluster::Controllers::of_cluster(host->authority_pem(), cluster_options)
                     : cluster::Controllers::of_api(host->authority_pem(),
                                                    cluster_options.sign_certificate);
  });

  const runtime::Log log(log_format_of(arguments.value("log-format")), runtime::LogLevel::Info,
                         loop.clock(), runtime::Log::to_stdout());
  if (!settings->operators.empty()) {
    local = std::make_unique<LocalOperators>(host->service(), log, arguments.value("operators"),
                                             std::move(settings->operators));
    if (auto ok = local->start(); !ok) return failed("up", ok.error());
  }
  if (workloads && arguments.value("nodes") == kLocalNodes) {
    auto opened = open_node(std::move(settings->node), *host, log, *home,
                            cluster_options.simulation.ready_after);
    if (!opened) return failed("up", opened.error());
    node = *std::move(opened);
  }

  const auto kubeconfig = kubeconfig_path(arguments, data_dir);
  if (!kubeconfig) return failed("up", kubeconfig.error());
  if (auto ok = front::write_private_file(*kubeconfig, host->kubeconfig()); !ok) {
    return failed("up", ok.error());
  }
  const double millis =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
  // Where nobody reads it, it serves all the same, and stderr says so.
  std::ignore = answer(fmt::format("ready {} kubeconfig={} in {:.0f} ms\n", host->url(),
                                   kubeconfig->string(), millis));
  if (node) node->start();
  loop.after(kUntilSettled, [] {
    json::release_scratch();
    give_back_heap();
    unmap_program_pages();
  });
  loop.run();
  node.reset();
  local.reset();
  if (!data_dir && !arguments.given("kubeconfig")) {
    std::error_code ignored;  // the cluster it led to is gone; a leftover file does no harm
    std::filesystem::remove(*kubeconfig, ignored);
  }
  return kExitDone;
}

}  // namespace

const Command kUpCommand{
    .name = "up",
    .summary = "Run a Kubernetes API on this machine",
    .description =
        "Starts an embedded, Kubernetes-compatible API server on loopback and writes a kubeconfig\n"
        "for it. Unmodified kubectl works with it. Without --ephemeral the cluster is kept in\n"
        "--data-dir (by default $XDG_STATE_HOME/fixpoint, else ~/.local/state/fixpoint), and a\n"
        "write is acknowledged only once it is on disk. Ctrl-C or SIGTERM ends it cleanly.\n",
    .flags = kUpFlags,
    .examples = kUpExamples,
    .run = run_up,
};

}  // namespace fixpoint::cli
