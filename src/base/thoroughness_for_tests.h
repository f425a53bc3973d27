// SPDX-License-Identifier: Apache-2.0
//
// How much of its cases a long test goes through: all of them in a plain build, a share under a
// sanitizer, which takes twenty times as long for each and looks for what does not depend on how
// many there are. The property asked of each case is the same in both.
#pragma once

#include <cstddef>

namespace fixpoint {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FP_SANITIZED
#endif
#endif

#ifdef FP_SANITIZED
inline constexpr bool kSanitized = true;
#undef FP_SANITIZED
#else
inline constexpr bool kSanitized = false;
#endif

// Of so many cases one is tried. Odd, and no multiple of three: it keeps step with no pattern of
// the cases (a write after each read, three faults an effect).
inline constexpr std::size_t kCasesStride = kSanitized ? 31 : 1;
// The same where there are but a dozen or two.
inline constexpr std::size_t kFewCasesStride = kSanitized ? 4 : 1;
// Of so many cases that differ by chance alone, and of what is expected to come of them.
constexpr int some_of(int cases) {
  return kSanitized ? cases / 10 : cases;
}

}  // namespace fixpoint
