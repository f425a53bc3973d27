// SPDX-License-Identifier: Apache-2.0
#include "runtime/guard/baseline.h"

#include "json/draft.h"
#include "kube/meta/metadata.h"
#include "kube/ownership/field_set.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace fixpoint::runtime {
namespace {

// Tables nobody uses any more are dropped when there are this many, or twice as many as were left
// the last time.
constexpr std::size_t kTablesBeforeSweep = 256;
constexpr std::uint64_t kAbsent = 0;

bool has_keys(json::View item, json::View keys) {
  return std::ranges::all_of(keys.members(), [&](const json::Member& key) {
    const auto found = item.find(key.key);
    return found && kube::compare_values(*found, key.value) == 0;
  });
}

std::optional<json::View> item_where(json::View list, const auto& matches) {
  if (!list.is_array()) return std::nullopt;
  for (const auto item : list.elements()) {
    if (matches(item)) return item;
  }
  return std::nullopt;
}

std::optional<json::View> step_into(json::View at, const kube::PathElement& step) {
  using Kind = kube::PathElement::Kind;
  switch (step.kind()) {
    case Kind::Field: return at.find(step.name());
    case Kind::Key: {
      const auto keys = step.operand();
      return item_where(at, [&](json::View item) { return has_keys(item, keys); });
    }
    case Kind::Value: {
      const auto value = step.operand();
      return item_where(at, [&](json::View i) { return kube::compare_values(i, value) == 0; });
    }
    case Kind::Index: {
      const auto index = static_cast<std::size_t>(step.position());
      if (!at.is_array() || index >= at.size()) return std::nullopt;
      return at[index];
    }
  }
  return std::nullopt;
}

void collect_leaves(json::View at, kube::Path& path, PathTable& out) {
  if (!at.is_object() || at.empty()) {
    if (!path.empty()) out.push_back(path);
    return;
  }
  for (const auto [key, value] : at.members()) {
    path.push_back(kube::PathElement::field(key));
    collect_leaves(value, path, out);
    path.pop_back();
  }
}

// What names an object is no field that anybody can fight over.
bool is_identity(const kube::Path& path) {
  if (!path[0].is_field()) return false;
  if (path.size() == 1) return path[0].name() == "apiVersion" || path[0].name() == "kind";
  return path.size() == 2 && path[0].name() == "metadata" && path[1].is_field() &&
         (path[1].name() == "name" || path[1].name() == "namespace");
}

PathTable leaves_of(json::View applied) {
  PathTable table;
  kube::Path path;
  collect_leaves(applied, path, table);
  std::erase_if(table, is_identity);
  return table;
}

PathTable coarsened(PathTable table) {
  for (std::size_t depth = 6; table.size() > kBaselinePathsMax && depth > 0; --depth) {
    for (auto& path : table) {
      if (path.size() > depth)
        path.erase(path.begin() + static_cast<std::ptrdiff_t>(depth), path.end());
    }
    const auto repeated = std::ranges::unique(table);
    table.erase(repeated.begin(), repeated.end());
  }
  if (table.size() > kBaselinePathsMax) table.resize(kBaselinePathsMax);
  return table;
}

// What we own by apply; of an object that we created and never applied, what we own by that.
json::View owned_fields_entry(json::View object, std::string_view manager) {
  json::View created;
  for (const auto entry : object.get("metadata", "managedFields").elements()) {
    if (entry.get("manager").as_string() != manager) continue;
    if (!entry.get("subresource").as_string().empty()) continue;
    if (entry.get("operation").as_string() == "Apply") return entry;
    created = entry;
  }
  return created;
}

// FieldsV1 name an owner reference by the owner's uid, which would make every child's fields a
// shape of its own. Of references to controllers a server takes only one, so that says the same.
json::Value of_any_owner(json::View fields, json::View object) {
  const auto references = fields.get("f:metadata", "f:ownerReferences");
  for (const auto owner : object.get("metadata", "ownerReferences").elements()) {
    if (!owner.get("controller").as_bool()) continue;
    const auto named = fmt::format(R"(k:{{"uid":"{}"}})", owner.get("uid").as_string());
    const auto held = references.find(named);
    if (!held) break;
    json::Draft draft{fields};
    auto& renamed = draft.object_at("f:metadata").object_at("f:ownerReferences");
    renamed.erase(named);
    renamed[R"(k:{"controller":true})"] = *held;
    return draft.freeze();
  }
  return fields;
}

// Holds the path, something below it, or everything above it.
bool holds(const kube::FieldSet& set, const kube::Path& path) {
  const auto* at = &set;
  for (const auto& step : path) {
    const auto* node = at->find(step);
    if (node == nullptr) return false;
    if (node->member && node->children.empty()) return true;
    at = &node->children;
  }
  return true;
}

}  // namespace

