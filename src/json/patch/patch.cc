// SPDX-License-Identifier: Apache-2.0
//
// JSON patch over a Draft: only the levels on the way to a change are opened.
#include "json/patch/patch.h"

#include "json/draft.h"
#include "json/patch/pointer.h"
#include "json/print.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace fixpoint::json {
namespace {

std::unexpected<Error> does_not_apply(std::string message) {
  return fail(ErrorKind::NotFound, std::move(message));
}

std::string quoted(std::string_view text) {
  return "'" + std::string{text} + "'";
}

// The word Go's decoder has for what it found.
std::string_view go_name(Type type) {
  switch (type) {
    case Type::Bool: return "bool";
    case Type::Int:
    case Type::Float: return "number";
    default: return to_string(type);
  }
}

std::unexpected<Error> cannot_decode(View found, std::string_view target) {
  return fail(ErrorKind::Invalid, "json: cannot unmarshal " + std::string{go_name(found.type())} +
                                      " into Go " + std::string{target});
}

// As Go's Atoi: a sign and leading zeros are fine.
std::optional<std::int64_t> to_number(std::string_view token) {
  if (token.starts_with('+') && !token.starts_with("+-")) token.remove_prefix(1);
  std::int64_t number = 0;
  const auto* end = token.data() + token.size();
  const auto read = std::from_chars(token.data(), end, number);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return number;
}

// An index into `count` places, counted from the end when negative.
std::optional<std::size_t> index_within(std::string_view token, std::size_t count) {
  auto number = to_number(token);
  if (!number) return std::nullopt;
  if (*number < 0) *number += static_cast<std::int64_t>(count);
  if (*number < 0 || *number >= static_cast<std::int64_t>(count)) return std::nullopt;
  return static_cast<std::size_t>(*number);
}

// How deep a tree goes and how many values it has.
struct Extent {
  std::size_t depth = 0;
  std::size_t values = 1;

  void hold(const Extent& child) {
    depth = std::max(depth, child.depth + 1);
    values += child.values;
  }
};

Extent extent_of(View value) {
  Extent extent{.depth = value.type() >= Type::Array ? 1U : 0U};
  for (const auto [key, member] : value.members()) extent.hold(extent_of(member));
  for (const auto element : value.elements()) extent.hold(extent_of(element));
  return extent;
}

Extent extent_of(const Draft& draft) {
  if (draft.frozen()) return extent_of(draft.frozen_view());
  Extent extent{.depth = draft.is_object() || draft.is_array() ? 1U : 0U};
  if (draft.is_object()) {
    for (const auto& [key, value] : draft.members()) extent.hold(extent_of(value));
  } else if (draft.is_array()) {
    for (const auto& element : draft.elements()) extent.hold(extent_of(element));
  }
  return extent;
}

// Where an operation works: a container, and the name or index in it.
struct PatchPlace {
  Draft* container;
  std::string key;
  std::size_t depth;
};

Draft* child_of(Draft& at, std::string_view token) {
  if (at.is_object()) return at.find(token);
  if (!at.is_array()) return nullptr;
  const auto index = index_within(token, at.size());
  return index ? &at.elements()[*index] : nullptr;
}

std::optional<PatchPlace> find_place(Draft& root, std::string_view path) {
  const auto slash = path.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  path.remove_prefix(slash + 1);
  PatchPlace place{&root, {}, 1};
  for (auto end = path.find('/'); end != std::string_view::npos; end = path.find('/')) {
    place.container = child_of(*place.container, unescape_token(path.substr(0, end)));
    if (place.container == nullptr) return std::nullopt;
    path.remove_prefix(end + 1);
    ++place.depth;
  }
  if (!place.container->is_object() && !place.container->is_array()) return std::nullopt;
  place.key = unescape_token(path);
  return place;
}

// What is there. An absent member of an object reads as null; an absent element does not.
const Draft* look(const PatchPlace& place) {
  static const Draft kNothing;
  if (const Draft* child = child_of(*place.container, place.key)) return child;
  return place.container->is_object() ? &kNothing : nullptr;
}

class Patcher {
 public:
  explicit Patcher(const Value& target) : target_(target), document_(target) {}

