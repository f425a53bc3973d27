// SPDX-License-Identifier: Apache-2.0
//
// Keys and order of lists in strategic merge.
#include "kube/strategic/list.h"

#include "kube/go/value.h"

#include <algorithm>
#include <optional>

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

// What identifies an item: the value of its key, or itself.
const Draft* identity(const Draft& item, std::string_view key, ItemKind kind) {
  return kind == ItemKind::Object ? item.find(key) : &item;
}

std::size_t index_of(const Items& items, const Draft& wanted, std::string_view key, ItemKind kind) {
  const Draft* id = identity(wanted, key, kind);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Draft* other = identity(items[i], key, kind);
    if (id != nullptr && other != nullptr ? *id == *other : id == other) return i;
  }
  return kNotFound;
}

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
  std::ranges::stable_sort(items, [&](const Draft& a, const Draft& b) {
    const bool a_goes = kind == ItemKind::Object && asks_to_delete(a);
    const bool b_goes = kind == ItemKind::Object && asks_to_delete(b);
    if (a_goes != b_goes) return b_goes;
    return index_of(order, a, key, kind) < index_of(order, b, key, kind);
  });
  return {};
}

Items interleave(Items server, Items patch, const Items& server_order, std::string_view key,
                 ItemKind kind) {
  Items out;
  std::size_t s = 0;
  std::size_t p = 0;
  while (s < server.size() || p < patch.size()) {
    bool take_server = p == patch.size();
    if (s < server.size() && p < patch.size()) {
      const std::size_t server_at = index_of(server_order, server[s], key, kind);
      const std::size_t patch_at = index_of(server_order, patch[p], key, kind);
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

Answer<std::size_t> find_item(const Items& items, std::string_view key, const Draft& value) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!items[i].is_object())
      return std::unexpected(plain_error(fmt::format("value for key {} is not a map", i)));
    const Draft* found = items[i].find(key);
    if (found != nullptr && *found == value) return i;
  }
  return kNotFound;
}

void drop_duplicates(Items& items) {
  Items unique;
  for (Draft& item : items)
    if (std::ranges::find(unique, item) == unique.end()) unique.push_back(std::move(item));
  items = std::move(unique);
}

Items without(const Items& items, const Items& unwanted) {
  Items out;
  for (const Draft& item : items)
    if (std::ranges::find(unwanted, item) == unwanted.end()) out.push_back(item);
  return out;
}

Answer<Items> in_order(Items merged, const Items& patch_order, const Items& server_order,
                       std::string_view key, ItemKind kind) {
  Items patched;
  Items server_only;
  for (Draft& item : merged) {
    bool named = false;
    if (key.empty()) {
      named = std::ranges::find(patch_order, item) != patch_order.end();
    } else {
      if (!item.is_object()) return std::unexpected(bad_type("map[string]interface {}", item));
      const Draft* id = item.find(key);
      if (id == nullptr) return std::unexpected(no_merge_key(item, key));
      FP_TRY(at, find_item(patch_order, key, *id));
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
