// SPDX-License-Identifier: Apache-2.0
#include "front/pages/documents.h"

#include "apiserver/definition.h"
#include "apiserver/documents/openapi.h"
#include "base/hash.h"
#include "front/pages/discovery_text.h"
#include "front/pages/usage.h"
#include "json/draft.h"
#include "json/yaml/yaml.h"
#include "kube/errors/status.h"
#include "net/crypto.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::front {
namespace {

std::string_view header(const net::Request& request, std::string_view name) {
  const std::string* value = request.headers.find(name);
  return value == nullptr ? std::string_view{} : std::string_view{*value};
}

constexpr std::string_view kJsonType = "application/json";
// Old clients write the name of the second form as the third has it; answers have it the new way.
constexpr std::string_view kOpenApiV2Types[] = {
    kJsonType, "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
    "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"};

Page refusal_page(const kube::Status& status) {
  const json::Value body = kube::to_json(status);
  Page page = json_page(body);
  page.code = status.code;
  return page;
}

// Gives a page its tag; a client that has this very page gets none.
Page tagged(Page page, const std::string& tag, const net::Request& request) {
  page.headers.set("etag", tag);
  if (header(request, "if-none-match") == tag) {
    page.code = 304;
    page.body.clear();
  }
  return page;
}

std::string entity_tag(std::string_view tag) {
  return "\"" + std::string{tag} + "\"";
}

std::string sha256(std::string_view bytes) {
  const auto digest = net::sha256(bytes);
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

// The value of a parameter, which none of these documents' has to be unescaped.
std::string_view query_value(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const auto end = std::min(query.find('&'), query.size());
    const auto pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    const auto equals = std::min(pair.find('='), pair.size());
    if (pair.substr(0, equals) == name) return pair.substr(std::min(equals + 1, pair.size()));
  }
  return {};
}

Page discovery_page(json::View body, const Wanted& wanted, const net::Request& request) {
  if (wanted.encoding == Encoding::Yaml) {
    return {.code = 200,
            .headers = {{"content-type", "application/yaml"}},
            .body = json::to_yaml(body)};
  }
  const bool pretty = wanted.pretty || wants_pretty(query_value(request.query(), "pretty"),
                                                    header(request, "user-agent"));
  return {.code = 200,
          .headers = {{"content-type", std::string{kJsonType}}},
          .body = pretty ? discovery_text(body, Indent::TwoSpaces)
                         : discovery_text(body, Indent::None) + "\n"};
}

}  // namespace

Documents::Documents(Service& service) : service_(service) {
  service_.on_rewind([this] { discovery_.reset(); });
  service_.listen([this](const std::vector<store::Event>& events) {
    for (const auto& event : events) {
      if (event.key().starts_with(apiserver::kDefinitionPrefix)) discovery_.reset();
    }
  });
}

const apiserver::Discovery& Documents::discovery() {
  if (!discovery_) {
    discovery_.emplace(service_.core().kinds().all(service_.store().latest()), sha256);
  }
  return *discovery_;
}

std::optional<Page> Documents::find(const net::Request& request, std::string_view path) {
  if (path.starts_with("/openapi/")) return openapi(request, path);
  if (path == "/api" || path == "/apis" || path.starts_with("/api/") ||
      path.starts_with("/apis/")) {
    return discover(request, path);
  }
  return std::nullopt;
}

