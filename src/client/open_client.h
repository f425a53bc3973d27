// SPDX-License-Identifier: Apache-2.0
//
// A client from a configuration: what programs call.
#pragma once

#include "base/error.h"
#include "client/config.h"
#include "client/http_client.h"

#include <memory>

namespace fixpoint::client {

// Tells at once what is wrong with files and certificates; whether the server is there shows with
// the first call.
Result<std::unique_ptr<HttpClient>> open_client(net::Loop& loop, Config config,
                                                RequesterOptions requests = {});

}  // namespace fixpoint::client
