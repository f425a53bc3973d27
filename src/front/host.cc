// SPDX-License-Identifier: Apache-2.0
#include "front/host.h"

#include "front/bootstrap/bootstrap.h"
#include "json/draft.h"
#include "json/parsing/parse.h"
#include "json/print.h"
#include "json/yaml/yaml.h"
#include "net/crypto.h"

#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace fixpoint::front {
namespace {

constexpr std::size_t kFreshNameBytes = 8;

std::unexpected<Error> file_error(std::string_view doing, const std::filesystem::path& path) {
  return fail(ErrorKind::Unavailable,
              std::string{doing} + " " + path.string() + ": " + std::strerror(errno));
}

std::string keys_text(const ClusterKeys& keys) {
  const auto pair = [](const net::KeyPair& p) {
    return json::Draft::object({
        {"certificate", p.certificate_pem},
        {"privateKey",  p.private_key_pem}
    });
  };
  const auto body = json::Draft::object({
                                            {"authority",  pair(keys.authority)     },
                                            {"tokenKey",   keys.tokens.private_pem()},
                                            {"adminToken", keys.admin_token         }
  })
                        .freeze();
  return json::to_pretty_text(body);
}

// What is kept; the server's own certificate is made anew at every start, for where it listens now.
struct StoredKeys {
  net::KeyPair authority;
  net::SigningKey tokens;
  std::string admin_token;
};

Result<StoredKeys> parse_keys(std::string_view text) {
  FP_TRY(body, json::parse(text));
  net::KeyPair authority{std::string{body.get("authority", "certificate").as_string()},
                         std::string{body.get("authority", "privateKey").as_string()}};
  FP_TRY(tokens, net::SigningKey::from_pem(body.get("tokenKey").as_string()));
  if (!tokens.can_sign()) return fail(ErrorKind::Invalid, "tokenKey is no private key");
  std::string admin_token{body.get("adminToken").as_string()};
  // An empty one would admit whoever shows an empty one.
  if (admin_token.empty()) return fail(ErrorKind::Invalid, "adminToken is missing or empty");
  return StoredKeys{.authority = std::move(authority),
                    .tokens = std::move(tokens),
                    .admin_token = std::move(admin_token)};
}

// Nothing when there is no such file; anything else that keeps it from being read is an error,
// since keys made in its place would lock everybody out.
Result<std::optional<std::string>> read_if_present(const std::filesystem::path& path) {
  // Not waiting for whoever writes into a pipe that stands there.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0 && errno == ENOENT) return std::optional<std::string>{};
  if (fd < 0) return file_error("read", path);
  std::string text;
  std::array<char, 4096> piece{};
  while (true) {
    const auto n = ::read(fd, piece.data(), piece.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const auto error = file_error("read", path);
      ::close(fd);
      return error;
    }
    if (n == 0) break;
    text.append(piece.data(), static_cast<std::size_t>(n));
  }
  ::close(fd);
  return std::optional{std::move(text)};
}

Result<ClusterKeys> keys_in(std::string_view text, std::string_view address, Instant now) {
  FP_TRY(stored, parse_keys(text));
  FP_TRY(server, issue_server_certificate(stored.authority, address, now));
  return ClusterKeys{.authority = std::move(stored.authority),
                     .server = std::move(server),
                     .tokens = std::move(stored.tokens),
                     .admin_token = std::move(stored.admin_token)};
}

Result<void> write_all(int fd, std::string_view text, const std::filesystem::path& path) {
  while (!text.empty()) {
    const auto n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return file_error("write", path);
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  if (::fsync(fd) != 0) return file_error("write", path);
  return {};
}

// "[::1]:6443": an address of colons needs brackets before its port.
std::string host_and_port(const std::string& address, std::uint16_t port) {
  const bool colons = address.find(':') != std::string::npos;
  return (colons ? "[" + address + "]" : address) + ":" + std::to_string(port);
}

}  // namespace

Result<void> write_private_file(const std::filesystem::path& path, std::string_view text) {
  // A device or a pipe would be replaced by a file: /dev/null, for everybody.
  std::error_code absent;
  const auto there = std::filesystem::status(path, absent);
  if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there)) {
    return fail(ErrorKind::Invalid, "write " + path.string() +
                                        ": it is there and no regular file: choose another path");
  }
  // A name nobody can have prepared, and nothing that stands there is followed or reused.
  const std::filesystem::path fresh =
      path.string() + "." + net::hex(net::random_bytes(kFreshNameBytes)) + ".new";
  const int fd = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return file_error("write", path);
  auto done = write_all(fd, text, path);
  ::close(fd);
  if (done && ::rename(fresh.c_str(), path.c_str()) != 0) done = file_error("write", path);
  if (!done) ::unlink(fresh.c_str());
  return done;
}

