// SPDX-License-Identifier: Apache-2.0
#include "cel/evaluation/eval.h"

#include "cel/cost/cost_units.h"
#include "cel/library/functions.h"
#include "kube/schema/validate_pattern.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace fixpoint::cel {
namespace {

bool is_accumulator(const Expr& expr) {
  return expr.kind == ExprKind::Ident && expr.name == kAccumulator;
}

bool is_call(const Expr& expr, std::string_view function) {
  return expr.kind == ExprKind::Call && expr.name == function;
}

// A step that only adds to the accumulator: `accumulator + [element]`, perhaps under a condition.
// Done in place, a loop is linear.
struct Append {
  const Expr* condition = nullptr;
  const Expr* element = nullptr;
};

std::optional<Append> append_step(const Fold& fold) {
  Append out;
  const Expr* step = fold.step.get();
  if (is_call(*step, "_?_:_") && is_accumulator(*step->args[2])) {
    out.condition = step->args[0].get();
    step = step->args[1].get();
  }
  if (!is_call(*step, "_+_") || !is_accumulator(*step->args[0])) return std::nullopt;
  const auto& list = *step->args[1];
  if (list.kind != ExprKind::List || list.args.size() != 1 || !list.optional_elements.empty() ||
      !(fold.init->kind == ExprKind::Literal && fold.init->literal.is(Kind::List)) ||
      !is_accumulator(*fold.result)) {
    return std::nullopt;
  }
  out.element = list.args[0].get();
  return out;
}

Value missing_key(const Value& key) {
  return Value::error(fmt::format("no such key: {}", shown(key)));
}

class Evaluator {
 public:
  Evaluator(const Variables& variables, std::uint64_t cost_max)
      : variables_(variables), cost_max_(cost_max) {}

  Evaluated run(const Expr& root) {
    auto value = eval(root);
    if (exceeded()) value = Value::error("operation cancelled: actual cost limit exceeded");
    return {std::move(value), cost_, exceeded()};
  }

 private:
  bool exceeded() const { return cost_ > cost_max_; }
  void charge(std::uint64_t cost) { cost_ += cost; }

  Value eval(const Expr& expr) {
    if (exceeded()) return Value::error("cost");
    switch (expr.kind) {
      case ExprKind::Literal: return expr.literal;
      case ExprKind::Ident: return ident(expr);
      case ExprKind::Select: return select(expr);
      case ExprKind::Call: return call(expr);
      case ExprKind::List: return list(expr);
      case ExprKind::Map: return map(expr);
      case ExprKind::Struct: return Value::no_overload();
      case ExprKind::Fold: return fold(expr);
    }
    return Value::no_overload();
  }

  Value ident(const Expr& expr) {
    if (expr.scope == Scope::TypeName) return expr.literal;
    charge(1);
    switch (expr.scope) {
      case Scope::Self: return variables_.self;
      case Scope::OldSelf: return variables_.old_self;
      case Scope::Local: return locals_[expr.slot];
      default: return expr.literal;
    }
  }

  // Whether the target is a variable and what is selected from it: its steps cost one each; any
  // other target costs one more to look into.
  static bool from_variable(const Expr& expr) {
    if (expr.kind == ExprKind::Ident) return true;
    if (expr.kind == ExprKind::Select && !expr.test_only) return from_variable(*expr.target);
    if (is_call(expr, "_[_]") || is_call(expr, "_[?_]") || is_call(expr, "_?._")) {
      return from_variable(*expr.args[0]);
    }
    return false;
  }

  void charge_step(const Expr& target) {
    charge(1);
    const bool chained = target.kind == ExprKind::Select || target.kind == ExprKind::Ident ||
                         is_call(target, "_[_]");
    if (!chained && !from_variable(target)) charge(1);
  }

  Value select(const Expr& expr) {
    if (expr.scope == Scope::TypeName) return expr.literal;
    auto target = eval(*expr.target);
    if (!expr.test_only) {
      charge_step(*expr.target);
    } else if (!from_variable(*expr.target)) {
      charge(1);
    }
    if (target.is_error()) return target;
    const auto key = Value::borrowed(expr.name);
    if (expr.test_only) return present(target, key);
    return step_into(target, key);
  }

  Value present(const Value& target, const Value& key) {
    if (target.is(Kind::Optional)) {
      return target.inner() == nullptr ? Value::boolean(false) : present(*target.inner(), key);
    }
    if (!target.is(Kind::Map)) return Value::no_overload();
    return Value::boolean(target.find(key).found);
  }

