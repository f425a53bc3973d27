// SPDX-License-Identifier: Apache-2.0
#include "cel/checking/checker.h"

#include "cel/checking/unify.h"
#include "cel/library/functions.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::cel {
namespace {

// A real server names the type of self differently each time, so that nobody depends on it.
constexpr std::string_view kSelfType = "selfType0";

struct NamedType {
  std::string_view name;
  std::string_view type;
  std::string_view runtime;
};

constexpr std::array<NamedType, 16> kTypeNames{
    {{"bool", "bool", "bool"},
     {"bytes", "bytes", "bytes"},
     {"double", "double", "double"},
     {"duration", "duration", "google.protobuf.Duration"},
     {"google.protobuf.Duration", "duration", "google.protobuf.Duration"},
     {"int", "int", "int"},
     {"list", "list(A)", "list"},
     {"map", "map(A, B)", "map"},
     {"net.CIDR", "net.CIDR", "net.CIDR"},
     {"net.IP", "net.IP", "net.IP"},
     {"null_type", "null", "null_type"},
     {"optional_type", "optional_type", "optional_type"},
     {"string", "string", "string"},
     {"timestamp", "timestamp", "google.protobuf.Timestamp"},
     {"google.protobuf.Timestamp", "timestamp", "google.protobuf.Timestamp"},
     {"uint", "uint", "uint"}}
};

// a.b.c for a chain of names, else nothing.
std::optional<std::string> qualified(const Expr& expr) {
  if (expr.kind == ExprKind::Ident) return expr.name;
  if (expr.kind != ExprKind::Select || expr.test_only) return std::nullopt;
  auto prefix = qualified(*expr.target);
  if (!prefix) return std::nullopt;
  return *prefix + "." + expr.name;
}

// A leading dot only says that a name is whole.
std::string_view without_dot(std::string_view name) {
  return name.starts_with('.') ? name.substr(1) : name;
}

std::string shown_call(const std::vector<const Type*>& args, bool member) {
  std::string out;
  std::size_t first = 0;
  if (member) {
    out = shown(*args[0]) + ".";
    first = 1;
  }
  out += '(';
  for (std::size_t i = first; i < args.size(); ++i) {
    if (i > first) out += ", ";
    out += shown(*args[i]);
  }
  return out + ')';
}

class Checker {
 public:
  Checker(const Shape& self, OldSelf old_self, TypePool& pool) : pool_(pool), unifier_(pool) {
    self_ = type_of(self, kSelfType, pool);
    old_self_ = old_self == OldSelf::Optional ? pool.optional(self_) : self_;
  }

  Checked run(Expr& root) {
    visit(root);
    finish(root);
    return std::move(out_);
  }

 private:
  struct Variable {
    std::string_view name;
    const Type* type;
  };

  void complain(std::size_t at, std::string message) {
    out_.issues.push_back({at, std::move(message)});
  }
  void mismatch(std::size_t at, const Type& expected, const Type& found) {
    complain(at, fmt::format("expected type '{}' but found '{}'", shown(expected), shown(found)));
  }
  void undeclared(std::size_t at, std::string_view name) {
    complain(at, fmt::format("undeclared reference to '{}' (in container '')", name));
  }
  const Type* now(const Type* type) { return unifier_.resolved(type, Unifier::Unbound::Keep); }

  void visit(Expr& expr) {
    switch (expr.kind) {
      case ExprKind::Literal: expr.type = literal_type(expr.literal); break;
      case ExprKind::Ident: ident(expr); break;
      case ExprKind::Select: select(expr); break;
      case ExprKind::Call: call(expr); break;
      case ExprKind::List: list(expr); break;
      case ExprKind::Map: map(expr); break;
      case ExprKind::Struct: message(expr); break;
      case ExprKind::Fold: fold(expr); break;
    }
  }

  static const Type* literal_type(const Value& value) {
    switch (value.kind()) {
      case Kind::Bool: return bool_type();
      case Kind::Int: return int_type();
      case Kind::Uint: return uint_type();
      case Kind::Double: return double_type();
      case Kind::String: return string_type();
      case Kind::Bytes: return bytes_type();
      default: return null_type();
    }
  }

