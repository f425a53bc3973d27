// SPDX-License-Identifier: Apache-2.0
//
// ServiceClient: a Client of the API server beside us, without any socket between.
#pragma once

#include "client/local_client.h"
#include "front/service.h"

#include <memory>

namespace fixpoint::cli {

class ServiceClient {
 public:
  explicit ServiceClient(front::Service& service);
  ~ServiceClient();
  ServiceClient(const ServiceClient&) = delete;
  ServiceClient& operator=(const ServiceClient&) = delete;

  client::Client& client() { return *client_; }

 private:
  class Api;
  std::unique_ptr<Api> api_;
  std::unique_ptr<client::LocalClient> client_;
  std::shared_ptr<client::LocalClient*> self_;
};

}  // namespace fixpoint::cli
