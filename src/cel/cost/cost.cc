// SPDX-License-Identifier: Apache-2.0
#include "cel/cost/cost.h"

#include "cel/cost/cost_calls.h"
#include "cel/cost/cost_units.h"
#include "cel/library/functions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace fixpoint::cel {
namespace {

constexpr std::uint64_t kStructCost = 40;

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  std::uint64_t out = 0;
  return __builtin_add_overflow(a, b, &out) ? kCostUnbounded : out;
}

std::uint64_t scale(std::uint64_t value, double factor) {
  const double product = std::ceil(static_cast<double>(value) * factor);
  return product >= 18446744073709551616.0 ? kCostUnbounded : static_cast<std::uint64_t>(product);
}

// What the elements of a list or map are like.
struct EntrySize {
  bool is_list = false;
  Range key;
  Range value;
};

std::optional<EntrySize> united(const std::optional<EntrySize>& a,
                                const std::optional<EntrySize>& b) {
  if (!a || !b) return std::nullopt;
  return EntrySize{a->is_list, a->key.united(b->key), a->value.united(b->value)};
}

bool scalar(const Type& type) {
  switch (type.kind) {
    case TypeKind::Bool:
    case TypeKind::Double:
    case TypeKind::Duration:
    case TypeKind::Int:
    case TypeKind::Timestamp:
    case TypeKind::Uint: return true;
    default: return is_optional(type) && scalar(*type.params[0]);
  }
}

std::optional<Range> written_size(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::Literal:
      if (expr.literal.is(Kind::String) || expr.literal.is(Kind::Bytes)) {
        return Range::fixed(expr.literal.size());
      }
      return Range::fixed(1);
    case ExprKind::List: return Range::fixed(expr.args.size());
    case ExprKind::Map: return Range::fixed(expr.fields.size());
    default: return std::nullopt;
  }
}

class Estimator {
 public:
  Estimator(const Shape& self, std::uint32_t nodes)
      : self_(self), ways_(nodes), sizes_(nodes), entry_sizes_(nodes) {}

  Range cost(const Expr& expr) {
    switch (expr.kind) {
      case ExprKind::Literal: return {};
      case ExprKind::Ident: return ident(expr);
      case ExprKind::Select: return select(expr);
      case ExprKind::Call: return call(expr);
      case ExprKind::List: return list(expr);
      case ExprKind::Map: return map(expr);
      case ExprKind::Struct: return Range::fixed(kStructCost);
      case ExprKind::Fold: return is_binding(expr) ? binding(expr) : fold(expr);
    }
    return {};
  }

 private:
  struct Variable {
    std::string_view name;
    Way way;
    std::optional<Range> size;
    std::optional<EntrySize> entry;
  };

  const Variable* variable(std::string_view name) const {
    const auto found = std::find_if(variables_.rbegin(), variables_.rend(),
                                    [&](const Variable& each) { return each.name == name; });
    return found == variables_.rend() ? nullptr : &*found;
  }

  Way way_of(const Expr& expr) const {
    if (expr.kind == ExprKind::Ident) {
      if (const auto* local = variable(expr.name)) return local->way;
    }
    return ways_[expr.id];
  }

  static Way extended(Way way, std::string_view step) {
    way.push_back(step);
    return way;
  }

  std::optional<Range> size_of(const Expr& expr) {
    if (sizes_[expr.id]) return sizes_[expr.id];
    if (const auto size = written_size(expr)) return size;
    if (const auto size = size_at(way_of(expr), self_)) return sizes_[expr.id] = size;
    if (expr.type != nullptr && scalar(*expr.type)) return Range::fixed(1);
    if (expr.kind == ExprKind::Ident) {
      if (const auto* local = variable(expr.name)) return local->size;
    }
    return std::nullopt;
  }
  Range size_or_unknown(const Expr& expr) { return size_of(expr).value_or(Range::unknown()); }

  std::optional<EntrySize> entry_of(const Expr& expr) const {
    if (entry_sizes_[expr.id]) return entry_sizes_[expr.id];
    if (expr.kind == ExprKind::Ident) {
      if (const auto* local = variable(expr.name)) return local->entry;
    }
    return std::nullopt;
  }