  bool resolve_type_name(Expr& expr, std::string_view written) {
    const auto name = without_dot(written);
    const auto found = std::ranges::find(kTypeNames, name, &NamedType::name);
    if (found == kTypeNames.end() && name != "type") return false;
    expr.scope = Scope::TypeName;
    if (name == "type") {
      expr.type = pool_.type_of(pool_.make({.kind = TypeKind::Type, .name = "type"}));
      expr.literal = Value::type("type");
    } else {
      expr.type = pool_.type_of(read_type(found->type, pool_));
      expr.literal = Value::type(found->runtime);
    }
    return true;
  }

  // The slot of a loop's variable.
  std::optional<std::size_t> local(std::string_view name) const {
    for (std::size_t i = variables_.size(); i-- > 0;) {
      if (variables_[i].name == name) return i;
    }
    return std::nullopt;
  }

  void ident(Expr& expr) {
    const auto name = without_dot(expr.name);
    if (const auto slot = local(name)) {
      expr.scope = Scope::Local;
      expr.slot = *slot;
      expr.type = variables_[*slot].type;
    } else if (name == "self") {
      expr.scope = Scope::Self;
      expr.type = self_;
    } else if (name == "oldSelf") {
      expr.scope = Scope::OldSelf;
      expr.type = old_self_;
      out_.uses_old_self = true;
    } else if (!resolve_type_name(expr, name)) {
      expr.type = error_type();
      undeclared(expr.at, expr.name);
    }
  }

  void select(Expr& expr) {
    if (const auto name = qualified(expr); name && resolve_type_name(expr, *name)) return;
    const auto* type = field_type(expr.at, *expr.target, expr.name, false);
    expr.type = now(expr.test_only ? bool_type() : type);
  }

  // What target.name is; optional when the target is, or when asked so.
  const Type* field_type(std::size_t at, Expr& target, std::string_view name, bool optional) {
    visit(target);
    const auto* type = now(target.type);
    const bool from_optional = is_optional(*type);
    if (from_optional) type = type->params[0];
    const Type* result = error_type();
    if (type->kind == TypeKind::Map) {
      result = type->params[1];
    } else if (type->kind == TypeKind::Struct) {
      result = struct_field(at, *type, name);
    } else if (type->kind == TypeKind::Param) {
      unifier_.assignable(dyn_type(), type);
      result = dyn_type();
    } else {
      if (!is_dyn(*type) && type->kind != TypeKind::Error) {
        complain(at, fmt::format("type '{}' does not support field selection", shown(*type)));
      }
      result = dyn_type();
    }
    return from_optional || optional ? pool_.optional(result) : result;
  }

  const Type* struct_field(std::size_t at, const Type& type, std::string_view name) {
    if (type.shape == nullptr) {
      complain(at, fmt::format("unexpected failed resolution of '{}'", type.name));
      return error_type();
    }
    const auto* field = type.shape->field_escaped(name);
    if (field == nullptr || !field->shape->typed) {
      complain(at, fmt::format("undefined field '{}'", name));
      return error_type();
    }
    return type_of(*field->shape, type.name + "." + field->escaped, pool_);
  }

  void call(Expr& expr) {
    if (expr.name == "_?._") {
      optional_select(expr);
      return;
    }
    for (auto& arg : expr.args) visit(*arg);
    if (expr.target) {
      if (const auto prefix = qualified(*expr.target)) {
        if (const auto* function =
                find_function(std::string{without_dot(*prefix)} + "." + expr.name)) {
          expr.name = function->name;
          expr.target = nullptr;
          resolve(expr, *function);
          return;
        }
      }
      visit(*expr.target);
    }
    const auto* function = find_function(without_dot(expr.name));
    if (function == nullptr) {
      expr.type = error_type();
      undeclared(expr.at, expr.name);
      return;
    }
    expr.name = function->name;
    resolve(expr, *function);
  }

  void optional_select(Expr& expr) {
    const auto* type = field_type(expr.at, *expr.args[0], expr.args[1]->literal.text(), true);
    visit(*expr.args[1]);
    expr.type = now(type);
    expr.function = find_function(expr.name);
    expr.overloads = {&expr.function->overloads[0]};
  }

