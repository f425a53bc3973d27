// SPDX-License-Identifier: Apache-2.0
//
// Endpoint: where a page is served, as flags write it.
#pragma once

#include "base/error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::runtime {

struct Endpoint {
  std::string address;  // numeric
  std::uint16_t port = 0;

  bool operator==(const Endpoint&) const = default;
};

// ":8080" (every address), "127.0.0.1:0" (any free port), "[::1]:8080"; "0" is none.
Result<std::optional<Endpoint>> parse_endpoint(std::string_view text);

}  // namespace fixpoint::runtime
