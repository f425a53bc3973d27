// SPDX-License-Identifier: Apache-2.0
//
// Pages: everything the server answers that is no resource. Health, version, the keys of tokens,
// and what it says of itself (documents.h).
#pragma once

#include "front/pages/documents.h"
#include "front/pages/page.h"
#include "front/router.h"
#include "front/service.h"
#include "net/crypto.h"
#include "net/http.h"

#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::front {

class Pages {
 public:
  // `key` signs the tokens of service accounts; its public half is published.
  Pages(Service& service, net::SigningKey key);

  void serves_at(const std::string& address) {
    address_ = address;
    documents_.serves_at(address);
  }
  void tells_usage(bool tells) { documents_.tells_usage(tells); }
  // The page at a path; its 404 may be a page too. The error is a Status: such a path is part of
  // the API, or its page cannot be asked by that method.
  kube::Answer<Page> find(const net::Request& request, const Route& route);
  // What is shown where nothing is: a Status below the API's own paths, else a line of text.
  static kube::Answer<Page> not_found(std::string_view path);

 private:
  Page root();
  std::optional<Page> fixed(const Route& route);

  Service& service_;
  net::SigningKey key_;
  std::string address_;
  Documents documents_;
};

}  // namespace fixpoint::front
