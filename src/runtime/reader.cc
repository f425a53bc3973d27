// SPDX-License-Identifier: Apache-2.0
//
// The one error that means "ask again in a moment".
#include "runtime/reader.h"

#include <string_view>

namespace fixpoint::runtime {
namespace {

constexpr std::string_view kNotAnsweredYet = "not answered yet";

}  // namespace

// Told by its text: an Error has no room for another mark, and nobody else says just this.
bool same_question(const Probe& a, const Probe& b) {
  return a.name == b.name && a.arguments == b.arguments;
}

bool still_asking(const Error& error) {
  return error.kind == ErrorKind::Unavailable && error.message == kNotAnsweredYet;
}

Error not_answered_yet() {
  return {ErrorKind::Unavailable, std::string{kNotAnsweredYet}};
}

}  // namespace fixpoint::runtime
