// SPDX-License-Identifier: Apache-2.0
//
// Comparing what our merge made with what a real server stored after decoding and defaulting it.
#pragma once

#include "json/print.h"
#include "json/value.h"

#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace fixpoint::kube {

// Everything of `part` is in `whole`, list items in the same order. Nulls, empty lists and empty
// maps do not count, for typed decoding drops them, as it drops directives left in new list items;
// nor do the members named in `optional`.
inline void expect_within(json::View part, json::View whole, const std::string& path,
                          const std::set<std::string, std::less<>>& optional = {}) {
  if (part.is_object() && whole.is_object()) {
    for (const auto [key, value] : part.members()) {
      if (value.is_null() || ((value.is_object() || value.is_array()) && value.empty())) continue;
      if (key.starts_with("$")) continue;
      if (optional.contains(key) && !whole.contains(key)) continue;
      expect_within(value, whole.get(key), path + "." + std::string(key), optional);
    }
    return;
  }
  if (part.is_array() && whole.is_array()) {
    EXPECT_EQ(part.size(), whole.size()) << path;
    for (std::size_t i = 0; i < std::min(part.size(), whole.size()); ++i)
      expect_within(part[i], whole[i], path + "[" + std::to_string(i) + "]", optional);
    return;
  }
  EXPECT_EQ(json::to_text(part), json::to_text(whole)) << path;
}

}  // namespace fixpoint::kube
