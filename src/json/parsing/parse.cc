// SPDX-License-Identifier: Apache-2.0
//
// The fast path: simdjson's tape, walked once, becomes the block.
//
// Whatever simdjson refuses (lone surrogates and invalid UTF-8 among it), and whatever it would
// read otherwise than Go (duplicate keys, containers whose size its tape cannot count), goes to the
// exact reader.
#include "json/parsing/parse.h"

#include "json/parsing/go_parse.h"
#include "json/parsing/tape.h"
#include "json/parsing/tape_reader.h"

#include <optional>

namespace fixpoint::json {
namespace {

std::optional<Value> fast_parse(std::string_view text) {
  std::optional<Value> value;
  if (const auto tape = tape_of(text)) value = TapeReader{*tape}.whole(Tape::kRoot);
  trim_tape();
  return value;
}

}  // namespace

Result<void> check_text_size(std::string_view text) {
  if (text.size() <= kTextBytesMax) return {};
  return fail(ErrorKind::Exhausted, "JSON text of " + std::to_string(text.size()) +
                                        " bytes is larger than the limit of " +
                                        std::to_string(kTextBytesMax));
}

Result<Parsed> parse_noting_duplicates(std::string_view text) {
  FP_TRY_VOID(check_text_size(text));
  if (auto value = fast_parse(text)) return Parsed{*std::move(value), {}};
  return go_parse(text);
}

Result<Value> parse(std::string_view text) {
  FP_TRY(parsed, parse_noting_duplicates(text));
  return std::move(parsed.value);
}

}  // namespace fixpoint::json
