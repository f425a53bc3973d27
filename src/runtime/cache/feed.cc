// SPDX-License-Identifier: Apache-2.0
#include "runtime/cache/feed.h"

#include <algorithm>
#include <charconv>

namespace fixpoint::runtime {

std::uint64_t version_number(std::string_view resource_version) {
  std::uint64_t number = 0;
  const auto* end = resource_version.data() + resource_version.size();
  const auto [stop, error] = std::from_chars(resource_version.data(), end, number);
  return error == std::errc{} && stop == end ? number : 0;
}

void Tombstones::add(std::string_view uid, std::uint64_t at, std::uint32_t feed,
                     std::uint32_t epoch) {
  auto& stone = stones_[std::string{uid}];
  stone = {std::max(stone.at, at), ++last_serial_, feed, epoch};
  if (stones_.size() <= kMax) return;
  stones_.erase(
      std::ranges::min_element(stones_, {}, [](const auto& entry) { return entry.second.serial; }));
}

bool Tombstones::cover(std::string_view uid, std::uint64_t version) const {
  if (stones_.empty()) return false;
  const auto stone = stones_.find(std::string{uid});
  return stone != stones_.end() && version <= stone->second.at;
}

void Tombstones::deletion_seen(std::string_view uid) {
  if (!stones_.empty()) stones_.erase(std::string{uid});
}

// What is gone for good may have left and come back before that: those news are still to come.
void Tombstones::leaving_seen(std::string_view uid, std::uint64_t at) {
  if (stones_.empty()) return;
  const auto stone = stones_.find(std::string{uid});
  if (stone != stones_.end() && stone->second.at <= at) stones_.erase(stone);
}

void Tombstones::list_complete(std::uint32_t feed, std::uint32_t epoch, std::uint64_t number) {
  std::erase_if(stones_, [&](const auto& entry) {
    const auto& stone = entry.second;
    return stone.feed == feed && (stone.epoch < epoch || stone.at < number);
  });
}

void Tombstones::forget(std::uint32_t feed) {
  std::erase_if(stones_, [&](const auto& entry) { return entry.second.feed == feed; });
}

std::size_t Tombstones::bytes() const {
  constexpr std::size_t kNodeBytes = 112;  // the map's node with a uid of 36 characters
  return stones_.size() * kNodeBytes + stones_.bucket_count() * sizeof(void*);
}

}  // namespace fixpoint::runtime
