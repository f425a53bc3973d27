// SPDX-License-Identifier: Apache-2.0
//
// The process-wide table of object keys: every `metadata` of every object is one number.
//
// Append-only and bounded: what is in stays in, reads take no lock, and when the table is full (or
// a key is too long to be a field name) the block keeps the key itself, so a hostile client can
// fill the table once but never grow the process. Ids are not stable between processes: whatever
// is hashed, compared or stored goes by the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace fixpoint::json {

// Kubernetes' own API has about 3,000 field names; the rest is for CRDs, labels and annotations.
inline constexpr std::uint32_t kInternedKeysMax = 32'768;
// Longer keys are data (annotation names, configuration file names), rarely seen twice.
inline constexpr std::size_t kInternedKeyBytesMax = 64;

struct InternedKey {
  const char* text = nullptr;  // stored as "text": so that a clean key prints as one copy
  std::uint32_t size = 0;
  bool clean = false;  // prints as it is, nothing in it needs an escape

  std::string_view view() const { return {text, size}; }
  std::string_view quoted() const { return {text - 1, size + 3UL}; }  // with quotes and colon
};

// Entries are written once, before their id is handed out.
extern InternedKey interned_keys[kInternedKeysMax];

// The id of a key, added if it is new and fits.
std::optional<std::uint32_t> intern(std::string_view key);
// The id of a key that is already there.
std::optional<std::uint32_t> find_interned(std::string_view key);
std::size_t interned_count();

}  // namespace fixpoint::json
