// SPDX-License-Identifier: Apache-2.0
#include "apiserver/core.h"

#include "apiserver/binding.h"
#include "apiserver/definition.h"
#include "apiserver/list.h"
#include "apiserver/pod_streams.h"
#include "apiserver/remove.h"
#include "apiserver/review.h"
#include "apiserver/scale.h"
#include "apiserver/subresource.h"
#include "apiserver/write.h"

#include <algorithm>

namespace fixpoint::apiserver {
namespace {

// The part of the resource's verbs a request needs; subresources have their own lists.
bool allowed(const Resource& resource, const Request& request) {
  if (request.subresource.empty()) return resource.supports(to_string(request.verb));
  if (resource.builtin == nullptr) {
    return request.verb == Verb::Get || request.verb == Verb::Update || request.verb == Verb::Patch;
  }
  const auto& verbs = resource.builtin->subresource(request.subresource)->verbs;
  return std::ranges::find(verbs, to_string(request.verb)) != verbs.end();
}

Response dispatch_write(WriteCall call) {
  switch (call.request.verb) {
    case Verb::Create:
      if (call.resource.prefix == "bindings/") return create_binding(std::move(call));
      return create(std::move(call));
    case Verb::Update: return update(std::move(call));
    default: return patch(std::move(call));
  }
}

// Requests that name an object where a collection is meant, the other way round, or a namespace for
// something that has none: rights were judged for that namespace, so nothing outside it may happen.
std::optional<kube::Status> wrong_place(const Resource& resource, const Request& request) {
  const bool on_item = !request.name.empty();
  if (!resource.namespaced && !request.ns.empty()) return kube::not_found_path();
  if (resource.namespaced && request.ns.empty()) {
    if (on_item) return kube::not_found_path();
    if (request.verb != Verb::List && request.verb != Verb::Watch)
      return kube::method_not_allowed();
  }
  if (!request.subresource.empty()) return std::nullopt;
  const bool item_verb = request.verb == Verb::Update || request.verb == Verb::Patch;
  if (on_item ? request.verb == Verb::Create : item_verb) return kube::method_not_allowed();
  return std::nullopt;
}

}  // namespace

Response Core::handle(const Request& request, store::Store& store, const Environment& environment) {
  const auto resource = kinds_.find(store.latest(), request.resource);
  if (!resource) return failure(kube::not_found_path());
  if (auto misplaced = wrong_place(*resource, request)) return failure(*misplaced);
  const bool custom = resource->builtin == nullptr;
  if (!request.subresource.empty() && !resource->has_subresource(request.subresource)) {
    return failure(custom ? kube::not_found(resource->group_resource(), request.name)
                          : kube::not_found_path());
  }
  if (!allowed(*resource, request)) {
    return failure(
        custom ? kube::method_not_supported(resource->group_resource(), to_string(request.verb))
               : kube::method_not_allowed());
  }
  if (is_review(*resource)) {
    return review(WriteCall{request, *resource, kinds_, store, environment}, tokens_);
  }

  if (is_pod_stream(*resource, request.subresource)) return pod_stream(request, *resource, store);

  const auto before = store.revision();
  WriteCall call{request, *resource, kinds_, store, environment};
  Response response;
  if (!request.subresource.empty()) {
    response = handle_subresource(call);
  } else {
    switch (request.verb) {
      case Verb::Get: return get(request, *resource, store, environment);
      case Verb::List: return list(request, *resource, store, environment);
      case Verb::Watch: return failure(kube::internal_error("a watch has no single answer"));
      case Verb::Delete: response = remove({request, *resource, store, environment}); break;
      case Verb::DeleteCollection:
        response = remove_collection({request, *resource, store, environment});
        break;
      default: response = dispatch_write(call);
    }
  }
  if (resource->prefix == kDefinitionPrefix && store.revision() != before) {
    settle_definitions(store, response.body.get("spec", "group").as_string(),
                       environment.now);
    response.visible = store.revision();
  }
  return response;
}

Response Core::handle_subresource(const WriteCall& call) {
  const auto& name = call.request.subresource;
  if (name == "status") {
    if (call.request.verb == Verb::Get) {
      return get(call.request, call.resource, call.store, call.environment);
    }
    return dispatch_write(call);
  }
  if (name == "finalize") return dispatch_write(call);
  if (name == "scale") {
    if (call.request.verb == Verb::Get) {
      return get_scale(call.request, call.resource, call.store);
    }
    return write_scale(call);
  }
  return handle_other_subresource(call, tokens_);
}

kube::Answer<Watch> Core::open_watch(const Request& request, const store::Store& store,
                                     const Environment& environment) {
  const auto resource = kinds_.find(store.latest(), request.resource);
  if (!resource) return std::unexpected(kube::not_found_path());
  if (!resource->namespaced && !request.ns.empty()) return std::unexpected(kube::not_found_path());
  if (!resource->supports("watch")) return std::unexpected(kube::method_not_allowed());
  return apiserver::open_watch(request, *resource, store, environment);
}

}  // namespace fixpoint::apiserver
