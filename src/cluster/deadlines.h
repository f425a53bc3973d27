// SPDX-License-Identifier: Apache-2.0
//
// Deadlines: keys that want to be looked at later, each once. A plain value.
#pragma once

#include "base/clock.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace fixpoint::cluster {

class Deadlines {
 public:
  // Replaces the one it had.
  void set(const std::string& key, Instant at) {
    clear(key);
    of_[key] = at;
    order_.emplace(at, key);
  }
  // Not later than this.
  void bring_forward(const std::string& key, Instant at) {
    const auto known = of_.find(key);
    if (known == of_.end() || known->second > at) set(key, at);
  }
  void clear(const std::string& key) {
    const auto known = of_.find(key);
    if (known == of_.end()) return;
    order_.erase({known->second, key});
    of_.erase(known);
  }
  std::optional<Instant> first() const {
    return order_.empty() ? std::nullopt : std::optional{order_.begin()->first};
  }
  // The next one that is due.
  std::optional<std::string> take(Instant now) {
    if (order_.empty() || order_.begin()->first > now) return std::nullopt;
    std::string key = order_.begin()->second;
    clear(key);
    return key;
  }

 private:
  std::map<std::string, Instant> of_;
  std::set<std::pair<Instant, std::string>> order_;
};

}  // namespace fixpoint::cluster
