// SPDX-License-Identifier: Apache-2.0
#include "apiserver/core.h"

#include "apiserver/access/review.h"
#include "apiserver/definition.h"
#include "apiserver/read/list.h"
#include "apiserver/subresources/binding.h"
#include "apiserver/subresources/component_status.h"
#include "apiserver/subresources/pod_streams.h"
#include "apiserver/subresources/proxy.h"
#include "apiserver/subresources/scale.h"
#include "apiserver/subresources/subresource.h"
#include "apiserver/write/remove.h"
#include "apiserver/write/write.h"
#include "kinds/part_hooks.h"

#include <algorithm>
#include <array>

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

kube::Status not_allowed(const Resource& resource, const Request& request) {
  // Routes of built-in kinds are fixed, so the router refuses; custom ones refuse by themselves,
  // and so does a list that cannot be watched.
  const bool routed = resource.custom || (request.verb == Verb::Watch && resource.supports("list"));
  return routed ? kube::method_not_supported(resource.group_resource(), to_string(request.verb))
                : kube::method_not_allowed();
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

// Whether a subresource shows the object itself and is another way to write it.
bool is_whole_object(const Resource& resource, std::string_view subresource) {
  if (subresource == "status") return true;
  return resource.builtin != nullptr &&
         kinds::part_hooks(*resource.builtin, subresource) != nullptr;
}

bool has_items(const Resource& resource) {
  return std::ranges::any_of(std::array{"get", "update", "patch", "delete"},
                             [&](std::string_view verb) { return resource.supports(verb); });
}

// What a name in a path may never be, whatever its kind allows.
std::optional<kube::Status> bad_segment(std::string_view name) {
  std::string why;
  if (name == "." || name == "..") {
    why = "may not be '" + std::string{name} + "'";
  } else {
    for (const char c : {'/', '%'}) {
      if (name.find(c) == std::string_view::npos) continue;
      if (!why.empty()) why += ';';
      why += std::string{"may not contain '"} + c + "'";
    }
  }
  if (why.empty()) return std::nullopt;
  return kube::bad_request("Name parameter invalid: " + kube::shown(name) + ": " + why);
}

// Requests that name an object where a collection is meant, the other way round, or a namespace for
// something that has none: rights were judged for that namespace, so nothing outside it may happen.
std::optional<kube::Status> wrong_place(const Resource& resource, const Request& request) {
  const bool on_item = !request.name.empty();
  if (!resource.namespaced && !request.ns.empty()) return kube::not_found_path();
  if (resource.namespaced && request.ns.empty()) {
    const bool asked_for_none = request.empty_namespace && resource.builtin != nullptr;
    // Of objects it is asked for later; a new one goes as far as its validation, and all namespaces
    // may be emptied at once.
    if (asked_for_none &&
        (on_item || request.verb == Verb::Create || request.verb == Verb::DeleteCollection)) {
      return std::nullopt;
    }
    if (on_item || !resource.supports("list")) return kube::not_found_path();
    if (request.verb != Verb::List && request.verb != Verb::Watch) {
      return resource.custom ? kube::not_found_path() : kube::method_not_allowed();
    }
  }
  if (!request.subresource.empty()) return std::nullopt;
  if (on_item && !has_items(resource)) return kube::not_found_path();
  const bool item_verb = request.verb == Verb::Update || request.verb == Verb::Patch;
  if (resource.custom) {
    // These take a POST to an object for one to its collection.
    if (!on_item && item_verb) return kube::bad_request("name must be provided");
    return std::nullopt;
  }
  if (on_item ? request.verb == Verb::Create : item_verb) return kube::method_not_allowed();
  return std::nullopt;
}

}  // namespace

kube::Answer<Resource> Core::resolve(const Request& request, const store::Snapshot& snapshot) {
  auto resource = kinds_.find(snapshot, request.resource);
  if (!resource) return std::unexpected(kube::not_found_path());
  // What is no longer served is there for our own loops only, which end what is left of it.
  if (resource->custom && !resource->custom_version()->served &&
      request.user.name != system_user().name) {
    return std::unexpected(kube::not_found_path());
  }
  if (auto misplaced = wrong_place(*resource, request)) return std::unexpected(*misplaced);
  if (!request.subresource.empty() && !resource->has_subresource(request.subresource)) {
    return std::unexpected(resource->custom
                               ? kube::not_found(resource->group_resource(), request.name)
                               : kube::not_found_path());
  }
  if (!allowed(*resource, request)) return std::unexpected(not_allowed(*resource, request));
  if (request.empty_namespace && resource->namespaced && !request.name.empty()) {
    return std::unexpected(kube::bad_request("Namespace parameter required."));
  }
  if (auto bad = bad_segment(request.name)) return std::unexpected(*bad);
  return *std::move(resource);
}

