// SPDX-License-Identifier: Apache-2.0
#include "client/http/page.h"

#include "json/shape/shape.h"

namespace fixpoint::client {

PageReply page_of(const ListCall& call, HttpAnswer answer) {
  const auto& kind = call.collection.resource.kind;
  const auto api_version = kind.group_version().api_version();
  // Metadata says itself that it is only that.
  const json::Stamp stamp = call.collection.metadata_only
                                ? json::Stamp{"meta.k8s.io/v1", "PartialObjectMetadata"}
                                : json::Stamp{api_version, kind.kind};
  auto parsed = json::parse_list(answer.body, "items", call.shape.get(), stamp);
  if (!parsed) {
    return std::unexpected(unknown("the server's list is not readable: " + parsed.error().message));
  }
  const auto metadata = parsed->rest.get("metadata");
  if (!metadata.is_object() || !parsed->rest.get("kind").as_string().ends_with("List")) {
    return std::unexpected(unknown("the server's answer is no list"));
  }
  Page page;
  page.items = std::move(parsed->elements);
  page.resource_version = metadata.get("resourceVersion").as_string();
  page.continue_token = metadata.get("continue").as_string();
  page.warnings = warnings_of(answer.headers);
  page.wire_bytes = answer.wire_bytes;
  return page;
}

}  // namespace fixpoint::client
