// SPDX-License-Identifier: Apache-2.0
//
// HttpClient: the Kubernetes API of any server from 1.30 on, over HTTP/2 or HTTP/1.1.
//
// Everything happens on the loop's thread. Read next: requester.h (calls and their retries),
// http_watch.h (watches), pool.h (connections), credentials.h (who we are), config.h (where to).
#pragma once

#include "client/access.h"
#include "client/client.h"
#include "client/http/pool.h"
#include "client/http/requester.h"

#include <memory>

namespace fixpoint::client {

struct HttpClientOptions {
  ServerAddress server;
  std::unique_ptr<AccessSource> access;
  RequesterOptions requests;
  PoolLimits limits;
};

class HttpClient final : public Client {
 public:
  // The loop outlives the client.
  HttpClient(net::Loop& loop, HttpClientOptions options);
  ~HttpClient() override;

  void call(Call call, Done done) override;
  void list(ListCall call, PageDone done) override;
  std::unique_ptr<Watching> watch(WatchCall call, WatchHandlers handlers) override;
  void resolve(kube::GroupVersionKind kind, Resolved done) override;

  std::size_t connections() const { return pool_->connections(); }

 private:
  std::unique_ptr<AccessSource> access_;
  std::unique_ptr<Pool> pool_;
  std::shared_ptr<Requester> requester_;  // watches that outlive the client find it gone
  std::shared_ptr<bool> streaming_refused_ = std::make_shared<bool>(false);
};

}  // namespace fixpoint::client
