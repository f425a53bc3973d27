// SPDX-License-Identifier: Apache-2.0
#include "kube/webhook_url.h"

#include "base/error.h"
#include "kube/go_text.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

// scheme://user@host/path?query#fragment
struct Url {
  std::string scheme;
  std::string_view user;
  std::string_view host;
  std::string_view query;
  std::string_view fragment;
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

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

Result<Url> parse_url(std::string_view text) {
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
  return url;
}

}  // namespace

void validate_webhook_url(std::string_view text, const FieldPath& path, FieldErrors& errors) {
  constexpr std::string_view kForm = "; desired format: https://host[/path]";
  const auto url = parse_url(text);
  if (!url) {
    errors.push_back(required(path, fmt::format("url must be a valid URL: parse {}: {}{}",
                                                go_quoted(text), url.error().message, kForm)));
    return;
  }
  const auto refuse = [&](std::string_view part, std::string why) {
    errors.push_back(invalid(path, shown(part), std::move(why)));
  };
  if (url->scheme != "https") {
    refuse(url->scheme, fmt::format("'https' is the only allowed URL scheme{}", kForm));
  }
  if (url->host.empty()) refuse("", fmt::format("host must be specified{}", kForm));
  if (!url->user.empty()) refuse(url->user, "user information is not permitted in the URL");
  if (!url->fragment.empty()) refuse(url->fragment, "fragments are not permitted in the URL");
  if (!url->query.empty()) refuse(url->query, "query parameters are not permitted in the URL");
}

}  // namespace fixpoint::kube
