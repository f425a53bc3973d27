// SPDX-License-Identifier: Apache-2.0
//
// JSON text: the fast path and the exact reader agree on everything, and what is read prints to
// text that reads back to the same tree.
#include "base/error.h"
#include "json/draft.h"
#include "json/parsing/go_parse.h"
#include "json/parsing/parse.h"
#include "json/print.h"

namespace {

using namespace fixpoint::json;  // NOLINT: a program, not a header

// Opens every level, so that freezing packs all of it again.
void open_all(Draft& draft) {
  if (draft.is_object()) {
    for (auto& [key, member] : draft.members()) open_all(member);
  } else if (draft.is_array()) {
    for (auto& element : draft.elements()) open_all(element);
  }
}

// Whole floats print as integers (1.0 as 1, and -0.0 as -0, which reads as 0): after two rounds
// everything is settled.
Value settled(const Value& value) {
  const auto once = parse(to_text(value));
  FP_CHECK(once.has_value());
  const auto twice = parse(to_text(*once));
  FP_CHECK(twice.has_value());
  return *twice;
}

void check_round_trips(const Value& value) {
  const auto text = to_text(value);
  const auto again = parse(text);
  FP_CHECK(*again == value);
  FP_CHECK(again->hash() == value.hash());
  FP_CHECK(to_text(*again) == text);
  FP_CHECK(*parse(to_text(value, Escape::Plain)) == value);
  FP_CHECK(*parse(to_pretty_text(value)) == value);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto fast = parse_noting_duplicates(text);
  const auto slow = go_parse(text);
  FP_CHECK(fast.has_value() == slow.has_value());
  if (!fast) {
    FP_CHECK(fast.error().message == slow.error().message);
    return 0;
  }
  FP_CHECK(fast->value == slow->value);
  FP_CHECK(fast->value.hash() == slow->value.hash());
  FP_CHECK(fast->duplicates == slow->duplicates);
  check_round_trips(settled(fast->value));

  Draft draft{fast->value};
  open_all(draft);
  FP_CHECK(draft.freeze() == fast->value);
  return 0;
}
