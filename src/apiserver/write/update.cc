// SPDX-License-Identifier: Apache-2.0
//
// PUT: the whole object, or through /status its status, replaced.
#include "apiserver/body/decode.h"
#include "apiserver/write/write.h"
#include "kube/meta/metadata.h"

namespace fixpoint::apiserver {
namespace {

kube::Answer<Written> try_update(WriteCall& call) {
  auto options = parse_write_options(call.request, "UpdateOptions");
  if (!options) return std::unexpected(options.error());
  call.options = *std::move(options);
  auto body = decode_body(call.resource, call.request, call.options.validation,
                          call.environment.weakness, call.warnings);
  if (!body) return std::unexpected(body.error());
  json::Draft object{*body};
  if (auto ok = adopt_namespace(call, object); !ok) return std::unexpected(ok.error());
  if (auto ok = check_name(call, object); !ok) return std::unexpected(ok.error());

  dedup_owners(call, object);
  const auto current = call.store.latest().find(call.key());
  if (!current) {
    if (!creates_when_absent(call)) {
      return std::unexpected(kube::not_found(call.resource.group_resource(), call.request.name));
    }
    if (auto ok = check_uid(call, {}, object); !ok) return std::unexpected(ok.error());
    if (auto ok = track(call, {}, object); !ok) return std::unexpected(ok.error());
    if (auto version = version_in(object); !version) return std::unexpected(version.error());
    return finish_create(call, std::move(object));
  }
  const json::Value live = in_version(call.resource, current->body);
  if (auto ok = check_uid(call, live, object); !ok) return std::unexpected(ok.error());
  if (auto ok = check_preconditions(call, live, object); !ok) return std::unexpected(ok.error());
  if (auto ok = track(call, live, object); !ok) return std::unexpected(ok.error());
  return finish_update(call, current, std::move(object));
}

}  // namespace

Response update(WriteCall call) {
  auto written = try_update(call);
  return answer_to(call, std::move(written));
}

}  // namespace fixpoint::apiserver
