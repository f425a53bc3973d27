// SPDX-License-Identifier: Apache-2.0
//
// FieldSet to FieldsV1 and back. A step is a key; "." below it says that the step itself belongs
// too; a step with nothing below it always belongs.
#include "json/builder.h"
#include "json/parsing/parse.h"
#include "json/print.h"
#include "kube/ownership/field_set.h"

#include <optional>

#include <fmt/format.h>

namespace fixpoint::kube {

namespace {

struct Parsed {
  FieldSet children;
  bool member = false;
};

Result<Parsed> parse(json::View fields, std::size_t depth) {
  if (depth > kFieldSetDepthMax)
    return fail(ErrorKind::Invalid, fmt::format("fields nest deeper than {}", kFieldSetDepthMax));
  if (!fields.is_object() && !fields.is_null())
    return fail(ErrorKind::Invalid, fmt::format("expected an object of fields, got {}",
                                                json::to_string(fields.type())));
  Parsed out;
  for (const auto [key, below] : fields.members()) {
    if (key == ".") {
      out.member = true;
      continue;
    }
    FP_TRY(step, parse_path_element(key));
    if (!step) continue;
    FP_TRY(child, parse(below, depth + 1));
    out.children.add(std::move(*step), child.member, std::move(child.children));
  }
  if (out.children.empty()) out.member = true;
  return out;
}

void print_fields(const FieldSet& set, bool self, std::string& out) {
  out += '{';
  bool first = true;
  const auto separate = [&] {
    if (!first) out += ',';
    first = false;
  };
  if (self && !set.empty()) {
    separate();
    out += "\".\":{}";
  }
  for (const FieldSet::Node& node : set.nodes()) {
    separate();
    json::print_string(node.step.wire(), out);
    out += ':';
    print_fields(node.children, node.member, out);
  }
  out += '}';
}

// The same tree laid out directly: every write does this for each owner that it changes.
class Layout {
 public:
  // Nothing if two steps have one text. Numbers are compared as floats where one of them is, so a
  // set of integers that no float tells apart may hold one of them as a float as well.
  static std::optional<json::Value> of(const FieldSet& set) {
    auto& out = json::BlockBuilder::fresh();
    Layout layout{out};
    layout.put(set, false, json::kNoKey, out.reserve(1));
    if (!layout.unique_) return std::nullopt;
    return out.finish();
  }

 private:
  explicit Layout(json::BlockBuilder& out) : out_(out) {}

  void put(const FieldSet& set, bool self, std::uint32_t key, std::uint32_t to) {
    const bool dot = self && !set.empty();
    const auto count = static_cast<std::uint32_t>(set.nodes().size() + (dot ? 1U : 0U));
    const auto first = out_.reserve(count);
    out_.at(to) = json::BlockBuilder::container(json::Type::Object, key, count, first);
    auto at = first;
    if (dot) put({}, false, out_.key("."), at++);
    for (const FieldSet::Node& node : set.nodes()) {
      put(node.children, node.member, key_of(node.step), at++);
    }
    if (!out_.sort_members(first, count)) unique_ = false;
  }

  std::uint32_t key_of(const PathElement& step) {
    if (!step.is_field()) return out_.key(step.wire());
    text_.assign("f:").append(step.name());
    return out_.key(text_);
  }

  json::BlockBuilder& out_;
  std::string text_;
  bool unique_ = true;
};

}  // namespace

Result<FieldSet> parse_fields_v1(json::View fields) {
  FP_TRY(parsed, parse(fields, 0));
  return std::move(parsed.children);
}

std::string to_fields_v1_text(const FieldSet& set) {
  std::string out;
  print_fields(set, false, out);
  return out;
}

json::Value to_fields_v1(const FieldSet& set) {
  if (auto made = Layout::of(set)) return *std::move(made);
  auto value = json::parse(to_fields_v1_text(set));  // the last of two is kept
  FP_CHECK(value.has_value());
  return *std::move(value);
}

}  // namespace fixpoint::kube
