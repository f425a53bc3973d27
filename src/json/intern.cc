// SPDX-License-Identifier: Apache-2.0
//
// Open addressing over 64-bit slots (hash, id + 1). A slot is published with release after its
// entry is complete, and never changes again, so a reader needs one acquire load per probe.
#include "json/intern.h"

#include "json/sink.h"
#include "json/text.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

namespace fixpoint::json {

InternedKey interned_keys[kInternedKeysMax];

namespace {

constexpr std::size_t kSlots = std::size_t{kInternedKeysMax} * 2;
// Keys chosen to collide stay out of the table rather than make every look-up walk through it.
constexpr std::size_t kProbesMax = 32;
constexpr std::size_t kArenaBytes = std::size_t{16} << 10U;  // the printer reads up to 32 bytes on

// Most processes use a thousand keys or two. They find room in the first pages, a cache line each,
// so that the table costs neither the memory nor the misses of its full size.
constexpr std::size_t kLineSlots = 8;
constexpr std::size_t kNearSlots = 4096;

alignas(kLineSlots * sizeof(std::uint64_t)) std::array<std::atomic<std::uint64_t>, kSlots> slots;

std::size_t place_of(std::uint64_t hash, std::size_t attempt) {
  return attempt < kLineSlots ? hash * kLineSlots % kNearSlots + attempt
                              : (hash + attempt) % kSlots;
}

// Guards the writing side: the arena, the count and the next free entry.
struct Writer {
  std::mutex mutex;
  std::vector<std::unique_ptr<char[]>> arenas;
  std::size_t used = kArenaBytes;
  std::atomic<std::uint32_t> count{0};
};
Writer& writer() {
  static auto* const instance = new Writer;  // never destroyed: other statics may still hold Values
  return *instance;
}

std::uint64_t load(const char* from, std::size_t bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, bytes);
  return word;
}

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const auto product =
      static_cast<unsigned __int128>(a ^ 0x9E3779B97F4A7C15ULL) * (b ^ 0xD6E8FEB86659FD93ULL);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

// Keys are short: two overlapping words cover most of them.
std::uint64_t hash_of(std::string_view key) {
  const char* at = key.data();
  const auto size = key.size();
  if (size < 8) {
    if (size >= 4) return mix(load(at, 4) << 32U | load(at + size - 4, 4), size);
    if (size == 0) return mix(0, 0);
    const auto first = static_cast<unsigned char>(at[0]);
    const auto middle = static_cast<unsigned char>(at[size / 2]);
    const auto last = static_cast<unsigned char>(at[size - 1]);
    return mix(std::uint64_t{first} << 16U | std::uint64_t{middle} << 8U | last, size);
  }
  std::uint64_t hash = size;
  std::size_t i = 0;
  for (; i + 16 < size; i += 8) hash = mix(hash, load(at + i, 8));
  return mix(hash ^ load(at + i, 8), load(at + size - 8, 8));
}

struct Probe {
  std::optional<std::uint32_t> id;
  std::size_t free = kSlots;  // where the key would go, if anywhere
};

Probe probe(std::string_view key, std::uint64_t hash) {
  const auto tag = hash & ~std::uint64_t{0xFFFFFFFF};
  for (std::size_t i = 0; i < kProbesMax; ++i) {
    const auto at = place_of(hash, i);
    const auto slot = slots[at].load(std::memory_order_acquire);
    if (slot == 0) return {.id = std::nullopt, .free = at};
    if ((slot & ~std::uint64_t{0xFFFFFFFF}) != tag) continue;
    const auto id = static_cast<std::uint32_t>(slot) - 1;
    if (interned_keys[id].view() == key) return {.id = id};
  }
  return {};
}

// managedFields name an owner reference by its uid: as many keys as there are owners, none of them
// a field's name.
bool names_one_object(std::string_view key) {
  return key.starts_with("k:{\"uid\":");
}

const char* store(Writer& to, std::string_view key) {
  // The printer reads whole paddings: they must lie in this key's own bytes, not in those of the
  // next one, which another thread may be writing.
  const auto bytes = std::max(key.size() + 3, Sink::kPadding + 1);
  if (to.used + bytes > kArenaBytes) {
    to.arenas.push_back(std::make_unique<char[]>(kArenaBytes + Sink::kPadding));
    to.used = 0;
  }
  char* place = to.arenas.back().get() + to.used;
  to.used += bytes;
  *place = '"';
  std::ranges::copy(key, place + 1);  // an empty view may point nowhere
  std::memcpy(place + 1 + key.size(), "\":", 2);
  return place + 1;
}

std::optional<std::uint32_t> add(std::string_view key, std::uint64_t hash) {
  auto& to = writer();
  const std::lock_guard lock(to.mutex);
  const auto found = probe(key, hash);  // somebody may have been faster
  if (found.id) return found.id;
  const auto id = to.count.load(std::memory_order_relaxed);
  if (found.free == kSlots || id == kInternedKeysMax) return std::nullopt;
  interned_keys[id] = {store(to, key), static_cast<std::uint32_t>(key.size()),
                       traits_of(key).clean};
  to.count.store(id + 1, std::memory_order_relaxed);
  slots[found.free].store((hash & ~std::uint64_t{0xFFFFFFFF}) | (id + 1),
                          std::memory_order_release);
  return id;
}

}  // namespace

std::optional<std::uint32_t> find_interned(std::string_view key) {
  if (key.size() > kInternedKeyBytesMax) return std::nullopt;
  return probe(key, hash_of(key)).id;
}

std::optional<std::uint32_t> intern(std::string_view key) {
  if (key.size() > kInternedKeyBytesMax) return std::nullopt;
  const auto hash = hash_of(key);
  const auto found = probe(key, hash);
  if (found.id) return found.id;
  if (found.free == kSlots || interned_count() == kInternedKeysMax) return std::nullopt;
  if (names_one_object(key)) return std::nullopt;
  return add(key, hash);
}

std::size_t interned_count() {
  return writer().count.load(std::memory_order_relaxed);
}

}  // namespace fixpoint::json
