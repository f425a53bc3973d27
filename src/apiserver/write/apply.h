// SPDX-License-Identifier: Apache-2.0
//
// Server-side apply as a request: the configuration is read, merged
// (kube/ownership/managed_fields.h), and what comes of it is decoded and checked, in that order.
#pragma once

#include "apiserver/write/write.h"
#include "json/value.h"

#include <string>
#include <vector>

namespace fixpoint::apiserver {

struct ApplyBody {
  json::Value config;
  std::vector<std::string> duplicates;  // keys given twice, as the YAML decoder says it
};
kube::Answer<ApplyBody> parse_apply_body(const WriteCall& call);

// Keys given twice are noticed only after the merge went well.
kube::Answer<void> tell_duplicates(WriteCall& call, ApplyBody body);

kube::Force force_of(const WriteCall& call);

// Options are parsed, the media type is apply's.
kube::Answer<Written> try_apply(WriteCall& call);

}  // namespace fixpoint::apiserver
