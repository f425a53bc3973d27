// SPDX-License-Identifier: Apache-2.0
//
// PATCH: JSON, merge and strategic patches onto the current object; apply.h has server-side apply.
#include "apiserver/body/media_type.h"
#include "apiserver/write/apply.h"
#include "apiserver/write/patched.h"
#include "apiserver/write/write.h"
#include "kube/meta/metadata.h"

namespace fixpoint::apiserver {
namespace {

using kube::Answer;

kube::Status unsupported(const Resource& resource) {
  std::string types = "application/json-patch+json, application/merge-patch+json, ";
  if (resource.builtin != nullptr) types += "application/strategic-merge-patch+json, ";
  types += "application/apply-patch+yaml";
  return kube::unsupported_media_type(
      "the body of the request was in an unknown format - accepted media types include: " + types);
}

kube::Status unknown_media_type() {
  auto status = kube::unsupported_media_type("415: Unsupported Media Type");
  status.details.emplace();
  return status;
}

Answer<Written> try_patch(WriteCall& call) {
  const auto current = call.store.latest().find(call.key());
  if (!current) {
    return std::unexpected(kube::not_found(call.resource.group_resource(), call.request.name));
  }
  const json::Value live = in_version(call.resource, current->body);
  auto patched = patched_object(call, live);
  if (!patched) return std::unexpected(patched.error());

  json::Draft object{*patched};
  if (auto ok = check_name(call, object); !ok) return std::unexpected(ok.error());
  if (auto ok = check_patched_type(call, *patched); !ok) return std::unexpected(ok.error());
  if (auto ok = adopt_namespace(call, object); !ok) return std::unexpected(ok.error());
  if (auto ok = check_preconditions(call, live, object); !ok) return std::unexpected(ok.error());
  dedup_owners(call, object);
  if (auto ok = track(call, live, object); !ok) return std::unexpected(ok.error());
  return finish_update(call, current, std::move(object));
}

}  // namespace

Answer<void> check_patch_media(const WriteCall& call) {
  switch (media_type(call.request.content_type)) {
    case MediaType::JsonPatch:
    case MediaType::MergePatch:
    case MediaType::ApplyPatch: return {};
    case MediaType::StrategicPatch:
      if (call.resource.builtin != nullptr ||
          call.environment.weakness == Weakness::AllowsStrategicPatchOfCustom) {
        return {};
      }
      return std::unexpected(unsupported(call.resource));
    default:
      return std::unexpected(call.resource.builtin != nullptr ? unknown_media_type()
                                                              : unsupported(call.resource));
  }
}

namespace {

Answer<Written> dispatch_patch(WriteCall& call) {
  if (auto ok = check_patch_media(call); !ok) return std::unexpected(ok.error());
  auto options = parse_write_options(call.request, "PatchOptions");
  if (!options) return std::unexpected(options.error());
  call.options = *std::move(options);
  const bool applies = media_type(call.request.content_type) == MediaType::ApplyPatch;
  return applies ? try_apply(call) : try_patch(call);
}

}  // namespace

Response patch(WriteCall call) {
  auto written = dispatch_patch(call);
  return answer_to(call, std::move(written));
}

}  // namespace fixpoint::apiserver
