// SPDX-License-Identifier: Apache-2.0
//
// Conversions between two versions of one stored object: events of events.k8s.io and of the core
// group, autoscalers of autoscaling/v1 and v2.
//
// Each takes an object of either version and leaves one of the version it names; the result is in
// canonical form (kube/typed/typed.h).
#pragma once

#include "json/draft.h"
#include "kinds/kind.h"

namespace fixpoint::kinds {

void event_to_core(json::Draft& event);
void event_from_core(json::Draft& event);

// What v1 has no field for travels in annotations of v1 objects.
void autoscaler_to_v2(json::Draft& autoscaler);
void autoscaler_to_v1(json::Draft& autoscaler);
// v2 has fields for them, and takes them from nobody.
void drop_annotations_of_v2(json::Draft& autoscaler);
// A new object has no status, so none in annotations either.
void drop_annotations_of_new_v1(json::Draft& autoscaler);

// Gives the rows that are stored as another version their conversions.
void attach_conversions(Kind& kind);

}  // namespace fixpoint::kinds
