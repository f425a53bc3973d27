// SPDX-License-Identifier: Apache-2.0
//
// One operation of a JSON patch.
#pragma once

#include "json/draft.h"

#include <string_view>
#include <utility>

namespace fixpoint::runtime {

inline json::Draft json_operation(std::string_view op, std::string_view path, json::Draft value) {
  json::Draft operation = json::Draft::object();
  operation["op"] = op;
  operation["path"] = path;
  operation["value"] = std::move(value);
  return operation;
}

}  // namespace fixpoint::runtime
