// SPDX-License-Identifier: Apache-2.0
//
// The custom kinds of all sequences: their definitions and what areas know of their fields.
//
// Gadget uses every keyword of a structural schema, in two versions; v1beta1 is the lax one, so
// that what it lets through is an old bad value for v1. Bag keeps whatever it is given. Zone lives
// in no namespace and has no status subresource. Crate is about ownership: lists and maps of every
// merge type, inside each other.
#pragma once

#include "tests/conformance/gen.h"

#include <span>
#include <string_view>
#include <vector>

namespace fixpoint::conformance {

inline constexpr std::string_view kCustomGroup = "conform.example.com";

// The definitions as YAML documents, in the order in which they are created.
std::span<const std::string_view> custom_definitions();

// Rows for sorts().
std::span<const Sort> custom_sorts();
// Gadget through its other version; not in sorts(), which has each resource once.
const Sort& old_gadget();

// A member of a Gadget's spec with JSON texts that a server takes and that it refuses with exactly
// one error: several would come in an order that a real server does not fix.
struct GadgetField {
  std::string_view name;
  std::vector<std::string_view> good;
  std::vector<std::string_view> bad;
};
const std::vector<GadgetField>& gadget_fields();

}  // namespace fixpoint::conformance
