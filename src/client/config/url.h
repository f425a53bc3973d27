// SPDX-License-Identifier: Apache-2.0
//
// The parts of a URL as kubeconfigs and proxy variables write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::client {

struct Url {
  std::string scheme;  // lower case
  std::string user;    // decoded
  std::string password;
  std::string host;  // without brackets
  std::optional<std::uint16_t> port;
  std::string path;  // with query, if any
};
// Nothing when it is none.
std::optional<Url> parse_url(std::string_view text);

}  // namespace fixpoint::client
