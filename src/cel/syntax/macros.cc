// SPDX-License-Identifier: Apache-2.0
#include "cel/syntax/macros.h"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::cel {

ExprPtr ExprMaker::node(ExprKind kind, std::size_t at) {
  auto out = std::make_unique<Expr>();
  out->kind = kind;
  out->at = at;
  out->id = next_id_++;
  return out;
}

ExprPtr ExprMaker::literal(Value value, std::size_t at) {
  auto out = node(ExprKind::Literal, at);
  out->literal = std::move(value);
  return out;
}

ExprPtr ExprMaker::ident(std::string_view name, std::size_t at) {
  auto out = node(ExprKind::Ident, at);
  out->name = name;
  return out;
}

ExprPtr ExprMaker::call(std::string_view function, std::size_t at, std::vector<ExprPtr> args) {
  auto out = node(ExprKind::Call, at);
  out->name = function;
  out->args = std::move(args);
  return out;
}

ExprPtr ExprMaker::list(std::size_t at, ExprPtr only) {
  auto out = node(ExprKind::List, at);
  if (only) out->args.push_back(std::move(only));
  return out;
}

ExprPtr ExprMaker::copy(const Expr& expr) {
  auto out = node(expr.kind, expr.at);
  out->literal = expr.literal;
  out->name = expr.name;
  out->test_only = expr.test_only;
  if (expr.target) out->target = copy(*expr.target);
  for (const auto& arg : expr.args) out->args.push_back(copy(*arg));
  out->optional_elements = expr.optional_elements;
  for (const auto& field : expr.fields) {
    out->fields.push_back({field.key ? copy(*field.key) : nullptr, copy(*field.value),
                           field.optional, field.at, field.name});
  }
  if (expr.fold) {
    const auto& fold = *expr.fold;
    out->fold = std::make_unique<Fold>(
        Fold{fold.variable, fold.variable2, fold.accumulator, copy(*fold.range), copy(*fold.init),
             copy(*fold.condition), copy(*fold.step), copy(*fold.result)});
  }
  return out;
}

namespace {

class Expander {
 public:
  Expander(MacroCall& call, ExprMaker& make, Issues& issues)
      : call_(call), make_(make), issues_(issues) {}

  std::optional<ExprPtr> run() {
    const auto count = call_.args.size();
    const auto f = call_.function;
    if (!call_.target) {
      if (f == "has" && count == 1) return has();
      return std::nullopt;
    }
    if (f == "all" && (count == 2 || count == 3)) return all();
    if (f == "exists" && (count == 2 || count == 3)) return exists();
    if ((f == "exists_one" && (count == 2 || count == 3)) || (f == "existsOne" && count == 3)) {
      return exists_one();
    }
    if (f == "map" && (count == 2 || count == 3)) return map();
    if (f == "filter" && count == 2) return filter();
    if (f == "optMap" && count == 2) return optional_map(f);
    if (f == "optFlatMap" && count == 2) return optional_map(f);
    if (f == "transformList" && (count == 3 || count == 4)) return transform_list();
    if (f == "transformMap" && (count == 3 || count == 4)) return transform_map(true);
    if (f == "transformMapEntry" && (count == 3 || count == 4)) return transform_map(false);
    return std::nullopt;
  }

 private:
  struct Variables {
    std::string first;
    std::string second;
  };

  ExprPtr wrong(std::size_t at, std::string message) {
    issues_.push_back({at, std::move(message)});
    return make_.literal({}, at);
  }

  ExprPtr accumulator() { return make_.ident(kAccumulator, call_.at); }
  ExprPtr value(Value value) { return make_.literal(std::move(value), call_.at); }
  ExprPtr call(std::string_view function, std::vector<ExprPtr> args) {
    return make_.call(function, call_.at, std::move(args));
  }

  // The names of the loop's variables, the first `count` arguments; nothing after an issue.
  std::optional<Variables> variables(std::size_t count, std::string_view complaint) {
    std::array<std::string, 2> names;
    for (std::size_t i = 0; i < count; ++i) {
      const auto& arg = *call_.args[i];
      if (arg.kind != ExprKind::Ident) {
        problem_ = wrong(arg.at, std::string{complaint});
        return std::nullopt;
      }
      names[i] = arg.name;
    }
    if (count == 2 && names[0] == names[1]) {
      problem_ = wrong(call_.args[1]->at, "duplicate variable name: " + names[0]);
      return std::nullopt;
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (names[i] == "__result__") {
        problem_ = wrong(call_.args[i]->at, "iteration variable overwrites accumulator variable");
        return std::nullopt;
      }
    }
    return Variables{names[0], names[1]};
  }

  ExprPtr loop(Variables names, ExprPtr init, ExprPtr condition, ExprPtr step, ExprPtr result) {
    auto out = make_.node(ExprKind::Fold, call_.at);
    out->fold = std::make_unique<Fold>(Fold{std::move(names.first), std::move(names.second),
                                            std::string{kAccumulator}, std::move(call_.target),
                                            std::move(init), std::move(condition), std::move(step),
                                            std::move(result)});
    return out;
  }

