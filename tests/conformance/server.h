// SPDX-License-Identifier: Apache-2.0
//
// Server: something that answers Kubernetes requests: a real kube-apiserver, ours over HTTP, and
// our core in process. Sessions treat them alike.
//
// A Server belongs to one thread. Watches go on while other calls are made and are asked for what
// they heard at the end.
#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "net/client.h"
#include "net/http.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::conformance {

// A request with nothing symbolic left in it.
struct Call {
  std::string method = "GET";
  std::string path;
  std::string query;
  net::Headers headers;  // content type, accept, user agent, impersonation
  std::string body;
};

struct Answer {
  int code = 0;  // 0: no answer, and `body` says why
  net::Headers headers;
  std::string body;
};

class Stream {
 public:
  virtual ~Stream() = default;
  virtual bool ended() const = 0;
  // What came so far; a watch's body is one event a line.
  virtual Answer take() = 0;
};

class Server {
 public:
  virtual ~Server() = default;
  virtual std::string_view name() const = 0;
  virtual Answer call(const Call& call) = 0;
  virtual std::unique_ptr<Stream> open(const Call& call) = 0;
  // Lets time pass for watches, at most so long; a server in process has nothing to wait for.
  virtual void wait(Duration longest) = 0;
  // A new sequence begins.
  virtual void begin() {}
  virtual bool in_process() const { return false; }
};

// Where a server is reached over HTTPS.
struct Endpoint {
  std::string name;  // for tables: "real", "ours"
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
  std::string authority_pem;
  std::string token;
};

// From a kubeconfig with a token and the authority's data in it.
Result<Endpoint> endpoint_in(std::string name, std::string_view kubeconfig);
Result<Endpoint> endpoint_of(std::string name, const std::string& kubeconfig_path);
std::unique_ptr<Server> make_http_server(const Endpoint& endpoint);

}  // namespace fixpoint::conformance
