// SPDX-License-Identifier: Apache-2.0
//
// What lies in the objects file: the bytes of its records. Numbers are little endian.
//
// Key 0 is the StateRecord. Any other key is the revision that created an object; its value is an
// ObjectHeader, the object's key and its JSON text. Nothing here is for users of store.
#pragma once

#include "base/hash.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace fixpoint::store {

inline constexpr std::array<char, 8> kFileMagic{'F', 'I', 'X', 'P', 'O', 'I', 'N', 'T'};
// Raised when an older program could not read the file rightly any more.
inline constexpr std::uint32_t kFileFormat = 1;
inline constexpr std::uint64_t kStateId = 0;

struct StateRecord {
  std::uint64_t checksum = 0;
  std::array<char, 8> magic = kFileMagic;
  std::uint32_t format = kFileFormat;
  std::uint32_t reserved = 0;
  std::uint64_t transaction = 0;  // LMDB's number of the commit that wrote this
  std::uint64_t revision = 0;
  std::uint64_t generation = 0;
  std::uint64_t records = 0;
  std::uint64_t checksum_sum = 0;  // of all objects' checksums, wrapping around
  std::array<char, 40> cluster_id{};
};
static_assert(sizeof(StateRecord) == 104);

struct ObjectHeader {
  std::uint64_t checksum = 0;
  std::uint64_t modified = 0;
  std::uint32_t key_bytes = 0;
  std::uint32_t reserved = 0;
};
static_assert(sizeof(ObjectHeader) == 24);

// Of everything after the checksum itself. The id takes part, so that a record that ended up in
// another's place is noticed.
inline std::uint64_t record_checksum(std::uint64_t id, std::string_view record) {
  return hash64(record.substr(sizeof(std::uint64_t)), id);
}

inline std::uint64_t stored_checksum(std::string_view record) {
  std::uint64_t checksum = 0;
  std::memcpy(&checksum, record.data(), sizeof checksum);
  return checksum;
}

}  // namespace fixpoint::store
