// SPDX-License-Identifier: Apache-2.0
#include "json/strings.h"

namespace fixpoint::json {

std::vector<std::string> strings_of(View list) {
  std::vector<std::string> values;
  for (const View value : list.elements()) values.emplace_back(value.as_string());
  return values;
}

Draft list_of(std::span<const std::string> values) {
  Draft list = Draft::array();
  for (const auto& value : values) list.push_back(value);
  return list;
}

}  // namespace fixpoint::json
