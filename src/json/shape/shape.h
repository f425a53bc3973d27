// SPDX-License-Identifier: Apache-2.0
//
// Shape: which parts of an object are worth keeping, and parsing that never builds the others.
//
// A cache of pods that wants phase and labels should not pay for environment variables: what a
// Shape leaves out is skipped in the text, not built and thrown away.
//   Shape::all().without({"metadata", "managedFields"})
//   Shape::only({{"metadata", "name"}, {"status", "phase"}})
// Paths name object members; a list on the way is entered, each element alike; what is neither
// object nor list where a path would go on is kept as it is.
// apiVersion, kind and the metadata that identifies an object (name, namespace, uid,
// resourceVersion, generation, deletionTimestamp, ownerReferences, finalizers) are always kept.
#pragma once

#include "base/error.h"
#include "json/value.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::json {

class Shape {
 public:
  using Path = std::vector<std::string>;
  static Shape all();
  static Shape only(std::vector<Path> paths);
  Shape without(Path path) const;

  // The same cut on a tree that exists already; shares it when nothing goes away.
  Value cut(View object) const;
  bool keeps_all() const;
  bool operator==(const Shape& other) const;

  struct Node;  // a trie of names, known to the parser
  const Node& root() const { return *root_; }

 private:
  explicit Shape(std::shared_ptr<const Node> root) : root_(std::move(root)) {}
  std::shared_ptr<const Node> root_;
};

// One object, cut while parsing. A null shape keeps all.
Result<Value> parse_shaped(std::string_view text, const Shape* shape);

// Members given to an object that lacks them; an empty one is not. The items of a list of built-in
// kinds do not say what they are, those of a watch do.
struct Stamp {
  std::string_view api_version;
  std::string_view kind;
};

// The elements of the member `list` of the object in `text`, one packed Value each, in order,
// without building the list; the other members come back as one Value. A list that is absent or
// null has no elements.
struct ParsedList {
  Value rest;
  std::vector<Value> elements;
};
Result<ParsedList> parse_list(std::string_view text, std::string_view list, const Shape* shape,
                              Stamp stamp = {});

// The same for one member: the object inside a watch event. Null when it is absent.
struct ParsedMember {
  Value rest;
  Value member;
};
Result<ParsedMember> parse_member(std::string_view text, std::string_view name, const Shape* shape);

}  // namespace fixpoint::json
