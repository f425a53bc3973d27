// SPDX-License-Identifier: Apache-2.0
//
// NodeServer: the HTTPS server of `fixpoint node`, which an API server asks for what it asks a
// kubelet: logs, exec, attach, port-forward, under the same paths.
//
// Invariant: nobody is served without a certificate that the given authority signed, and without
// the cluster saying (SubjectAccessReview) that its holder may proxy to this node.
#pragma once

#include "base/error.h"
#include "client/client.h"
#include "net/loop.h"
#include "net/server.h"
#include "node/streams.h"

#include <cstdint>
#include <memory>
#include <string>

namespace fixpoint::cli {

struct NodeServerOptions {
  std::string node;
  std::string address;
  std::uint16_t port = 0;
  std::string client_authority_pem;
  // Empty: made for the occasion, which only an API server that does not look takes.
  std::string certificate_pem;
  std::string private_key_pem;
};

class NodeServer {
 public:
  static Result<std::unique_ptr<NodeServer>> open(net::Loop& loop, client::Client& client,
                                                  NodeServerOptions options);
  ~NodeServer();
  NodeServer(const NodeServer&) = delete;
  NodeServer& operator=(const NodeServer&) = delete;

  std::uint16_t port() const { return server_->port(); }
  // Whose pods are asked about; until then nobody is served.
  void use(node::Streams* streams) { streams_ = streams; }

 private:
  NodeServer(net::Loop& loop, client::Client& client, std::string node);
  void handle(net::Request&& request, const std::shared_ptr<net::Exchange>& exchange);
  void serve(const net::Request& request, const std::shared_ptr<net::Exchange>& exchange);

  net::Loop& loop_;
  client::Client& client_;
  std::string node_;
  node::Streams* streams_ = nullptr;
  std::unique_ptr<net::Server> server_;
  std::shared_ptr<NodeServer*> self_ = std::make_shared<NodeServer*>(this);
};

}  // namespace fixpoint::cli
