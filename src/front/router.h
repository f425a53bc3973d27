// SPDX-License-Identifier: Apache-2.0
//
// Router: what a URL asks for.
#pragma once

#include "apiserver/request.h"
#include "kube/status.h"
#include "net/http.h"

#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::front {

struct Route {
  // True for /api/V/… and /apis/G/V/… with a resource in it; `request` is then filled but for the
  // body, user and user agent.
  bool resource = false;
  apiserver::Request request;
  std::string path;  // decoded, for everything else
};

// The error is a 400: a path or query that does not decode.
kube::Answer<Route> route(std::string_view method, std::string_view path, std::string_view query);

// "%2F" to "/"; plus to blank only in queries.
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_blank);
kube::Answer<apiserver::Query> parse_query(std::string_view query);

}  // namespace fixpoint::front
