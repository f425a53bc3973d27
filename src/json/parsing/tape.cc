// SPDX-License-Identifier: Apache-2.0
#include "json/parsing/tape.h"

#include "json/parsing/scratch.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <new>

#include <simdjson.h>

namespace fixpoint::json {
namespace {

// Buffers that grew beyond this are given back after the text that needed them: a page of 500
// middling objects stays below it.
constexpr std::size_t kKeptTextBytes = std::size_t{1} << 20U;
constexpr std::size_t kFirstTextBytes = std::size_t{16} << 10U;

// simdjson reads up to 64 bytes past the end: the text is copied to where that is allowed. The copy
// costs about one percent of the parse.
class Scratch {
 public:
  const simdjson::dom::document* parse(std::string_view text) {
    if (buffer_ == nullptr || text.size() > buffer_bytes_) make_room(text.size());
    std::memcpy(buffer_.get(), text.data(), text.size());
    std::memset(buffer_.get() + text.size(), ' ', simdjson::SIMDJSON_PADDING);
    const auto error = parser_.parse(buffer_.get(), text.size(), false).error();
    return error == simdjson::SUCCESS ? &parser_.doc : nullptr;
  }

  void trim(std::size_t kept_bytes) {
    if (buffer_bytes_ <= kept_bytes) return;
    buffer_.reset();
    buffer_bytes_ = 0;
    parser_ = simdjson::dom::parser{};
  }

 private:
  void make_room(std::size_t bytes) {
    // Those that stay are rounded up: texts differ by a few bytes, and each new buffer leaves a
    // hole.
    const auto room = bytes < kKeptTextBytes ? std::bit_ceil(bytes) : bytes;
    buffer_bytes_ = std::max(room, kFirstTextBytes);
    buffer_ = std::make_unique_for_overwrite<char[]>(buffer_bytes_ + simdjson::SIMDJSON_PADDING);
    if (parser_.allocate(buffer_bytes_, kTapeDepthMax) != simdjson::SUCCESS) throw std::bad_alloc{};
  }

  simdjson::dom::parser parser_;
  std::unique_ptr<char[]> buffer_;
  std::size_t buffer_bytes_ = 0;
};

Scratch& scratch() {
  thread_local Scratch instance;
  return instance;
}

}  // namespace

std::optional<Tape> tape_of(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const auto* document = scratch().parse(text);
  if (document == nullptr) return std::nullopt;
  return Tape{.words = document->tape.get(), .strings = document->string_buf.get()};
}

void trim_tape() {
  scratch().trim(kKeptTextBytes);
}

void release_scratch() {
  scratch().trim(0);
}

}  // namespace fixpoint::json
