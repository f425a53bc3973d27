// SPDX-License-Identifier: Apache-2.0
#include "front/pages/pages.h"

#include "front/identity/issuer.h"
#include "front/pages/discovery_text.h"
#include "front/pages/health.h"
#include "json/draft.h"
#include "json/print.h"
#include "kinds/kind.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace fixpoint::front {
namespace {

// The Kubernetes version whose API this server speaks; kubectl compares it with its own.
constexpr std::string_view kMinor = "34";
constexpr std::string_view kGitVersion = "v1.34.4+fixpoint";

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
          .body = discovery_text(body, Indent::TwoSpaces)};
}

Page no_page() {
  return text_page(404, "404 page not found\n");
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

// What the API's own router asks of an Accept header, before a page is made.
kube::Answer<void> acceptable(std::string_view path, std::string_view accept) {
  if (path == "/openid/v1/jwks") return check_produced(accept, "application/jwk-set+json");
  if (path == "/.well-known/openid-configuration" || path.starts_with("/version")) {
    return check_produced(accept, "application/json");
  }
  if (is_routed(path)) return check_routed(accept, Produces::Objects);
  return {};
}

}  // namespace

Pages::Pages(Service& service, net::SigningKey key)
    : service_(service), key_(std::move(key)), documents_(service) {}

kube::Answer<Page> Pages::not_found(std::string_view path) {
  if (is_routed(path) || path.starts_with("/version/")) {
    return std::unexpected(kube::not_found_path());
  }
  return no_page();
}

kube::Answer<Page> Pages::find(const net::Request& request, const Route& route) {
  const std::string_view path = route.path;
  std::optional<Page> page = fixed(route);
  if (!page) page = documents_.find(request, path);
  if (!page) return not_found(path);
  if (is_routed(path) && request.method != "GET") {
    return std::unexpected(kube::method_not_allowed());
  }
  const std::string* accept = request.headers.find("accept");
  const auto allowed = acceptable(path, accept == nullptr ? std::string_view{} : *accept);
  if (!allowed) return std::unexpected(allowed.error());
  return *std::move(page);
}

// Those with one path each.
std::optional<Page> Pages::fixed(const Route& route) {
  const std::string_view path = route.path;
  if (is_health(path)) {
    auto health = health_at(path, route.request.query, [this] { return service_.disk_problem(); });
    if (!health) return no_page();
    return text_page(health->code, std::move(health->text));
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
  for (const auto& group : documents_.discovery().groups()) {
    const std::string at = group.name.empty() ? "/api" : "/apis/" + group.name;
    if (!group.name.empty()) paths.push_back(at);
    for (const auto& version : group.versions) paths.push_back(fmt::format("{}/{}", at, version));
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

}  // namespace fixpoint::front
