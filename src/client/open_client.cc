// SPDX-License-Identifier: Apache-2.0
#include "client/open_client.h"

#include "client/config/credentials.h"

#include <utility>

namespace fixpoint::client {

Result<std::unique_ptr<HttpClient>> open_client(net::Loop& loop, Config config,
                                                RequesterOptions requests) {
  HttpClientOptions options;
  options.server = config.server;
  options.requests = std::move(requests);
  if (options.requests.impersonation.empty()) options.requests.impersonation = config.impersonation;
  auto credentials = std::make_unique<Credentials>(loop, std::move(config));
  FP_TRY_VOID(credentials->check());
  options.access = std::move(credentials);
  return std::make_unique<HttpClient>(loop, std::move(options));
}

}  // namespace fixpoint::client
