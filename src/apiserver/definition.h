// SPDX-License-Identifier: Apache-2.0
//
// What happens to CustomResourceDefinitions beyond being stored: their names are granted and their
// API is served at once, and they are not removed before their instances.
#pragma once

#include "base/clock.h"
#include "json/draft.h"
#include "json/value.h"
#include "store/store.h"

#include <string_view>

namespace fixpoint::apiserver {

inline constexpr std::string_view kDefinitionPrefix =
    "customresourcedefinitions.apiextensions.k8s.io/";
inline constexpr std::string_view kDefinitionFinalizer =
    "customresourcecleanup.apiextensions.k8s.io";

// Stamp, finalizer and Terminating condition of a definition that is asked to go; its generation
// stays, and only a second request gives it a grace period (of nothing).
void stamp_definition(json::Draft& object, json::View old_object, Instant now);

// Grants names and establishes what can be, for every definition of the group. One write per
// definition that changes, none when all is settled.
void settle_definitions(store::Store& store, std::string_view group, Instant now);

}  // namespace fixpoint::apiserver
