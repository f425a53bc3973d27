// SPDX-License-Identifier: Apache-2.0
//
// Subject: a kind in breadth. A good body, edits that keep it good, edits with one mistake each,
// and changes of a stored object; a sequence is a walk through them with every verb.
//
// An edit is text, one place a line: `/spec/replicas 3` puts a value there (objects on the way are
// made, an index past an array's end appends), `- /spec/replicas` removes one.
#pragma once

#include "json/value.h"
#include "tests/conformance/gen.h"
#include "tests/conformance/step.h"

#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::conformance {

using Edits = std::vector<std::string>;

struct Subject {
  Sort sort;
  Edits good{};
  Edits bad{};      // each makes a create fail, or so one would think
  Edits changes{};  // of what is stored; taken or refused
  Edits status{};   // of the status; empty: it has none
  bool scale = false;
  // A step that only this kind has, about the object of that name; null: none.
  Step (*special)(Gen& gen, const Subject& subject, std::string_view name) = nullptr;
};

// The same edit for a place deeper down: "/spec/template/spec" + "/hostNetwork true".
Edits under(std::string_view place, const Edits& edits);
Edits joined(std::initializer_list<Edits> lists);

// Labels, annotations and finalizers of any object.
const Edits& metadata_edits();

json::Value edited(const json::Value& body, std::string_view edit);
// One way of many to make the change.
Step change_step(Gen& gen, const Subject& subject, std::string_view name, std::string_view edit);
// Create, then what happens to an object in its life.
Sequence subject_sequence(Gen& gen, const Subject& subject);

}  // namespace fixpoint::conformance
