// SPDX-License-Identifier: Apache-2.0
//
// Pages: everything the server answers that is no resource. Health, version, discovery, OpenAPI,
// the keys of tokens.
#pragma once

#include "apiserver/discovery.h"
#include "front/router.h"
#include "front/service.h"
#include "net/crypto.h"
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
  // `key` signs the tokens of service accounts; its public half is published.
  Pages(Service& service, net::SigningKey key);

  void serves_at(std::string address) { address_ = std::move(address); }
  // The page at a path; its 404 may be a page too. The error is a Status: such a path is part of
  // the API, or its page cannot be asked by that method.
  kube::Answer<Page> find(const net::Request& request, const Route& route);
  // What is shown where nothing is: a Status below the API's own paths, else a line of text.
  static kube::Answer<Page> not_found(std::string_view path);

 private:
  const apiserver::Discovery& discovery();
  Page root();
  std::optional<Page> fixed(const Route& route);
  std::optional<Page> discover(const net::Request& request, std::string_view path);
  std::optional<Page> openapi(const net::Request& request, std::string_view path);
  Page openapi_index();
  static Page openapi_v2(const net::Request& request);

  Service& service_;
  net::SigningKey key_;
  std::string address_;
  std::optional<apiserver::Discovery> discovery_;  // forgotten when a definition changes
};

}  // namespace fixpoint::front
