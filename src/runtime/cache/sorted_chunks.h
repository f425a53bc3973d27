// SPDX-License-Identifier: Apache-2.0
//
// SortedChunks: a sorted set of small items in a row of short arrays.
//
// For what is asked in order but found by other means: the order of keys and the postings of an
// index. An item costs its own size plus a little slack, a change moves at most one chunk, and
// items that arrive in order fill chunks to the brim. The order is the caller's: it may depend on
// what the items point to, and must not change under them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace fixpoint::runtime {

template <class T>
class SortedChunks {
 public:
  // False when an equal item is there already.
  template <class Less>
  bool insert(T item, Less less) {
    if (chunks_.empty() || less(chunks_.back().back(), item)) return append(std::move(item));
    const auto chunk = chunk_of(item, less);
    auto at = std::lower_bound(chunk->begin(), chunk->end(), item, less);
    if (at != chunk->end() && !less(item, *at)) return false;
    chunk->insert(at, std::move(item));
    if (chunk->size() > kChunkItems) split(chunk);
    ++size_;
    return true;
  }

  // False when there is no equal item.
  template <class Less>
  bool erase(const T& item, Less less) {
    if (chunks_.empty() || less(chunks_.back().back(), item)) return false;
    const auto chunk = chunk_of(item, less);
    const auto at = std::lower_bound(chunk->begin(), chunk->end(), item, less);
    if (at == chunk->end() || less(item, *at)) return false;
    chunk->erase(at);
    if (chunk->empty()) chunks_.erase(chunk);
    --size_;
    return true;
  }

  // Visits in order, from the first item of which `before` is not true, until `visit` is false.
  template <class Before, class Visit>
  void scan(Before before, Visit visit) const {
    auto chunk = std::partition_point(chunks_.begin(), chunks_.end(),
                                      [&](const auto& c) { return before(c.back()); });
    if (chunk == chunks_.end()) return;
    auto at = std::partition_point(chunk->begin(), chunk->end(), before);
    while (visit(*at)) {
      if (++at != chunk->end()) continue;
      if (++chunk == chunks_.end()) return;
      at = chunk->begin();
    }
  }

  void clear() {
    chunks_.clear();
    size_ = 0;
  }
  std::size_t size() const { return size_; }
  std::size_t bytes() const {
    std::size_t sum = chunks_.capacity() * sizeof(Chunk);
    for (const auto& chunk : chunks_) sum += chunk.capacity() * sizeof(T);
    return sum;
  }

 private:
  // Moving half a chunk is some 30 ns; a million items make four thousand chunks, found by twelve
  // comparisons.
  static constexpr std::size_t kChunkItems = 256;
  using Chunk = std::vector<T>;  // never empty, sorted

  template <class Less>
  auto chunk_of(const T& item, Less less) {
    return std::partition_point(chunks_.begin(), chunks_.end(),
                                [&](const Chunk& c) { return less(c.back(), item); });
  }

  bool append(T item) {
    if (chunks_.empty() || chunks_.back().size() >= kChunkItems) chunks_.emplace_back();
    chunks_.back().push_back(std::move(item));
    ++size_;
    return true;
  }

  void split(typename std::vector<Chunk>::iterator chunk) {
    const auto middle = chunk->begin() + static_cast<std::ptrdiff_t>(chunk->size() / 2);
    Chunk upper(middle, chunk->end());
    chunk->erase(middle, chunk->end());
    chunks_.insert(chunk + 1, std::move(upper));
  }

  std::vector<Chunk> chunks_;
  std::size_t size_ = 0;
};

}  // namespace fixpoint::runtime
