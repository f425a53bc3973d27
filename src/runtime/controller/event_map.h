// SPDX-License-Identifier: Apache-2.0
//
// From a change of a followed object to the keys that need a pass.
#pragma once

#include "json/value.h"
#include "kube/meta/gvk.h"
#include "runtime/cache/contents.h"
#include "runtime/operator.h"

#include <functional>

namespace fixpoint::runtime {

class CacheView;

// Whether the change is worth a pass: the watch's own predicate, or the default. Of the primary
// that is: its spec (generation), labels, annotations, finalizers, deletion, and whose it is.
bool worth_a_pass(const Watch& watch, json::View before, json::View after);

// Whether, where that says no, the status of the primary is another one. Of a custom kind: the
// status of a built-in one is not the operator's to write.
bool status_differs(const Watch& watch, json::View before, json::View after);

// Calls `add` for each key the change is about, possibly several times for one.
void keys_of(const Declaration& declaration, const Watch& watch, const Change& change,
             const CacheView& cache, const std::function<void(const kube::Key&)>& add);

}  // namespace fixpoint::runtime
