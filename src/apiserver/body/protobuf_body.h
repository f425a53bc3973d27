// SPDX-License-Identifier: Apache-2.0
//
// Protobuf bodies of built-in kinds, as the JSON that the same client could have sent.
#pragma once

#include "base/error.h"
#include "json/value.h"
#include "kube/meta/gvk.h"
#include "kube/protobuf/protobuf.h"

#include <string_view>

namespace fixpoint::apiserver {

// What the envelope leaves out is taken from `expected`, as a real server does. Points into `body`.
Result<kube::ProtobufEnvelope> open_envelope(std::string_view body,
                                             const kube::GroupVersionKind& expected);

// The object with its apiVersion and kind; of a kind that is not built in, these two alone: they
// are enough to refuse it.
Result<json::Value> object_in(const kube::ProtobufEnvelope& envelope);
// Only if it is of that kind; the error says so as a real server does.
Result<json::Value> object_in(const kube::ProtobufEnvelope& envelope,
                              const kube::GroupVersionKind& expected);

}  // namespace fixpoint::apiserver
