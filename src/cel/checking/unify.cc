// SPDX-License-Identifier: Apache-2.0
#include "cel/checking/unify.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace fixpoint::cel {
namespace {

bool wild(const Type& type) {
  return type.kind == TypeKind::Dyn || type.kind == TypeKind::Error;
}

bool nullable(const Type& type) {
  switch (type.kind) {
    case TypeKind::Opaque:
    case TypeKind::Struct:
    case TypeKind::Duration:
    case TypeKind::Timestamp:
    case TypeKind::Null: return true;
    default: return false;
  }
}

bool as_general(const Type& a, const Type& b) {
  if (is_dyn(a) || a.kind == TypeKind::Param) return true;
  if (is_dyn(b) || b.kind == TypeKind::Param) return false;
  if (a.kind != b.kind) return false;
  if (a.kind == TypeKind::Type) return true;
  if (a.kind != TypeKind::List && a.kind != TypeKind::Map && a.kind != TypeKind::Opaque) {
    return same_type(a, b);
  }
  if (a.name != b.name || a.params.size() != b.params.size()) return false;
  for (std::size_t i = 0; i < a.params.size(); ++i) {
    if (!as_general(*a.params[i], *b.params[i])) return false;
  }
  return true;
}

}  // namespace

const Type* most_general(const Type* a, const Type* b) {
  return as_general(*a, *b) ? a : b;
}

const Type* Unifier::fresh() {
  const auto* out = pool_.variable(static_cast<int>(bindings_.size()));
  bindings_.push_back(nullptr);
  return out;
}

std::vector<const Type*> Unifier::instantiate(std::span<const Type* const> types) {
  std::map<std::string_view, const Type*> fresh_for;
  const auto replace = [&](const auto& self, const Type* type) -> const Type* {
    if (type->kind == TypeKind::Param) {
      auto& variable = fresh_for[type->name];
      if (variable == nullptr) variable = fresh();
      return variable;
    }
    if (type->params.empty()) return type;
    Type copy = *type;
    for (auto& param : copy.params) param = self(self, param);
    return pool_.make(std::move(copy));
  };
  std::vector<const Type*> out;
  for (const auto* type : types) out.push_back(replace(replace, type));
  return out;
}

bool Unifier::assignable(const Type* to, const Type* from) {
  auto before = bindings_;
  if (unify(to, from)) return true;
  bindings_ = std::move(before);
  return false;
}

bool Unifier::assignable(std::span<const Type* const> to, std::span<const Type* const> from) {
  auto before = bindings_;
  if (unify_all(to, from)) return true;
  bindings_ = std::move(before);
  return false;
}

bool Unifier::unify_all(std::span<const Type* const> to, std::span<const Type* const> from) {
  if (to.size() != from.size()) return false;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (!unify(to[i], from[i])) return false;
  }
  return true;
}

bool Unifier::unify(const Type* to, const Type* from) {
  if (from->kind == TypeKind::Param) {
    const auto outcome = bind(from, to);
    if (outcome.fits) return true;
    if (outcome.known) return false;
  }
  if (to->kind == TypeKind::Param) return bind(to, from).fits;
  if (wild(*to) || wild(*from)) return true;
  if (to->kind == TypeKind::Null) return nullable(*from);
  if (from->kind == TypeKind::Null) return nullable(*to);
  switch (to->kind) {
    case TypeKind::Type: return from->kind == TypeKind::Type;
    case TypeKind::Opaque:
    case TypeKind::List:
    case TypeKind::Map:
      return to->kind == from->kind && to->name == from->name &&
             unify_all(to->params, from->params);
    default: return same_type(*to, *from);
  }
}

const Type* Unifier::bound(const Type* type) const {
  if (type->kind != TypeKind::Param || type->variable < 0) return nullptr;
  return bindings_[static_cast<std::size_t>(type->variable)];
}

Unifier::Bound Unifier::bind(const Type* variable, const Type* type) {
  if (type->kind == TypeKind::Param && same_type(*type, *variable)) return {true, true};
  if (const auto* known = bound(variable)) {
    if (type->kind == known->kind && same_type(*type, *known)) return {true, true};
    if (!unify(type, known)) return {false, true};
    const auto* general = most_general(type, known);
    if (!occurs(variable, general))
      bindings_[static_cast<std::size_t>(variable->variable)] = general;
    return {true, true};
  }
  if (occurs(variable, type)) return {false, false};
  bindings_[static_cast<std::size_t>(variable->variable)] = type;
  return {true, false};
}

bool Unifier::occurs(const Type* variable, const Type* within) const {
  if (within->kind == TypeKind::Param) {
    if (within->variable == variable->variable) return true;
    const auto* known = bound(within);
    return known != nullptr && occurs(variable, known);
  }
  return std::ranges::any_of(within->params,
                             [&](const Type* param) { return occurs(variable, param); });
}

const Type* Unifier::resolved(const Type* type, Unbound unbound) {
  if (const auto* known = bound(type)) return resolved(known, unbound);
  if (type->kind == TypeKind::Param) return unbound == Unbound::ToDyn ? dyn_type() : type;
  if (type->params.empty()) return type;
  Type copy = *type;
  bool changed = false;
  for (auto& param : copy.params) {
    const auto* now = resolved(param, unbound);
    changed = changed || now != param;
    param = now;
  }
  return changed ? pool_.make(std::move(copy)) : type;
}

}  // namespace fixpoint::cel
