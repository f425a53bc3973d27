// SPDX-License-Identifier: Apache-2.0
//
// The little of DNS that a cluster's names need: one question in, addresses out. Pure.
#pragma once

#include "base/error.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::node {

inline constexpr std::uint16_t kTypeA = 1;
// Over UDP without extensions.
inline constexpr std::size_t kMessageBytesMax = 512;

struct DnsQuestion {
  std::uint16_t id = 0;
  std::uint16_t type = 0;
  std::string name;   // lower case, without the last dot
  std::string bytes;  // as asked, for the answer
  bool recursion = false;
};

// Invalid for anything but a plain query of one question.
Result<DnsQuestion> parse_question(std::string_view message);

enum class DnsOutcome : std::uint8_t { Found = 0, Failed = 2, NoSuchName = 3 };
// Addresses "a.b.c.d"; as many as fit.
std::string dns_answer(const DnsQuestion& question, DnsOutcome outcome,
                       const std::vector<std::string>& addresses);

}  // namespace fixpoint::node
