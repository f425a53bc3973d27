// SPDX-License-Identifier: Apache-2.0
//
// PUT: the whole object, or through /status its status, replaced.
#include "apiserver/decode.h"
#include "apiserver/write.h"
#include "kube/metadata.h"

namespace fixpoint::apiserver {
namespace {

// Another uid in a PUT means another object: the storage layer's own words.
kube::Answer<void> check_uid(const WriteCall& call, json::View current, const json::Draft& object) {
  const json::Draft* uid = object.find("metadata", "uid");
  const auto given = uid == nullptr ? std::string_view{} : uid->as_string();
  if (given.empty() || given == kube::uid_of(current)) return {};
  if (call.environment.weakness == Weakness::IgnoresUidOnUpdate) return {};
  const std::string path = call.resource.builtin != nullptr
                               ? call.resource.path.resource
                               : call.resource.path.group + "/" + call.resource.path.resource;
  const std::string place = call.request.ns.empty() ? "" : call.request.ns + "/";
  return std::unexpected(kube::conflict(
      call.resource.group_resource(), call.request.name,
      "StorageError: invalid object, Code: 4, Key: /registry/" + path + "/" + place +
          call.request.name +
          ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: " +
          std::string{given} + ", UID in object meta: " + std::string{kube::uid_of(current)}));
}

kube::Answer<Written> try_update(WriteCall& call) {
  auto options = parse_write_options(call.request, "UpdateOptions");
  if (!options) return std::unexpected(options.error());
  call.options = *std::move(options);
  auto body = decode_body(call.resource, call.request, call.options.validation,
                          call.environment.weakness, call.warnings);
  if (!body) return std::unexpected(body.error());
  json::Draft object{*body};
  if (auto ok = check_name(call, object); !ok) return std::unexpected(ok.error());
  if (auto ok = adopt_namespace(call, object); !ok) return std::unexpected(ok.error());

  dedup_owners(call, object);
  const auto current = call.store.latest().find(call.key());
  if (!current) {
    if (!call.resource.create_on_update || !call.request.subresource.empty()) {
      return std::unexpected(kube::not_found(call.resource.group_resource(), call.request.name));
    }
    if (auto ok = track(call, {}, object); !ok) return std::unexpected(ok.error());
    return finish_create(call, std::move(object));
  }
  const json::Value live = in_version(call.resource, current->body);
  if (auto ok = check_preconditions(call, live, object); !ok) return std::unexpected(ok.error());
  if (auto ok = check_uid(call, live, object); !ok) return std::unexpected(ok.error());
  if (auto ok = track(call, live, object); !ok) return std::unexpected(ok.error());
  return finish_update(call, current, std::move(object));
}

}  // namespace

Response update(WriteCall call) {
  auto written = try_update(call);
  return answer_to(call, std::move(written));
}

}  // namespace fixpoint::apiserver
