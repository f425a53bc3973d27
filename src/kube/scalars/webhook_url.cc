// SPDX-License-Identifier: Apache-2.0
#include "kube/scalars/webhook_url.h"

#include "kube/go/text.h"
#include "kube/scalars/url.h"

#include <fmt/format.h>

namespace fixpoint::kube {

void validate_webhook_url(std::string_view text, const FieldPath& path, FieldErrors& errors) {
  constexpr std::string_view kForm = "; desired format: https://host[/path]";
  const auto url = parse_url(text);
  if (!url) {
    errors.push_back(required(path, fmt::format("url must be a valid URL: parse {}: {}{}",
                                                go_quoted(text), url.error().message, kForm)));
    return;
  }
  const auto refuse = [&](std::string_view part, std::string why) {
    errors.push_back(invalid(path, shown(part), std::move(why)));
  };
  if (url->scheme != "https") {
    refuse(url->scheme, fmt::format("'https' is the only allowed URL scheme{}", kForm));
  }
  if (url->host.empty()) refuse("", fmt::format("host must be specified{}", kForm));
  if (!url->user.empty()) refuse(url->user, "user information is not permitted in the URL");
  if (!url->fragment.empty()) refuse(url->fragment, "fragments are not permitted in the URL");
  if (!url->query.empty()) refuse(url->query, "query parameters are not permitted in the URL");
}

}  // namespace fixpoint::kube
