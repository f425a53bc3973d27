// SPDX-License-Identifier: Apache-2.0
#include "types/table.h"

#include "kube/schema/validate_pattern.h"
#include "types/encode.h"

#include <algorithm>

namespace fixpoint::types {
namespace {

void compile(Limits& limits) {
  if (!limits.pattern.empty()) {
    // One that does not compile stays null; mistakes() says why.
    if (auto compiled = kube::Pattern::compile(limits.pattern)) {
      limits.compiled_pattern = *std::move(compiled);
    }
  }
  for (auto& items : limits.items) compile(items);
}

}  // namespace

const Type& inner(const Type& type) {
  const Type* at = &type;
  while (at->shape == Shape::Optional) at = &at->element();
  return *at;
}

const Field* Table::find(std::string_view name) const {
  const auto found = std::ranges::find(fields, name, &Field::name);
  return found == fields.end() ? nullptr : &*found;
}

bool has_required(const Table& table) {
  return std::ranges::any_of(table.fields,
                             [](const Field& field) { return field.limits.required; });
}

Table finish(Table table) {
  for (auto& field : table.fields) {
    compile(field.limits);
    field.default_value = find_default(table, field);
  }
  return table;
}

}  // namespace fixpoint::types
