// SPDX-License-Identifier: Apache-2.0
#include "cel/checking/literals.h"

#include "cel/library/format_string.h"
#include "cel/library/functions.h"
#include "kube/schema/validate_pattern.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include <fmt/format.h>

namespace fixpoint::cel {
namespace {

template <class Visit>
void each_child(const Expr& expr, Visit visit) {
  if (expr.target) visit(*expr.target);
  for (const auto& arg : expr.args) visit(*arg);
  for (const auto& field : expr.fields) {
    if (field.key) visit(*field.key);
    visit(*field.value);
  }
  if (!expr.fold) return;
  for (const auto* part : {&expr.fold->range, &expr.fold->init, &expr.fold->condition,
                           &expr.fold->step, &expr.fold->result}) {
    visit(**part);
  }
}

bool alike(const Type& a, const Type& b) {
  return same_type(a, b);
}

bool kind_in(const Type& type, std::initializer_list<TypeKind> kinds) {
  return type.kind == TypeKind::Dyn || std::ranges::find(kinds, type.kind) != kinds.end();
}

class LiteralChecker {
 public:
  void visit(const Expr& expr, bool in_format) {
    if (expr.kind == ExprKind::Call) call(expr);
    if (expr.kind == ExprKind::List && !in_format) list(expr);
    if (expr.kind == ExprKind::Map && !in_format) map(expr);
    const bool below = in_format || (expr.kind == ExprKind::Call && expr.name == "format");
    each_child(expr, [&](const Expr& child) { visit(child, below); });
  }

  Issues issues;

 private:
  void call(const Expr& expr) {
    if (expr.name == "format" && expr.target) format(expr);
    if (expr.args.empty() || expr.args[0]->kind != ExprKind::Literal) return;
    const auto& arg = *expr.args[0];
    bool good = true;
    if (expr.name == "duration" || expr.name == "timestamp") {
      good = !expr.function->run(std::array{arg.literal}).is_error();
    } else if (expr.name == "matches") {
      good = arg.literal.is(Kind::String) && kube::Pattern::compile(arg.literal.text()).has_value();
    }
    if (!good) issues.push_back({arg.at, fmt::format("invalid {} argument", expr.name)});
  }

  void mismatch(const Expr& expr, const Type& expected, const Type& found) {
    issues.push_back(
        {expr.at, fmt::format("expected type '{}' but found '{}'", shown(expected), shown(found))});
  }

  static const Type& element_type(const Expr& element, bool optional) {
    return optional && is_optional(*element.type) ? *element.type->params[0] : *element.type;
  }

  void list(const Expr& expr) {
    for (std::size_t i = 1; i < expr.args.size(); ++i) {
      const auto optional = [&](std::size_t at) {
        return !expr.optional_elements.empty() && expr.optional_elements[at];
      };
      const auto& first = element_type(*expr.args[0], optional(0));
      const auto& type = element_type(*expr.args[i], optional(i));
      if (alike(first, type)) continue;
      mismatch(*expr.args[i], first, type);
      return;
    }
  }

  void map(const Expr& expr) {
    for (std::size_t i = 1; i < expr.fields.size(); ++i) {
      const auto& first = expr.fields[0];
      const auto& field = expr.fields[i];
      if (!alike(*first.key->type, *field.key->type)) {
        mismatch(*field.key, *first.key->type, *field.key->type);
      }
      const auto& wanted = element_type(*first.value, first.optional);
      const auto& type = element_type(*field.value, field.optional);
      if (!alike(wanted, type)) mismatch(*field.value, wanted, type);
    }
  }

  // The first thing in the argument that cannot be printed.
  static const Expr* unprintable(const Expr& expr) {
    if (!kind_in(*expr.type,
                 {TypeKind::List, TypeKind::Map, TypeKind::Int, TypeKind::Uint, TypeKind::Double,
                  TypeKind::Bool, TypeKind::String, TypeKind::Timestamp, TypeKind::Bytes,
                  TypeKind::Duration, TypeKind::Type, TypeKind::Null})) {
      return &expr;
    }
    if (expr.kind == ExprKind::List) {
      for (const auto& arg : expr.args) {
        if (const auto* bad = unprintable(*arg)) return bad;
      }
    }
    if (expr.kind == ExprKind::Map) {
      for (const auto& field : expr.fields) {
        if (const auto* bad = unprintable(*field.key)) return bad;
        if (const auto* bad = unprintable(*field.value)) return bad;
      }
    }
    return nullptr;
  }

  static const Expr* unfit(char letter, const Expr& arg) {
    const auto check = [&](std::initializer_list<TypeKind> kinds) {
      return kind_in(*arg.type, kinds) ? nullptr : &arg;
    };
    switch (letter) {
      case 's': return unprintable(arg);
      case 'f':
      case 'e': return check({TypeKind::Double, TypeKind::String});
      case 'b': return check({TypeKind::Int, TypeKind::Uint, TypeKind::Bool});
      case 'x':
      case 'X': return check({TypeKind::Int, TypeKind::Uint, TypeKind::String, TypeKind::Bytes});
      default: return check({TypeKind::Int, TypeKind::Uint});
    }
  }

