// SPDX-License-Identifier: Apache-2.0
//
// FieldSet to FieldsV1 and back. A step is a key; "." below it says that the step itself belongs
// too; a step with nothing below it always belongs.
#include "json/parse.h"
#include "json/print.h"
#include "kube/field_set.h"

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

void print(const FieldSet& set, bool self, std::string& out) {
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
    print(node.children, node.member, out);
  }
  out += '}';
}

}  // namespace

Result<FieldSet> parse_fields_v1(json::View fields) {
  FP_TRY(parsed, parse(fields, 0));
  return std::move(parsed.children);
}

std::string to_fields_v1_text(const FieldSet& set) {
  std::string out;
  print(set, false, out);
  return out;
}

json::Value to_fields_v1(const FieldSet& set) {
  auto value = json::parse(to_fields_v1_text(set));
  FP_CHECK(value.has_value());
  return *std::move(value);
}

}  // namespace fixpoint::kube
