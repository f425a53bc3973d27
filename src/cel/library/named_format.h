// SPDX-License-Identifier: Apache-2.0
//
// A format that expressions name: format.dns1123Label().validate(self.name).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::cel {

struct NamedFormat {
  std::string_view name;
  std::uint64_t regex_size = 0;  // what a check costs
  std::vector<std::string> (*problems)(std::string_view text) = nullptr;
};

}  // namespace fixpoint::cel
