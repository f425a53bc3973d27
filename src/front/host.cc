// SPDX-License-Identifier: Apache-2.0
#include "front/host.h"

#include "front/bootstrap.h"
#include "json/draft.h"
#include "json/parse.h"
#include "json/print.h"
#include "json/yaml.h"
#include "net/crypto.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fixpoint::front {
namespace {

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
                                            {"server",     pair(keys.server)        },
                                            {"tokenKey",   keys.tokens.private_pem()},
                                            {"adminToken", keys.admin_token         }
  })
                        .freeze();
  return json::to_pretty_text(body);
}

Result<ClusterKeys> parse_keys(std::string_view text) {
  FP_TRY(body, json::parse(text));
  const auto pair = [&](std::string_view name) {
    return net::KeyPair{std::string{body.get(name, "certificate").as_string()},
                        std::string{body.get(name, "privateKey").as_string()}};
  };
  FP_TRY(tokens, net::SigningKey::from_pem(body.get("tokenKey").as_string()));
  return ClusterKeys{.authority = pair("authority"),
                     .server = pair("server"),
                     .tokens = std::move(tokens),
                     .admin_token = std::string{body.get("adminToken").as_string()}};
}

}  // namespace

Result<void> write_private_file(const std::filesystem::path& path, std::string_view text) {
  const std::filesystem::path fresh = path.string() + ".new";
  const int fd = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return file_error("write", fresh);
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto n = ::write(fd, rest.data(), rest.size());
    if (n < 0) {
      const auto error = file_error("write", fresh);
      ::close(fd);
      ::unlink(fresh.c_str());
      return error;
    }
    rest.remove_prefix(static_cast<std::size_t>(n));
  }
  // A file of that name with wider rights must not lend them to this one.
  const bool done = ::fchmod(fd, 0600) == 0 && ::fsync(fd) == 0;
  ::close(fd);
  if (!done || ::rename(fresh.c_str(), path.c_str()) != 0) return file_error("write", path);
  return {};
}

Result<ClusterKeys> load_or_make_keys(const std::filesystem::path& directory,
                                      std::string_view address, Instant now) {
  const auto path = directory / "keys.json";
  std::ifstream file(path);
  if (file) {
    std::stringstream text;
    text << file.rdbuf();
    auto keys = parse_keys(text.str());
    if (!keys) {
      return fail(ErrorKind::Invalid, "the cluster's keys in " + path.string() +
                                          " cannot be read: " + keys.error().message +
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
  FP_TRY_VOID(bootstrap(*host->service_));

  host->api_ =
      std::make_unique<ApiServer>(*host->service_, *host->identity_, std::move(options.access_log));
  const auto& keys = host->identity_->keys();
  FP_TRY(tls, net::make_server_tls({.certificate_pem = keys.server.certificate_pem,
                                    .private_key_pem = keys.server.private_key_pem,
                                    .client_ca_pem = keys.authority.certificate_pem}));
  net::ServerOptions serving;
  serving.address = options.address;
  serving.port = options.port;
  serving.tls = tls;
  serving.error_pages = ApiServer::error_pages();
  FP_TRY(server, net::Server::listen(loop, std::move(serving), host->api_->handler()));
  host->server_ = std::move(server);
  host->api_->serves_at(options.address + ":" + std::to_string(host->server_->port()));
  return host;
}

std::string Host::url() const {
  return "https://" + address_ + ":" + std::to_string(server_->port());
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
