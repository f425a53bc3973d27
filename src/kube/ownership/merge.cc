// SPDX-License-Identifier: Apache-2.0
//
// Laying one object over another, and taking fields out of one.
#include "kube/ownership/merge.h"

#include "json/draft.h"
#include "kube/ownership/merge_type.h"

#include <algorithm>
#include <optional>

namespace fixpoint::kube {

namespace {

using json::Draft;

Result<Draft> merge(const MergeType& type, json::View under, json::View over);

// One list, its items' names, and where each name stands.
class Keyed {
 public:
  static Result<Keyed> make(const Atom& atom, json::View list) {
    Keyed out;
    for (const json::View item : list.elements()) {
      FP_TRY(step, list_step(atom, item));
      out.order_.push_back(out.steps_.size());
      out.steps_.push_back(std::move(step));
      out.values_.push_back(item);
    }
    std::ranges::stable_sort(
        out.order_, [&](std::size_t a, std::size_t b) { return out.steps_[a] < out.steps_[b]; });
    return out;
  }

  std::size_t size() const { return steps_.size(); }
  const PathElement& step(std::size_t at) const { return steps_[at]; }
  json::View value(std::size_t at) const { return values_[at]; }

  // The places of the items with this name.
  std::vector<std::size_t> places(const PathElement& step) const {
    const auto by_step = [&](std::size_t at) -> const PathElement& { return steps_[at]; };
    const auto range = std::ranges::equal_range(order_, step, std::less<>{}, by_step);
    return {range.begin(), range.end()};
  }

 private:
  std::vector<PathElement> steps_;
  std::vector<json::View> values_;
  std::vector<std::size_t> order_;
};

// Merges two associative lists. Items of both keep the order of `over`; those only in `under` stay
// where they were among the shared ones.
class ListMerger {
 public:
  ListMerger(const Atom& atom, Keyed under, Keyed over)
      : atom_(atom), under_(std::move(under)), over_(std::move(over)) {
    for (std::size_t i = 0; i < under_.size(); ++i) {
      const auto places = over_.places(under_.step(i));
      partner_.push_back(places.empty() ? kNone : places.front());
    }
    merged_.resize(over_.size(), false);
    for (std::size_t i = 0; i < over_.size(); ++i)
      if (!under_.places(over_.step(i)).empty()) shared_.push_back(i);
  }

