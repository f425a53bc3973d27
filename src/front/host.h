// SPDX-License-Identifier: Apache-2.0
//
// Host: a whole API server in one process, from keys and disk to the listening socket.
//
// `fixpoint up` runs one, and so do the integration tests. Everything lives on the loop that is
// given; stop() ends it within its grace, watches with a proper end, every answered write on disk.
#pragma once

#include "base/error.h"
#include "front/api_server.h"
#include "front/identity/identity.h"
#include "front/service.h"
#include "net/loop.h"
#include "net/server.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace fixpoint::front {

struct HostOptions {
  std::optional<std::filesystem::path> data_dir;  // none: in memory
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;
  std::size_t connections_max = 0;  // none: the server's own bound
  ApiServer::AccessLog access_log;
  // Stands before the server and may do to a request what a network does. Null: nobody does.
  std::function<net::Handler(net::Handler)> before = {};
};

class Host {
 public:
  // The message of an error says what to do: who holds the directory, which port is taken.
  static Result<std::unique_ptr<Host>> start(net::Loop& loop, HostOptions options);

  std::string url() const;
  // A kubeconfig with the authority and the admin token: whoever reads it owns the cluster.
  std::string kubeconfig() const;
  // With which clients verify the server.
  const net::KeyPair& authority() const { return identity_->keys().authority; }
  const std::string& authority_pem() const { return authority().certificate_pem; }
  Service& service() { return *service_; }
  void ask_about_pods(PodStreams* streams) { api_->ask_about_pods(streams); }
  void ask_about_usage(const Meter* meter) { api_->ask_about_usage(meter); }
  void stop(Duration grace, std::function<void()> done);

 private:
  Host() = default;

  std::string address_;
  std::unique_ptr<Identity> identity_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<ApiServer> api_;
  std::unique_ptr<net::Server> server_;
};

// The cluster's keys beside its data; made at the first start. Mode 0600. The server's certificate
// is for `address`, wherever the last start listened; the authority, which clients know, stays.
Result<ClusterKeys> load_or_make_keys(const std::filesystem::path& directory,
                                      std::string_view address, Instant now);
// Writes a file that only its owner may read, all of it or none; follows no link.
Result<void> write_private_file(const std::filesystem::path& path, std::string_view text);

}  // namespace fixpoint::front
