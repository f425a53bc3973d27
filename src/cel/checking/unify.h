// SPDX-License-Identifier: Apache-2.0
//
// Unifier: which types may stand for one another, and what the unknown ones turn out to be.
#pragma once

#include "cel/checking/type.h"

#include <span>
#include <vector>

namespace fixpoint::cel {

class Unifier {
 public:
  explicit Unifier(TypePool& pool) : pool_(pool) {}

  const Type* fresh();
  // The overload's types with fresh variables for its parameters.
  std::vector<const Type*> instantiate(std::span<const Type* const> types);

  // Whether a value of one type may be used as the other. What was learned about variables is kept
  // only when it may.
  bool assignable(const Type* to, const Type* from);
  bool assignable(std::span<const Type* const> to, std::span<const Type* const> from);

  // Known variables replaced; unknown ones stay, or become dyn.
  enum class Unbound : std::uint8_t { Keep, ToDyn };
  const Type* resolved(const Type* type, Unbound unbound);

 private:
  bool unify(const Type* to, const Type* from);
  bool unify_all(std::span<const Type* const> to, std::span<const Type* const> from);
  // {fits, was bound before}
  struct Bound {
    bool fits;
    bool known;
  };
  Bound bind(const Type* variable, const Type* type);
  const Type* bound(const Type* type) const;
  bool occurs(const Type* variable, const Type* within) const;

  TypePool& pool_;
  std::vector<const Type*> bindings_;
};

// The more general of two types that unify.
const Type* most_general(const Type* a, const Type* b);

}  // namespace fixpoint::cel