  ExprPtr has() {
    auto& arg = *call_.args[0];
    if (arg.kind != ExprKind::Select) return wrong(arg.at, "invalid argument to has() macro");
    auto out = make_.node(ExprKind::Select, call_.at);
    out->target = std::move(arg.target);
    out->name = arg.name;
    out->test_only = true;
    return out;
  }

  std::optional<Variables> quantified() {
    return variables(call_.args.size() - 1, "argument must be a simple name");
  }

  ExprPtr all() {
    auto names = quantified();
    if (!names) return std::move(problem_);
    return loop(std::move(*names), value(Value::boolean(true)),
                call("@not_strictly_false", exprs(accumulator())),
                call("_&&_", exprs(accumulator(), std::move(call_.args.back()))), accumulator());
  }

  ExprPtr exists() {
    auto names = quantified();
    if (!names) return std::move(problem_);
    return loop(std::move(*names), value(Value::boolean(false)),
                call("@not_strictly_false", exprs(call("!_", exprs(accumulator())))),
                call("_||_", exprs(accumulator(), std::move(call_.args.back()))), accumulator());
  }

  ExprPtr exists_one() {
    auto names = quantified();
    if (!names) return std::move(problem_);
    auto one_more = call("_+_", exprs(accumulator(), value(Value::integer(1))));
    return loop(
        std::move(*names), value(Value::integer(0)), value(Value::boolean(true)),
        call("_?_:_", exprs(std::move(call_.args.back()), std::move(one_more), accumulator())),
        call("_==_", exprs(accumulator(), value(Value::integer(1)))));
  }

  // accumulator + [element], or accumulator where the condition does not hold.
  ExprPtr appended(ExprPtr element, ExprPtr condition) {
    return only_if(std::move(condition),
                   call("_+_", exprs(accumulator(), make_.list(call_.at, std::move(element)))));
  }

  ExprPtr only_if(ExprPtr condition, ExprPtr step) {
    if (!condition) return step;
    return call("_?_:_", exprs(std::move(condition), std::move(step), accumulator()));
  }

  ExprPtr collected(Variables names, ExprPtr init, ExprPtr step) {
    return loop(std::move(names), std::move(init), value(Value::boolean(true)), std::move(step),
                accumulator());
  }

  // The argument before the last when there is one more than needed.
  ExprPtr condition(std::size_t usual) {
    return call_.args.size() > usual ? std::move(call_.args[call_.args.size() - 2]) : nullptr;
  }

  ExprPtr map() {
    auto names = variables(1, "argument is not an identifier");
    if (!names) return std::move(problem_);
    auto filter_by = condition(2);
    return collected(std::move(*names), make_.list(call_.at, nullptr),
                     appended(std::move(call_.args.back()), std::move(filter_by)));
  }

  ExprPtr filter() {
    auto names = variables(1, "argument is not an identifier");
    if (!names) return std::move(problem_);
    auto filter_by = std::move(call_.args[1]);
    return collected(std::move(*names), make_.list(call_.at, nullptr),
                     appended(std::move(call_.args[0]), std::move(filter_by)));
  }

  ExprPtr transform_list() {
    auto names = variables(2, "argument must be a simple name");
    if (!names) return std::move(problem_);
    auto filter_by = condition(3);
    return collected(std::move(*names), make_.list(call_.at, nullptr),
                     appended(std::move(call_.args.back()), std::move(filter_by)));
  }

  ExprPtr transform_map(bool keeps_keys) {
    auto names = variables(2, "argument must be a simple name");
    if (!names) return std::move(problem_);
    auto filter_by = condition(3);
    auto args = exprs(accumulator());
    if (keeps_keys) args.push_back(make_.ident(names->first, call_.at));
    args.push_back(std::move(call_.args.back()));
    auto step = only_if(std::move(filter_by), call("cel.@mapInsert", std::move(args)));
    return collected(std::move(*names), make_.node(ExprKind::Map, call_.at), std::move(step));
  }

  ExprPtr member(std::string_view function, ExprPtr target) {
    auto out = call(function, {});
    out->target = std::move(target);
    return out;
  }

  // target.hasValue() ? <bind the value, then the expression> : optional.none()
  ExprPtr optional_map(std::string_view function) {
    const auto& name = *call_.args[0];
    if (name.kind != ExprKind::Ident) {
      return wrong(name.at,
                   fmt::format("{}() variable name must be a simple identifier", function));
    }
    auto bind = make_.node(ExprKind::Fold, call_.at);
    bind->fold = std::make_unique<Fold>(
        Fold{"#unused", "", name.name, make_.list(call_.at, nullptr),
             member("value", make_.copy(*call_.target)), value(Value::boolean(false)),
             make_.ident(name.name, call_.at), std::move(call_.args[1])});
    if (function == "optMap") bind = call("optional.of", exprs(std::move(bind)));
    return call("_?_:_", exprs(member("hasValue", std::move(call_.target)), std::move(bind),
                               call("optional.none", {})));
  }

  MacroCall& call_;
  ExprMaker& make_;
  Issues& issues_;
  ExprPtr problem_;
};

}  // namespace

std::optional<ExprPtr> expand_macro(MacroCall& call, ExprMaker& make, Issues& issues) {
  return Expander{call, make, issues}.run();
}

}  // namespace fixpoint::cel
