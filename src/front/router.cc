// SPDX-License-Identifier: Apache-2.0
#include "front/router.h"

#include "kube/scalars/duration.h"
#include "net/http.h"

#include <algorithm>
#include <array>
#include <vector>

namespace fixpoint::front {
namespace {

using apiserver::Verb;

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// One slash at the end is forgiven; empty segments elsewhere are kept.
std::vector<std::string> segments_of(std::string_view path) {
  if (path.starts_with('/')) path.remove_prefix(1);
  if (path.ends_with('/')) path.remove_suffix(1);
  std::vector<std::string> segments;
  while (true) {
    const auto end = std::min(path.find('/'), path.size());
    segments.emplace_back(path.substr(0, end));
    if (end == path.size()) return segments;
    path.remove_prefix(end + 1);
  }
}

// An empty segment would let one thing be named where another was meant; only a namespace may be
// empty, for all of them.
bool well_formed(const std::vector<std::string>& segments) {
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (segments[i].empty() && (i == 0 || segments[i - 1] != "namespaces")) return false;
  }
  return !segments.back().empty();
}

// Subresources of a namespace itself; anything else under a namespace's name is a resource in it.
bool namespace_subresource(std::string_view segment) {
  return segment == "status" || segment == "finalize";
}

Verb verb_of(std::string_view method, const apiserver::Request& request, bool watch) {
  if (watch && (method == "GET" || method == "HEAD")) return Verb::Watch;
  if (method == "POST") return Verb::Create;
  if (method == "PUT") return Verb::Update;
  if (method == "PATCH") return Verb::Patch;
  if (method == "DELETE") return request.name.empty() ? Verb::DeleteCollection : Verb::Delete;
  return request.name.empty() ? Verb::List : Verb::Get;
}

// segments: [namespaces NS] RESOURCE [NAME [SUBRESOURCE…]]
void fill_target(apiserver::Request& request, const std::vector<std::string>& rest) {
  std::size_t at = 0;
  const bool below_namespace = rest.size() >= 3 && rest[0] == "namespaces" &&
                               !(rest.size() == 3 && namespace_subresource(rest[2]));
  if (below_namespace) {
    request.ns = rest[1];
    request.empty_namespace = rest[1].empty();
    at = 2;
  }
  request.resource.resource = rest[at++];
  if (at < rest.size()) request.name = rest[at++];
  // What follows a proxy is for whoever is behind it.
  const bool proxies = at < rest.size() && rest[at] == "proxy" && request.resource.group.empty();
  const auto end = proxies ? at + 1 : rest.size();
  for (; at < end; ++at) {
    if (!request.subresource.empty()) request.subresource += '/';
    request.subresource += rest[at];
  }
}

}  // namespace

std::optional<std::string> percent_decode(std::string_view text, bool plus_is_blank) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_blank) {
      decoded += ' ';
    } else if (text[i] != '%') {
      decoded += text[i];
    } else {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = hex_value(text[i + 1]);
      const int low = hex_value(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      decoded += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return decoded;
}

apiserver::Query parse_query(std::string_view query) {
  apiserver::Query parameters;
  while (!query.empty()) {
    const auto end = std::min(query.find('&'), query.size());
    const auto pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (pair.empty() || pair.find(';') != std::string_view::npos) continue;
    const auto equals = std::min(pair.find('='), pair.size());
    auto key = percent_decode(pair.substr(0, equals), true);
    auto value = percent_decode(pair.substr(std::min(equals + 1, pair.size())), true);
    if (key && value) parameters.emplace_back(*std::move(key), *std::move(value));
  }
  return parameters;
}

std::string_view Route::verb(std::string_view method) const {
  if (has_verb || method == "HEAD") return to_string(request.verb);
  return {};
}

std::optional<Route> route(std::string_view method, std::string_view path, std::string_view query) {
  static constexpr std::array<std::string_view, 5> kMethods{"GET", "POST", "PUT", "PATCH",
                                                            "DELETE"};
  auto decoded = percent_decode(path, false);
  if (!decoded) return std::nullopt;

  Route result;
  result.path = *std::move(decoded);
  result.has_verb = std::ranges::find(kMethods, method) != kMethods.end();
  result.request.query = parse_query(query);
  const auto segments = segments_of(result.path);
  if (!well_formed(segments)) return result;
  std::size_t at = 0;
  if (segments.size() > 2 && segments[0] == "api") {
    result.request.resource.version = segments[1];
    at = 2;
  } else if (segments.size() > 3 && segments[0] == "apis") {
    result.request.resource.group = segments[1];
    result.request.resource.version = segments[2];
    at = 3;
  } else {
    return result;
  }
  if (segments.size() == at + 1 && (segments[at] == "watch" || segments[at] == "proxy")) {
    result.undetermined = true;
    return result;
  }
  bool old_form = false;
  if (segments[at] == "watch" && segments.size() > at + 1) {  // the old form, still served
    old_form = true;
    ++at;
  }
  fill_target(result.request, {segments.begin() + static_cast<std::ptrdiff_t>(at), segments.end()});
  // One object is watched only in the old form; elsewhere the parameter is for lists.
  const auto asked = result.request.given("watch");
  const bool watch =
      old_form || (result.request.name.empty() && asked && apiserver::query_truth(*asked));
  result.request.verb = verb_of(method, result.request, watch);
  result.resource = true;
  return result;
}

namespace {

bool is_meant_to_last(const Route& route) {
  static constexpr std::array<std::string_view, 5> kStreams{"attach", "exec", "proxy", "log",
                                                            "portforward"};
  if (!route.resource) return false;
  return route.request.verb == apiserver::Verb::Watch ||
         std::ranges::find(kStreams, route.request.subresource) != kStreams.end();
}

}  // namespace

std::optional<kube::Status> bad_timeout(const Route& route) {
  const auto given = route.request.parameter("timeout");
  if (given.empty() || is_meant_to_last(route)) return std::nullopt;
  const auto duration = kube::parse_duration(given);
  if (duration) return std::nullopt;
  return kube::bad_request("invalid timeout specified in the request URL - " +
                           duration.error().message);
}

}  // namespace fixpoint::front
