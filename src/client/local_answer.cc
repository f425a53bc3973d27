// SPDX-License-Identifier: Apache-2.0
#include "client/local_answer.h"

#include "apiserver/documents/discovery.h"
#include "apiserver/read/table.h"
#include "client/http/answer.h"
#include "client/http/discovery.h"
#include "json/draft.h"

#include <string>
#include <utility>
#include <vector>

namespace fixpoint::client {
namespace {

std::vector<json::Value> items_of(const apiserver::ListPage& page,
                                  const apiserver::Resource& resource) {
  std::vector<json::Value> items;
  items.reserve(page.items.size());
  for (const auto& record : page.items) {
    items.push_back(apiserver::shown(resource, apiserver::in_version(resource, record->body)));
  }
  return items;
}

// What a server would have printed: the answer to deleting a collection is a list.
json::Value list_body(const apiserver::ListPage& page, const apiserver::Resource& resource) {
  auto items = json::Draft::array();
  for (const auto& item : items_of(page, resource)) {
    auto& draft = items.push_back(item);
    if (page.items_carry_kind) continue;
    draft.erase("kind");
    draft.erase("apiVersion");
  }
  return json::Draft::object(
             {
                 {"apiVersion", page.item_kind.group_version().api_version()                     },
                 {"items",      std::move(items)                                                 },
                 {"kind",       page.list_kind                                                   },
                 {"metadata",
                  json::Draft::object({{"resourceVersion", std::to_string(page.revision.value)}})},
  })
      .freeze();
}

}  // namespace

CallError refused(json::View status) {
  CallError error;
  error.fate = Fate::Refused;
  error.status = read_status(status);
  if (error.status.details && error.status.details->retry_after_seconds > 0) {
    error.retry_after = std::chrono::seconds(error.status.details->retry_after_seconds);
  }
  return error;
}

CallError refused(const kube::Status& status) {
  const auto body = kube::to_json(status);
  return refused(body);
}

json::Value cut(const json::Value& object, const Collection& collection,
                const std::shared_ptr<const json::Shape>& shape) {
  auto whole = collection.metadata_only ? apiserver::partial_object(object) : object;
  return shape ? shape->cut(whole) : whole;
}

Reply reply_of(apiserver::Response response, const apiserver::Request& request,
               apiserver::CustomKinds& kinds, const store::Snapshot& snapshot) {
  if (!response.ok()) return std::unexpected(refused(response.body));
  if (response.list) {
    response.body = list_body(*response.list, *kinds.find(snapshot, request.resource));
  }
  return Answer{.code = response.code,
                .body = std::move(response.body),
                .text = {},
                .warnings = std::move(response.warnings)};
}

PageReply page_of(apiserver::Response response, const apiserver::Request& request,
                  const ListCall& call, apiserver::CustomKinds& kinds,
                  const store::Snapshot& snapshot) {
  if (!response.ok() || !response.list) return std::unexpected(refused(response.body));
  const auto resource = kinds.find(snapshot, request.resource);
  Page page;
  page.resource_version = std::to_string(response.list->revision.value);
  page.continue_token = std::move(response.list->continue_token);
  page.warnings = std::move(response.warnings);
  for (const auto& item : items_of(*response.list, *resource)) {
    page.items.push_back(cut(item, call.collection, call.shape));
  }
  return page;
}

std::expected<Resource, CallError> resolve(const kube::GroupVersionKind& kind,
                                           apiserver::CustomKinds& kinds,
                                           const store::Snapshot& snapshot) {
  // No digest is asked for here.
  const apiserver::Discovery discovery{kinds.all(snapshot),
                                       [](std::string_view) { return std::string{}; }};
  std::expected<Resource, CallError> found = std::unexpected(no_such_kind(kind));
  for (const auto& group : discovery.groups()) {
    if (group.name != kind.group) continue;
    for (const auto& version : group.versions) {
      if (found || (!kind.version.empty() && kind.version != version)) continue;
      const auto list = discovery.resource_list({kind.group, version});
      if (!list) continue;
      if (auto resource = find_resource(*list, {kind.group, version, kind.kind})) {
        found = *std::move(resource);
      }
    }
  }
  return found;
}

}  // namespace fixpoint::client
