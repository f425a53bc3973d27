// SPDX-License-Identifier: Apache-2.0
//
// Router: what a URL asks for.
#pragma once

#include "apiserver/request.h"
#include "kube/errors/status.h"
#include "net/http.h"

#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::front {

struct Route {
  // True for /api/V/… and /apis/G/V/… with a resource in it; `request` is then filled but for the
  // body, user and user agent.
  bool resource = false;
  // A path that ends where a resource is expected: /api/v1/watch, /apis/G/V/proxy.
  bool undetermined = false;
  // False for HEAD, OPTIONS and whatever else has no verb of its own; `request.verb` then reads.
  bool has_verb = true;
  apiserver::Request request;
  std::string path;  // decoded, for everything else

  // As the authorizer is asked: "list"; "" for a method that has none.
  std::string_view verb(std::string_view method) const;
};

// Nothing when the path does not decode.
std::optional<Route> route(std::string_view method, std::string_view path, std::string_view query);

// The 400 of a ?timeout= that is no duration. Nothing here takes long enough to be cut by one; what
// is meant to last, a watch or a stream, has none.
std::optional<kube::Status> bad_timeout(const Route& route);

// "%2F" to "/"; plus to blank only in queries.
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_blank);
// A pair that does not decode, or holds a semicolon, is left out, as Go does.
apiserver::Query parse_query(std::string_view query);

}  // namespace fixpoint::front