std::optional<json::View> at_path(json::View object, const kube::Path& path) {
  std::optional<json::View> at = object;
  for (const auto& step : path) {
    at = step_into(*at, step);
    if (!at) return std::nullopt;
  }
  return at;
}

std::uint64_t value_hash(json::View object, const kube::Path& path) {
  const auto found = at_path(object, path);
  return found ? found->hash().low : kAbsent;
}

std::shared_ptr<const PathTable> PathTables::intern(const Hash128& hash, PathTable table) {
  if (tables_.size() >= std::max(sweep_at_, kTablesBeforeSweep)) {
    std::erase_if(tables_, [](const auto& entry) { return entry.second.expired(); });
    sweep_at_ = 2 * tables_.size();
  }
  auto shared = std::make_shared<const PathTable>(coarsened(std::move(table)));
  tables_[hash] = shared;
  return shared;
}

std::shared_ptr<const PathTable> PathTables::of_fields_v1(json::View fields) {
  const auto hash = fields.hash();
  if (const auto found = tables_.find(hash); found != tables_.end()) {
    if (auto shared = found->second.lock()) return shared;
  }
  const auto set = kube::parse_fields_v1(fields);
  if (!set) return nullptr;
  return intern(hash, set->leaves().paths());
}

std::shared_ptr<const PathTable> PathTables::of(json::View object, json::View applied,
                                                std::string_view manager) {
  if (const auto entry = owned_fields_entry(object, manager); !entry.is_null()) {
    const auto fields = of_any_owner(entry.get("fieldsV1"), object);
    if (auto table = of_fields_v1(fields); table && !table->empty()) return table;
  }
  auto leaves = leaves_of(applied);
  kube::FieldSet set;
  for (const auto& path : leaves) set.insert(path);
  const auto fields = kube::to_fields_v1(set);
  return of_fields_v1(fields);
}

Baseline::Baseline(std::shared_ptr<const PathTable> paths, json::View object)
    : paths_(std::move(paths)) {
  if (!paths_) return;
  hashes_.reserve(paths_->size());
  for (const auto& path : *paths_) hashes_.push_back(value_hash(object, path));
}

std::vector<std::size_t> Baseline::differing(json::View live) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < hashes_.size(); ++i) {
    if (value_hash(live, (*paths_)[i]) != hashes_[i]) found.push_back(i);
  }
  return found;
}

json::Value Baseline::to_json() const {
  if (!known()) return {};
  kube::FieldSet set;
  for (const auto& path : *paths_) set.insert(path);
  auto hashes = json::Draft::array();
  // In the order in which the set lists its paths, which is how they are read back.
  for (const auto& path : set.leaves().paths()) {
    const auto at = std::ranges::find(*paths_, path) - paths_->begin();
    hashes.push_back(fmt::format("{:x}", hashes_[static_cast<std::size_t>(at)]));
  }
  return json::Draft::object(
             {
                 {"fields", kube::to_fields_v1(set)},
                 {"hashes", std::move(hashes)      }
  })
      .freeze();
}

Baseline Baseline::from_json(json::View stored, PathTables& tables) {
  Baseline baseline;
  auto table = tables.of_fields_v1(stored.get("fields"));
  const auto hashes = stored.get("hashes");
  // A table that was cut to size does not match any more: then nothing is known, which is safe.
  if (!table || table->size() != hashes.size() || table->empty()) return {};
  for (const auto text : hashes.elements()) {
    const auto digits = text.as_string();
    std::uint64_t hash = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), hash, 16);
    baseline.hashes_.push_back(hash);
  }
  baseline.paths_ = std::move(table);
  return baseline;
}

Actor actor_of(json::View live, const std::vector<kube::Path>& paths, std::string_view ourselves) {
  Actor best;
  std::size_t most = 0;
  bool best_is_us = true;
  for (const auto entry : live.get("metadata", "managedFields").elements()) {
    const auto set = kube::parse_fields_v1(entry.get("fieldsV1"));
    if (!set) continue;
    const auto held = static_cast<std::size_t>(
        std::ranges::count_if(paths, [&](const auto& path) { return holds(*set, path); }));
    const auto manager = entry.get("manager").as_string();
    const bool us = manager == ourselves;
    // Another writer before us, then whoever holds more; entries come in a fixed order.
    if (held == 0 || (us && !best_is_us) || (us == best_is_us && held <= most)) continue;
    best = {.manager = std::string{manager},
            .operation = std::string{entry.get("operation").as_string()}};
    most = held;
    best_is_us = us;
  }
  return best;
}

}  // namespace fixpoint::runtime