  void format(const Expr& expr) {
    if (expr.target->kind != ExprKind::Literal || !expr.target->literal.is(Kind::String) ||
        expr.args.size() != 1 || expr.args[0]->kind != ExprKind::List) {
      return;
    }
    const auto& args = expr.args[0]->args;
    std::size_t used = 0;
    const auto done = fill_format(
        expr.target->literal.text(), args.size(),
        [&](const FormatClause& clause, std::size_t i) -> std::expected<std::string, FormatError> {
          ++used;
          const auto* bad = unfit(clause.letter, *args[i]);
          if (bad == nullptr) return "";
          return std::unexpected(
              FormatError{unfit_argument(clause.letter, declared_name(*bad->type)), bad->at});
        });
    if (!done) {
      const auto at = done.error().at == kNowhere ? expr.at : done.error().at;
      issues.push_back({at, done.error().message});
    } else if (args.size() > used) {
      issues.push_back({expr.at, fmt::format("too many arguments supplied to string.format "
                                             "(expected {}, got {})",
                                             used, args.size())});
    }
  }
};

class Folder {
 public:
  void visit(Expr& expr) {
    if (wrong) return;
    if (expr.target) visit(*expr.target);
    for (auto& arg : expr.args) visit(*arg);
    for (auto& field : expr.fields) {
      if (field.key) visit(*field.key);
      visit(*field.value);
    }
    if (expr.fold) {
      for (auto* part : {&expr.fold->range, &expr.fold->init, &expr.fold->condition,
                         &expr.fold->step, &expr.fold->result}) {
        visit(**part);
      }
    }
    if (wrong) return;
    switch (expr.kind) {
      case ExprKind::Ident: ident(expr); break;
      case ExprKind::Call: call(expr); break;
      case ExprKind::List: list(expr); break;
      case ExprKind::Map: map(expr); break;
      default: break;
    }
  }

  std::optional<std::string> wrong;

 private:
  static bool written(const ExprPtr& expr) { return expr->kind == ExprKind::Literal; }

  static void replace(Expr& expr, Value value) {
    expr.kind = ExprKind::Literal;
    expr.literal = std::move(value);
    expr.args.clear();
    expr.fields.clear();
  }

  // These names are known to the checker only.
  void ident(const Expr& expr) {
    if (expr.scope == Scope::TypeName && (expr.name == "duration" || expr.name == "timestamp")) {
      wrong = "reference to undefined type: " + expr.name;
    }
  }

  void call(Expr& expr) {
    constexpr std::array<std::string_view, 10> kConversions{
        "bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"};
    if (expr.name == "matches" || expr.name == "find" || expr.name == "findAll") {
      pattern(expr);
    } else if (!expr.target && expr.args.size() == 1 && written(expr.args[0]) &&
               std::ranges::find(kConversions, expr.name) != kConversions.end()) {
      auto value = expr.function->run(std::array{expr.args[0]->literal});
      if (value.is_error()) {
        wrong = value.text();
      } else {
        replace(expr, std::move(value));
      }
    }
  }

  void pattern(Expr& expr) {
    const std::size_t at = expr.target ? 0 : 1;
    if (expr.args.size() <= at || !written(expr.args[at]) ||
        !expr.args[at]->literal.is(Kind::String)) {
      return;
    }
    auto compiled = kube::Pattern::compile(expr.args[at]->literal.text());
    if (compiled) {
      expr.pattern = std::move(*compiled);
    } else {
      wrong = compiled.error().message;
    }
  }

  static void list(Expr& expr) {
    if (!expr.optional_elements.empty() || !std::ranges::all_of(expr.args, written)) return;
    Value::List elements;
    for (const auto& arg : expr.args) elements.push_back(arg->literal);
    replace(expr, Value::list(std::move(elements)));
  }

  static void map(Expr& expr) {
    Map entries;
    for (const auto& field : expr.fields) {
      if (field.optional || !written(field.key) || !written(field.value)) return;
      if (!key_text(field.key->literal)) return;
      // Of a key that is written twice the last value counts.
      entries.put(field.key->literal, field.value->literal);
    }
    replace(expr, Value::map(std::move(entries)));
  }
};

}  // namespace

Issues check_literals(const Expr& root) {
  LiteralChecker checker;
  checker.visit(root, false);
  return std::move(checker.issues);
}

std::optional<std::string> fold_constants(Expr& expr) {
  Folder folder;
  folder.visit(expr);
  return std::move(folder.wrong);
}

}  // namespace fixpoint::cel
