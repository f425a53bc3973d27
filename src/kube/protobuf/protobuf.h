// SPDX-License-Identifier: Apache-2.0
//
// Kubernetes protobuf to JSON: the tree that a real server would print for the same bytes.
//
// Typed clients (kubectl create, client-go) send built-in objects this way: four magic bytes, then
// an envelope that names apiVersion and kind and holds the object's own message. The tables of
// built-in types carry the field numbers (Property::field_numbers), so one walk serves every kind.
// Reading is of any bytes: whatever they are, the answer is a tree within json's limits or an
// error. Read next: kube/typed/typed.h, which gives the tree its canonical form.
#pragma once

#include "base/error.h"
#include "json/value.h"
#include "kube/schema/schema.h"

#include <string>
#include <string_view>

namespace fixpoint::kube {

// Messages may nest this deep. A message adds at most two levels of JSON, a list or map and its
// element, which leaves room below json::kDepthMax for the JSON that some fields hold as bytes.
inline constexpr std::size_t kMessageDepthMax = 200;

struct ProtobufEnvelope {
  std::string api_version;
  std::string kind;
  std::string_view raw;  // the object's message, inside the bytes given
};

Result<ProtobufEnvelope> decode_envelope(std::string_view body);

// The message of a built-in struct; without apiVersion and kind, which only the envelope has.
// Errors speak as Go's decoder does.
Result<json::Value> decode_protobuf(const Schema& schema, std::string_view message);

}  // namespace fixpoint::kube
