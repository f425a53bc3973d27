// SPDX-License-Identifier: Apache-2.0
//
// OutputQueue: bytes waiting to be sent, as a list of shared chunks and short own texts. A chunk
// is shared by every queue it waits in; bytes are copied only when `pull` takes them.
#pragma once

#include "net/http.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::net {

class OutputQueue {
 public:
  void add_text(std::string_view text) {
    if (text.empty()) return;
    bytes_ += text.size();
    // Runs of small texts (heads, chunk sizes) share one piece.
    if (head_ < pieces_.size() && !pieces_.back().chunk &&
        pieces_.back().text.size() < kTextBytes) {
      pieces_.back().text.append(text);
      return;
    }
    pieces_.push_back({std::string(text), nullptr});
  }

  void add_chunk(Chunk chunk) {
    if (!chunk || chunk->empty()) return;
    bytes_ += chunk->size();
    pieces_.push_back({{}, std::move(chunk)});
  }

  std::size_t pull(std::span<char> into) {
    std::size_t used = 0;
    while (used < into.size() && head_ < pieces_.size()) {
      const std::string_view rest = pieces_[head_].view().substr(offset_);
      const auto count = std::min(rest.size(), into.size() - used);
      std::memcpy(into.data() + used, rest.data(), count);
      used += count;
      offset_ += count;
      if (count == rest.size()) drop_front();
    }
    bytes_ -= used;
    return used;
  }

  std::size_t bytes() const { return bytes_; }
  bool empty() const { return bytes_ == 0; }
  void clear() { *this = OutputQueue(); }

 private:
  static constexpr std::size_t kTextBytes = 16 * 1024;
  static constexpr std::size_t kPiecesKept = 64;  // an emptied queue larger than this is freed

  struct Piece {
    std::string text;
    Chunk chunk;
    std::string_view view() const { return chunk ? std::string_view{*chunk} : text; }
  };

  void drop_front() {
    pieces_[head_] = {};
    ++head_;
    offset_ = 0;
    if (head_ == pieces_.size()) {
      if (pieces_.capacity() > kPiecesKept) pieces_ = {};
      pieces_.clear();
      head_ = 0;
    } else if (head_ >= kPiecesKept && head_ * 2 >= pieces_.size()) {
      pieces_.erase(pieces_.begin(), pieces_.begin() + static_cast<std::ptrdiff_t>(head_));
      head_ = 0;
    }
  }

  std::vector<Piece> pieces_;
  std::size_t head_ = 0;    // first piece not fully pulled
  std::size_t offset_ = 0;  // pulled of that piece
  std::size_t bytes_ = 0;
};

}  // namespace fixpoint::net
