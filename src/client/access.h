// SPDX-License-Identifier: Apache-2.0
//
// Access: what a request shows to be let in, and where it comes from.
//
// Tokens expire and certificates are rotated while a client runs, so nobody keeps an Access longer
// than one request. Secrets: never put one into a message.
// Read next: credentials.h makes Accesses from a kubeconfig or from inside a cluster.
#pragma once

#include "base/error.h"
#include "net/client.h"
#include "net/tls.h"

#include <functional>
#include <memory>
#include <string>

namespace fixpoint::client {

struct Access {
  std::string authorization;  // the header's value; empty: none
  net::TlsContextRef tls;     // changes when a CA or a client certificate does; none: plain HTTP
};
using AccessRef = std::shared_ptr<const Access>;

// Belongs to the loop's thread.
class AccessSource {
 public:
  using Done = std::function<void(Result<AccessRef>)>;
  virtual ~AccessSource() = default;

  // From inside the call when it is at hand, else later from the loop.
  virtual void get(Done done) = 0;
  // The server answered 401 to this one. False when nothing better can be had.
  virtual bool reject(const AccessRef& access) = 0;
};

class FixedAccess final : public AccessSource {
 public:
  explicit FixedAccess(Access access)
      : access_(std::make_shared<const Access>(std::move(access))) {}
  void get(Done done) override { done(access_); }
  bool reject(const AccessRef&) override { return false; }

 private:
  AccessRef access_;
};

// Where the server is, and how to get there.
struct ServerAddress {
  std::string host;
  std::uint16_t port = 443;
  std::string path;         // in front of every request's: "/k8s/clusters/c-1"
  std::string server_name;  // what the certificate must say, when it is not `host`
  std::optional<net::Proxy> proxy;
};

}  // namespace fixpoint::client
