// SPDX-License-Identifier: Apache-2.0
#include "front/pages.h"

#include "apiserver/definition.h"
#include "apiserver/openapi.h"
#include "base/hash.h"
#include "front/health.h"
#include "front/issuer.h"
#include "json/draft.h"
#include "json/print.h"
#include "kinds/openapi.h"

#include <algorithm>
#include <vector>

namespace fixpoint::front {
namespace {

// The Kubernetes version whose API this server speaks; kubectl compares it with its own.
constexpr std::string_view kMinor = "34";
constexpr std::string_view kGitVersion = "v1.34.4+fixpoint";

Page text_page(std::string body) {
  return {.code = 200,
          .headers = {{"content-type", "text/plain; charset=utf-8"}},
          .body = std::move(body)};
}

Page json_page(json::View body) {
  return {.code = 200,
          .headers = {{"content-type", "application/json"}},
          .body = json::to_text(body) + "\n"};
}

Page version_page() {
  const auto body = json::Draft::object({
                                            {"major",                 "1"                   },
                                            {"minor",                 kMinor                },
                                            {"emulationMajor",        "1"                   },
                                            {"emulationMinor",        kMinor                },
                                            {"minCompatibilityMajor", "1"                   },
                                            {"minCompatibilityMinor", "33"                  },
                                            {"gitVersion",            kGitVersion           },
                                            {"gitCommit",             ""                    },
                                            {"gitTreeState",          ""                    },
                                            {"buildDate",             "1970-01-01T00:00:00Z"},
                                            {"goVersion",             "none"                },
                                            {"compiler",              "c++"                 },
                                            {"platform",              "linux/amd64"         }
  })
                        .freeze();
  return {.code = 200,
          .headers = {{"content-type", "application/json"}},
          .body = json::to_pretty_text(body)};
}

Page no_page() {
  Page page = text_page("404 page not found\n");
  page.code = 404;
  return page;
}

bool builtin_group(std::string_view group) {
  return std::ranges::any_of(kinds::all(),
                             [&](const kinds::Kind& kind) { return kind.gvk.group == group; });
}

// Pages of the API's own router, which takes no method but GET.
bool is_routed(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  if (path == "/version" || path == "/api" || path.starts_with("/api/")) return true;
  constexpr std::string_view kApis = "/apis/";
  if (!path.starts_with(kApis)) return false;
  path.remove_prefix(kApis.size());
  const auto slash = path.find('/');
  return slash != std::string_view::npos && builtin_group(path.substr(0, slash));
}

// Which aggregated discovery a client prefers, if any.
std::optional<std::string_view> aggregated_version(std::string_view accept) {
  while (!accept.empty()) {
    const auto end = std::min(accept.find(','), accept.size());
    const auto choice = accept.substr(0, end);
    accept.remove_prefix(std::min(end + 1, accept.size()));
    if (choice.find("as=APIGroupDiscoveryList") != std::string_view::npos &&
        choice.find("g=apidiscovery.k8s.io") != std::string_view::npos) {
      if (choice.find("v=v2beta1") != std::string_view::npos) return "v2beta1";
      if (choice.find("v=v2") != std::string_view::npos) return "v2";
      continue;
    }
    if (choice.find("application/json") != std::string_view::npos) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

Pages::Pages(Service& service, net::SigningKey key) : service_(service), key_(std::move(key)) {
  service_.on_rewind([this] { discovery_.reset(); });
  service_.listen([this](const std::vector<store::Event>& events) {
    for (const auto& event : events) {
      if (event.key().starts_with(apiserver::kDefinitionPrefix)) discovery_.reset();
    }
  });
}

const apiserver::Discovery& Pages::discovery() {
  if (!discovery_) {
    discovery_.emplace(service_.core().kinds().all(service_.store().latest()));
  }
  return *discovery_;
}

kube::Answer<Page> Pages::not_found(std::string_view path) {
  if (is_routed(path) || path.starts_with("/version/")) {
    return std::unexpected(kube::not_found_path());
  }
  return no_page();
}

kube::Answer<Page> Pages::find(const net::Request& request, const Route& route) {
  const std::string_view path = route.path;
  std::optional<Page> page = fixed(route);
  if (!page && path.starts_with("/openapi/")) page = openapi(request, path);
  if (!page && (path == "/api" || path == "/apis" || path.starts_with("/api/") ||
                path.starts_with("/apis/"))) {
    page = discover(request, path);
  }
  if (!page) return not_found(path);
  if (is_routed(path) && request.method != "GET") {
    return std::unexpected(kube::method_not_allowed());
  }
  return *std::move(page);
}

// Those with one path each.
std::optional<Page> Pages::fixed(const Route& route) {
  const std::string_view path = route.path;
  if (is_health(path)) {
    auto health = health_at(path, route.request.query, [this] { return service_.disk_problem(); });
    if (!health) return no_page();
    Page page = text_page(std::move(health->text));
    page.code = health->code;
    return page;
  }
  if (path == "/version" || path == "/version/") return version_page();
  if (path == "/") return root();
  if (path == "/openid/v1/jwks") {
    const json::Value keys = key_set(key_);
    Page page = json_page(keys);
    page.headers = {
        {"content-type",  "application/jwk-set+json"},
        {"cache-control", "public, max-age=3600"    }
    };
    return page;
  }
  if (path == "/.well-known/openid-configuration") {
    const json::Value configuration = issuer_configuration(address_);
    Page page = json_page(configuration);
    page.headers.set("cache-control", "public, max-age=3600");
    return page;
  }
  return std::nullopt;
}

// All there is, by name.
Page Pages::root() {
  std::vector<std::string> paths{"/.well-known/openid-configuration",
                                 "/api",
                                 "/apis",
                                 "/apis/",
                                 "/metrics",
                                 "/openapi/v2",
                                 "/openapi/v3",
                                 "/openapi/v3/",
                                 "/openid/v1/jwks",
                                 "/version"};
  for (auto& path : health_paths()) paths.push_back(std::move(path));
  for (const auto& group : discovery().groups()) {
    const std::string at = group.name.empty() ? "/api" : "/apis/" + group.name;
    if (!group.name.empty()) paths.push_back(at);
    for (const auto& version : group.versions) paths.push_back(at + "/" + version);
  }
  std::ranges::sort(paths);
  json::Draft list = json::Draft::array();
  for (auto& path : paths) list.push_back(std::move(path));
  const auto body = json::Draft::object({
                                            {"paths", std::move(list)}
  })
                        .freeze();
  return {.code = 200,
          .headers = {{"content-type", "application/json"}},
          .body = json::to_pretty_text(body)};
}

std::optional<Page> Pages::discover(const net::Request& request, std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const std::string* accept = request.headers.find("accept");
  const auto aggregated = aggregated_version(accept == nullptr ? "" : std::string_view{*accept});
  if (path == "/api" || path == "/apis") {
    if (aggregated) {
      const json::Value body = discovery().aggregated(path == "/api", *aggregated);
      Page page = json_page(body);
      const std::string tag = "\"" + hash128(page.body).hex() + "\"";
      page.headers.set("content-type", "application/json;g=apidiscovery.k8s.io;v=" +
                                           std::string{*aggregated} + ";as=APIGroupDiscoveryList");
      page.headers.set("etag", tag);
      page.headers.set("vary", "Accept");
      page.headers.set("cache-control", "public");
      const std::string* known = request.headers.find("if-none-match");
      if (known != nullptr && *known == tag) {
        page.code = 304;
        page.body.clear();
      }
      return page;
    }
    const json::Value body =
        path == "/api" ? discovery().api_versions(address_) : discovery().group_list();
    return json_page(body);
  }
  std::optional<json::Value> body;
  if (path.starts_with("/api/")) {
    body = discovery().resource_list({"", std::string{path.substr(5)}});
  } else {
    const auto rest = path.substr(6);
    const auto slash = rest.find('/');
    body = slash == std::string_view::npos
               ? discovery().group(rest)
               : discovery().resource_list(
                     {std::string{rest.substr(0, slash)}, std::string{rest.substr(slash + 1)}});
  }
  if (!body) return std::nullopt;
  return json_page(*body);
}

std::optional<Page> Pages::openapi(const net::Request& request, std::string_view path) {
  constexpr std::string_view kIndex = "/openapi/v3";
  if (path == "/openapi/v2") return openapi_v2(request);
  if (path == kIndex || path == "/openapi/v3/") return openapi_index();
  if (!path.starts_with("/openapi/v3/")) return std::nullopt;
  const Page none{.code = 404, .headers = {}, .body = {}};
  const auto rest = path.substr(kIndex.size() + 1);
  kube::GroupVersion version;
  if (rest.starts_with("api/")) {
    version.version = rest.substr(4);
  } else if (rest.starts_with("apis/")) {
    const auto named = rest.substr(5);
    const auto slash = named.find('/');
    if (slash == std::string_view::npos) return none;
    version.group = named.substr(0, slash);
    version.version = named.substr(slash + 1);
  }
  const auto& resources = discovery().resources();
  const std::string tag = "\"" + apiserver::openapi_tag(resources, version) + "\"";
  const std::string* known = request.headers.find("if-none-match");
  Page page{
      .code = 200, .headers = {{"content-type", "application/json"}, {"etag", tag}},
           .body = {}
  };
  if (known != nullptr && *known == tag) {
    page.code = 304;
    return page;
  }
  page.body = apiserver::openapi_v3(resources, version);
  if (page.body.empty()) return none;
  return page;
}

Page Pages::openapi_index() {
  json::Draft paths = json::Draft::object();
  for (const auto& group : discovery().groups()) {
    for (const auto& version : group.versions) {
      const std::string path =
          group.name.empty() ? "api/" + version : "apis/" + group.name + "/" + version;
      const auto tag = apiserver::openapi_tag(discovery().resources(), {group.name, version});
      paths[path] = json::Draft::object({
          {"serverRelativeURL", "/openapi/v3/" + path + "?hash=" + tag}
      });
    }
  }
  const auto body = json::Draft::object({
                                            {"paths", std::move(paths)}
  })
                        .freeze();
  return json_page(body);
}

// Only as JSON; clients that insist on the protobuf form do without.
Page Pages::openapi_v2(const net::Request& request) {
  const std::string* accept = request.headers.find("accept");
  const bool json = accept == nullptr || accept->find("application/json") != std::string::npos ||
                    accept->find("*/*") != std::string::npos;
  if (!json) {
    return {.code = 406,
            .headers = {{"content-type", "text/plain; charset=utf-8"}},
            .body = "406 Not Acceptable\n"};
  }
  return {
      .code = 200, .headers = {{"content-type", "application/json"}}, .body = kinds::openapi_v2()};
}

}  // namespace fixpoint::front