  Range ident(const Expr& expr) {
    const auto* local = variable(expr.name);
    ways_[expr.id] = local != nullptr ? local->way : Way{expr.name};
    return Range::fixed(1);
  }

  Range select(const Expr& expr) {
    if (expr.scope == Scope::TypeName) {
      ways_[expr.id] = Way{expr.name};
      return Range::fixed(1);
    }
    auto sum = cost(*expr.target);
    if (expr.test_only) return sum;
    const auto kind = expr.target->type->kind;
    if (kind == TypeKind::Map || kind == TypeKind::Struct) sum = sum + Range::fixed(1);
    ways_[expr.id] = extended(way_of(*expr.target), expr.name);
    return sum;
  }

  CostNode node(const Expr& expr) {
    auto way = way_of(expr);
    if (!way.empty() && (way[0] == kAccumulator || way[0] == "__result__")) way.clear();
    return {&expr, expr.type, std::move(way), size_of(expr)};
  }

  Range call(const Expr& expr) {
    if (expr.name == "dyn") {
      const auto& arg = *expr.args[0];
      const auto sum = cost(arg);
      if (const auto size = size_of(arg)) sizes_[expr.id] = size;
      if (const auto entry = entry_of(arg)) entry_sizes_[expr.id] = entry;
      return sum + Range::fixed(1);
    }
    std::vector<CostNode> args;
    std::vector<Range> arg_costs;
    for (const auto& arg : expr.args) {
      arg_costs.push_back(cost(*arg));
      args.push_back(node(*arg));
    }
    Range sum;
    std::optional<CostNode> target;
    if (expr.target) {
      sum = cost(*expr.target);
      target = node(*expr.target);
    }
    Range total{kCostUnbounded, 0};
    std::optional<Range> result;
    for (const auto* overload : expr.overloads) {
      const CostedCall costed{expr.name, overload->id, target ? &*target : nullptr, args};
      const auto own = function_cost(expr, costed, arg_costs);
      total = total.united(own.cost);
      if (own.result_size) result = result ? result->united(*own.result_size) : *own.result_size;
      index_result(expr, overload->id, result);
      if (!result) result = size_of(expr);
    }
    if (result) sizes_[expr.id] = result;
    return sum + total;
  }

  void index_result(const Expr& expr, std::string_view overload, std::optional<Range>& result) {
    if (overload != "index_list" && overload != "index_map") return;
    const auto entry = entry_of(*expr.args[0]);
    result = entry ? std::optional{entry->value} : std::nullopt;
    ways_[expr.id] =
        extended(way_of(*expr.args[0]), overload == "index_list" ? "@items" : "@values");
  }

  static Range total(const std::vector<Range>& costs) {
    Range sum;
    for (const auto& each : costs) sum = sum + each;
    return sum;
  }

  CallCost function_cost(const Expr& expr, const CostedCall& call,
                         const std::vector<Range>& costs) {
    if (call.overload.starts_with("list_sets_")) {
      const double factor = call.overload == "list_sets_equivalent_list" ? 2 : 1;
      const auto product = set_size(call.args[0]) * set_size(call.args[1]);
      return {product.scaled(factor) + Range::fixed(1) + total(costs), {}};
    }
    if (auto known = library_cost(call, self_)) {
      known->cost = known->cost + total(costs);
      return *known;
    }
    if (auto known = text_cost(call)) {
      known->cost = known->cost + total(costs);
      return *known;
    }
    if (call.overload == "logical_or" || call.overload == "logical_and") {
      return {
          {costs[0].min, (costs[0] + costs[1]).max},
          {}
      };
    }
    if (call.overload == "conditional") return conditional(expr, call, costs);
    if (call.overload == "add_string" || call.overload == "add_bytes" ||
        call.overload == "add_list") {
      return concatenation(expr, call, costs);
    }
    return {Range::fixed(1) + total(costs), {}};
  }

