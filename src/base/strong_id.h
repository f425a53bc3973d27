// SPDX-License-Identifier: Apache-2.0
//
// StrongId: a number or a string that cannot be mistaken for another one.
//
//   using Revision = StrongId<struct RevisionTag, std::uint64_t>;
#pragma once

#include <compare>
#include <functional>
#include <utility>

namespace fixpoint {

template <class Tag, class T>
struct StrongId {
  T value{};

  StrongId() = default;
  constexpr explicit StrongId(T v) : value(std::move(v)) {}
  auto operator<=>(const StrongId&) const = default;
};

}  // namespace fixpoint

template <class Tag, class T>
struct std::hash<fixpoint::StrongId<Tag, T>> {
  std::size_t operator()(const fixpoint::StrongId<Tag, T>& id) const {
    return std::hash<T>{}(id.value);
  }
};
