// SPDX-License-Identifier: Apache-2.0
//
// What areas/definition.cc changes about a definition: one field at a time, so that a server has
// one thing to say about it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::conformance {

class Gen;  // gen.h

struct DefinitionEdit {
  std::string_view path;   // a JSON pointer
  std::string_view value;  // JSON; empty: the member is removed
};

const std::vector<DefinitionEdit>& definition_edits();
// JSON patches for definitions that are stored.
const std::vector<std::string_view>& definition_changes();
// Schemas of one property, good and bad.
const std::vector<std::string_view>& definition_schemas();
// Schemas of one object with a rule each about itself, most of them wrong; and with rules as deep
// and as long as they may be, or one more.
const std::vector<std::string>& definition_rules();
// The same with a rule that is none.
std::string malformed_rule(Gen& gen);

}  // namespace fixpoint::conformance
