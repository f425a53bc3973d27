// SPDX-License-Identifier: Apache-2.0
//
// Which fields an object has and how two objects differ.
#include "kube/ownership/merge.h"
#include "kube/ownership/merge_type.h"

#include <algorithm>
#include <optional>

namespace fixpoint::kube {

namespace {

using Maybe = std::optional<json::View>;

// 1 and 1.0 are no difference; everything else is compared as it is.
bool equal_leaves(json::View a, json::View b) {
  if (a.is_number() && b.is_number()) return compare_values(a, b) == 0;
  return a == b;
}

std::size_t size_as(Maybe value, json::Type type) {
  return value && value->type() == type ? value->size() : 0;
}

// The same list or map seen as one: absent, null and of the wrong type all have no parts.
Maybe as(Maybe value, json::Type type) {
  return value && value->type() == type ? value : std::nullopt;
}

struct Item {
  PathElement step;
  std::vector<json::View> values;  // more than one: duplicates
};

Result<std::vector<Item>> keyed_items(const Atom& list, Maybe values) {
  std::vector<Item> items;
  if (!values) return items;
  items.reserve(values->size());
  for (const json::View value : values->elements()) {
    FP_TRY(step, list_step(list, value));
    items.push_back(Item{std::move(step), {value}});
  }
  std::ranges::stable_sort(items, std::less<>{}, &Item::step);
  std::vector<Item> unique;
  unique.reserve(items.size());
  for (Item& item : items) {
    if (!unique.empty() && unique.back().step == item.step) {
      unique.back().values.push_back(item.values.front());
    } else {
      unique.push_back(std::move(item));
    }
  }
  return unique;
}

// What the walk found at one place: about the place itself, and below it.
struct Difference {
  bool removed = false;
  bool modified = false;
  bool added = false;
  Comparison below;

  bool nothing() const { return !removed && !modified && !added && below.same(); }

  void attach(const PathElement& step, Difference child) {
    attach(below.removed, step, child.removed, std::move(child.below.removed));
    attach(below.modified, step, child.modified, std::move(child.below.modified));
    attach(below.added, step, child.added, std::move(child.below.added));
  }

 private:
  // Looks before it copies the step: most changes are of one sort.
  static void attach(FieldSet& set, const PathElement& step, bool member, FieldSet children) {
    if (member || !children.empty()) set.add(step, member, std::move(children));
  }
};

class Comparer {
 public:
  Result<void> compare(const MergeType& type, Maybe before, Maybe after, Difference& found) {
    // Most of an object stays: a look at two equal parts costs far less than a walk along the
    // schema.
    if (before && after && *before == *after) return {};
    const Atom atom(type);
    const auto shape = [&](json::View value) { return atom.shape(value); };
    // A value that changed its shape is removed in one and added in the other.
    if (before && after && shape(*before) != shape(*after)) {
      FP_TRY(leaf, visit(atom, shape(*before), before, after, found));
      static_cast<void>(leaf);
    }
    FP_TRY(leaf, visit(atom, shape(after ? *after : *before), before, after, found));
    if (!leaf && !before) found.added = true;
    if (!leaf && !after) found.removed = true;
    return {};
  }

 private:
  // True if the place was taken as one field.
  Result<bool> visit(const Atom& atom, Shape shape, Maybe before, Maybe after, Difference& found) {
    const json::Type type = shape == Shape::List ? json::Type::Array : json::Type::Object;
    const bool no_parts = size_as(before, type) == 0 && size_as(after, type) == 0;
    const bool atomic = shape == Shape::List ? atom.list_atomic() : atom.map_atomic();
    // Empty and null lists and maps are leaves: otherwise one could not be told from the other.
    if (shape == Shape::Scalar || atomic || no_parts) {
      note_leaf(before, after, found);
      return true;
    }
    if (shape == Shape::List) {
      FP_TRY_VOID(visit_list(atom, as(before, type), as(after, type), found));
    } else {
      FP_TRY_VOID(visit_map(atom, as(before, type), as(after, type), found));
    }
    return false;
  }

  static void note_leaf(Maybe before, Maybe after, Difference& found) {
    if (!before) {
      found.added = true;
    } else if (!after) {
      found.removed = true;
    } else if (!equal_leaves(*before, *after)) {
      found.modified = true;
    }
  }

