// SPDX-License-Identifier: Apache-2.0
//
// Small operations on texts that several parts of the comparison need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fixpoint::conformance {

// Every `from` in `text` by `to`; an empty `from` is nowhere.
std::string replaced(std::string text, std::string_view from, std::string_view to);

// At most so many bytes of it, with a sign that there was more.
std::string shortened(std::string_view text, std::size_t bytes_max);

// Its leading digits; 0 when there are none.
std::uint64_t number_of(std::string_view text);

}  // namespace fixpoint::conformance