  Result<void> run(View operation) {
    const auto op = operation.get("op").as_string("unknown");
    if (op == "add") return add(operation);
    if (op == "remove") return remove(operation);
    if (op == "replace") return replace(operation);
    if (op == "move") return move(operation);
    if (op == "test") return test(operation);
    if (op == "copy") return copy(operation);
    return does_not_apply("unexpected kind: " + std::string{op});
  }

  Value result() const {
    auto patched = document_.freeze();
    // A whole document taken from the patch must not keep the patch in memory.
    return patched.view().same_as(target_) ? patched : patched.compact();
  }

 private:
  Result<PatchPlace> place(View operation, std::string_view field) {
    const auto path = operation.find(field);
    if (!path || path->is_null()) {
      return does_not_apply("operation has no " + std::string{field});
    }
    if (auto found = find_place(document_, path->as_string())) return *std::move(found);
    return does_not_apply(
        std::string{operation.get("op").as_string()} +
        " operation does not apply: the document is missing path: " + quoted(path->as_string()));
  }

  // Room has to be made in a long list, and a large value looked through, again with each
  // operation: that is paid for here, so that no patch holds everybody up.
  Result<void> charge(std::size_t values) {
    work_ += values;
    if (work_ <= kPatchWorkMax) return {};
    return fail(ErrorKind::Exhausted, "The operations of a JSON patch may move " +
                                          std::to_string(kPatchWorkMax) + " values altogether");
  }

  // Checked before anything is put anywhere: a Draft must never be deeper than recursion can go.
  Result<void> check_extent(const PatchPlace& place, const Draft& value) {
    const auto extent = extent_of(value);
    FP_TRY_VOID(charge(extent.values));
    if (place.depth + extent.depth <= kDepthMax) return {};
    return does_not_apply("the patched document would be nested too deeply");
  }

  Result<void> put(const PatchPlace& place, Draft value) {
    FP_TRY_VOID(check_extent(place, value));
    if (place.container->is_object()) {
      if (!place.container->contains(place.key)) FP_TRY_VOID(charge(place.container->size()));
      (*place.container)[place.key] = std::move(value);
      return {};
    }
    auto& elements = place.container->elements();
    const auto index =
        place.key == "-" ? elements.size() : index_within(place.key, elements.size() + 1);
    if (!index) return does_not_apply("unable to access invalid index: " + place.key);
    FP_TRY_VOID(charge(elements.size() - *index));
    elements.insert(elements.begin() + static_cast<std::ptrdiff_t>(*index), std::move(value));
    return {};
  }

  Result<Draft> take_away(const PatchPlace& place) {
    if (place.container->is_object()) {
      Draft* member = place.container->find(place.key);
      if (member == nullptr) {
        return does_not_apply("unable to remove nonexistent key: " + place.key);
      }
      FP_TRY_VOID(charge(place.container->size()));
      Draft taken = std::move(*member);
      place.container->erase(place.key);
      return taken;
    }
    auto& elements = place.container->elements();
    const auto index = index_within(place.key, elements.size());
    if (!index) return does_not_apply("unable to access invalid index: " + place.key);
    FP_TRY_VOID(charge(elements.size() - *index));
    Draft taken = std::move(elements[*index]);
    elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(*index));
    return taken;
  }

  static bool names_document(View operation) {
    const auto path = operation.get("path");
    return path.is_string() && path.as_string().empty();
  }

  Result<void> add(View operation) {
    FP_TRY(where, place(operation, "path"));
    return put(where, operation.get("value"));
  }

  Result<void> remove(View operation) {
    FP_TRY(where, place(operation, "path"));
    if (auto taken = take_away(where); !taken) return std::unexpected(std::move(taken).error());
    return {};
  }

