// SPDX-License-Identifier: Apache-2.0
//
// Keys and order of lists in strategic merge.
#include "kube/strategic/list.h"

#include "kube/go/value.h"
#include "kube/strategic/places.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::kube::strategic {

namespace {

using json::Draft;

std::string printed(const Draft& value) {
  const json::Value frozen = value.freeze();
  return go_printed(frozen);
}

std::string printed(const Items& items) {
  Draft list = Draft::array();
  list.elements() = items;
  return printed(list);
}

// Where the items of `order` stand, and by what another item is looked up there.
class Order {
 public:
  Order(const Items& order, std::string_view key, ItemKind kind)
      : key_(key),
        kind_(kind),
        places_(kind == ItemKind::Object ? Places::by_key(order, key) : Places::by_value(order)) {}
  std::size_t of(const Draft& item) const {
    const Draft* id = kind_ == ItemKind::Object ? item.find(key_) : &item;
    return id == nullptr ? kNotFound : places_.of(*id);
  }

 private:
  std::string_view key_;
  ItemKind kind_;
  Places places_;
};

bool asks_to_delete(const Draft& item) {
  const Draft* directive = item.find(kDirective);
  return directive != nullptr && directive->as_string() == "delete";
}

Answer<void> check_keys(const Items& items, std::string_view key) {
  for (const Draft& item : items) {
    if (!item.is_object()) return std::unexpected(bad_type("map[string]interface {}", item));
    if (!item.contains(key)) return std::unexpected(no_merge_key(item, key));
  }
  return {};
}

// Sorts by the place in `order`; deletions go last.
Answer<void> sort_by(Items& items, const Items& order, std::string_view key, ItemKind kind) {
  if (kind == ItemKind::Object) {
    FP_TRY_VOID(check_keys(items, key));
    FP_TRY_VOID(check_keys(order, key));
  }
  struct Ranked {
    bool goes;
    std::size_t place;
    Draft item;
  };
  const Order places(order, key, kind);
  std::vector<Ranked> ranked;
  ranked.reserve(items.size());
  for (Draft& item : items) {
    const bool goes = kind == ItemKind::Object && asks_to_delete(item);
    const auto place = places.of(item);
    ranked.push_back({.goes = goes, .place = place, .item = std::move(item)});
  }
  std::ranges::stable_sort(ranked, {},
                           [](const Ranked& one) { return std::pair(one.goes, one.place); });
  std::ranges::transform(ranked, items.begin(), [](Ranked& one) { return std::move(one.item); });
  return {};
}

Items interleave(Items server, Items patch, const Items& server_order, std::string_view key,
                 ItemKind kind) {
  const Order places(server_order, key, kind);
  Items out;
  out.reserve(server.size() + patch.size());
  std::size_t s = 0;
  std::size_t p = 0;
  while (s < server.size() || p < patch.size()) {
    bool take_server = p == patch.size();
    if (s < server.size() && p < patch.size()) {
      const std::size_t server_at = places.of(server[s]);
      const std::size_t patch_at = places.of(patch[p]);
      take_server = server_at != kNotFound && patch_at != kNotFound && server_at < patch_at;
    }
    out.push_back(std::move(take_server ? server[s++] : patch[p++]));
  }
  return out;
}

}  // namespace

Status plain_error(std::string message) {
  return unreasoned(500, std::move(message));
}

Status no_merge_key(const Draft& item, std::string_view key) {
  return plain_error(
      fmt::format("map: {} does not contain declared merge key: {}", printed(item), key));
}

Status bad_type(std::string_view expected, const Draft& actual) {
  const std::string_view received = actual.is_null() ? "%!s(<nil>)" : go_type_name(actual.type());
  return plain_error(fmt::format("expected a {}, but received a {}", expected, received));
}

Answer<ItemKind> item_kind(const Items& original, const Items& patch) {
  std::optional<json::Type> type;
  for (const Items* items : {&original, &patch}) {
    for (const Draft& item : *items) {
      if (!type && item.is_array()) {
        Status status;
        status.code = 422;
        status.reason = "Invalid";
        status.message = "the server rejected our request due to an error in our request";
        status.details.emplace();
        return std::unexpected(std::move(status));
      }
      if (type && *type != item.type())
        return std::unexpected(plain_error(fmt::format(
            "list element types are not identical: [{} {}]", printed(original), printed(patch))));
      type = item.type();
    }
  }
  if (!type) return std::unexpected(plain_error("no elements in any of the given slices"));
  return *type == json::Type::Object ? ItemKind::Object : ItemKind::Scalar;
}

void drop_duplicates(Items& items) {
  DraftSet seen;
  std::erase_if(items, [&](const Draft& item) { return !seen.insert(item).second; });
}

Items without(const Items& items, const Items& unwanted) {
  const DraftSet doomed(unwanted.begin(), unwanted.end());
  Items out;
  for (const Draft& item : items)
    if (!doomed.contains(item)) out.push_back(item);
  return out;
}

Answer<Items> in_order(Items merged, const Items& patch_order, const Items& server_order,
                       std::string_view key, ItemKind kind) {
  Items patched;
  Items server_only;
  const Places places =
      key.empty() ? Places::by_value(patch_order) : Places::by_key(patch_order, key);
  const auto no_object = static_cast<std::size_t>(
      std::ranges::find_if_not(patch_order, &Draft::is_object) - patch_order.begin());
  for (Draft& item : merged) {
    bool named = false;
    if (key.empty()) {
      named = places.of(item) != kNotFound;
    } else {
      if (!item.is_object()) return std::unexpected(bad_type("map[string]interface {}", item));
      const Draft* id = item.find(key);
      if (id == nullptr) return std::unexpected(no_merge_key(item, key));
      const auto at = places.of(*id);
      if (std::min(at, patch_order.size()) > no_object)
        return std::unexpected(
            plain_error(fmt::format("value for key {} is not a map", no_object)));
      named = at != kNotFound;
    }
    (named ? patched : server_only).push_back(std::move(item));
  }
  FP_TRY_VOID(sort_by(patched, patch_order, key, kind));
  FP_TRY_VOID(sort_by(server_only, server_order, key, kind));
  return interleave(std::move(server_only), std::move(patched), server_order, key, kind);
}

Answer<void> check_order(const Items& patch, const Items& order, std::string_view key) {
  if (patch.empty() || order.empty()) return {};
  std::vector<const Draft*> wanted;
  for (const Draft& item : patch) {
    if (!key.empty() && !item.is_object())
      return std::unexpected(bad_type("map[string]interface {}", item));
    if (key.empty() || !item.contains(kDirective)) wanted.push_back(&item);
  }
  std::size_t at = 0;
  for (const Draft& next : order) {
    if (at == wanted.size()) break;
    const Draft* left = wanted[at];
    const Draft* right = &next;
    if (!key.empty()) {
      for (const Draft** side : {&left, &right}) {
        if (!(*side)->is_object())
          return std::unexpected(bad_type("map[string]interface {}", **side));
        const Draft* id = (*side)->find(key);
        if (id == nullptr) return std::unexpected(no_merge_key(**side, key));
        *side = id;
      }
    }
    if (*left == *right) ++at;
  }
  if (at == wanted.size()) return {};
  return std::unexpected(plain_error(
      fmt::format("The order in patch list:\n{}\n doesn't match $setElementOrder list:\n{}\n",
                  printed(patch), printed(order))));
}

}  // namespace fixpoint::kube::strategic
