// SPDX-License-Identifier: Apache-2.0
//
// Events: the same facts under other names.
#include "kinds/conversion/convert.h"

#include "base/error.h"
#include "kinds/conversion/convert_shape.h"
#include "kinds/schema_table.h"
#include "kube/typed/typed.h"

#include <utility>

namespace fixpoint::kinds {

using json::Draft;

void rename(Draft& object, std::string_view from, std::string_view to) {
  Draft* member = object.find(from);
  if (member == nullptr) return;
  auto moved = std::move(*member);
  object.erase(from);
  object[to] = std::move(moved);
}

void set_version(Draft& object, std::string_view api_version) {
  if (object.contains("apiVersion")) object["apiVersion"] = api_version;
}

// Printing zero values is the target type's business; what was decoded before cannot fail now.
void canonicalize(Draft& object, std::string_view type) {
  const auto frozen = object.freeze();
  auto decoded = kube::decode_typed(*schema_of(type), frozen);
  if (decoded) object = Draft{std::move(decoded->value)};
}

namespace {

constexpr std::pair<std::string_view, std::string_view> kEventNames[] = {
    {"regarding",                "involvedObject"    },
    {"note",                     "message"           },
    {"deprecatedSource",         "source"            },
    {"deprecatedFirstTimestamp", "firstTimestamp"    },
    {"deprecatedLastTimestamp",  "lastTimestamp"     },
    {"deprecatedCount",          "count"             },
    {"reportingController",      "reportingComponent"},
};

}  // namespace

void event_to_core(Draft& event) {
  for (const auto& [ours, core] : kEventNames) rename(event, ours, core);
  set_version(event, "v1");
  canonicalize(event, "core.v1.Event");
}

void event_from_core(Draft& event) {
  for (const auto& [ours, core] : kEventNames) rename(event, core, ours);
  set_version(event, "events.k8s.io/v1");
  canonicalize(event, "events.v1.Event");
}

void attach_conversions(Kind& kind) {
  if (kind.stored_as.resource == "events") {
    kind.to_stored = event_to_core;
    kind.from_stored = event_from_core;
  } else if (kind.stored_as.resource == "horizontalpodautoscalers") {
    kind.to_stored = autoscaler_to_v2;
    kind.from_stored = autoscaler_to_v1;
  }
}

}  // namespace fixpoint::kinds
