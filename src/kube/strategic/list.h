// SPDX-License-Identifier: Apache-2.0
//
// The list half of strategic merge: finding items by key, and the order of the result.
//
// Items that the patch names come in the patch's order; the server's other items keep theirs and
// stand before the first patched item they stood before. Internal to merge.cc.
#pragma once

#include "json/draft.h"
#include "kube/errors/status.h"

#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::kube::strategic {

using Items = json::Draft::Array;

inline constexpr std::string_view kDirective = "$patch";

Status plain_error(std::string message);  // 500 without a reason, as Go errors become
Status no_merge_key(const json::Draft& item, std::string_view key);
Status bad_type(std::string_view expected, const json::Draft& actual);

// Whether items are scalars or objects; an error when they are mixed, lists, or none.
enum class ItemKind : std::uint8_t { Scalar, Object };
Answer<ItemKind> item_kind(const Items& original, const Items& patch);

inline constexpr std::size_t kNotFound = static_cast<std::size_t>(-1);

// Every scalar once.
void drop_duplicates(Items& items);
// `items` without those in `unwanted`.
Items without(const Items& items, const Items& unwanted);

// The final order of `merged`: `patch_order` says which items the patch speaks of and how they
// follow one another, `server_order` how they were before.
Answer<Items> in_order(Items merged, const Items& patch_order, const Items& server_order,
                       std::string_view key, ItemKind kind);

// Whether the patched items follow one another as $setElementOrder says.
Answer<void> check_order(const Items& patch, const Items& order, std::string_view key);

}  // namespace fixpoint::kube::strategic
