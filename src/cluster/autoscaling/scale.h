// SPDX-License-Identifier: Apache-2.0
//
// Scale: how many replicas something has and wants, whatever its kind: a built-in one or a custom
// one with a scale subresource.
#pragma once

#include "base/error.h"
#include "cluster/reader.h"
#include "kube/meta/gvk.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace fixpoint::cluster::autoscaling {

struct Scale {
  kube::GroupVersionResource resource;
  store::RecordRef record;
  std::int64_t wanted = 0;    // of the spec
  std::int64_t replicas = 0;  // of the status
  std::string selector;       // of its pods, as text
};

struct ScaleReference {
  std::string_view api_version;
  std::string_view kind;
  std::string_view name;
};

// NotFound when there is no such object; Invalid when its kind is not known or has no scale. The
// messages are those of a real server.
Result<Scale> read_scale(const Reader& reader, std::string_view ns, const ScaleReference& of);

}  // namespace fixpoint::cluster::autoscaling