  Result<Draft> run() {
    std::size_t l = 0;
    std::size_t r = 0;
    while (l < under_.size() || r < over_.size()) {
      if (l < under_.size() && r < over_.size()) {
        if (partner_[l] == r) {
          FP_TRY_VOID(take_over(r++));
          ++l;
          advance_shared();
          continue;
        }
        // Shared, but its turn comes later: `over` decides the order.
        if (partner_[l] != kNone && has_shared() && shared_[next_] != partner_[l]) {
          ++l;
          continue;
        }
      }
      if (l < under_.size()) {
        if (partner_[l] == kNone) {
          out_.push_back(Draft(under_.value(l++)));
          continue;
        }
        if (merged_[partner_[l]]) ++l;
      }
      if (r < over_.size()) {
        const bool was_next = has_shared() && shared_[next_] == r;
        FP_TRY_VOID(take_over(r++));
        if (was_next) advance_shared();
      }
    }
    return std::move(out_);
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  bool has_shared() const { return next_ < shared_.size(); }
  void advance_shared() {
    if (has_shared()) ++next_;
  }

  Result<void> take_over(std::size_t at) {
    merged_[at] = true;
    const auto places = under_.places(over_.step(at));
    if (places.empty()) {
      out_.push_back(Draft(over_.value(at)));
      return {};
    }
    // Items that share a name cannot be merged with: they count as null.
    const json::View under = places.size() == 1 ? under_.value(places.front()) : json::View{};
    FP_TRY(item, merge(atom_.list_element(), under, over_.value(at)));
    out_.push_back(std::move(item));
    return {};
  }

  const Atom& atom_;
  Keyed under_;
  Keyed over_;
  std::vector<std::size_t> partner_;  // of each item under, the place over
  std::vector<bool> merged_;
  std::vector<std::size_t> shared_;  // places over that are also under
  std::size_t next_ = 0;             // into shared_
  Draft out_ = Draft::array();
};

Result<Draft> merge_maps(const Atom& atom, json::View under, json::View over) {
  Draft out = Draft(under);
  Draft::Object added;
  for (const auto [key, value] : over.members()) {
    const auto below = under.find(key);
    if (!below) {
      added.push_back({std::string{key}, Draft(value)});
      continue;
    }
    if (below->same_as(value)) continue;
    FP_TRY(merged, merge(atom.member(key), *below, value));
    out[key] = std::move(merged);
  }
  if (out.is_null() && !added.empty()) out = Draft::object();
  out.add_members(std::move(added));
  return out;
}

Result<Draft> merge(const MergeType& type, json::View under, json::View over) {
  const Atom atom(type);
  const Shape shape = atom.shape(over);
  const json::Type container = shape == Shape::List ? json::Type::Array : json::Type::Object;
  const bool atomic = shape == Shape::List ? atom.list_atomic() : atom.map_atomic();
  if (shape == Shape::Scalar || atomic || under.type() != container || under.empty())
    return Draft(over);
  // Null over a list or map that has parts states nothing about them.
  if (over.type() != container || over.empty()) return Draft(under);
  if (shape == Shape::Map) return merge_maps(atom, under, over);
  FP_TRY(left, Keyed::make(atom, under));
  FP_TRY(right, Keyed::make(atom, over));
  return ListMerger(atom, std::move(left), std::move(right)).run();
}

Result<Draft> remove(const MergeType& type, json::View value, const FieldSet& fields);

// Adds one part to what is kept, without the fields below it; nothing if it goes as a whole.
template <class Keep>
Result<void> keep_part(const MergeType& type, const FieldSet::Node* node, json::View part,
                       Keep keep) {
  if (node != nullptr && node->member) return {};
  if (node == nullptr || node->children.empty()) {
    keep(Draft(part));
    return {};
  }
  FP_TRY(rest, remove(type, part, node->children));
  keep(std::move(rest));
  return {};
}

Result<Draft> remove(const MergeType& type, json::View value, const FieldSet& fields) {
  const Atom atom(type);
  const Shape shape = atom.shape(value);
  if (shape == Shape::Scalar) return Draft(value);
  const bool list = shape == Shape::List;
  if (value.type() != (list ? json::Type::Array : json::Type::Object)) return Draft();
  if (list ? atom.list_atomic() : atom.map_atomic()) return Draft();
  Draft out = list ? Draft::array() : Draft::object();
  if (list) {
    for (const json::View item : value.elements()) {
      FP_TRY(step, list_step(atom, item));
      FP_TRY_VOID(keep_part(atom.list_element(), fields.find(step), item,
                            [&](Draft part) { out.push_back(std::move(part)); }));
    }
  } else {
    for (const auto [key, part] : value.members()) {
      FP_TRY_VOID(keep_part(atom.member(key), fields.find(PathElement::field(key)), part,
                            [&, name = key](Draft rest) { out[name] = std::move(rest); }));
    }
  }
  // A list or map that lost its last part is not kept empty: the writer never said it was.
  return out.empty() ? Draft() : std::move(out);
}

}  // namespace

Result<json::Value> merge_objects(const Schema& schema, json::View under, json::View over) {
  FP_TRY(merged, merge(root_type(schema), under, over));
  return merged.freeze();
}

Result<json::Value> remove_fields(const Schema& schema, json::View object, const FieldSet& fields) {
  if (fields.empty()) return json::Value(object);
  FP_TRY(rest, remove(root_type(schema), object, fields));
  return rest.freeze();
}

}  // namespace fixpoint::kube
