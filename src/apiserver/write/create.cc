// SPDX-License-Identifier: Apache-2.0
//
// POST of a new object.
#include "apiserver/body/decode.h"
#include "apiserver/write/write.h"

namespace fixpoint::apiserver {
namespace {

kube::Answer<Written> try_create(WriteCall& call) {
  if (auto ok = check_body_media(call.resource, call.request); !ok)
    return std::unexpected(ok.error());
  auto options = parse_write_options(call.request, "CreateOptions");
  if (!options) return std::unexpected(options.error());
  call.options = *std::move(options);
  auto body = decode_body(call.resource, call.request, call.options.validation,
                          call.environment.weakness, call.warnings);
  if (!body) return std::unexpected(body.error());
  json::Draft object{*body};
  if (auto ok = adopt_namespace(call, object); !ok) return std::unexpected(ok.error());
  dedup_owners(call, object);
  // What the server sets is nobody's wish, so nobody owns it.
  for (const auto key : {"deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"}) {
    object.object_at("metadata").erase(key);
  }
  if (auto ok = track(call, {}, object); !ok) return std::unexpected(ok.error());
  return finish_create(call, std::move(object));
}

}  // namespace

Response create(WriteCall call) {
  auto written = try_create(call);
  return answer_to(call, std::move(written));
}

}  // namespace fixpoint::apiserver
