// SPDX-License-Identifier: Apache-2.0
//
// For tests: what a server answers, or does not.
#pragma once

#include "client/client.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fixpoint::runtime {

inline client::Answer answered(json::Value body, int code = 200) {
  return {.code = code, .body = std::move(body), .text = {}, .warnings = {}};
}
inline client::CallError refused(int code, std::string reason, std::string message = {}) {
  return {
      .fate = client::Fate::Refused,
      .status = {.code = code,
                 .reason = std::move(reason),
                 .message = std::move(message),
                 .details = std::nullopt},
      .retry_after = std::nullopt
  };
}
inline client::CallError lost(client::Fate fate = client::Fate::Unknown) {
  return {
      .fate = fate,
      .status = {.code = 0, .reason = {}, .message = "connection lost", .details = {}},
      .retry_after = std::nullopt
  };
}
inline client::Page page_of(std::vector<json::Value> items, std::string version,
                            std::string token = {}) {
  client::Page page;
  page.items = std::move(items);
  page.resource_version = std::move(version);
  page.continue_token = std::move(token);
  return page;
}

}  // namespace fixpoint::runtime
