// SPDX-License-Identifier: Apache-2.0
//
// How an object breaks its schema, in the words of Kubernetes' typed merge. Go's formatting verbs
// show through in several of them, so values are printed as Go prints them.
#include "kube/go/value.h"
#include "kube/ownership/merge.h"
#include "kube/ownership/merge_type.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::kube {

namespace {

// Kubernetes wraps the value in a struct of its own before printing it.
std::string wrapped_value(json::View value) {
  return "&{" + go_printed(value) + "}";
}

std::string literal(json::View value) {
  return "&value.valueUnstructured{Value:" + go_literal(value) + "}";
}

class ShapeChecker {
 public:
  explicit ShapeChecker(Duplicates duplicates) : duplicates_(duplicates) {}

  void check(const MergeType& type, json::View value) {
    const Atom atom(type);
    switch (atom.shape(value)) {
      case Shape::Scalar: check_scalar(atom.scalar(), value); return;
      case Shape::Map: check_map(atom, value); return;
      case Shape::List: check_list(atom, value); return;
    }
  }

  std::string text() const {
    if (errors_.empty()) return {};
    if (errors_.size() == 1) return errors_.front();
    std::string out = "errors:";
    for (const std::string& error : errors_) out += "\n  " + error;
    return out;
  }

 private:
  void report(std::string message) {
    const std::string path = to_string(path_);
    errors_.push_back(path.empty() ? std::move(message) : path + ": " + message);
  }

  void check_scalar(Scalar scalar, json::View value) {
    if (value.is_null()) return;
    switch (scalar) {
      case Scalar::None: return;
      case Scalar::Numeric:
        if (!value.is_number())
          report(
              fmt::format("expected numeric (int or float), got {}", go_type_name(value.type())));
        return;
      case Scalar::String:
        if (!value.is_string()) report("expected string, got " + literal(value));
        return;
      case Scalar::Boolean:
        if (!value.is_bool()) report("expected boolean, got " + wrapped_value(value));
        return;
      case Scalar::Untyped:
        if (value.is_array() || value.is_object())
          report("expected any scalar, got " + wrapped_value(value));
        return;
    }
  }

  void check_map(const Atom& atom, json::View value) {
    if (value.is_null()) return;
    if (!value.is_object()) {
      report("expected map, got " + wrapped_value(value));
      return;
    }
    for (const auto [key, part] : value.members()) {
      const MergeType type = atom.member(key);
      path_.push_back(PathElement::field(key));
      if (type.declared()) {
        check(type, part);
      } else {
        report("field not declared in schema");
      }
      path_.pop_back();
      // The first unknown member ends the look at this object.
      if (!type.declared()) return;
    }
  }

  void check_list(const Atom& atom, json::View value) {
    if (value.is_null()) return;
    if (!value.is_array()) {
      report("expected list, got " + wrapped_value(value));
      return;
    }
    std::vector<PathElement> seen;
    std::int64_t index = 0;
    for (const json::View item : value.elements()) {
      PathElement step = PathElement::index(index);
      if (!atom.list_atomic()) {
        auto named = list_step(atom, item);
        if (!named) {
          report(fmt::format("element {}: {}", index, named.error().message));
          return;
        }
        step = *std::move(named);
        note_duplicate(step, seen);
      }
      path_.push_back(std::move(step));
      check(atom.list_element(), item);
      path_.pop_back();
      ++index;
    }
  }

  void note_duplicate(const PathElement& step, std::vector<PathElement>& seen) {
    const auto at = std::ranges::lower_bound(seen, step);
    const bool known = at != seen.end() && *at == step;
    if (known && duplicates_ == Duplicates::Refused)
      report("duplicate entries for key " + step.to_string());
    if (!known) seen.insert(at, step);
  }

  Duplicates duplicates_;
  Path path_;
  std::vector<std::string> errors_;
};

}  // namespace

std::string shape_errors(const Schema& schema, json::View object, Duplicates duplicates) {
  ShapeChecker checker(duplicates);
  checker.check(root_type(schema), object);
  return checker.text();
}

}  // namespace fixpoint::kube
