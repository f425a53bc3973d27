// SPDX-License-Identifier: Apache-2.0
//
// Texts as tests write and compare them: values given as JSON, errors as the lines they print.
#pragma once

#include "json/parsed_for_tests.h"
#include "kube/errors/field_error.h"

#include <string>
#include <vector>

namespace fixpoint::kube {

using json::parsed;

inline std::vector<std::string> texts(const FieldErrors& errors) {
  std::vector<std::string> out;
  for (const auto& error : errors) out.push_back(error.to_string());
  return out;
}

}  // namespace fixpoint::kube