  Result<void> visit_map(const Atom& atom, Maybe before, Maybe after, Difference& found) {
    const json::View left = before.value_or(json::View{});
    const json::View right = after.value_or(json::View{});
    auto l = left.members();
    auto r = right.members();
    while (l.first != l.last || r.first != r.last) {
      const bool take_left =
          l.first != l.last && (r.first == r.last || (*l.first).key <= (*r.first).key);
      const bool take_right =
          r.first != r.last && (l.first == l.last || (*r.first).key <= (*l.first).key);
      const std::string_view key = take_left ? (*l.first).key : (*r.first).key;
      const Maybe before_value = take_left ? Maybe((*l.first).value) : std::nullopt;
      const Maybe after_value = take_right ? Maybe((*r.first).value) : std::nullopt;
      Difference child;
      FP_TRY_VOID(compare(atom.member(key), before_value, after_value, child));
      if (!child.nothing()) found.attach(PathElement::field(key), std::move(child));
      if (take_left) ++l.first;
      if (take_right) ++r.first;
    }
    return {};
  }

  Result<void> visit_list(const Atom& atom, Maybe before, Maybe after, Difference& found) {
    FP_TRY(left, keyed_items(atom, before));
    FP_TRY(right, keyed_items(atom, after));
    auto l = left.begin();
    auto r = right.begin();
    while (l != left.end() || r != right.end()) {
      const bool take_left = l != left.end() && (r == right.end() || l->step <= r->step);
      const bool take_right = r != right.end() && (l == left.end() || r->step <= l->step);
      FP_TRY_VOID(visit_item(atom, take_left ? &*l : nullptr, take_right ? &*r : nullptr, found));
      if (take_left) ++l;
      if (take_right) ++r;
    }
    return {};
  }

  // Items with equal keys cannot be told apart: together they are one field.
  Result<void> visit_item(const Atom& atom, const Item* before, const Item* after,
                          Difference& found) {
    const std::size_t left = before == nullptr ? 0 : before->values.size();
    const std::size_t right = after == nullptr ? 0 : after->values.size();
    const PathElement& step = before != nullptr ? before->step : after->step;
    const MergeType element = atom.list_element();
    if (left > 1 && right > 1) {
      Difference child;
      child.modified = !std::ranges::equal(before->values, after->values, equal_leaves);
      found.attach(step, std::move(child));
      return {};
    }
    const Maybe one_left = left == 1 ? Maybe(before->values.front()) : std::nullopt;
    const Maybe one_right = right == 1 ? Maybe(after->values.front()) : std::nullopt;
    if (one_left || one_right) {
      Difference child;
      FP_TRY_VOID(compare(element, one_left, one_right, child));
      found.attach(step, std::move(child));
    }
    Difference marker;
    marker.removed = left > 1;
    marker.added = right > 1;
    found.attach(step, std::move(marker));
    return {};
  }
};

struct Stated {
  bool member = false;
  FieldSet below;
};

Result<Stated> state(const MergeType& type, json::View value);

Result<void> state_items(const Atom& atom, json::View list, Stated& out) {
  FP_TRY(items, keyed_items(atom, as(list, json::Type::Array)));
  for (Item& item : items) {
    Stated child;
    if (item.values.size() == 1) {
      FP_TRY(stated, state(atom.list_element(), item.values.front()));
      child = std::move(stated);
    }
    out.below.add(std::move(item.step), true, std::move(child.below));
  }
  return {};
}

Result<void> state_members(const Atom& atom, json::View map, Stated& out) {
  if (!map.is_object()) return {};
  for (const auto [key, value] : map.members()) {
    FP_TRY(child, state(atom.member(key), value));
    const bool no_parts = value.is_null() || (value.is_object() && value.empty());
    const bool member = child.member || no_parts || !atom.field(key);
    out.below.add(PathElement::field(key), member, std::move(child.below));
  }
  return {};
}

Result<Stated> state(const MergeType& type, json::View value) {
  const Atom atom(type);
  const Shape shape = atom.shape(value);
  Stated out;
  if (shape == Shape::Scalar || (shape == Shape::List && atom.list_atomic()) ||
      (shape == Shape::Map && atom.map_atomic())) {
    out.member = true;
  } else if (shape == Shape::List) {
    FP_TRY_VOID(state_items(atom, value, out));
  } else {
    FP_TRY_VOID(state_members(atom, value, out));
  }
  return out;
}

}  // namespace

Result<Comparison> compare_objects(const Schema& schema, json::View before, json::View after) {
  Difference found;
  FP_TRY_VOID(Comparer().compare(root_type(schema), before, after, found));
  return std::move(found.below);
}

Result<FieldSet> stated_fields(const Schema& schema, json::View object) {
  FP_TRY(stated, state(root_type(schema), object));
  return std::move(stated.below);
}

}  // namespace fixpoint::kube
