// SPDX-License-Identifier: Apache-2.0
#include "cel/syntax/parser.h"

#include "cel/syntax/literal.h"
#include "cel/syntax/macros.h"
#include "cel/syntax/recognizer.h"
#include "cel/syntax/token_set.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace fixpoint::cel {
namespace {

// Makes an expression of a tree, which may lack parts after mistakes: then only the issues count.
class ExpressionBuilder {
 public:
  Parsed run(std::string_view expression) {
    const auto tree = recognize(expression, kExpressionDepthMax, issues_);
    auto root =
        tree.root == nullptr ? nothing(kBeforeStart) : built(*tree.root->find(Label::Operand));
    if (too_deep_) issues_.push_back({kNowhere, "max recursion depth exceeded"});
    return {std::move(root), std::move(issues_), make_.made()};
  }

 private:
  using Node = SyntaxNode;
  using Child = SyntaxChild;

  ExprPtr nothing(std::size_t at) { return make_.literal({}, at); }
  ExprPtr wrong(std::size_t at, std::string message) {
    if (!too_deep_) issues_.push_back({at, std::move(message)});
    return nothing(at);
  }

  // The first node below that is more than a way to another.
  static const Node* unwrapped(const Node* node) {
    for (;;) {
      if (node == nullptr) return nullptr;
      const bool wraps = [&] {
        switch (node->rule) {
          case Production::Expression:
          case Production::Disjunction:
          case Production::Conjunction:
          case Production::Relation:
          case Production::Calculation: return node->find(Label::Sign) == nullptr;
          case Production::Unary: return node->alternative == alternative::kMember;
          case Production::Member: return node->alternative == 0;
          case Production::Primary:
            return node->alternative == alternative::kNested ||
                   node->alternative == alternative::kConstant;
          default: return false;
        }
      }();
      if (!wraps) return node;
      const auto* below = node->find(Label::Operand);
      node = below == nullptr ? nullptr : below->node;
    }
  }

  ExprPtr built(const Child& child) { return built(&child); }
  ExprPtr built(const Child* child) {
    const auto* node = unwrapped(child == nullptr ? nullptr : child->node);
    if (node == nullptr || too_deep_) return nothing(kBeforeStart);
    switch (node->rule) {
      case Production::Expression: return linked(*node, &ExpressionBuilder::condition);
      case Production::Disjunction: return logical(*node, "_||_");
      case Production::Conjunction: return logical(*node, "_&&_");
      case Production::Relation:
      case Production::Calculation: return linked(*node, &ExpressionBuilder::operation);
      case Production::Unary: return unary(*node);
      case Production::Member: return linked(*node, &ExpressionBuilder::member);
      case Production::Primary: return primary(*node);
      case Production::Constant: return constant(*node);
      default: return nothing(kBeforeStart);
    }
  }

  // An operator, a field, an element or a method: a link on top of others. Too many of them end
  // everything, so that no tree is too deep.
  ExprPtr linked(const Node& node, ExprPtr (ExpressionBuilder::*build)(const Node&)) {
    if (links_ == kExpressionDepthMax) too_deep_ = true;
    if (too_deep_) return nothing(node.at);
    ++links_;
    auto out = (this->*build)(node);
    --links_;
    return out;
  }

  ExprPtr condition(const Node& node) {
    auto args = exprs(built(node.find(Label::Operand)));
    args.push_back(built(node.find(Label::Other)));
    args.push_back(built(node.find(Label::Else)));
    return make_.call("_?_:_", node.find(Label::Sign)->at, std::move(args));
  }

  ExprPtr operation(const Node& node) {
    const auto* sign = node.find(Label::Sign);
    auto args = exprs(built(node.find(Label::Operand)));
    args.push_back(built(node.find(Label::Other)));
    return make_.call(operator_function(sign->token), sign->at, std::move(args));
  }

