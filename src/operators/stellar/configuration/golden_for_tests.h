// SPDX-License-Identifier: Apache-2.0
//
// What the tests of those who write the programs' files and of those who read them have in common.
#pragma once

#include "base/file.h"

#include <string>

namespace fixpoint::operators::stellar {

// A whole file as the operator writes it, under tests/testdata/stellar.
inline std::string golden(const std::string& name) {
  return read_file("tests/testdata/stellar/" + name).value_or("");
}

std::string error_of(const auto& result) {
  return result ? "no error" : result.error().message;
}

}  // namespace fixpoint::operators::stellar
