// SPDX-License-Identifier: Apache-2.0
//
// Pages: everything the server answers that is no resource. Health, version, metrics, discovery,
// OpenAPI.
#pragma once

#include "apiserver/discovery.h"
#include "front/service.h"
#include "net/http.h"

#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::front {

struct Page {
  int code = 200;
  net::Headers headers;
  std::string body;
};

class Pages {
 public:
  explicit Pages(Service& service);

  void serves_at(std::string address) { address_ = std::move(address); }
  // Needs no credentials: health and version.
  static bool is_public(std::string_view path);
  // The page at a path, or nothing (404 page not found).
  std::optional<Page> find(const net::Request& request, std::string_view path);
  // Whether a group version is served, for telling "no such resource" from "no such page".
  bool serves(const kube::GroupVersion& version) { return discovery().has(version); }

 private:
  const apiserver::Discovery& discovery();
  std::optional<Page> discover(const net::Request& request, std::string_view path);
  std::optional<Page> openapi(const net::Request& request, std::string_view path);
  Page openapi_index();
  static Page openapi_v2(const net::Request& request);

  Service& service_;
  std::string address_;
  std::optional<apiserver::Discovery> discovery_;  // forgotten when a definition changes
};

}  // namespace fixpoint::front