  // target.key or target[key].
  Value step_into(const Value& target, const Value& key) {
    if (target.is(Kind::Optional)) {
      return target.inner() == nullptr ? target : optional_step(*target.inner(), key);
    }
    if (target.is(Kind::Map)) {
      auto found = target.find(key);
      return found.found ? std::move(found.value) : missing_key(key);
    }
    if (target.is(Kind::List)) return element(target, key);
    return missing_key(key);
  }

  static Value element(const Value& list, const Value& key) {
    std::int64_t index = 0;
    if (key.is(Kind::Int)) {
      index = key.as_int();
    } else if (key.is(Kind::Uint) && key.as_uint() < list.size()) {
      index = static_cast<std::int64_t>(key.as_uint());
    } else if (key.is(Kind::Double) && key.as_double() >= 0 &&
               key.as_double() < static_cast<double>(list.size()) &&
               key.as_double() == static_cast<double>(static_cast<std::int64_t>(key.as_double()))) {
      index = static_cast<std::int64_t>(key.as_double());
    } else {
      return Value::error(fmt::format("unsupported index type '{}' in list", key.runtime_type()));
    }
    if (index < 0 || static_cast<std::size_t>(index) >= list.size()) {
      return Value::error(fmt::format("index out of bounds: {}", index));
    }
    return list.at(static_cast<std::size_t>(index));
  }

  // target.?key or target[?key].
  Value optional_step(const Value& target, const Value& key) {
    if (target.is(Kind::Optional)) {
      return target.inner() == nullptr ? target : optional_step(*target.inner(), key);
    }
    if (target.is(Kind::Map)) {
      auto found = target.find(key);
      if (!found.found) return Value::none();
      return found.value.is_error() ? found.value : Value::optional(std::move(found.value));
    }
    if (target.is(Kind::List) && key.is(Kind::Int)) {
      const auto index = key.as_int();
      if (index < 0 || static_cast<std::size_t>(index) >= target.size()) return Value::none();
      return Value::optional(target.at(static_cast<std::size_t>(index)));
    }
    return Value::no_overload();
  }

  Value call(const Expr& expr) {
    const std::string_view name = expr.name;
    if (name == "_&&_") return logical(expr, false);
    if (name == "_||_") return logical(expr, true);
    if (name == "_?_:_") return conditional(expr);
    if (name == "@not_strictly_false") {
      const auto value = eval(*expr.args[0]);
      charge(1);
      return Value::boolean(!value.is_false());
    }
    if (name == "or" || name == "orValue") return alternative(expr, name == "orValue");
    if (name == "_[_]" || name == "_[?_]" || name == "_?._") return indexed(expr, name != "_[_]");
    return strict_call(expr);
  }

  // Whatever decides wins over an error, whichever side it is on.
  Value logical(const Expr& expr, bool deciding) {
    auto left = eval(*expr.args[0]);
    if (left.is(Kind::Bool) && left.as_bool() == deciding) return left;
    auto right = eval(*expr.args[1]);
    if (right.is(Kind::Bool) && right.as_bool() == deciding) return right;
    if (left.is(Kind::Bool) && right.is(Kind::Bool)) return Value::boolean(!deciding);
    if (left.is_error()) return left;
    if (right.is_error()) return right;
    return Value::no_overload();
  }

  Value conditional(const Expr& expr) {
    auto condition = eval(*expr.args[0]);
    if (condition.is_error()) return condition;
    if (!condition.is(Kind::Bool)) return Value::no_overload();
    return eval_part(*expr.args[condition.as_bool() ? 1 : 2]);
  }

  // A variable, or what is selected from one, within an operation that looks it up itself: naming
  // it costs nothing then.
  Value eval_part(const Expr& expr) {
    const bool free = from_variable(expr) && expr.scope != Scope::TypeName;
    auto value = eval(expr);
    if (free) --cost_;
    return value;
  }

  Value alternative(const Expr& expr, bool unwraps) {
    auto first = eval(*expr.target);
    if (!first.is(Kind::Optional)) return first;
    if (first.inner() == nullptr) return eval(*expr.args[0]);
    return unwraps ? *first.inner() : first;
  }

  Value indexed(const Expr& expr, bool optional) {
    auto target = eval(*expr.args[0]);
    auto key = eval_part(*expr.args[1]);
    if (!optional) charge_step(*expr.args[0]);
    if (target.is_error()) return target;
    if (key.is_error()) return key;
    if (!optional) return step_into(target, key);
    auto found = optional_step(target, key);
    if (!found.is(Kind::Optional) || found.inner() != nullptr) charge_step(*expr.args[0]);
    return found;
  }

