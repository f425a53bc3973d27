// SPDX-License-Identifier: Apache-2.0
#include "cel/cost/cost_calls.h"

#include "cel/cost/cost_units.h"

#include <array>
#include <cmath>

namespace fixpoint::cel {
namespace {

constexpr std::uint64_t kAuthorizationCheckCost = 350'000;
constexpr std::uint64_t kNamedFormatRegexSize = 128;
constexpr std::uint64_t kFormatSizeMax = 64;
constexpr std::uint64_t kSelectorListCost = 10;
constexpr double kSelectorRequirementCost = 50;
// The bytes of an address.
constexpr Range kAddress{4, 16};

class LibraryCost {
 public:
  LibraryCost(const CostedCall& call, const Shape& self) : call_(call), self_(self) {}

  std::optional<CallCost> run() const {
    const auto f = call_.function;
    if (f == "check") return fixed(kAuthorizationCheckCost);
    if (nominal(f)) return fixed(1);
    if (one_of(f, {"isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"})) return traversed();
    if (one_of(f, {"url"})) return text_argument(true);
    if (one_of(f, {"lowerAscii", "upperAscii", "substring", "trim"})) return text_target();
    if (f == "replace") return replaced();
    if (f == "split") return split();
    if (f == "join") return joined();
    if (f == "find" || f == "findAll") return found();
    if (f == "ip" && call_.overload == "cidr_ip") return fixed(1);
    if (one_of(f,
               {"cidr", "isIP", "isCIDR", "ip", "quantity", "isQuantity", "semver", "isSemver"})) {
      return text_argument(false);
    }
    if (f == "ip.isCanonical" && !call_.args.empty()) {
      return CallCost{size(call_.args[0]).scaled(2 * kTextFactor), {}};
    }
    if (f == "containsIP" || f == "containsCIDR") return network(f == "containsCIDR");
    if (f == "validate" && !call_.args.empty()) {
      return CallCost{size(call_.args[0])
                          .scaled(kTextFactor)
                          .scaled(static_cast<double>(kNamedFormatRegexSize) * kRegexFactor),
                      {}};
    }
    if (f == "fieldSelector" || f == "labelSelector") return selector();
    if (f == "_==_" && call_.args.size() == 2) return equality();
    return std::nullopt;
  }

 private:
  static CallCost fixed(std::uint64_t cost) { return {Range::fixed(cost), {}}; }

  static bool nominal(std::string_view f) {
    return one_of(f, {"serviceAccount",
                      "path",
                      "group",
                      "resource",
                      "subresource",
                      "namespace",
                      "name",
                      "allowed",
                      "reason",
                      "error",
                      "errored",
                      "masked",
                      "prefixLength",
                      "family",
                      "isUnspecified",
                      "isLoopback",
                      "isLinkLocalMulticast",
                      "isLinkLocalUnicast",
                      "isGlobalUnicast",
                      "format.named",
                      "sign",
                      "asInteger",
                      "isInteger",
                      "asApproximateFloat",
                      "isGreaterThan",
                      "isLessThan",
                      "compareTo",
                      "add",
                      "sub",
                      "major",
                      "minor",
                      "patch",
                      "getScheme",
                      "getHostname",
                      "getHost",
                      "getPort",
                      "getEscapedPath",
                      "getQuery"});
  }

  Range size(const CostNode& node) const {
    if (node.size) return *node.size;
    return size_at(node.way, self_).value_or(Range::unknown());
  }

  // The elements of a list, or nothing where the type has none.
  static std::optional<CostNode> element_of(const CostNode& list) {
    if (list.type == nullptr || list.type->params.empty()) return std::nullopt;
    CostNode out{.type = list.type->params[0]};
    if (!list.way.empty()) {
      out.way = list.way;
      out.way.push_back("@items");
    }
    return out;
  }

  std::optional<CallCost> traversed() const {
    if (call_.target == nullptr) return std::nullopt;
    const auto element = element_of(*call_.target);
    if (!element) return CallCost{size(*call_.target).scaled(kTextFactor), {}};
    auto each = Range::fixed(1);
    if (element->type->kind == TypeKind::String || element->type->kind == TypeKind::Bytes) {
      each = each + size(*element).scaled(kTextFactor);
    }
    return CallCost{size(*call_.target) * each, {}};
  }

  std::optional<CallCost> text_argument(bool keeps_size) const {
    if (call_.args.empty() || (keeps_size && call_.args.size() != 1)) return std::nullopt;
    const auto length = size(call_.args[0]);
    CallCost out{length.scaled(kTextFactor), {}};
    if (keeps_size) out.result_size = length;
    return out;
  }

  std::optional<CallCost> text_target() const {
    if (call_.target == nullptr) return std::nullopt;
    const auto length = size(*call_.target);
    return CallCost{length.scaled(kTextFactor), length};
  }