  Range set_size(const CostNode& node) const {
    if (node.size) return *node.size;
    return size_at(node.way, self_).value_or(Range::unknown());
  }
  static Range known(const CostNode& node) { return node.size.value_or(Range::unknown()); }

  // Functions whose cost grows with their arguments.
  static std::optional<CallCost> text_cost(const CostedCall& call) {
    const auto id = call.overload;
    const auto count = call.args.size();
    if (id == "string_format" && call.target != nullptr) {
      return CallCost{known(*call.target).scaled(kTextFactor), {}};
    }
    if (id == "string_to_bytes" && count == 1) {
      const auto size = known(call.args[0]);
      return CallCost{
          size.scaled(kTextFactor), Range{size.min, size.max * 4}
      };
    }
    if (id == "bytes_to_string" && count == 1) {
      const auto size = known(call.args[0]);
      return CallCost{
          size.scaled(kTextFactor), Range{size.min / 4, size.max}
      };
    }
    if (id == "strings_quote" && count == 1) {
      const auto size = known(call.args[0]);
      return CallCost{
          size.scaled(kTextFactor), Range{size.min + 2, size.max * 2 + 2}
      };
    }
    if ((id == "starts_with_string" || id == "ends_with_string") && count == 1) {
      return CallCost{known(call.args[0]).scaled(kTextFactor), {}};
    }
    if (id == "in_list" && count == 2) return CallCost{known(call.args[1]).scaled(1), {}};
    if (id == "matches_string" && call.target != nullptr && count == 1) {
      const auto text = (known(*call.target) + Range::fixed(1)).scaled(kTextFactor);
      return CallCost{text * known(call.args[0]).scaled(kRegexFactor), {}};
    }
    if (id == "contains_string" && call.target != nullptr && count == 1) {
      return CallCost{
          known(*call.target).scaled(kTextFactor) * known(call.args[0]).scaled(kTextFactor), {}};
    }
    return comparison_cost(call);
  }

  static std::optional<CallCost> comparison_cost(const CostedCall& call) {
    const auto id = call.overload;
    const bool ordered = (id.starts_with("less_") || id.starts_with("greater_")) &&
                         (id.ends_with("_string") || id.ends_with("_bytes"));
    if (!ordered && id != "equals" && id != "not_equals") return std::nullopt;
    const auto most = std::min(known(call.args[0]).max, known(call.args[1]).max);
    return CallCost{
        Range{most > 0 ? std::uint64_t{1} : 0, most}
        .scaled(kTextFactor), {}
    };
  }

  CallCost conditional(const Expr& expr, const CostedCall& call, const std::vector<Range>& costs) {
    const auto size = known(call.args[1]).united(known(call.args[2]));
    if (auto entry = united(entry_of(*expr.args[1]), entry_of(*expr.args[2]))) {
      entry_sizes_[expr.id] = entry;
    }
    return {costs[0] + costs[1].united(costs[2]), size};
  }

  CallCost concatenation(const Expr& expr, const CostedCall& call,
                         const std::vector<Range>& costs) {
    const auto size = known(call.args[0]) + known(call.args[1]);
    if (auto entry = united(entry_of(*expr.args[0]), entry_of(*expr.args[1]))) {
      entry_sizes_[expr.id] = entry;
    }
    const auto own = call.overload == "add_list" ? Range::fixed(1) : size.scaled(kTextFactor);
    return {own + total(costs), size};
  }

  Range list(const Expr& expr) {
    Range sum;
    Range item{expr.args.empty() ? 0 : kCostUnbounded, 0};
    for (const auto& arg : expr.args) {
      sum = sum + cost(*arg);
      item = item.united(size_or_unknown(*arg));
    }
    entry_sizes_[expr.id] = EntrySize{true, Range::fixed(1), item};
    return sum + Range::fixed(kListCost);
  }

