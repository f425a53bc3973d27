// SPDX-License-Identifier: Apache-2.0
//
// URLs, taken apart and refused as Go's net/url does it, in its words.
#pragma once

#include "base/error.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fixpoint::kube {

// scheme://user@host/path?query#fragment; all but the scheme are pieces of the text.
struct Url {
  std::string scheme;  // lower case
  std::string_view user;
  std::string_view host;
  std::string_view path;
  std::string_view query;
  std::string_view fragment;
};

Result<Url> parse_url(std::string_view text);
// Only what a request may be sent to: an absolute URL or an absolute path, no fragment.
Result<Url> parse_request_url(std::string_view text);

// The path as it is sent: what must be escaped is.
std::string escaped_path(std::string_view path);
// key=value&…, unescaped; pairs that are not well written are left out.
std::vector<std::pair<std::string, std::string>> query_pairs(std::string_view query);

}  // namespace fixpoint::kube
