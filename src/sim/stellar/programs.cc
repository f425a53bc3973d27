// SPDX-License-Identifier: Apache-2.0
#include "sim/stellar/programs.h"

#include "base/file.h"
#include "base/print_to.h"
#include "net/client.h"
#include "sim/stellar/stand_in.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>

namespace fixpoint::sim {
namespace {

namespace fs = std::filesystem;

// Of a file that a program reads; the largest real ones have a few hundred lines.
constexpr std::uintmax_t kFileBytesMax = 1U << 20U;
constexpr std::string_view kLoopback = "127.0.0.1";
constexpr int kFailed = 1;

std::string_view display_name(std::string_view program) {
  if (program == "horizon") return "horizon";
  return program == "rpc" ? "stellar-rpc" : "stellar-core";
}

class Program {
 public:
  explicit Program(const Call& call) : call_(call) {}

  Result<int> run() {
    if (call_.program == "horizon") return horizon();
    if (call_.program == "rpc") return rpc();
    return core();
  }

 private:
  std::string place(std::string_view path) const {
    const auto mounts = call_.environment.find(kMountsVariable);
    return machine_path(path, mounts == call_.environment.end() ? "" : mounts->second);
  }

  Result<FileFound> read(const std::string& path) const {
    const auto where = place(path);
    struct stat info{};
    if (::stat(where.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) {
      return fail(ErrorKind::NotFound, fmt::format("{}: no such file", path));
    }
    if (static_cast<std::uintmax_t>(info.st_size) > kFileBytesMax) {
      return fail(ErrorKind::Invalid, fmt::format("{}: larger than 1 MiB", path));
    }
    auto text = read_file(where);
    if (!text) return fail(ErrorKind::Unavailable, fmt::format("{}: cannot be read", path));
    return FileFound{.text = *std::move(text), .mode = info.st_mode & 0777U};
  }
  Files files() const {
    return [this](const std::string& path) { return read(path); };
  }

  static std::unexpected<Error> no_action(std::string_view action) {
    return fail(ErrorKind::Invalid, fmt::format("there is no \"{}\" here", action));
  }

  // --- stellar-core ---

  Result<int> core() {
    const auto& action = call_.action;
    if (action == "version") return version();
    if (call_.configuration.empty()) return fail(ErrorKind::Invalid, "--conf FILE is needed");
    FP_TRY(file, read_core_file(call_.configuration, files()));
    if (action == "new-db") return new_database(file);
    if (action == "http-command") return http_command(file);
    if (!action.empty() && action != "run") return no_action(action);
    if (!file.database_file.empty() && !fs::exists(place(file.database_file))) {
      return fail(ErrorKind::NotFound,
                  fmt::format("no database at {}: make it with new-db", file.database_file));
    }
    FP_TRY_VOID(make_buckets(file));
    return sim::run(core_ports(file));
  }

  StandIn core_ports(const CoreFile& file) const {
    StandIn stand_in{.name = "stellar-core", .pace = call_.pace, .ports = {}};
    stand_in.ports.push_back(
        {.address = call_.address, .number = file.peer_port, .what = "peer port"});
    if (file.http_port == 0) return stand_in;
    const auto started = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
    // Not public: only what runs on the same machine gets there, as with a real core in its pod.
    stand_in.ports.push_back({.address = http_address(file),
                              .number = file.http_port,
                              .what = "HTTP port",
                              .pages = [file, started](const Asked& asked, const Moment& moment) {
                                return core_page(file, asked, moment, started);
                              }});
    return stand_in;
  }

  std::string http_address(const CoreFile& file) const {
    return file.public_http_port ? call_.address : std::string{kLoopback};
  }

  Result<void> make_buckets(const CoreFile& file) const {
    std::error_code error;
    fs::create_directories(place(file.bucket_directory), error);
    if (!error) return {};
    return fail(ErrorKind::Unavailable,
                fmt::format("BUCKET_DIR_PATH {}: {}", file.bucket_directory, error.message()));
  }

  Result<int> new_database(const CoreFile& file) {
    if (!file.database_file.empty()) {
      std::ofstream out(place(file.database_file), std::ios::trunc);
      out << "made by the stand-in of stellar-core\n";
      out.flush();
      if (!out) {
        return fail(ErrorKind::Unavailable,
                    fmt::format("DATABASE {}: cannot be written", file.database_file));
      }
    }
    FP_TRY_VOID(make_buckets(file));
    print_to(stdout, "stellar-core (stand-in): new database made\n");
    return 0;
  }

  Result<int> http_command(const CoreFile& file) {
    net::ClientOptions to;
    to.host = http_address(file);
    to.port = file.http_port;
    net::ClientRequest request;
    request.target = fmt::format("/{}", call_.argument);
    FP_TRY(response, net::blocking_request(to, std::move(request), std::chrono::seconds(10)));
    print_to(stdout, response.body);
    return response.status == 200 ? 0 : kFailed;
  }

  Result<int> version() const {
    print_to(stdout, fmt::format("{} (stand-in of Fixpoint)\n", display_name(call_.program)));
    return 0;
  }

  // --- Horizon and RPC ---

  Result<int> horizon() {
    if (call_.action == "version") return version();
    if (!call_.action.empty() && call_.action != "serve") return no_action(call_.action);
    FP_TRY(configuration, read_horizon_variables(call_.environment, files()));
    StandIn stand_in{.name = "horizon", .pace = call_.pace, .ports = {}};
    stand_in.ports.push_back({.address = call_.address,
                              .number = configuration.port,
                              .what = "HTTP port",
                              .pages = [configuration](const Asked& asked, const Moment& moment) {
                                return horizon_page(configuration, asked, moment);
                              }});
    add_admin(stand_in, configuration.admin_port, horizon_admin_page);
    return sim::run(std::move(stand_in));
  }

  Result<int> rpc() {
    if (call_.action == "version") return version();
    if (!call_.action.empty()) return no_action(call_.action);
    if (call_.configuration.empty())
      return fail(ErrorKind::Invalid, "--config-path FILE is needed");
    FP_TRY(file, read_rpc_file(call_.configuration, files()));
    StandIn stand_in{.name = "stellar-rpc", .pace = call_.pace, .ports = {}};
    stand_in.ports.push_back({.address = call_.address,
                              .number = file.port,
                              .what = "JSON-RPC port",
                              .pages = [file](const Asked& asked, const Moment& moment) {
                                return rpc_page(file, asked, moment);
                              }});
    add_admin(stand_in, file.admin_port, rpc_admin_page);
    return sim::run(std::move(stand_in));
  }

  void add_admin(StandIn& stand_in, std::uint16_t port,
                 std::optional<Page> (*pages)(const Asked&, const Moment&)) const {
    if (port == 0) return;
    stand_in.ports.push_back(
        {.address = call_.address, .number = port, .what = "admin port", .pages = pages});
  }

  const Call& call_;
};

}  // namespace

std::optional<std::string_view> program_named(std::string_view file_name) {
  struct Name {
    std::string_view file;
    std::string_view program;
  };
  constexpr std::array kNames{
      Name{"stellar-core",    "core"   },
      Name{"horizon",         "horizon"},
      Name{"stellar-horizon", "horizon"},
      Name{"stellar-rpc",     "rpc"    },
      Name{"soroban-rpc",     "rpc"    },
  };
  const auto base = file_name.substr(file_name.rfind('/') + 1);  // npos + 1 is 0
  for (const auto& name : kNames) {
    if (base == name.file) return name.program;
  }
  return std::nullopt;
}

int call(const Call& call) {
  const auto status = Program(call).run();
  if (status) return *status;
  print_to(stderr,
           fmt::format("{} (stand-in): {}\n", display_name(call.program), status.error().message));
  return kFailed;
}

std::string machine_path(std::string_view path, std::string_view mounts) {
  const auto lies_in = [&](std::string_view directory) {
    return path.starts_with(directory) &&
           (path.size() == directory.size() || path[directory.size()] == '/');
  };
  std::string_view best_target;
  std::string_view best_source;
  while (!mounts.empty()) {
    const auto end = std::min(mounts.find('\n'), mounts.size());
    const auto line = mounts.substr(0, end);
    mounts.remove_prefix(std::min(end + 1, mounts.size()));
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const auto target = line.substr(0, equals);
    const auto source = line.substr(equals + 1);
    // Rewritten already: it came from the command line.
    if (lies_in(source)) return std::string{path};
    if (lies_in(target) && target.size() > best_target.size()) {
      best_target = target;
      best_source = source;
    }
  }
  if (best_target.empty()) return std::string{path};
  return fmt::format("{}{}", best_source, path.substr(best_target.size()));
}

}  // namespace fixpoint::sim
