// SPDX-License-Identifier: Apache-2.0
//
// 'text'.format([…]): the clauses of a format string, for the function that fills them in and for
// the check that the arguments written beside it fit.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::cel {

struct FormatClause {
  char letter = 's';  // s d f e b x X o
  std::optional<int> precision;
};

// Why an argument does not fit; `in` names the argument as the caller knows it.
struct FormatError {
  std::string message;
  std::size_t at = static_cast<std::size_t>(-1);
};

// Calls `fill` for each clause with the number of its argument; puts the results in between the
// text. `args` is how many there are.
using FillClause =
    std::function<std::expected<std::string, FormatError>(const FormatClause&, std::size_t)>;
std::expected<std::string, FormatError> fill_format(std::string_view format, std::size_t args,
                                                    const FillClause& fill);

// "decimal clause can only be used on integers, was given string".
std::string unfit_argument(char letter, std::string_view type);

}  // namespace fixpoint::cel
