// SPDX-License-Identifier: Apache-2.0
//
// Recall: things that were worked out before, by a hash that tells everything about them. One place
// for each hash: what is pushed out is worked out again. It begins small, since most worlds are,
// and never has more than a fixed number of places.
#pragma once

#include "base/hash.h"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace fixpoint::verify::world {

template <class T>
class Recall {
 public:
  explicit Recall(std::size_t places_max) : places_max_(places_max) {}

  // Null when it is not there. Good until the next put().
  const T* find(const Hash128& key) const {
    const Place& place = places_[key.low % places_.size()];
    return place.what && place.key == key ? &*place.what : nullptr;
  }
  void put(const Hash128& key, T what) {
    if (used_ * 2 >= places_.size() && places_.size() < places_max_) grow();
    Place& place = places_[key.low % places_.size()];
    if (!place.what) ++used_;
    place = {key, std::move(what)};
  }

 private:
  struct Place {
    Hash128 key;
    std::optional<T> what;
  };

  void grow() {
    std::vector<Place> old = std::exchange(places_, std::vector<Place>(places_.size() * 4));
    used_ = 0;
    for (Place& place : old) {
      if (!place.what) continue;
      Place& now = places_[place.key.low % places_.size()];
      if (!now.what) ++used_;
      now = std::move(place);
    }
  }

  std::size_t places_max_;
  std::size_t used_ = 0;
  std::vector<Place> places_ = std::vector<Place>(256);
};

}  // namespace fixpoint::verify::world
