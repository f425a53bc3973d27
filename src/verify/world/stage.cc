// SPDX-License-Identifier: Apache-2.0
#include "apiserver/resource.h"
#include "client/http/outgoing.h"
#include "json/parsing/parse.h"
#include "verify/world/scenario.h"

#include <string>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::verify::world {
namespace {

json::Value parsed(std::string_view text) {
  auto value = json::parse(text);
  FP_CHECK(value.has_value());
  return *std::move(value);
}

}  // namespace

json::View Look::get(const client::Resource& resource, const kube::Key& key) const {
  const auto record = snapshot_.find(fmt::format(
      "{}{}/{}", apiserver::key_prefix(resource.kind.group, resource.plural), key.ns, key.name));
  // The snapshot goes on holding it.
  return record ? record->body.view() : json::View{};
}

std::vector<json::View> Look::list(const client::Resource& resource) const {
  std::vector<json::View> objects;
  snapshot_.scan(apiserver::key_prefix(resource.kind.group, resource.plural), {},
                 [&](const store::RecordRef& record) {
                   objects.push_back(record->body);
                   return true;
                 });
  return objects;
}

bool Stage::ask(const client::Call& call) {
  if (asked_ != nullptr) asked_->push_back(client::request_of(call));
  return server_.call(call).has_value();
}

bool Stage::create(const client::Resource& resource, std::string_view object, std::string_view ns) {
  return ask({
      .verb = client::Verb::Create,
      .resource = resource,
      .key = {std::string{ns}, ""},
      .body = parsed(object),
      .field_manager = "kubectl"
  });
}

bool Stage::patch(const client::Resource& resource, const kube::Key& key,
                  std::string_view merge_patch, std::string_view subresource) {
  return ask({.verb = client::Verb::Patch,
              .resource = resource,
              .key = key,
              .subresource = std::string{subresource},
              .body = parsed(merge_patch),
              .field_manager = "kubectl"});
}

bool Stage::remove(const client::Resource& resource, const kube::Key& key) {
  return ask({.verb = client::Verb::Delete, .resource = resource, .key = key});
}

}  // namespace fixpoint::verify::world
