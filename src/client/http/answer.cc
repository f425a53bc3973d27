// SPDX-License-Identifier: Apache-2.0
#include "client/http/answer.h"

#include "json/parsing/parse.h"

#include <algorithm>
#include <charconv>
#include <chrono>

#include <fmt/format.h>

namespace fixpoint::client {
namespace {

// How much of a proxy's page an error message repeats.
constexpr std::size_t kQuotedBytesMax = 512;

kube::StatusDetails read_details(json::View details) {
  kube::StatusDetails out;
  out.name = details.get("name").as_string();
  out.group = details.get("group").as_string();
  out.kind = details.get("kind").as_string();
  out.uid = details.get("uid").as_string();
  out.retry_after_seconds = static_cast<int>(details.get("retryAfterSeconds").as_int());
  for (const json::View cause : details.get("causes").elements()) {
    out.causes.push_back({.reason = std::string{cause.get("reason").as_string()},
                          .message = std::string{cause.get("message").as_string()},
                          .field = std::string{cause.get("field").as_string()}});
  }
  return out;
}

std::string_view reason_for(int code) {
  switch (code) {
    case 400: return "BadRequest";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "NotFound";
    case 405: return "MethodNotAllowed";
    case 406: return "NotAcceptable";
    case 409: return "Conflict";
    case 410: return "Gone";
    case 413: return "RequestEntityTooLarge";
    case 415: return "UnsupportedMediaType";
    case 422: return "Invalid";
    case 429: return "TooManyRequests";
    case 500: return "InternalError";
    case 503: return "ServiceUnavailable";
    case 504: return "Timeout";
    default: return "";
  }
}

// A quoted string of a header, from its opening quote on; moves `text` past it.
std::string unquoted(std::string_view& text) {
  std::string out;
  std::size_t at = 1;
  for (; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\' && at + 1 < text.size()) ++at;
    out.push_back(text[at]);
  }
  text.remove_prefix(std::min(at + 1, text.size()));
  return out;
}

// A date may be a mistake of years; nobody asks for more than a day.
constexpr std::int64_t kRetryAfterSecondsMax = 24 * 3600;

// A server that gave up waiting, or a proxy that lost its server, says so after the request went
// on: the change may have been made, or may still be.
bool may_have_acted(const HttpAnswer& answer, const kube::Status& status) {
  if (answer.code == 502 || answer.code == 504) return true;
  if (answer.code == 503) return !answer.headers.contains("retry-after");
  if (answer.code != 500) return false;
  // The storage behind the server lost a request that it may have committed.
  return status.message.contains("request timed out") ||
         status.message.contains("leader changed") ||
         status.message.contains("context deadline exceeded");
}

}  // namespace

kube::Status read_status(json::View status) {
  kube::Status out;
  out.code = static_cast<int>(status.get("code").as_int(500));
  out.reason = status.get("reason").as_string();
  out.message = status.get("message").as_string();
  if (const auto details = status.get("details"); details.is_object()) {
    out.details = read_details(details);
  }
  return out;
}

kube::Status status_of(int code, std::string_view body) {
  if (body.starts_with('{')) {
    const auto parsed = json::parse(body);
    if (parsed && parsed->get("kind").as_string() == "Status") {
      auto status = read_status(*parsed);
      status.code = code;
      return status;
    }
  }
  auto shown = body.substr(0, std::min(body.size(), kQuotedBytesMax));
  while (!shown.empty() && static_cast<unsigned char>(shown.back()) <= ' ') shown.remove_suffix(1);
  return {.code = code,
          .reason = std::string{reason_for(code)},
          .message = shown.empty() ? fmt::format("the server answered {}", code)
                                   : fmt::format("the server answered {}: {}", code, shown),
          .details = std::nullopt};
}

std::vector<std::string> warnings_of(const net::Headers& headers) {
  std::vector<std::string> warnings;
  for (const auto& [name, value] : headers) {
    if (!net::equals_ignoring_case(name, "warning")) continue;
    std::string_view rest = value;
    while (rest.starts_with("299 ")) {
      const auto quote = rest.find('"');
      if (quote == std::string_view::npos) break;
      rest.remove_prefix(quote);
      warnings.push_back(unquoted(rest));
      const auto next = rest.find_first_not_of(", ");
      rest = next == std::string_view::npos ? std::string_view{} : rest.substr(next);
    }
  }
  return warnings;
}

std::optional<Duration> retry_after_of(const net::Headers& headers) {
  const auto* value = headers.find("retry-after");
  if (value == nullptr) return std::nullopt;
  if (const auto until = net::parse_http_date(*value)) {
    // By the clock of whoever wrote both; without its Date nobody can tell how long that is.
    const auto* date = headers.find("date");
    const auto now = date == nullptr ? std::nullopt : net::parse_http_date(*date);
    if (!now) return std::nullopt;
    return std::chrono::seconds(std::clamp<std::int64_t>(*until - *now, 0, kRetryAfterSecondsMax));
  }
  std::uint32_t seconds = 0;
  const auto* end = value->data() + value->size();
  const auto read = std::from_chars(value->data(), end, seconds);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return std::chrono::seconds(seconds);
}

CallError not_sent(std::string message) {
  CallError error;
  error.fate = Fate::NotSent;
  error.status = {.code = 0, .reason = {}, .message = std::move(message), .details = std::nullopt};
  return error;
}

CallError unknown(std::string message) {
  auto error = not_sent(std::move(message));
  error.fate = Fate::Unknown;
  return error;
}

CallError refusal(const HttpAnswer& answer, bool is_read) {
  auto status = status_of(answer.code, answer.body);
  CallError error;
  error.retry_after = retry_after_of(answer.headers);
  if (!is_read && may_have_acted(answer, status)) {
    error.fate = Fate::Unknown;
    error.status = {.code = 0,
                    .reason = {},
                    .message = fmt::format("the server answered {} and may have acted: {}",
                                           answer.code, status.message),
                    .details = std::nullopt};
    return error;
  }
  error.fate = Fate::Refused;
  error.status = std::move(status);
  return error;
}

Reply reply_of(HttpAnswer answer) {
  Answer out;
  out.code = answer.code;
  out.warnings = warnings_of(answer.headers);
  const auto* type = answer.headers.find("content-type");
  if (type == nullptr || !type->starts_with("application/json")) {
    out.text = std::move(answer.body);
    return out;
  }
  auto body = json::parse(answer.body);
  if (!body) {
    return std::unexpected(
        unknown("the server's answer is no readable JSON: " + body.error().message));
  }
  out.body = *std::move(body);
  return out;
}

}  // namespace fixpoint::client
