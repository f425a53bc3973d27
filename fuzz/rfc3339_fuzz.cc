// SPDX-License-Identifier: Apache-2.0
//
// RFC 3339 times: whatever is accepted prints and parses back to the same second.
#include "base/rfc3339.h"

#include <chrono>

namespace {

bool inside_years(fixpoint::Instant at) {
  const std::chrono::year_month_day date{std::chrono::floor<std::chrono::days>(at)};
  return date.year() > std::chrono::year{1678} && date.year() < std::chrono::year{2261};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using fixpoint::format_seconds;
  using fixpoint::parse_rfc3339;
  const auto at = parse_rfc3339({reinterpret_cast<const char*>(data), size});
  // An offset may carry the outermost years past what Instant's parser takes back.
  if (!at || !inside_years(*at)) return 0;
  const auto again = parse_rfc3339(format_seconds(*at));
  FP_CHECK(again && *again == std::chrono::floor<std::chrono::seconds>(*at));
  return 0;
}