  void resolve(Expr& expr, const Function& function) {
    expr.function = &function;
    if (function.name == "_&&_" || function.name == "_||_") {
      logical(expr, function);
      return;
    }
    std::vector<const Type*> given;
    if (expr.target) given.push_back(expr.target->type);
    for (const auto& arg : expr.args) given.push_back(arg->type);
    const Type* result = nullptr;
    for (const auto& overload : function.overloads) {
      if (overload.member != (expr.target != nullptr)) continue;
      auto types = overload.args;
      types.push_back(overload.result);
      if (overload.params > 0) types = unifier_.instantiate(types);
      const auto* own_result = types.back();
      types.pop_back();
      if (!unifier_.assignable(given, types)) continue;
      expr.overloads.push_back(&overload);
      own_result = now(own_result);
      if (result == nullptr) {
        result = own_result;
      } else if (!is_dyn(*result) && !same_type(*result, *own_result)) {
        result = dyn_type();
      }
    }
    if (result != nullptr) {
      expr.type = result;
      return;
    }
    for (auto& type : given) type = unifier_.resolved(type, Unifier::Unbound::ToDyn);
    complain(expr.at, fmt::format("found no matching overload for '{}' applied to '{}'",
                                  function.name, shown_call(given, expr.target != nullptr)));
    expr.type = error_type();
  }

  void logical(Expr& expr, const Function& function) {
    expr.type = bool_type();
    expr.overloads = {&function.overloads[0]};
    for (const auto& arg : expr.args) {
      if (unifier_.assignable(arg->type, bool_type())) continue;
      mismatch(arg->at, *bool_type(), *arg->type);
      expr.type = error_type();
    }
  }

  // The type of both, or any: mixed literals are refused later, where they are refused at all.
  const Type* joined(const Type* before, const Type* type) {
    if (before == nullptr) return type;
    return unifier_.assignable(before, type) ? most_general(before, type) : dyn_type();
  }

  const Type* unwrapped(const Expr& expr, bool optional) {
    const auto* type = expr.type;
    if (!optional) return type;
    if (is_optional(*type)) return type->params[0];
    if (!is_dyn(*type)) mismatch(expr.at, *pool_.optional(type), *type);
    return type;
  }

  void list(Expr& expr) {
    const Type* element = nullptr;
    for (std::size_t i = 0; i < expr.args.size(); ++i) {
      auto& arg = *expr.args[i];
      visit(arg);
      const bool optional = !expr.optional_elements.empty() && expr.optional_elements[i];
      element = joined(element, unwrapped(arg, optional));
    }
    expr.type = pool_.list(element == nullptr ? unifier_.fresh() : element);
  }

  void map(Expr& expr) {
    const Type* key = nullptr;
    const Type* value = nullptr;
    for (auto& field : expr.fields) {
      visit(*field.key);
      key = joined(key, field.key->type);
      visit(*field.value);
      value = joined(value, unwrapped(*field.value, field.optional));
    }
    if (key == nullptr) {
      key = unifier_.fresh();
      value = unifier_.fresh();
    }
    expr.type = pool_.map(key, value);
  }

  // Nothing can be made by naming its type: a schema's types have no stable names.
  void message(Expr& expr) {
    expr.type = error_type();
    // The name is looked up as any other.
    Expr named;
    named.name = expr.name;
    const auto issues = out_.issues.size();
    const bool uses_old_self = out_.uses_old_self;
    ident(named);
    out_.uses_old_self = uses_old_self;
    if (out_.issues.size() > issues) {
      out_.issues.back().at = expr.at;
      return;
    }
    if (named.type->kind == TypeKind::Type) {
      const auto& type = *named.type->params[0];
      complain(expr.at, fmt::format("'{}' is not a message type", declared_name(type)));
    } else if (named.type->kind != TypeKind::Error) {
      complain(expr.at, fmt::format("'{}' is not a type", declared_name(*named.type)));
    }
    const auto name = without_dot(expr.name);
    for (auto& field : expr.fields) {
      visit(*field.value);
      unwrapped(*field.value, field.optional);
      // A map has any field, other simple types have none, and the rest cannot be looked into.
      constexpr std::array<std::string_view, 7> kSimple{"bool",   "bytes", "double", "int",
                                                        "string", "uint",  "list"};
      const bool simple =
          named.scope == Scope::TypeName && std::ranges::find(kSimple, name) != kSimple.end();
      if (simple) complain(field.at, fmt::format("undefined field '{}'", field.name));
      if (!simple && !(named.scope == Scope::TypeName && name == "map")) {
        complain(field.at, fmt::format("unexpected failed resolution of '{}'", name));
      }
    }
  }

