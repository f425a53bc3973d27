// SPDX-License-Identifier: Apache-2.0
//
// For tests: what a validation found, as text to compare.
#pragma once

#include "kube/errors/field_error.h"

#include <string>

namespace fixpoint::kinds {

// One line for each error, as a server prints it.
inline std::string texts(const kube::FieldErrors& errors) {
  std::string text;
  for (const auto& error : errors) text += error.to_string() + "\n";
  return text;
}

}  // namespace fixpoint::kinds
