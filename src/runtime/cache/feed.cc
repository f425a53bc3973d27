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

std::string Tombstones::text(KeyView key) {
  std::string text{key.ns};
  text += '/';
  text += key.name;
  return text;
}

Tombstones::Stones::iterator Tombstones::find(KeyView key) {
  return stones_.empty() ? stones_.end() : stones_.find(text(key));
}

void Tombstones::add(KeyView key, std::string_view uid, std::uint64_t up_to, Place place) {
  auto& stone = stones_[text(key)];
  stone.up_to = std::max(stone.up_to, up_to);
  stone.serial = ++last_serial_;
  stone.place = place;
  if (!uid.empty() && std::ranges::find(stone.uids, uid) == stone.uids.end()) {
    stone.uids.emplace_back(uid);
    if (stone.uids.size() > kUidsMax) stone.uids.erase(stone.uids.begin());
  }
  if (stones_.size() <= kMax) return;
  stones_.erase(
      std::ranges::min_element(stones_, {}, [](const auto& entry) { return entry.second.serial; }));
}

bool Tombstones::cover(KeyView key, std::string_view uid, std::uint64_t version) const {
  if (stones_.empty()) return false;
  const auto found = stones_.find(text(key));
  if (found == stones_.end()) return false;
  const auto& stone = found->second;
  return (version != 0 && version <= stone.up_to) ||
         std::ranges::find(stone.uids, uid) != stone.uids.end();
}

void Tombstones::deletion_seen(KeyView key, std::string_view uid, std::uint64_t at) {
  const auto stone = find(key);
  if (stone == stones_.end()) return;
  std::erase(stone->second.uids, uid);
  if (over(stone->second, at)) stones_.erase(stone);
}

// What is gone for good may have left and come back before that: those news are still to come.
void Tombstones::leaving_seen(KeyView key, std::uint64_t at) {
  const auto stone = find(key);
  if (stone != stones_.end() && over(stone->second, at)) stones_.erase(stone);
}

void Tombstones::listed(KeyView key, std::uint32_t epoch) {
  if (const auto stone = find(key); stone != stones_.end()) stone->second.listed = epoch;
}

void Tombstones::list_complete(Place place, std::uint64_t at) {
  std::erase_if(stones_, [&](const auto& entry) {
    const auto& stone = entry.second;
    return stone.place.feed == place.feed &&
           ((stone.place.epoch < place.epoch && stone.listed != place.epoch) || over(stone, at));
  });
}

void Tombstones::forget(std::uint32_t feed) {
  std::erase_if(stones_, [&](const auto& entry) { return entry.second.place.feed == feed; });
}

std::size_t Tombstones::bytes() const {
  constexpr std::size_t kStoneBytes = 224;  // the map's node, a key and a uid
  return stones_.size() * kStoneBytes + stones_.bucket_count() * sizeof(void*);
}

}  // namespace fixpoint::runtime