  std::optional<CallCost> replaced() const {
    if (call_.target == nullptr || call_.args.size() < 2) return std::nullopt;
    const auto text = size(*call_.target);
    const auto old = size(call_.args[0]);
    const auto with = size(call_.args[1]);
    const auto one_more = [](std::uint64_t n) { return n < kCostUnbounded ? n + 1 : n; };
    const auto times = [](std::uint64_t n, std::uint64_t each) {
      return static_cast<std::uint64_t>(
          std::ceil(static_cast<double>(n) / static_cast<double>(each)));
    };
    Range count;
    Range kept;
    if (old.min == 0) {
      count.max = one_more(text.max);
      kept.max = text.max;
    } else if (with.max <= old.min) {
      kept.max = text.max;
    } else {
      count.max =
          text.max == kCostUnbounded && old.min == 1 ? kCostUnbounded : times(text.max, old.min);
    }
    if (old.max == 0) {
      count.min = one_more(text.min);
      kept.min = text.min;
    } else if (old.max <= with.min) {
      kept.min = text.min;
    } else {
      count.min = times(text.min, old.max);
    }
    return CallCost{text.scaled(2 * kTextFactor), count * with + kept};
  }

  std::optional<CallCost> split() const {
    if (call_.target == nullptr) return std::nullopt;
    const auto text = size(*call_.target);
    auto most = text.max;
    if (call_.args.size() > 1 && call_.args[1].expr != nullptr &&
        call_.args[1].expr->kind == ExprKind::Literal &&
        call_.args[1].expr->literal.is(Kind::Int)) {
      most = static_cast<std::uint64_t>(call_.args[1].expr->literal.as_int());
    }
    return CallCost{
        text.scaled(2 * kTextFactor), Range{0, most}
    };
  }

  std::optional<CallCost> joined() const {
    if (call_.target == nullptr) return std::nullopt;
    const auto list = size(*call_.target);
    Range text;
    if (const auto element = element_of(*call_.target)) text = list * size(*element);
    if (!call_.args.empty()) {
      const Range between{list.min > 0 ? list.min - 1 : 0, list.max > 0 ? list.max - 1 : 0};
      text = text + size(call_.args[0]) * between;
    }
    return CallCost{text.scaled(kTextFactor), text};
  }

  std::optional<CallCost> found() const {
    if (call_.target == nullptr || call_.args.empty()) return std::nullopt;
    const auto text = size(*call_.target);
    const auto search = (text + Range::fixed(1)).scaled(kTextFactor);
    return CallCost{
        search * size(call_.args[0]).scaled(kRegexFactor), Range{0, text.max}
    };
  }

  std::optional<CallCost> network(bool whole) const {
    if (call_.args.empty()) return std::nullopt;
    auto cost = (kAddress + kAddress).scaled(kTextFactor);
    if (whole) cost = cost + kAddress.scaled(kTextFactor) + Range::fixed(1);
    if (call_.overload.ends_with("_string")) {
      cost = cost + size(call_.args[0]).scaled(kTextFactor);
    }
    return CallCost{cost, {}};
  }

  std::optional<CallCost> selector() const {
    if (call_.args.size() != 1) return std::nullopt;
    const auto length = size(call_.args[0]);
    return CallCost{Range::fixed(kSelectorListCost) + length.scaled(kTextFactor) +
                        length.scaled(0.5).scaled(kSelectorRequirementCost),
                    {}};
  }

  std::optional<CallCost> equality() const {
    const auto* type = call_.args[0].type;
    if (type == nullptr || call_.args[1].type == nullptr ||
        !same_type(*type, *call_.args[1].type)) {
      return std::nullopt;
    }
    if (one_of(type->name, {"net.IP", "net.CIDR", "kubernetes.Quantity", "kubernetes.Semver"})) {
      return fixed(1);
    }
    if (type->name == "kubernetes.NamedFormat") {
      return CallCost{
          Range{1, kFormatSizeMax}
          .scaled(kTextFactor), {}
      };
    }
    if (type->name == "kubernetes.URL") {
      const auto longest = call_.args[1].size ? call_.args[1].size->max : 1;
      return CallCost{
          Range{1, longest}
          .scaled(kTextFactor), {}
      };
    }
    return std::nullopt;
  }

  const CostedCall& call_;
  const Shape& self_;
};

}  // namespace

std::optional<Range> size_at(const Way& way, const Shape& self) {
  if (way.empty()) return std::nullopt;
  const Shape* at = &self;
  for (std::size_t i = 1; i < way.size(); ++i) {
    const auto step = way[i];
    if (step == "@items" || step == "@values") {
      at = at->element;
    } else if (step == "@keys") {
      // Keys are text of which nothing is known; their size counts as none.
      return at->kind == ShapeKind::Map && i + 1 == way.size() ? std::optional{Range{}}
                                                               : std::nullopt;
    } else {
      const auto* field = at->kind == ShapeKind::Object ? at->field_escaped(step) : nullptr;
      at = field == nullptr || !field->shape->typed ? nullptr : field->shape;
    }
    if (at == nullptr) return std::nullopt;
  }
  return Range{0, static_cast<std::uint64_t>(at->elements_max)};
}

std::optional<CallCost> library_cost(const CostedCall& call, const Shape& self) {
  return LibraryCost{call, self}.run();
}

}  // namespace fixpoint::cel
