// SPDX-License-Identifier: Apache-2.0
#include "runtime/manager/endpoint.h"

#include <charconv>

#include <fmt/format.h>

namespace fixpoint::runtime {

Result<std::optional<Endpoint>> parse_endpoint(std::string_view text) {
  if (text == "0") return std::nullopt;
  const auto bad = [&] {
    return fail(
        ErrorKind::Invalid,
        fmt::format("\"{}\" is no address to serve at, e.g. :8080, 127.0.0.1:0, 0 for none", text));
  };
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return bad();
  auto address = text.substr(0, colon);
  if (address.starts_with('[') && address.ends_with(']')) {
    address = address.substr(1, address.size() - 2);
  } else if (address.find(':') != std::string_view::npos) {
    return bad();
  }
  const auto digits = text.substr(colon + 1);
  Endpoint endpoint{.address = std::string{address}, .port = 0};
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), endpoint.port);
  if (end.ec != std::errc{} || end.ptr != digits.data() + digits.size()) return bad();
  if (endpoint.address.empty()) endpoint.address = "0.0.0.0";
  if (endpoint.address == "localhost") endpoint.address = "127.0.0.1";
  return endpoint;
}

}  // namespace fixpoint::runtime
