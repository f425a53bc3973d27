// SPDX-License-Identifier: Apache-2.0
#include "apiserver/body/protobuf_body.h"

#include "json/draft.h"
#include "kinds/schema_table.h"
#include "kube/go/text.h"

namespace fixpoint::apiserver {

Result<kube::ProtobufEnvelope> open_envelope(std::string_view body,
                                             const kube::GroupVersionKind& expected) {
  FP_TRY(envelope, kube::decode_envelope(body));
  if (envelope.kind.empty()) envelope.kind = expected.kind;
  if (envelope.api_version.empty()) envelope.api_version = expected.group_version().api_version();
  return std::move(envelope);
}

Result<json::Value> object_in(const kube::ProtobufEnvelope& envelope) {
  json::Draft object = json::Draft::object();
  // A malformed version names no kind; whoever checks the kind refuses it.
  if (const auto version = kube::parse_group_version(envelope.api_version)) {
    const auto* schema = kinds::find_schema({version->group, version->version, envelope.kind});
    if (schema != nullptr) {
      FP_TRY(value, kube::decode_protobuf(*schema, envelope.raw));
      object = json::Draft{std::move(value)};
    }
  }
  object["apiVersion"] = envelope.api_version;
  object["kind"] = envelope.kind;
  return object.freeze();
}

Result<json::Value> object_in(const kube::ProtobufEnvelope& envelope,
                              const kube::GroupVersionKind& expected) {
  FP_TRY(version, kube::parse_group_version(envelope.api_version));
  const auto refuse = [&](const std::string& why) {
    return fail(ErrorKind::Invalid, envelope.kind + " in version \"" + version.version +
                                        "\" cannot be handled as a " + expected.kind + ": " + why);
  };
  if (envelope.kind != expected.kind || version != expected.group_version()) {
    return refuse("no kind " + kube::go_quoted(envelope.kind) + " is registered for version " +
                  kube::go_quoted(envelope.api_version) +
                  " in scheme \"pkg/runtime/scheme.go:110\"");
  }
  auto object = object_in(envelope);
  if (!object) return refuse(object.error().message);
  return object;
}

}  // namespace fixpoint::apiserver