Response Core::handle(const Request& request, store::Store& store, const Environment& environment) {
  const auto resource = resolve(request, store.latest());
  if (!resource) {
    auto response = failure(resource.error());
    const auto known = kinds_.find(store.latest(), request.resource);
    const bool told = known && !refused_by_router(resource.error());
    if (told && !known->deprecation().empty()) response.warnings.emplace_back(known->deprecation());
    return response;
  }
  return handle(request, *resource, store, environment);
}

bool refused_by_router(const kube::Status& status) {
  return status.message == kube::method_not_allowed().message;
}

namespace {

// A real server's router turns away patches of a type that it has no route for.
bool is_unrouted_patch(const Response& response) {
  return response.code == 415 && response.body.get("message").as_string().starts_with("415: ");
}

}  // namespace

// Every answer about a deprecated version says so, a refusal by its handler too.
Response Core::handle(const Request& request, const Resource& resource, store::Store& store,
                      const Environment& environment) {
  Response response;
  if (resource.custom && request.verb == Verb::Create && request.subresource.empty() &&
      !request.name.empty()) {
    Request to_collection = request;
    to_collection.name.clear();
    response = dispatch(to_collection, resource, store, environment);
  } else {
    response = dispatch(request, resource, store, environment);
  }
  if (const auto text = resource.deprecation(); !text.empty() && !is_unrouted_patch(response)) {
    response.warnings.emplace(response.warnings.begin(), text);
  }
  return response;
}

namespace {

// Objects were once shown without what their cluster added to them, to whoever asked.
bool asks_for_export(const Request& request) {
  const auto given = request.verb == Verb::Get ? request.given("export") : std::nullopt;
  return given && query_truth(*given);
}

}  // namespace

Response Core::dispatch(const Request& request, const Resource& resource, store::Store& store,
                        const Environment& environment) {
  if (is_review(resource)) {
    return review(WriteCall{request, resource, kinds_, holdings_, store, environment}, tokens_);
  }
  if (is_proxy(resource, request.subresource)) return proxy(request, resource, store);
  if (is_pod_stream(resource, request.subresource)) return pod_stream(request, resource, store);

  const bool is_object = request.subresource.empty() || request.subresource == "scale" ||
                         is_whole_object(resource, request.subresource);
  if (is_object && asks_for_export(request)) {
    return failure(
        kube::bad_request("the export parameter, deprecated since v1.14, is no longer supported"));
  }

  const auto before = store.revision();
  WriteCall call{request, resource, kinds_, holdings_, store, environment, certificates_};
  Response response;
  if (!request.subresource.empty()) {
    response = handle_subresource(call);
  } else {
    switch (request.verb) {
      case Verb::Get:
        if (is_component_status(resource)) return get_component(request);
        return get(request, resource, store, environment);
      case Verb::List:
        if (is_component_status(resource)) return list_components(request, resource);
        return list(request, resource, store, environment);
      case Verb::Watch: return failure(kube::internal_error("a watch has no single answer"));
      case Verb::Delete: response = remove({request, resource, store, environment}); break;
      case Verb::DeleteCollection:
        response = remove_collection({request, resource, store, environment});
        break;
      default: response = dispatch_write(call);
    }
  }
  if (resource.prefix == kDefinitionPrefix && store.revision() != before) {
    settle_definitions(store, response.body.get("spec", "group").as_string(), environment.now);
    response.visible = store.revision();
  }
  return response;
}

Response Core::handle_subresource(const WriteCall& call) {
  const auto& name = call.request.subresource;
  if (is_whole_object(call.resource, name)) {
    if (call.request.verb == Verb::Get) {
      return get(call.request, call.resource, call.store, call.environment);
    }
    return dispatch_write(call);
  }
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
  const auto resource = resolve(request, store.latest());
  if (!resource) return std::unexpected(resource.error());
  return apiserver::open_watch(request, *resource, store, environment);
}

}  // namespace fixpoint::apiserver
