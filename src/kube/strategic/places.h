// SPDX-License-Identifier: Apache-2.0
//
// Places: where the items of a list stand, by what identifies them.
//
// Looking through a list for each item of another takes the product of their lengths, which for two
// lists that fit into one request is most of a minute. Internal to this folder.
#pragma once

#include "kube/strategic/list.h"

#include <unordered_map>
#include <unordered_set>

namespace fixpoint::kube::strategic {

struct DraftHash {
  std::size_t operator()(const json::Draft& value) const {
    const json::Value packed = value.freeze();
    return static_cast<std::size_t>(packed.hash().low);
  }
};
using DraftSet = std::unordered_set<json::Draft, DraftHash>;

class Places {
 public:
  // By the value of `key`; items without it, or that are no objects, are not found.
  static Places by_key(const Items& items, std::string_view key);
  static Places by_value(const Items& items);

  // The first of several stays.
  void add(const json::Draft& identity, std::size_t place) { first_.try_emplace(identity, place); }
  // kNotFound when there is none.
  std::size_t of(const json::Draft& identity) const;

 private:
  std::unordered_map<json::Draft, std::size_t, DraftHash> first_;
};

}  // namespace fixpoint::kube::strategic
