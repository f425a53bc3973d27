// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/server_session.h"

#include <algorithm>
#include <array>

namespace fixpoint::net {

ErrorPage error_page(const ServerOptions& options, int status, const std::string& message) {
  if (options.error_pages) return options.error_pages(status, message);
  return {.headers = {{"content-type", "text/plain; charset=utf-8"}}, .body = message + "\n"};
}

bool is_connection_header(std::string_view name) {
  static constexpr std::array<std::string_view, 6> kNames{"connection",        "content-length",
                                                          "keep-alive",        "proxy-connection",
                                                          "transfer-encoding", "upgrade"};
  return std::ranges::any_of(kNames,
                             [&](std::string_view own) { return equals_ignoring_case(own, name); });
}

UpgradedStreamRef Exchange::upgrade(std::string_view, const Headers&, UpgradeHandlers&&) {
  return nullptr;
}

bool may_have_body(int status) {
  return status >= 200 && status != 204 && status != 304;
}

}  // namespace fixpoint::net
