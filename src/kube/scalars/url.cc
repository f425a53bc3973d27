// SPDX-License-Identifier: Apache-2.0
#include "kube/scalars/url.h"

#include "base/ascii.h"
#include "kube/go/text.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

Error wrong(std::string message) {
  return Error{ErrorKind::Invalid, std::move(message)};
}

// Takes the scheme and its colon off `text`.
Result<std::string> take_scheme(std::string_view& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_letter(c)) continue;
    if (i > 0 && (is_digit(c) || c == '+' || c == '-' || c == '.')) continue;
    if (c != ':') break;
    if (i == 0) return std::unexpected(wrong("missing protocol scheme"));
    auto scheme = lower_case(text.substr(0, i));
    text.remove_prefix(i + 1);
    return scheme;
  }
  return std::string{};
}

Result<void> check_escapes(std::string_view text) {
  const auto is_hex = [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; };
  for (auto at = text.find('%'); at != text.npos; at = text.find('%', at + 1)) {
    const auto escape = text.substr(at, 3);
    if (escape.size() == 3 && is_hex(escape[1]) && is_hex(escape[2])) continue;
    return std::unexpected(wrong("invalid URL escape " + go_quoted(escape)));
  }
  return {};
}

Result<void> check_host(std::string_view host) {
  constexpr std::string_view kAllowed = "-_.~!$&'()*+,;=:[]<>\"%";
  const auto colon = host.rfind(':');
  if (colon != host.npos && host.find(']', colon) == host.npos) {
    const auto port = host.substr(colon + 1);
    if (!std::ranges::all_of(port, is_digit)) {
      return std::unexpected(
          wrong("invalid port " + go_quoted(host.substr(colon)) + " after host"));
    }
  }
  FP_TRY_VOID(check_escapes(host));
  for (const char c : host) {
    const bool fine = is_letter(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80 ||
                      kAllowed.contains(c);
    if (!fine) {
      return std::unexpected(
          wrong("invalid character " + go_quoted(std::string(1, c)) + " in host name"));
    }
  }
  return {};
}

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  return (c | 0x20) - 'a' + 10;
}

std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space) {
  if (!check_escapes(text)) return std::nullopt;
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      out += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
      i += 2;
    } else {
      out += plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

enum class Asked : std::uint8_t { ForPlace, ForRequest };

Result<Url> parse_as(std::string_view text, Asked asked) {
  Url url;
  if (const auto hash = text.find('#'); hash != text.npos) {
    url.fragment = text.substr(hash + 1);
    text = text.substr(0, hash);
  }
  const auto is_control = [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; };
  if (std::ranges::any_of(text, is_control)) {
    return std::unexpected(wrong("net/url: invalid control character in URL"));
  }
  FP_TRY(scheme, take_scheme(text));
  url.scheme = std::move(scheme);
  if (const auto mark = text.find('?'); mark != text.npos) {
    url.query = text.substr(mark + 1);
    text = text.substr(0, mark);
  }
  if (!text.starts_with('/')) {
    if (!url.scheme.empty()) return url;
    if (asked == Asked::ForRequest) return std::unexpected(wrong("invalid URI for request"));
    if (text.substr(0, text.find('/')).contains(':')) {
      return std::unexpected(wrong("first path segment in URL cannot contain colon"));
    }
  }
  const bool has_host = text.starts_with("//") && (!url.scheme.empty() || !text.starts_with("///"));
  if (has_host) {
    const auto end = std::min(text.find('/', 2), text.size());
    url.host = text.substr(2, end - 2);
    text = text.substr(end);
    if (const auto at = url.host.rfind('@'); at != url.host.npos) {
      url.user = url.host.substr(0, at);
      url.host.remove_prefix(at + 1);
    }
    FP_TRY_VOID(check_host(url.host));
  }
  FP_TRY_VOID(check_escapes(text));
  url.path = text;
  return url;
}

}  // namespace

Result<Url> parse_url(std::string_view text) {
  return parse_as(text, Asked::ForPlace);
}

Result<Url> parse_request_url(std::string_view text) {
  if (text.empty()) return std::unexpected(wrong("empty url"));
  // A fragment is not sent: here its sign is part of the path.
  return parse_as(text.substr(0, text.find('#')), Asked::ForRequest);
}

std::string escaped_path(std::string_view path) {
  constexpr std::string_view kAllowed = "-_.~!$&'()*+,;=:@/%[]";
  std::string out;
  for (const char c : path) {
    const bool fine = is_letter(c) || is_digit(c) || kAllowed.contains(c);
    out += fine ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> query_pairs(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> out;
  while (!query.empty()) {
    const auto end = std::min(query.find('&'), query.size());
    const auto pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (pair.empty() || pair.contains(';')) continue;
    const auto sign = std::min(pair.find('='), pair.size());
    auto key = percent_decoded(pair.substr(0, sign), true);
    auto value = percent_decoded(pair.substr(std::min(sign + 1, pair.size())), true);
    if (key && value) out.emplace_back(std::move(*key), std::move(*value));
  }
  return out;
}

}  // namespace fixpoint::kube
