// SPDX-License-Identifier: Apache-2.0
//
// Which proxy leads to a server: a kubeconfig's proxy-url, else HTTPS_PROXY and NO_PROXY, read as
// Go reads them.
#pragma once

#include "base/error.h"
#include "client/access.h"
#include "client/config.h"

#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::client {

// `what` names where it was written. The message repeats no password.
Result<net::Proxy> read_proxy_url(const std::string& url, std::string_view what);

Result<std::optional<net::Proxy>> proxy_from(const Surroundings& surroundings,
                                             const ServerAddress& server, bool tls);

// Whether NO_PROXY's list names this host: names and their subdomains, addresses, networks, "*".
bool spared_from_proxy(std::string_view list, const std::string& host, std::uint16_t port);

}  // namespace fixpoint::client