  Value strict_call(const Expr& expr) {
    std::vector<Value> args;
    args.reserve(expr.args.size() + 1);
    if (expr.target) args.push_back(eval(*expr.target));
    for (const auto& arg : expr.args) args.push_back(eval(*arg));
    const auto wrong = std::ranges::find_if(args, &Value::is_error);
    auto result = wrong == args.end() ? run_function(expr, args) : *wrong;
    // What is looked up in a list that is written out costs nothing.
    const bool lookup = expr.name == "@in" && expr.args[1]->kind == ExprKind::Literal &&
                        expr.args[1]->literal.is(Kind::List);
    if (!lookup) charge(call_cost(expr, args, result));
    return result;
  }

  Value run_function(const Expr& expr, std::span<const Value> args) {
    const std::string_view name = expr.name;
    if (name == "matches" || name == "find" || name == "findAll") return searched(expr, args);
    if (expr.function == nullptr || expr.function->run == nullptr) return no_overload(name, args);
    return expr.function->run(args);
  }

  // The pattern, compiled at check time if it is written out; else the last one is kept, since a
  // loop uses one pattern again and again.
  Value searched(const Expr& expr, std::span<const Value> args) {
    if (!args[0].is(Kind::String) || !args[1].is(Kind::String) ||
        (args.size() > 2 && !args[2].is(Kind::Int))) {
      return expr.name == "matches" ? Value::no_overload() : no_overload(expr.name, args);
    }
    auto pattern = expr.pattern;
    if (pattern == nullptr) {
      if (last_pattern_ == nullptr || last_pattern_text_ != args[1].text()) {
        auto compiled = kube::Pattern::compile(args[1].text());
        if (!compiled) {
          const auto& why = compiled.error().message;
          return Value::error(expr.name == "matches" ? why : "Illegal regex: " + why);
        }
        last_pattern_ = *compiled;
        last_pattern_text_ = args[1].text();
      }
      pattern = last_pattern_;
    }
    if (expr.name == "matches") return Value::boolean(pattern->matches(args[0].text()));
    if (expr.name == "find") {
      const auto found = pattern->find_all(args[0].text(), 1);
      return Value::string(found.empty() ? std::string{} : std::string{found[0]});
    }
    Value::List all;
    for (const auto each :
         pattern->find_all(args[0].text(), args.size() > 2 ? args[2].as_int() : -1)) {
      all.push_back(Value::string(std::string{each}));
    }
    return Value::list(std::move(all));
  }

  Value list(const Expr& expr) {
    Value::List out;
    out.reserve(expr.args.size());
    for (std::size_t i = 0; i < expr.args.size(); ++i) {
      auto value = eval(*expr.args[i]);
      if (value.is_error()) return value;
      if (!expr.optional_elements.empty() && expr.optional_elements[i]) {
        if (!value.is(Kind::Optional)) return not_optional(value);
        if (value.inner() == nullptr) continue;
        value = Value{*value.inner()};
      }
      out.push_back(std::move(value));
    }
    charge(kListCost);
    return Value::list(std::move(out));
  }

  static Value not_optional(const Value& value) {
    return Value::error(
        fmt::format("cannot initialize optional element from non-optional value {}", shown(value)));
  }

  Value map(const Expr& expr) {
    Map out;
    for (const auto& field : expr.fields) {
      auto key = eval(*field.key);
      if (key.is_error()) return key;
      auto value = eval(*field.value);
      if (value.is_error()) return value;
      if (field.optional) {
        if (!value.is(Kind::Optional)) return not_optional(value);
        if (value.inner() == nullptr) continue;
        value = Value{*value.inner()};
      }
      if (!key_text(key)) {
        return Value::error(fmt::format("unsupported key type: {}", key.runtime_type()));
      }
      auto name = shown(key);
      if (!out.insert(std::move(key), std::move(value))) {
        return Value::error(fmt::format("Failed with repeated key {}", name));
      }
    }
    charge(kMapCost);
    return Value::map(std::move(out));
  }

  // The loop's variables for the round, in their slots.
  void set_round(const Fold& loop, std::size_t slot, Value first, Value second) {
    locals_[slot + 1] = std::move(first);
    if (!loop.variable2.empty()) locals_[slot + 2] = std::move(second);
  }

  // Calls `round` for every element or key until it says stop; false when there is no such range.
  template <class Round>
  bool each(const Fold& loop, std::size_t slot, const Value& range, Round round) {
    const bool two = !loop.variable2.empty();
    if (range.is(Kind::List)) {
      for (std::size_t i = 0; i < range.size(); ++i) {
        if (two) {
          set_round(loop, slot, Value::integer(static_cast<std::int64_t>(i)), range.at(i));
        } else {
          set_round(loop, slot, range.at(i), {});
        }
        if (exceeded() || !round()) break;
      }
      return true;
    }
    if (!range.is(Kind::Map)) return false;
    for (auto& key : range.keys()) {
      auto value = two ? range.find(key).value : Value{};
      set_round(loop, slot, std::move(key), std::move(value));
      if (exceeded() || !round()) break;
    }
    return true;
  }

