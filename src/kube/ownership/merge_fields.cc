// SPDX-License-Identifier: Apache-2.0
//
// Field sets along a schema, and the object of a kind of which nothing is set.
#include "json/draft.h"
#include "kube/ownership/merge.h"
#include "kube/ownership/merge_type.h"

namespace fixpoint::kube {

namespace {

// The type a step leads to; Undeclared where the schema knows none.
MergeType type_below(const Atom& atom, const PathElement& step) {
  if (step.is_field() && atom.map()) return atom.member(step.name());
  if (step.kind() == PathElement::Kind::Key && atom.list()) return atom.list_element();
  return {};
}

FieldSet declare_parents(const MergeType& type, const FieldSet& fields) {
  const Atom atom(type);
  FieldSet out;
  for (const FieldSet::Node& node : fields.nodes()) {
    const bool declared = !node.children.empty() && node.step.is_field() && atom.map() &&
                          atom.field(node.step.name()).has_value();
    out.add(node.step, node.member || declared,
            declare_parents(type_below(atom, node.step), node.children));
  }
  return out;
}

bool owned_whole(const MergeType& type) {
  const Atom atom(type);
  if (atom.map()) return atom.map_atomic();
  return atom.scalar() == Scalar::None && atom.list() && atom.list_atomic();
}

bool fit(const MergeType& type, FieldSet& fields) {
  const Atom atom(type);
  // What nothing is declared of has no say about being atomic.
  if (atom.map() && atom.deduced_map()) return false;
  bool changed = false;
  for (FieldSet::Node& node : fields.nodes()) {
    if (node.children.empty()) continue;
    MergeType child;
    if (atom.map()) {
      child = node.step.is_field() ? atom.member(node.step.name()) : atom.map_element();
    } else if (atom.scalar() == Scalar::None && atom.list()) {
      child = atom.list_element();
    }
    if (!child.declared()) continue;
    if (child.form == MergeType::Form::Declared && owned_whole(child)) {
      node.member = true;
      node.children = {};
      changed = true;
    } else if (fit(child, node.children)) {
      changed = true;
    }
  }
  return changed;
}

json::Draft zero_struct(const Schema& schema);

// Types that are structs in Go: omitempty says nothing about them, a zero one is always written.
std::optional<json::Draft> zero_of_struct_type(GoKind kind) {
  switch (kind) {
    case GoKind::Time:
    case GoKind::MicroTime:
    case GoKind::RawExtension: return json::Draft();
    case GoKind::Quantity: return json::Draft("0");
    case GoKind::Duration: return json::Draft("0s");
    case GoKind::IntOrString: return json::Draft(0);
    default: return std::nullopt;
  }
}

// What Go writes for a field nobody set; nothing for one it leaves out.
std::optional<json::Draft> zero_field(const Property& field) {
  const GoKind kind = field.schema->go_kind;
  if (!field.pointer) {
    if (kind == GoKind::Struct) return zero_struct(*field.schema);
    if (auto zero = zero_of_struct_type(kind)) return zero;
  }
  if (field.omit_empty) return std::nullopt;
  if (field.pointer) return json::Draft();
  switch (kind) {
    case GoKind::String: return json::Draft("");
    case GoKind::Bool: return json::Draft(false);
    case GoKind::Int32:
    case GoKind::Int64:
    case GoKind::Uint8:
    case GoKind::Uint16:
    case GoKind::Uint32:
    case GoKind::Uint64:
    case GoKind::Float64: return json::Draft(0);
    default: return json::Draft();
  }
}

json::Draft zero_struct(const Schema& schema) {
  json::Draft out = json::Draft::object();
  for (const Property& field : schema.properties)
    if (auto zero = zero_field(field)) out[field.name] = *std::move(zero);
  return out;
}

}  // namespace

FieldSet with_declared_parents(const Schema& schema, const FieldSet& fields) {
  return declare_parents(root_type(schema), fields);
}

bool fit_to_schema(const Schema& schema, FieldSet& fields) {
  return fit(root_type(schema), fields);
}

json::Value empty_object(const Schema& schema) {
  if (schema.go_kind == GoKind::None) return json::Value::empty_object();
  return zero_struct(schema).freeze();
}

}  // namespace fixpoint::kube