  void fold(Expr& expr) {
    auto& loop = *expr.fold;
    visit(*loop.range);
    visit(*loop.init);
    const auto* range = now(loop.range->type);
    const auto* accumulated = loop.init->type;
    const auto scope = variables_.size();
    variables_.push_back({loop.accumulator, accumulated});
    const auto [first, second] = loop_types(*loop.range, range, !loop.variable2.empty());
    variables_.push_back({loop.variable, first});
    if (!loop.variable2.empty()) variables_.push_back({loop.variable2, second});
    visit(*loop.condition);
    assert_type(*loop.condition, bool_type());
    visit(*loop.step);
    assert_type(*loop.step, accumulated);
    variables_.resize(scope + 1);
    visit(*loop.result);
    variables_.resize(scope);
    expr.slot = scope;
    expr.type = now(loop.result->type);
  }

  std::pair<const Type*, const Type*> loop_types(const Expr& range, const Type* type, bool two) {
    switch (type->kind) {
      case TypeKind::List:
        if (two) return {int_type(), type->params[0]};
        return {type->params[0], nullptr};
      case TypeKind::Map: return {type->params[0], type->params[1]};
      case TypeKind::Dyn:
      case TypeKind::Error:
      case TypeKind::Param: unifier_.assignable(dyn_type(), type); return {dyn_type(), dyn_type()};
      default:
        complain(range.at, fmt::format("expression of type '{}' cannot be range of a comprehension "
                                       "(must be list, map, or dynamic)",
                                       shown(*type)));
        return {error_type(), error_type()};
    }
  }

  void assert_type(const Expr& expr, const Type* type) {
    if (!unifier_.assignable(type, expr.type)) mismatch(expr.at, *type, *expr.type);
  }

  // Once all is known, what is still unknown may be anything.
  void finish(Expr& expr) {
    if (expr.type != nullptr) expr.type = unifier_.resolved(expr.type, Unifier::Unbound::ToDyn);
    if (expr.target) finish(*expr.target);
    for (auto& arg : expr.args) finish(*arg);
    for (auto& field : expr.fields) {
      if (field.key) finish(*field.key);
      finish(*field.value);
    }
    if (!expr.fold) return;
    for (auto* part : {&expr.fold->range, &expr.fold->init, &expr.fold->condition, &expr.fold->step,
                       &expr.fold->result}) {
      finish(**part);
    }
  }

  TypePool& pool_;
  Unifier unifier_;
  const Type* self_ = nullptr;
  const Type* old_self_ = nullptr;
  std::vector<Variable> variables_;
  Checked out_;
};

}  // namespace

const Type* type_of(const Shape& shape, std::string_view name, TypePool& pool) {
  switch (shape.kind) {
    case ShapeKind::Unknown:
    case ShapeKind::IntOrString: return dyn_type();
    case ShapeKind::Object:
      return pool.make({.kind = TypeKind::Struct, .name = std::string{name}, .shape = &shape});
    case ShapeKind::Map:
      return pool.map(string_type(), type_of(*shape.element, std::string{name} + ".@elem", pool));
    case ShapeKind::List:
      return pool.list(type_of(*shape.element, std::string{name} + ".@idx", pool));
    case ShapeKind::String: return string_type();
    case ShapeKind::Bytes: return bytes_type();
    case ShapeKind::Duration: return duration_type();
    case ShapeKind::Date:
    case ShapeKind::DateTime: return timestamp_type();
    case ShapeKind::Bool: return bool_type();
    case ShapeKind::Double: return double_type();
    case ShapeKind::Int: return int_type();
  }
  return dyn_type();
}

Checked check(Expr& root, const Shape& self, OldSelf old_self, TypePool& pool) {
  return Checker{self, old_self, pool}.run(root);
}

}  // namespace fixpoint::cel
