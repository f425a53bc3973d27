// SPDX-License-Identifier: Apache-2.0
#include "apiserver/subresources/binding.h"

#include "apiserver/body/decode.h"
#include "base/rfc3339.h"
#include "json/draft.h"
#include "kube/meta/metadata.h"

#include <algorithm>

namespace fixpoint::apiserver {
namespace {

using kube::Answer;

// A mistake in a binding is a 500 without a reason: the server never made a Status of it.
Answer<void> validate(json::View binding) {
  const kube::FieldPath target{"target"};
  kube::FieldErrors errors;
  const json::View kind = binding.get("target", "kind");
  if (!kind.as_string().empty() && kind.as_string() != "Node") {
    errors.push_back(kube::not_supported(target.child("kind"), kind, {"Node", "<empty>"}));
  }
  if (binding.get("target", "name").as_string().empty()) {
    errors.push_back(kube::required(target.child("name"), ""));
  }
  if (errors.empty()) return {};
  std::string text;
  for (const auto& error : errors) {
    if (!text.empty()) text += ", ";
    text += error.to_string();
  }
  if (errors.size() > 1) text = "[" + text + "]";
  return std::unexpected(kube::unreasoned(500, std::move(text)));
}

Answer<void> check_identity(const WriteCall& call, const Resource& pods, json::View binding,
                            json::View pod) {
  const auto refuse = [&](const std::string& what, std::string_view given, std::string_view kept) {
    return std::unexpected(precondition_failed(call, pods, kube::name_of(pod),
                                               what + " in precondition: " + std::string{given} +
                                                   ", " + what +
                                                   " in object meta: " + std::string{kept}));
  };
  const auto uid = kube::uid_of(binding);
  if (!uid.empty() && uid != kube::uid_of(pod)) return refuse("UID", uid, kube::uid_of(pod));
  const auto version = kube::resource_version_of(binding);
  if (version.empty() || version == kube::resource_version_of(pod)) return {};
  return refuse("ResourceVersion", version, kube::resource_version_of(pod));
}

Answer<void> check_free(json::View pod) {
  const std::string name{kube::name_of(pod)};
  const kube::GroupResource binding{"", "pods/binding"};
  if (kube::being_deleted(pod)) {
    return std::unexpected(kube::conflict(
        binding, name, "pod " + name + " is being deleted, cannot be assigned to a host"));
  }
  const auto node = pod.get("spec", "nodeName").as_string();
  if (node.empty()) return {};
  return std::unexpected(kube::conflict(
      binding, name, "pod " + name + " is already assigned to node " + kube::shown(node)));
}

void schedule(json::Draft& pod, Instant now) {
  auto& conditions = pod.object_at("status").array_at("conditions");
  std::erase_if(conditions.elements(), [](const json::Draft& condition) {
    const json::Draft* type = condition.find("type");
    return type != nullptr && type->as_string() == "PodScheduled";
  });
  conditions.push_back(json::Draft::object({
      {"type",               "PodScheduled"     },
      {"status",             "True"             },
      {"lastProbeTime",      json::Draft{}      },
      {"lastTransitionTime", format_seconds(now)}
  }));
}

// The binding's annotations go to the pod; its labels only where the pod has none of that name.
void hand_over(json::Draft& pod, json::View binding) {
  auto& metadata = pod.object_at("metadata");
  for (const auto& annotation : kube::annotations_of(binding).members()) {
    metadata.object_at("annotations")[annotation.key] = json::Draft{annotation.value};
  }
  for (const auto& label : kube::labels_of(binding).members()) {
    auto& labels = metadata.object_at("labels");
    if (!labels.contains(label.key)) labels[label.key] = json::Draft{label.value};
  }
}

Answer<json::Value> bind_pod(WriteCall& call, const Resource& pods, json::View binding) {
  if (auto ok = validate(binding); !ok) return std::unexpected(ok.error());
  const auto name = kube::name_of(binding);
  if (name.empty()) return std::unexpected(kube::bad_request("Name parameter required."));
  const auto current = call.store.latest().find(pods.key(call.request.ns, name));
  if (!current) return std::unexpected(kube::not_found(pods.group_resource(), name));
  const json::View pod = current->body;
  if (auto ok = check_identity(call, pods, binding, pod); !ok) {
    return std::unexpected(ok.error());
  }
  if (auto ok = check_free(pod); !ok) return std::unexpected(ok.error());

  json::Draft object{pod};
  object.object_at("spec")["nodeName"] = binding.get("target", "name").as_string();
  hand_over(object, binding);
  schedule(object, call.environment.now);
  if (!call.options.dry_run) put_object(call.store, current->key, std::move(object));
  return json::Draft::object({
                                 {"kind",       "Status"             },
                                 {"apiVersion", "v1"                 },
                                 {"metadata",   json::Draft::object()},
                                 {"status",     "Success"            },
                                 {"code",       201                  }
  })
      .freeze();
}

Answer<json::Value> decode_binding(WriteCall& call) {
  auto body = decode_body_as({"", "v1", "Binding"}, call.request, call.options.validation,
                             call.environment.weakness, call.warnings);
  if (!body) return body;
  json::Draft object{*body};
  if (auto ok = adopt_namespace(call, object); !ok) return std::unexpected(ok.error());
  return object.freeze();
}

}  // namespace

Answer<json::Value> bind(WriteCall& call) {
  auto binding = decode_binding(call);
  if (!binding) return binding;
  if (kube::name_of(*binding) != call.request.name) {
    return std::unexpected(kube::bad_request("name in URL does not match name in Binding object"));
  }
  return bind_pod(call, call.resource, *binding);
}

Response create_binding(WriteCall call) {
  auto options = parse_write_options(call.request, "CreateOptions");
  if (!options) return failure(options.error());
  call.options = *std::move(options);
  const auto pods =
      call.kinds.find(call.store.latest(), kube::GroupVersionResource{"", "v1", "pods"});
  FP_CHECK(pods.has_value());
  auto binding = decode_binding(call);
  auto bound = binding ? bind_pod(call, *pods, *binding) : std::move(binding);
  if (!bound) return failure(bound.error(), std::move(call.warnings));
  Response response;
  response.code = 201;
  response.body = *std::move(bound);
  response.warnings = std::move(call.warnings);
  response.visible = call.store.revision();
  return response;
}

}  // namespace fixpoint::apiserver