  // a || b || c, or the same of &&, as a balanced tree: long chains stay shallow.
  ExprPtr logical(const Node& node, std::string_view function) {
    std::vector<ExprPtr> terms;
    std::vector<std::size_t> places;
    for (const auto& child : node.children) {
      if (child.node == nullptr) {
        places.push_back(child.at);
      } else {
        terms.push_back(built(child));
      }
    }
    return balanced(function, terms, places, 0, places.size() - 1);
  }

  ExprPtr balanced(std::string_view function, std::vector<ExprPtr>& terms,
                   const std::vector<std::size_t>& places, std::size_t low, std::size_t high) {
    const auto middle = (low + high + 1) / 2;
    auto left = middle == low ? std::move(terms[middle])
                              : balanced(function, terms, places, low, middle - 1);
    auto right = middle == high ? std::move(terms[middle + 1])
                                : balanced(function, terms, places, middle + 1, high);
    return make_.call(function, places[middle], exprs(std::move(left), std::move(right)));
  }

  ExprPtr unary(const Node& node) {
    if (node.alternative == 0) return nothing(node.at);
    const auto signs = std::ranges::count(node.children, Label::Sign, &Child::label);
    auto operand = built(node.find(Label::Operand));
    if (signs % 2 == 0) return operand;
    return make_.call(node.alternative == alternative::kNot ? "!_" : "-_",
                      node.find(Label::Sign)->at, exprs(std::move(operand)));
  }

  ExprPtr member(const Node& node) {
    auto target = built(node.find(Label::Operand));
    const auto* sign = node.find(Label::Sign);
    const auto* id = node.find(Label::Id);
    switch (node.alternative) {
      case alternative::kSelect: return selected(node, std::move(target));
      case alternative::kMethod:
        if (id == nullptr) return nothing(node.at);
        return called(node, std::string{id->text}, std::move(target));
      default: {
        if (sign == nullptr) return nothing(node.at);
        const bool optional = node.find(Label::Optional) != nullptr;
        auto key = built(node.find(Label::Other));
        return make_.call(optional ? "_[?_]" : "_[_]", sign->at,
                          exprs(std::move(target), std::move(key)));
      }
    }
  }

  // What a name says, or nothing after telling what is wrong with it, at the given place.
  std::optional<std::string> name_of(const Child& child, std::size_t at) {
    const auto alternative = child.node->alternative;
    if (alternative == alternative::kSimpleName) {
      return std::string{child.node->find(Label::Id)->text};
    }
    wrong(at, alternative == alternative::kQuotedName ? "unsupported syntax: '`'"
                                                      : "unsupported ident kind");
    return std::nullopt;
  }

  ExprPtr selected(const Node& node, ExprPtr target) {
    const auto* sign = node.find(Label::Sign);
    const auto* id = node.find(Label::Id);
    if (sign == nullptr || id == nullptr) return nothing(node.at);
    auto name = name_of(*id, id->at).value_or("");
    if (node.find(Label::Optional) != nullptr) {
      return make_.call(
          "_?._", sign->at,
          exprs(std::move(target), make_.literal(Value::string(std::move(name)), id->at)));
    }
    auto out = make_.node(ExprKind::Select, sign->at);
    out->target = std::move(target);
    out->name = std::move(name);
    return out;
  }

  ExprPtr called(const Node& node, const std::string& name, ExprPtr target) {
    const auto* open = node.find(Label::Open);
    const auto at = open == nullptr ? kBeforeStart : open->at;
    std::vector<ExprPtr> args;
    if (const auto* list = node.find(Label::Arguments)) {
      for (const auto& child : list->node->children) args.push_back(built(child));
    }
    if (too_deep_) return nothing(at);
    MacroCall macro{name, at, std::move(target), std::move(args)};
    if (auto expanded = expand_macro(macro, make_, issues_)) return std::move(*expanded);
    auto out = make_.call(name, at, std::move(macro.args));
    out->target = std::move(macro.target);
    return out;
  }

