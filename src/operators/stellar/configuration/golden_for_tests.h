// SPDX-License-Identifier: Apache-2.0
//
// What the tests of those who write the programs' files and of those who read them have in common.
#pragma once

#include "base/file.h"

#include <string>
#include <string_view>

namespace fixpoint::operators::stellar {

// Of core's own example file.
inline constexpr std::string_view kSeed =
    "SBI3CZU7XZEWVXU7OZLW5MMUQAP334JFOPXSLTPOH43IRTEQ2QYXU5RG";

// A whole file as the operator writes it, under tests/testdata/stellar.
inline std::string golden(const std::string& name) {
  return read_file("tests/testdata/stellar/" + name).value_or("");
}

std::string error_of(const auto& result) {
  return result ? "no error" : result.error().message;
}

}  // namespace fixpoint::operators::stellar
