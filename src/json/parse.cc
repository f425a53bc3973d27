// SPDX-License-Identifier: Apache-2.0
//
// The fast path: simdjson's tape, walked once, becomes the block.
//
// Whatever simdjson refuses (lone surrogates and invalid UTF-8 among it), and whatever it would
// read otherwise than Go (duplicate keys, containers whose size its tape cannot count), goes to the
// exact reader.
#include "json/parse.h"

#include "json/builder.h"
#include "json/go_parse.h"
#include "json/key_guess.h"

#include <cstring>
#include <memory>
#include <optional>

#include <simdjson.h>

namespace fixpoint::json {
namespace {

// Buffers that grew beyond this are given back after the text that needed them.
constexpr std::size_t kKeptTextBytes = std::size_t{1} << 20U;
// The tape saturates its counts here.
constexpr std::uint32_t kTapeCountMax = 0xFFFFFF;

// simdjson reads up to 64 bytes past the end: the text is copied to where that is allowed. The copy
// costs about one percent of the parse.
class Scratch {
 public:
  // The tape of `text`, or nullptr if simdjson refuses it.
  const simdjson::dom::document* parse(std::string_view text) {
    if (buffer_ == nullptr || text.size() > buffer_bytes_) {
      buffer_bytes_ = std::max<std::size_t>(text.size(), std::size_t{16} << 10U);
      buffer_ = std::make_unique_for_overwrite<char[]>(buffer_bytes_ + simdjson::SIMDJSON_PADDING);
    }
    std::memcpy(buffer_.get(), text.data(), text.size());
    std::memset(buffer_.get() + text.size(), ' ', simdjson::SIMDJSON_PADDING);
    const auto error = parser_.parse(buffer_.get(), text.size(), false).error();
    return error == simdjson::SUCCESS ? &parser_.doc : nullptr;
  }

  void trim() {
    if (buffer_bytes_ <= kKeptTextBytes) return;
    buffer_.reset();
    buffer_bytes_ = 0;
    parser_ = simdjson::dom::parser{};
  }

 private:
  simdjson::dom::parser parser_;
  std::unique_ptr<char[]> buffer_;
  std::size_t buffer_bytes_ = 0;
};

class TapeReader {
 public:
  TapeReader(const simdjson::dom::document& document, BlockBuilder& out, KeyGuess& guess)
      : tape_(document.tape.get()), strings_(document.string_buf.get()), out_(out), guess_(guess) {}

  // Nothing if the exact reader has to look.
  std::optional<Value> read() {
    at_ = 1;
    const auto root = out_.reserve(1);
    value(kNoKey, root);
    if (odd_) return std::nullopt;
    return out_.finish();
  }

 private:
  std::string_view string(std::uint64_t word) const {
    const auto* place = strings_ + (word & kPayload);
    std::uint32_t size = 0;
    std::memcpy(&size, place, sizeof size);
    return {reinterpret_cast<const char*>(place + sizeof size), size};
  }

  void value(std::uint32_t key, std::uint32_t to) {
    const auto word = tape_[at_++];
    switch (static_cast<char>(word >> 56U)) {
      case '"': set(to, out_.valid_string(key, string(word))); return;
      case 'l':
        set(to, BlockBuilder::integer(key, static_cast<std::int64_t>(tape_[at_++])));
        return;
      case 'u': set(to, BlockBuilder::number(key, static_cast<double>(tape_[at_++]))); return;
      case 'd': set(to, BlockBuilder::number(key, std::bit_cast<double>(tape_[at_++]))); return;
      case 't': set(to, BlockBuilder::boolean(key, true)); return;
      case 'f': set(to, BlockBuilder::boolean(key, false)); return;
      case 'n': set(to, BlockBuilder::null(key)); return;
      default: container(word, key, to);
    }
  }

  void container(std::uint64_t word, std::uint32_t key, std::uint32_t to) {
    const auto count = static_cast<std::uint32_t>(word >> 32U) & kTapeCountMax;
    if (count == kTapeCountMax || depth_ == kDepthMax) odd_ = true;
    if (odd_) return;
    ++depth_;
    const bool is_object = static_cast<char>(word >> 56U) == '{';
    const auto first = out_.reserve(count);
    set(to, BlockBuilder::container(is_object ? Type::Object : Type::Array, key, count, first));
    if (is_object) {
      members(key, first, count);
    } else {
      for (std::uint32_t i = 0; i < count; ++i) value(kNoKey, first + i);
    }
    ++at_;  // the closing word
    --depth_;
  }

  void set(std::uint32_t to, Node node) { out_.at(to) = node; }

  void members(std::uint32_t own_key, std::uint32_t first, std::uint32_t count) {
    KeyGuess::Place place{own_key, kNoKey};
    std::string_view last;
    bool sorted = true;
    for (std::uint32_t i = 0; i < count && !odd_; ++i) {
      const auto name = string(tape_[at_++]);
      auto next = guess_.ask(place, name);
      if (next.key == kNoKey) {
        next = {out_.key(name), i == 0 || last < name};
        guess_.learn(place, next);
      }
      sorted = sorted && next.ascending;
      last = name;
      place.before = next.key;
      value(next.key, first + i);
    }
    // Once something odd was met, the rest of the members was not read and must not be looked at.
    if (!odd_ && !sorted && !out_.sort_members(first, count)) odd_ = true;
  }

  static constexpr std::uint64_t kPayload = (std::uint64_t{1} << 56U) - 1;

  const std::uint64_t* tape_;
  const std::uint8_t* strings_;
  BlockBuilder& out_;
  KeyGuess& guess_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  bool odd_ = false;
};

std::optional<Value> fast_parse(std::string_view text) {
  thread_local Scratch scratch;
  thread_local KeyGuess guess;
  if (text.empty()) return std::nullopt;
  std::optional<Value> value;
  if (const auto* document = scratch.parse(text)) {
    value = TapeReader{*document, BlockBuilder::fresh(), guess}.read();
  }
  scratch.trim();
  return value;
}

}  // namespace

Result<Parsed> parse_noting_duplicates(std::string_view text) {
  if (text.size() > kTextBytesMax) {
    return fail(ErrorKind::Exhausted, "JSON text of " + std::to_string(text.size()) +
                                          " bytes is larger than the limit of " +
                                          std::to_string(kTextBytesMax));
  }
  if (auto value = fast_parse(text)) return Parsed{*std::move(value), {}};
  return go_parse(text);
}

Result<Value> parse(std::string_view text) {
  FP_TRY(parsed, parse_noting_duplicates(text));
  return std::move(parsed.value);
}

}  // namespace fixpoint::json
