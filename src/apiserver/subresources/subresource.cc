// SPDX-License-Identifier: Apache-2.0
#include "apiserver/subresources/subresource.h"

#include "apiserver/access/token_request.h"
#include "apiserver/body/decode.h"
#include "apiserver/subresources/binding.h"
#include "apiserver/subresources/eviction.h"
#include "base/rfc3339.h"
#include "json/draft.h"
#include "json/parsing/parse.h"
#include "kinds/schema_table.h"
#include "kube/meta/metadata.h"
#include "kube/typed/typed.h"

#include <algorithm>

namespace fixpoint::apiserver {
namespace {

using kube::Answer;

Answer<store::RecordRef> current_of(const WriteCall& call) {
  auto record = call.store.latest().find(call.key());
  if (record) return record;
  return std::unexpected(kube::not_found(call.resource.group_resource(), call.request.name));
}

Answer<json::Value> body_of(WriteCall& call, const kube::GroupVersionKind& kind) {
  return decode_body_as(kind, call.request, call.options.validation, call.environment.weakness,
                        call.warnings);
}

Response written(const WriteCall& call, int code, json::Value body) {
  Response response;
  response.code = code;
  response.body = std::move(body);
  response.warnings = call.warnings;
  response.visible = call.store.revision();
  return response;
}

// --- serviceaccounts/token ---

Answer<json::Value> token(WriteCall& call, const Tokens* tokens) {
  auto body = body_of(call, {"authentication.k8s.io", "v1", "TokenRequest"});
  if (!body) return std::unexpected(body.error());
  auto account = current_of(call);
  if (!account) return std::unexpected(account.error());
  return issue_token(call, *body, (*account)->body, tokens);
}

}  // namespace

Response handle_other_subresource(WriteCall call, const Tokens* tokens) {
  const bool creates = call.request.verb == Verb::Create;
  if (auto options =
          parse_write_options(call.request, creates ? "CreateOptions" : "UpdateOptions")) {
    call.options = *std::move(options);
  } else {
    return failure(options.error());
  }
  const auto& name = call.request.subresource;
  Answer<json::Value> body = std::unexpected(kube::not_found_path());
  if (name == "binding") body = bind(call);
  if (name == "eviction") body = evict(call);
  if (name == "token") body = token(call, tokens);
  if (!body) return failure(body.error());
  return written(call, creates ? 201 : 200, *std::move(body));
}

}  // namespace fixpoint::apiserver