  Value fold(const Expr& expr) {
    const auto& loop = *expr.fold;
    const auto slot = expr.slot;
    auto range = eval(*loop.range);
    if (range.is_error()) return range;
    if (locals_.size() < slot + 3) locals_.resize(slot + 3);
    if (const auto step = append_step(loop)) return appended(loop, slot, range, *step);
    if (is_call(*loop.step, "cel.@mapInsert") || is_call(*loop.step, "_?_:_")) {
      if (loop.init->literal.is(Kind::Map)) return inserted(loop, slot, range);
    }
    locals_[slot] = eval(*loop.init);
    const bool iterable = each(loop, slot, range, [&] {
      if (!eval(*loop.condition).is_true()) return false;
      auto next = eval(*loop.step);
      locals_[slot] = std::move(next);
      return true;
    });
    if (!iterable) return not_iterable(range);
    return eval(*loop.result);
  }

  // The words are Go's, types included.
  static Value not_iterable(const Value& value) {
    constexpr std::array<std::string_view, 13> kGoTypes{
        "types.Null",   "types.Bool",  "types.Int",      "types.Uint",      "types.Double",
        "types.String", "types.Bytes", "types.Duration", "types.Timestamp", "types.List",
        "types.Map",    "*types.Type", "*types.Optional"};
    const auto kind = static_cast<std::size_t>(value.kind());
    return Value::error(fmt::format("got '{}', expected iterable type",
                                    kind < kGoTypes.size() ? kGoTypes[kind] : "cel.Value"));
  }

  Value appended(const Fold& loop, std::size_t slot, const Value& range, const Append& step) {
    Value::List out;
    Value wrong;
    const bool iterable = each(loop, slot, range, [&] {
      if (step.condition != nullptr) {
        const auto condition = eval(*step.condition);
        if (!condition.is(Kind::Bool)) {
          wrong = condition.is_error() ? condition : Value::no_overload();
          return false;
        }
        if (!condition.as_bool()) return true;
      }
      auto element = eval(*step.element);
      charge(1 + kListCost + 1);
      if (element.is_error()) {
        wrong = std::move(element);
        return false;
      }
      out.push_back(std::move(element));
      return true;
    });
    if (!iterable) return not_iterable(range);
    charge(1);
    if (wrong.is_error()) return wrong;
    return Value::list(std::move(out));
  }

  // transformMap and transformMapEntry, in place.
  Value inserted(const Fold& loop, std::size_t slot, const Value& range) {
    Map out;
    Value wrong;
    const bool iterable = each(loop, slot, range, [&] {
      const Expr* step = loop.step.get();
      if (is_call(*step, "_?_:_")) {
        const auto condition = eval(*step->args[0]);
        if (!condition.is(Kind::Bool)) {
          wrong = condition.is_error() ? condition : Value::no_overload();
          return false;
        }
        step = step->args[condition.as_bool() ? 1 : 2].get();
      }
      if (!is_call(*step, "cel.@mapInsert")) return true;
      charge(2);
      wrong = insert(*step, out);
      return !wrong.is_error();
    });
    if (!iterable) return not_iterable(range);
    charge(1);
    if (wrong.is_error()) return wrong;
    return Value::map(std::move(out));
  }

  // An error, or null.
  Value insert(const Expr& step, Map& out) {
    auto last = eval(*step.args.back());
    if (last.is_error()) return last;
    if (step.args.size() == 3) return insert_one(eval(*step.args[1]), std::move(last), out);
    if (!last.is(Kind::Map)) return Value::no_overload();
    for (auto& key : last.keys()) {
      auto value = last.find(key).value;
      if (auto wrong = insert_one(std::move(key), std::move(value), out); wrong.is_error()) {
        return wrong;
      }
    }
    return {};
  }

  static Value insert_one(Value key, Value value, Map& out) {
    auto name = shown(key);
    if (out.insert(std::move(key), std::move(value))) return {};
    return Value::error(fmt::format("insert failed: key {} already exists", name));
  }

  const Variables& variables_;
  std::uint64_t cost_max_;
  std::uint64_t cost_ = 0;
  std::vector<Value> locals_;
  std::shared_ptr<const kube::Pattern> last_pattern_;
  std::string last_pattern_text_;
};

}  // namespace

Evaluated evaluate(const Expr& root, const Variables& variables, std::uint64_t cost_max) {
  return Evaluator{variables, cost_max}.run(root);
}

}  // namespace fixpoint::cel