std::optional<Page> Documents::discover(const net::Request& request, std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const bool groups = path == "/api" || path == "/apis";
  const auto wanted = negotiate(header(request, "accept"), groups ? Offer::Groups : Offer::Plain);
  const auto body = discovered(path, wanted ? wanted->form : Form::Object);
  if (!body) return std::nullopt;
  if (!wanted) return refusal_page(wanted.error());
  Page page = discovery_page(*body, *wanted, request);
  if (wanted->form != Form::Discovery) return page;
  page.headers.set(
      "content-type",
      std::string{wanted->encoding == Encoding::Json ? "application/json" : "application/yaml"} +
          ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
  page.headers.set("vary", "Accept");
  page.headers.set("cache-control", "public");
  const auto tag = entity_tag(hash128(page.body).hex());
  return tagged(std::move(page), tag, request);
}

std::optional<json::Value> Documents::discovered(std::string_view path, Form form) {
  const auto& known = discovery();
  if (path == "/api") {
    return form == Form::Discovery ? known.aggregated(true) : known.api_versions(address_);
  }
  if (path == "/apis") {
    auto groups = form == Form::Discovery ? known.aggregated(false) : known.group_list();
    return tells_usage_ ? with_usage_group(groups) : groups;
  }
  if (tells_usage_) {
    if (auto document = usage_document(path)) return document;
  }
  if (path.starts_with("/api/")) return known.resource_list({"", std::string{path.substr(5)}});
  const auto rest = path.substr(6);
  const auto slash = rest.find('/');
  if (slash == std::string_view::npos) return known.group(rest);
  return known.resource_list(
      {std::string{rest.substr(0, slash)}, std::string{rest.substr(slash + 1)}});
}

std::optional<Page> Documents::openapi(const net::Request& request, std::string_view path) {
  constexpr std::string_view kIndex = "/openapi/v3";
  if (path == "/openapi/v2") return openapi_v2(request);
  if (path == kIndex || path == "/openapi/v3/") return openapi_index(request);
  if (!path.starts_with("/openapi/v3/")) return std::nullopt;
  return openapi_document(request, path.substr(kIndex.size() + 1));
}

Page Documents::openapi_document(const net::Request& request, std::string_view path) {
  const auto& resources = discovery().resources();
  const auto tag = apiserver::openapi_v3_tag(resources, path);
  Page page{
      .code = 200,
      .headers = {{"content-type", "application/json"}, {"vary", "Accept"}},
      .body = {}
  };
  // Only JSON; clients that insist on the protobuf form do without.
  if (!best_accepted(header(request, "accept"), {&kJsonType, 1})) {
    page.code = 406;
    return page;
  }
  page.body = apiserver::openapi_v3(resources, path);
  if (page.body.empty()) return Page{.code = 404, .headers = {}, .body = {}};
  // By which clients ask for the document they have read of in the index.
  const auto asked = query_value(request.query(), "hash");
  if (!asked.empty() && asked != tag) {
    page.headers.set("etag", entity_tag(tag));
    page.headers.set("location", "/openapi/v3/" + std::string{path} + "?hash=" + tag);
    page.code = 301;
    page.body.clear();
    return page;
  }
  // What is asked for by its hash never changes.
  if (!asked.empty()) page.headers.set("cache-control", "public, immutable");
  return tagged(std::move(page), entity_tag(tag), request);
}

Page Documents::openapi_index(const net::Request& request) {
  json::Draft paths = json::Draft::object();
  const auto& resources = discovery().resources();
  for (const auto& path : apiserver::openapi_v3_paths(resources)) {
    const auto tag = apiserver::openapi_v3_tag(resources, path);
    paths[path] = json::Draft::object({
        {"serverRelativeURL", fmt::format("/openapi/v3/{}?hash={}", path, tag)}
    });
  }
  const auto body = json::Draft::object({
                                            {"paths", std::move(paths)}
  })
                        .freeze();
  Page page = json_page(body);
  // As a real server names it.
  page.headers.set("content-type", "text/plain; charset=utf-8");
  const auto tag = entity_tag(hash128(page.body).hex());
  return tagged(std::move(page), tag, request);
}

Page Documents::openapi_v2(const net::Request& request) {
  Page page{
      .code = 200,
      .headers = {{"content-type", std::string{kJsonType}}, {"vary", "Accept"}},
      .body = {}
  };
  const auto form = best_accepted(header(request, "accept"), kOpenApiV2Types);
  if (!form) {
    page.code = 406;
    return page;
  }
  const bool protobuf = *form > 0;
  if (protobuf) page.headers.set("content-type", std::string{std::end(kOpenApiV2Types)[-1]});
  const auto& resources = discovery().resources();
  const auto tag = entity_tag(apiserver::openapi_v2_tag(resources));
  if (header(request, "if-none-match") == tag) return tagged(std::move(page), tag, request);
  if (!protobuf) {
    page.body = apiserver::openapi_v2(resources);
  } else if (auto made = apiserver::openapi_v2_protobuf(resources)) {
    page.body = *std::move(made);
  } else {
    page.code = 406;  // JSON is to be had
    return page;
  }
  return tagged(std::move(page), tag, request);
}

}  // namespace fixpoint::front
