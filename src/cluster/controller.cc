// SPDX-License-Identifier: Apache-2.0
#include "cluster/controller.h"

#include "kube/metadata.h"

namespace fixpoint::cluster {

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
  apiserver::Request request;
  request.verb = verb;
  request.resource = resource.path;
  request.ns = std::string{ns};
  request.name = std::string{name};
  request.content_type = "application/json";
  request.user_agent = "kube-controller-manager";
  request.user = apiserver::system_user();
  return request;
}

std::optional<apiserver::Resource> resource_of(Api& api, json::View object) {
  return api.kinds().find(api.latest(), kube::gvk_of(object));
}

}  // namespace fixpoint::cluster