  Range map(const Expr& expr) {
    Range sum;
    const Range start{expr.fields.empty() ? 0 : kCostUnbounded, 0};
    Range key = start;
    Range value = start;
    for (const auto& field : expr.fields) {
      sum = sum + cost(*field.key) + cost(*field.value);
      key = key.united(size_or_unknown(*field.key));
      value = value.united(size_or_unknown(*field.value));
    }
    entry_sizes_[expr.id] = EntrySize{false, key, value};
    return sum + Range::fixed(kMapCost);
  }

  // The loop variables; one alone is a list's element or a map's key.
  void push_loop_variables(const Fold& loop) {
    const auto entry = entry_of(*loop.range);
    const auto way = way_of(*loop.range);
    const bool over_list = entry ? entry->is_list : loop.range->type->kind == TypeKind::List;
    const auto size = [&](bool value) -> std::optional<Range> {
      if (!entry) return std::nullopt;
      return value ? entry->value : entry->key;
    };
    if (loop.variable2.empty()) {
      variables_.push_back({loop.variable, extended(way, over_list ? "@items" : "@keys"),
                            size(over_list), std::nullopt});
      return;
    }
    variables_.push_back({loop.variable, extended(way, over_list ? "@indices" : "@keys"),
                          size(false), std::nullopt});
    variables_.push_back({loop.variable2, extended(way, over_list ? "@items" : "@values"),
                          size(true), std::nullopt});
  }

  Range fold(const Expr& expr) {
    const auto& loop = *expr.fold;
    auto sum = cost(*loop.range) + cost(*loop.init);
    const auto scope = variables_.size();
    variables_.push_back(
        {loop.accumulator, way_of(*loop.init), size_of(*loop.init), entry_of(*loop.init)});
    push_loop_variables(loop);
    const auto condition = cost(*loop.condition);
    const auto step = cost(*loop.step);
    variables_.resize(scope + 1);
    sum = sum + cost(*loop.result);
    variables_.resize(scope);
    const auto rounds = size_or_unknown(*loop.range);
    sum = sum + rounds * (step + condition);
    if (loop.init->kind == ExprKind::Literal) {
      sizes_[expr.id] = size_of(*loop.init);
    } else if (loop.init->kind == ExprKind::List || loop.init->kind == ExprKind::Map) {
      sizes_[expr.id] = rounds;
      if (auto entry = entry_of(*loop.step)) entry_sizes_[expr.id] = entry;
    }
    return sum;
  }

  // A loop over nothing that only gives a value a name.
  static bool is_binding(const Expr& expr) {
    const auto& loop = *expr.fold;
    return loop.range->kind == ExprKind::List && loop.range->args.empty() &&
           loop.condition->kind == ExprKind::Literal && loop.condition->literal.is_false();
  }

  Range binding(const Expr& expr) {
    const auto& loop = *expr.fold;
    auto sum = cost(*loop.range) + cost(*loop.init);
    variables_.push_back(
        {loop.accumulator, way_of(*loop.init), size_of(*loop.init), entry_of(*loop.init)});
    sum = sum + cost(*loop.result);
    if (const auto size = size_of(*loop.result)) sizes_[expr.id] = size;
    if (const auto entry = entry_of(*loop.result)) entry_sizes_[expr.id] = entry;
    variables_.pop_back();
    return sum;
  }

  const Shape& self_;
  std::vector<Way> ways_;
  std::vector<std::optional<Range>> sizes_;
  std::vector<std::optional<EntrySize>> entry_sizes_;
  std::vector<Variable> variables_;
};

}  // namespace

std::uint64_t saturating_multiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? kCostUnbounded : out;
}

Range operator+(Range a, Range b) {
  return {saturating_add(a.min, b.min), saturating_add(a.max, b.max)};
}

Range operator*(Range a, Range b) {
  return {saturating_multiply(a.min, b.min), saturating_multiply(a.max, b.max)};
}

Range Range::scaled(double factor) const {
  return {scale(min, factor), scale(max, factor)};
}

Range Range::united(Range other) const {
  return {std::min(min, other.min), std::max(max, other.max)};
}

Range estimate_cost(const Expr& root, const Shape& self, std::uint32_t nodes) {
  return Estimator{self, nodes}.cost(root);
}

}  // namespace fixpoint::cel
