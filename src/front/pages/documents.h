// SPDX-License-Identifier: Apache-2.0
//
// Documents: what the server says of itself: discovery and OpenAPI. They are made when they are
// asked for; only the list of what is served stays, until a definition changes.
#pragma once

#include "apiserver/documents/discovery.h"
#include "front/answers/negotiate.h"
#include "front/pages/page.h"
#include "front/service.h"

#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::front {

class Documents {
 public:
  explicit Documents(Service& service);

  void serves_at(std::string address) { address_ = std::move(address); }
  // Whether to tell of metrics.k8s.io (usage.h).
  void tells_usage(bool tells) { tells_usage_ = tells; }
  // Below /api, /apis and /openapi; nothing when there is no such document.
  std::optional<Page> find(const net::Request& request, std::string_view path);
  const apiserver::Discovery& discovery();

 private:
  std::optional<Page> discover(const net::Request& request, std::string_view path);
  std::optional<json::Value> discovered(std::string_view path, Form form);
  std::optional<Page> openapi(const net::Request& request, std::string_view path);
  Page openapi_document(const net::Request& request, std::string_view path);
  Page openapi_index(const net::Request& request);
  Page openapi_v2(const net::Request& request);

  Service& service_;
  std::string address_;
  bool tells_usage_ = false;
  std::optional<apiserver::Discovery> discovery_;  // forgotten when a definition changes
};

}  // namespace fixpoint::front