  Result<void> replace(View operation) {
    const auto value = operation.get("value");
    if (names_document(operation)) {
      if (value.is_object() || value.is_array()) document_ = value;
      return {};
    }
    FP_TRY(where, place(operation, "path"));
    if (where.container->is_object()) return put(where, value);
    auto* element = child_of(*where.container, where.key);
    if (element == nullptr) {
      return does_not_apply("replace operation does not apply: the document is missing key: " +
                            where.key);
    }
    FP_TRY_VOID(check_extent(where, value));
    *element = value;
    return {};
  }

  Result<void> move(View operation) {
    FP_TRY(from, place(operation, "from"));
    FP_TRY(value, take_away(from));
    FP_TRY(to, place(operation, "path"));
    return put(to, std::move(value));
  }

  Result<void> copy(View operation) {
    FP_TRY(from, place(operation, "from"));
    const Draft* value = look(from);
    if (value == nullptr) return does_not_apply("unable to access invalid index: " + from.key);
    FP_TRY(to, place(operation, "path"));
    const auto copied = value->freeze();
    if (!copied.is_null()) copied_bytes_ += to_text(copied).size();
    if (copied_bytes_ > kPatchCopyBytesMax) {
      return does_not_apply("the accumulated size increase of copy operations exceeds the limit " +
                            std::to_string(kPatchCopyBytesMax));
    }
    return put(to, copied);
  }

  Result<void> test(View operation) {
    const auto failed = [&] {
      return does_not_apply("testing value " + quoted(operation.get("path").as_string()) +
                            " failed");
    };
    const auto wanted = operation.find("value");
    if (names_document(operation)) {
      if (wanted && document_ == Draft{*wanted}) return {};
      return failed();
    }
    FP_TRY(where, place(operation, "path"));
    const Draft* value = look(where);
    if (value == nullptr) return does_not_apply("unable to access invalid index: " + where.key);
    if (wanted && *value == Draft{*wanted}) return {};
    return failed();
  }

  View target_;
  Draft document_;
  std::size_t copied_bytes_ = 0;
  std::size_t work_ = 0;
};

Result<void> check_operation(View operation) {
  if (operation.is_null()) return {};
  if (!operation.is_object()) return cannot_decode(operation, "value of type handlers.jsonPatchOp");
  for (const std::string_view field : {"op", "path", "from"}) {
    const auto text = operation.get(field);
    if (text.is_string() || text.is_null()) continue;
    return cannot_decode(text,
                         "struct field jsonPatchOp." + std::string{field} + " of type string");
  }
  return {};
}

}  // namespace

Result<void> check_patch(View patch) {
  if (patch.is_null()) return {};
  if (!patch.is_array()) return cannot_decode(patch, "value of type []handlers.jsonPatchOp");
  for (const auto operation : patch.elements()) FP_TRY_VOID(check_operation(operation));
  if (patch.size() > kPatchOperationsMax) {
    return fail(ErrorKind::Exhausted, "The allowed maximum operations in a JSON patch is " +
                                          std::to_string(kPatchOperationsMax) + ", got " +
                                          std::to_string(patch.size()));
  }
  return {};
}

Result<Value> apply_patch(const Value& target, View patch) {
  FP_TRY_VOID(check_patch(patch));
  Patcher patcher{target};
  for (const auto operation : patch.elements()) FP_TRY_VOID(patcher.run(operation));
  return patcher.result();
}

std::vector<std::string> unknown_patch_fields(View patch) {
  constexpr std::string_view kKnown[] = {"op", "path", "from", "value"};
  std::vector<std::string> unknown;
  for (std::size_t i = 0; i < patch.size(); ++i) {
    for (const auto [key, member] : patch[i].members()) {
      if (std::ranges::count(kKnown, key) > 0) continue;
      unknown.push_back("[" + std::to_string(i) + "]." + std::string{key});
    }
  }
  return unknown;
}

}  // namespace fixpoint::json
