// SPDX-License-Identifier: Apache-2.0
#include "client/config/url.h"

#include "net/http.h"

#include <algorithm>
#include <charconv>

namespace fixpoint::client {
namespace {

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    unsigned code = 0;
    if (text[at] == '%' && at + 2 < text.size() &&
        std::from_chars(text.data() + at + 1, text.data() + at + 3, code, 16).ptr ==
            text.data() + at + 3) {
      out.push_back(static_cast<char>(code));
      at += 2;
    } else {
      out.push_back(text[at]);
    }
  }
  return out;
}

bool read_port(std::string_view text, Url& url) {
  std::uint16_t port = 0;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, port);
  if (read.ec != std::errc{} || read.ptr != end || port == 0) return false;
  url.port = port;
  return true;
}

bool read_authority(std::string_view text, Url& url) {
  if (const auto at = text.rfind('@'); at != std::string_view::npos) {
    const auto user = text.substr(0, at);
    const auto colon = std::min(user.find(':'), user.size());
    url.user = unescaped(user.substr(0, colon));
    if (colon < user.size()) url.password = unescaped(user.substr(colon + 1));
    text.remove_prefix(at + 1);
  }
  if (text.starts_with('[')) {
    const auto close = text.find(']');
    if (close == std::string_view::npos) return false;
    url.host = text.substr(1, close - 1);
    text.remove_prefix(close + 1);
    if (!text.empty() && !text.starts_with(':')) return false;
  } else {
    const auto colon = std::min(text.find(':'), text.size());
    url.host = text.substr(0, colon);
    text.remove_prefix(colon);
  }
  if (url.host.empty() || url.host.find_first_of(" \t\r\n\"<>\\^`{|}") != std::string::npos) {
    return false;
  }
  return text.empty() || read_port(text.substr(1), url);
}

}  // namespace

std::optional<Url> parse_url(std::string_view text) {
  const auto mark = text.find("://");
  if (mark == std::string_view::npos || mark == 0) return std::nullopt;
  Url url;
  url.scheme = net::to_lower(text.substr(0, mark));
  text.remove_prefix(mark + 3);
  const auto path = std::min(text.find_first_of("/?#"), text.size());
  url.path = text.substr(path);
  if (url.path.find_first_of(" \r\n") != std::string::npos) return std::nullopt;
  if (!read_authority(text.substr(0, path), url)) return std::nullopt;
  return url;
}

}  // namespace fixpoint::client
