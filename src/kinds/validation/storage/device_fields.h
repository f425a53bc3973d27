// SPDX-License-Identifier: Apache-2.0
//
// Names and lists of resource.k8s.io, in which every list has a length and most have keys.
#pragma once

#include "kinds/validation/fields.h"

#include <limits>
#include <set>
#include <string>
#include <string_view>

namespace fixpoint::kinds {

inline constexpr std::size_t kUnbounded = std::numeric_limits<std::size_t>::max();

// "node-1/sub": names of subdomains with slashes between.
void check_pool_name(std::string_view name, const FieldPath& path, FieldErrors& errors);
// "model", "driver.example.com/model".
void check_attribute_name(std::string_view name, const FieldPath& path, FieldErrors& errors);

// Each element by itself, then how many there are.
template <class Check>
void check_each(View list, std::size_t most, const FieldPath& path, FieldErrors& errors,
                Check check) {
  for (std::size_t i = 0; i < list.size(); ++i) check(list[i], path.index(i));
  if (list.size() > most) errors.push_back(kube::too_many(path, list.size(), most));
}

// The same, and no two with the same `key`; an empty key: the element itself.
template <class Check>
void check_set(View list, std::size_t most, std::string_view key, const FieldPath& path,
               FieldErrors& errors, Check check) {
  check_each(list, most, path, errors, check);
  std::set<std::string> seen;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto text = key.empty() ? list[i].as_string() : list[i].get(key).as_string();
    if (seen.emplace(text).second) continue;
    const FieldPath here = path.index(i);
    errors.push_back(kube::duplicate(key.empty() ? here : here.child(key), text));
  }
}

}  // namespace fixpoint::kinds
