// SPDX-License-Identifier: Apache-2.0
#include "apiserver/given.h"

#include "apiserver/decode.h"
#include "kube/error_words.h"
#include "kube/metadata.h"

#include <algorithm>
#include <array>

namespace fixpoint::apiserver {
namespace {

// The object before it was decoded; null if nothing can be said of it.
json::Value given_object(const WriteCall& call) {
  if (!call.given.is_null()) return call.given;
  auto given = parse_unchecked(call.request, call.resource.kind);
  return given ? *std::move(given) : json::Value{};
}

// These kinds compare the old and the new field by field of their Go types, in which an empty map
// is not the same as none.
bool tells_empty_maps(const Resource& resource, json::View old_object) {
  static constexpr std::array<std::string_view, 2> kClasses{
      "storageclasses.storage.k8s.io/", "volumeattributesclasses.storage.k8s.io/"};
  return old_object.get("immutable").as_bool() ||
         std::ranges::find(kClasses, resource.prefix) != kClasses.end();
}

}  // namespace

json::Value as_given(const WriteCall& call, const json::Value& candidate, kube::EmptyForm form) {
  if (call.resource.builtin == nullptr) return candidate;
  const json::Value given = given_object(call);
  return kube::with_empties(*call.resource.schema, candidate, given, form);
}

json::Value with_empty_maps(const WriteCall& call, const json::Value& candidate,
                            json::View old_object) {
  if (!tells_empty_maps(call.resource, old_object)) return candidate;
  json::Draft full{candidate};
  const auto given = as_given(call, candidate, kube::EmptyForm::Held);
  for (const auto [key, member] : given.members()) {
    if (member.is_object() && member.empty()) full[key] = json::Draft{member};
  }
  return full.freeze();
}

json::Value with_empty_overhead(const WriteCall& call, const json::Value& candidate) {
  if (call.resource.prefix != "pods/" || !candidate.get("spec", "overhead").is_null()) {
    return candidate;
  }
  const bool sent = !call.given.is_null() || call.request.body.contains("overhead");
  if (!sent) return candidate;
  const json::Value given = given_object(call);
  if (!given.get("spec", "overhead").is_object()) return candidate;
  json::Draft full{candidate};
  full.object_at("spec")["overhead"] = json::Draft::object();
  return full.freeze();
}

void count_empties(const WriteCall& call, json::Draft& object, json::View old_object) {
  static constexpr std::array<std::string_view, 3> kCounting{
      "validatingwebhookconfigurations.admissionregistration.k8s.io/",
      "mutatingwebhookconfigurations.admissionregistration.k8s.io/",
      "networkpolicies.networking.k8s.io/"};
  if (std::ranges::find(kCounting, call.resource.prefix) == kCounting.end()) return;
  const json::Value candidate = object.freeze();
  const json::Value given = as_given(call, candidate, kube::EmptyForm::Held);
  const auto differs = [&](std::string_view key) { return given.get(key) != candidate.get(key); };
  if (!differs("webhooks") && !differs("spec")) return;
  object.object_at("metadata")["generation"] = kube::generation_of(old_object) + 1;
}

}  // namespace fixpoint::apiserver