  ExprPtr primary(const Node& node) {
    switch (node.alternative) {
      case alternative::kIdent:
      case alternative::kCall: return named(node);
      case alternative::kList: return list(node);
      case alternative::kMap: return map(node);
      case alternative::kMessage: return message(node);
      default: return nothing(kBeforeStart);
    }
  }

  ExprPtr named(const Node& node) {
    const auto* id = node.find(Label::Id);
    if (id == nullptr) return nothing(node.at);
    if (reserved(id->text)) return wrong(node.at, fmt::format("reserved identifier: {}", id->text));
    const auto name = (node.find(Label::Dot) == nullptr ? "" : ".") + std::string{id->text};
    if (node.alternative == alternative::kCall) return called(node, name, nullptr);
    return make_.ident(name, id->at);
  }

  static std::size_t opened(const Node& node) {
    const auto* sign = node.find(Label::Sign);
    return sign == nullptr ? node.at : sign->at;
  }

  ExprPtr list(const Node& node) {
    auto out = make_.node(ExprKind::List, opened(node));
    const auto* elements = node.find(Label::Arguments);
    if (elements == nullptr) return out;
    std::vector<bool> optional;
    for (const auto& child : elements->node->children) {
      out->args.push_back(built(child.node->find(Label::Operand)));
      optional.push_back(child.node->find(Label::Optional) != nullptr);
    }
    if (std::ranges::find(optional, true) != optional.end()) {
      out->optional_elements = std::move(optional);
    }
    return out;
  }

  // The keys, colons and values of a map or message, one after the other; an incomplete last one
  // makes all of them worthless, but what comes before it is looked at.
  template <class Entry>
  void each_entry(const Node& node, Entry entry) {
    const auto* entries = node.find(Label::Arguments);
    if (entries == nullptr) return;
    const auto& children = entries->node->children;
    for (std::size_t i = 0; i + 2 < children.size(); i += 3) {
      entry(children[i], children[i + 1], children[i + 2]);
    }
  }

  ExprPtr map(const Node& node) {
    auto out = make_.node(ExprKind::Map, opened(node));
    each_entry(node, [&](const Child& key, const Child& colon, const Child& value) {
      auto name = built(key.node->find(Label::Operand));
      out->fields.push_back({std::move(name),
                             built(value),
                             key.node->find(Label::Optional) != nullptr,
                             colon.at,
                             {}});
    });
    return out;
  }

  ExprPtr message(const Node& node) {
    std::string name;
    for (const auto& child : node.children) {
      if (child.label == Label::Dot) name += '.';
      if (child.label != Label::Id) continue;
      if (!name.empty() && name != ".") name += '.';
      name += child.text;
    }
    auto out = make_.node(ExprKind::Struct, opened(node));
    out->name = std::move(name);
    each_entry(node, [&](const Child& key, const Child& colon, const Child& value) {
      const auto* id = key.node->find(Label::Id);
      auto field = name_of(*id, node.find(Label::Arguments)->at);
      if (!field) return;
      out->fields.push_back({nullptr, built(value), key.node->find(Label::Optional) != nullptr,
                             colon.at, std::move(*field)});
    });
    return out;
  }

  ExprPtr constant(const Node& node) {
    const auto* word = node.find(Label::Value);
    if (word == nullptr) return nothing(kBeforeStart);
    auto value = literal_value(word->token, word->text, node.find(Label::Sign) != nullptr);
    if (!value) return wrong(node.at, value.error());
    return make_.literal(std::move(*value), node.at);
  }

  Issues issues_;
  ExprMaker make_;
  std::size_t links_ = 0;
  bool too_deep_ = false;
};

}  // namespace

Parsed parse(std::string_view expression) {
  if (const auto size = code_points(expression); size > kExpressionCodePointsMax) {
    Parsed out;
    out.issues.push_back({kNowhere, fmt::format("expression code point size exceeds limit: size: "
                                                "{}, limit {}",
                                                size, kExpressionCodePointsMax)});
    return out;
  }
  return ExpressionBuilder{}.run(expression);
}

}  // namespace fixpoint::cel
