// SPDX-License-Identifier: Apache-2.0
//
// Frontier: the states that are still to be expanded, in order, in pieces that are freed one by
// one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

namespace fixpoint::verify {

template <class State>
class Frontier {
 public:
  void push_back(State state) {
    if (pieces_.empty() || pieces_.back().size() == kPiece) {
      pieces_.emplace_back();
      pieces_.back().reserve(kPiece);
    }
    pieces_.back().push_back(std::move(state));
    ++size_;
  }
  std::uint64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::uint64_t bytes() const { return pieces_.size() * kPiece * sizeof(State); }

  // The first states, in spans of at most `span_max`, up to `spans_max` of them. They are valid
  // until `drop` is called, which takes away what was handed out.
  std::vector<std::span<const State>> take(std::size_t span_max, std::size_t spans_max) {
    std::vector<std::span<const State>> spans;
    std::size_t at = taken_;
    for (const auto& piece : pieces_) {
      while (at < piece.size() && spans.size() < spans_max) {
        const std::size_t count = std::min(span_max, piece.size() - at);
        spans.emplace_back(piece.data() + at, count);
        at += count;
        handed_out_ += count;
      }
      if (spans.size() == spans_max) break;
      at = 0;
    }
    return spans;
  }
  void drop() {
    size_ -= handed_out_;
    taken_ += std::exchange(handed_out_, 0);
    while (!pieces_.empty() && taken_ >= pieces_.front().size()) {
      taken_ -= pieces_.front().size();
      pieces_.pop_front();
    }
  }

 private:
  static constexpr std::size_t kPiece = sizeof(State) <= 64 ? 8'192 : 1'024;
  std::deque<std::vector<State>> pieces_;
  std::uint64_t size_ = 0;
  std::size_t taken_ = 0;       // of the first piece
  std::size_t handed_out_ = 0;  // since then
};

}  // namespace fixpoint::verify
