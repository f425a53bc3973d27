// SPDX-License-Identifier: Apache-2.0
//
// Client: the Kubernetes API as the rest of Fixpoint uses it, over HTTP or in process.
//
// Everything belongs to one thread: calls are made on it and answers come back on it, later, never
// from inside the call that asked. So nobody above needs a lock, and the verifier can put itself
// in place of this interface and decide when and how each call is answered.
// Read next: http_client.h (any Kubernetes), local_client.h (the API-server core beside us).
#pragma once

#include "client/call.h"
#include "client/collection.h"

#include <functional>
#include <memory>

namespace fixpoint::client {

class Client {
 public:
  using Done = std::move_only_function<void(Reply)>;
  using PageDone = std::move_only_function<void(PageReply)>;
  using Resolved = std::move_only_function<void(std::expected<Resource, CallError>)>;

  // No callback runs after this.
  virtual ~Client() = default;

  // `done` is called exactly once. Retries happen inside, and only where acting twice does no harm:
  // reads, and writes that the server refused with 429 or 503 and Retry-After before acting, or
  // that never left.
  virtual void call(Call call, Done done) = 0;
  virtual void list(ListCall call, PageDone done) = 0;
  virtual std::unique_ptr<Watching> watch(WatchCall call, WatchHandlers handlers) = 0;
  // Where a kind is served, from discovery. An empty version takes the server's preferred one.
  // Refused with 404 when no such kind is served.
  virtual void resolve(kube::GroupVersionKind kind, Resolved done) = 0;
};

// What happens inside a client, for logs and metrics; called on the client's thread.
class Listener {
 public:
  virtual ~Listener() = default;
  // A `Warning` header, each text once per client: the server repeats itself on every request.
  virtual void warned(std::string_view warning) = 0;
  // One request that reached its end; code 0 when there was no answer.
  struct Exchange {
    std::string_view method;
    std::string_view verb;
    std::string_view host;
    int code = 0;
    Duration took{};
  };
  virtual void exchanged(const Exchange& exchange) = 0;
  virtual void retried(const Exchange& exchange) = 0;
};

}  // namespace fixpoint::client
