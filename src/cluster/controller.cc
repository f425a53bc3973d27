// SPDX-License-Identifier: Apache-2.0
#include "cluster/controller.h"

#include "cluster/decision.h"
#include "json/draft.h"
#include "json/print.h"
#include "kube/meta/metadata.h"

namespace fixpoint::cluster {

apiserver::Response Api::call(const apiserver::Request& request) {
  using apiserver::Verb;
  auto response = server_.call(request);
  const bool writes_object = (request.verb == Verb::Create || request.verb == Verb::Update ||
                              request.verb == Verb::Patch) &&
                             request.subresource.empty();
  if (response.ok() && writes_object) {
    auto key = apiserver::key_prefix(request.resource.group, request.resource.resource);
    key.append(kube::namespace_of(response.body)).append("/").append(kube::name_of(response.body));
    index_.add(key, response.body, latest().revision());
  }
  return response;
}

void KeyQueue::add(std::string key) {
  if (known_.insert(key).second) order_.push_back(std::move(key));
}

std::optional<std::string> KeyQueue::take() {
  if (order_.empty()) return std::nullopt;
  std::string key = std::move(order_.front());
  order_.pop_front();
  known_.erase(key);
  return key;
}

KeyParts split_key(std::string_view key) {
  const auto first = key.find('/');
  const auto second = key.find('/', first + 1);
  return {.prefix = key.substr(0, first + 1),
          .ns = key.substr(first + 1, second - first - 1),
          .name = key.substr(second + 1)};
}

apiserver::Request request_for(const apiserver::Resource& resource, apiserver::Verb verb,
                               std::string_view ns, std::string_view name) {
  return request_for(resource.path, verb, ns, name);
}

std::optional<apiserver::Resource> resource_of(Api& api, json::View object) {
  return api.kinds().find(api.latest(), kube::gvk_of(object));
}

void send_update(Api& api, const json::Draft& object) {
  const json::Value body = object.freeze();
  const auto resource = resource_of(api, body);
  if (!resource) return;
  auto request = request_for(*resource, apiserver::Verb::Update, kube::namespace_of(body),
                             kube::name_of(body));
  request.body = json::to_text(body);
  (void)api.call(request);
}

}  // namespace fixpoint::cluster