Result<ClusterKeys> load_or_make_keys(const std::filesystem::path& directory,
                                      std::string_view address, Instant now) {
  const auto path = directory / "keys.json";
  FP_TRY(text, read_if_present(path));
  if (text) {
    auto keys = keys_in(*text, address, now);
    if (!keys) {
      return fail(ErrorKind::Invalid, "the cluster's keys in " + path.string() +
                                          " cannot be used: " + keys.error().message +
                                          "; restore the file or start with another directory");
    }
    return *std::move(keys);
  }
  FP_TRY(keys, make_cluster_keys(address, now));
  FP_TRY_VOID(write_private_file(path, keys_text(keys)));
  return std::move(keys);
}

Result<std::unique_ptr<Host>> Host::start(net::Loop& loop, HostOptions options) {
  std::unique_ptr<Host> host{new Host};
  host->address_ = options.address;
  const auto now = loop.clock().wall();

  std::unique_ptr<store::DurableLog> log;
  store::Store contents;
  // The log reports to a service that does not exist yet; nothing is appended before it does.
  auto sink = std::make_shared<store::DurableLog::OnProgress>();
  if (options.data_dir) {
    FP_TRY(opened, store::DurableLog::open(*options.data_dir, [sink](const store::Progress& p) {
             if (*sink) (*sink)(p);
           }));
    contents = store::Store(std::move(opened.recovered.records), opened.recovered.revision);
    log = std::move(opened.log);
    FP_TRY(keys, load_or_make_keys(*options.data_dir, options.address, now));
    host->identity_ = std::make_unique<Identity>(std::move(keys));
  } else {
    FP_TRY(keys, make_cluster_keys(options.address, now));
    host->identity_ = std::make_unique<Identity>(std::move(keys));
  }
  host->service_ = std::make_unique<Service>(loop, std::move(contents), host->identity_.get());
  *sink = host->service_->progress_sink();
  if (log) host->service_->attach(std::move(log));
  FP_TRY_VOID(bootstrap(*host->service_, now));

  host->api_ =
      std::make_unique<ApiServer>(*host->service_, *host->identity_, std::move(options.access_log));
  const auto& keys = host->identity_->keys();
  FP_TRY(tls, net::make_server_tls({.certificate_pem = keys.server.certificate_pem,
                                    .private_key_pem = keys.server.private_key_pem,
                                    .client_ca_pem = keys.authority.certificate_pem}));
  net::ServerOptions serving;
  serving.address = options.address;
  serving.port = options.port;
  if (options.connections_max > 0) serving.connections_max = options.connections_max;
  serving.tls = tls;
  serving.error_pages = ApiServer::error_pages();
  auto handler = host->api_->handler();
  if (options.before) handler = options.before(std::move(handler));
  FP_TRY(server, net::Server::listen(loop, std::move(serving), std::move(handler)));
  host->server_ = std::move(server);
  host->api_->serves_at(host_and_port(options.address, host->server_->port()));
  return host;
}

std::string Host::url() const {
  return "https://" + host_and_port(address_, server_->port());
}

std::string Host::kubeconfig() const {
  const auto& keys = identity_->keys();
  const auto named = [](std::string_view what, json::Draft content) {
    return json::Draft::array({
        json::Draft::object({{"name", "fixpoint"}, {what, std::move(content)}}
        )
    });
  };
  const auto config =
      json::Draft::object(
          {
              {"apiVersion", "v1"},
              {"kind", "Config"},
              {"current-context", "fixpoint"},
              {"clusters",
               named("cluster",
               json::Draft::object({{"server", url()},
                                          {"certificate-authority-data",
                                           net::base64_encode(keys.authority.certificate_pem)}}))},
              {"users", named("user", json::Draft::object({{"token", keys.admin_token}}))},
              {"contexts", named("context", json::Draft::object(
                                                {{"cluster", "fixpoint"}, {"user", "fixpoint"}}))}
  })
          .freeze();
  return json::to_yaml(config);
}

void Host::stop(Duration grace, std::function<void()> done) {
  server_->shutdown(grace, [this, done = std::move(done)] {
    service_->drain();
    done();
  });
}

}  // namespace fixpoint::front
