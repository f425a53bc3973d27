// SPDX-License-Identifier: Apache-2.0
//
// Addresses: each pod's own loopback address, 127.x.y.z, kept across restarts.
//
// An address is given again only after all others of the block were, so that nobody who still knows
// an old one reaches a new pod. A node takes a block 127.x of its own: several may run on one
// machine. What is given is on disk before it is used.
#pragma once

#include "base/error.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace fixpoint::node {

class Addresses {
 public:
  // Whole blocks: 127.1 to 127.254. 127.0 is the machine's own.
  static constexpr int kBlockFirst = 1;
  static constexpr int kBlockLast = 254;
  // Of one block, y.z from 0.1 on.
  static constexpr std::uint32_t kHosts = 65'000;

  // Says whether the block is free, and takes it for as long as this lives; see claim_block.
  using Claim = std::function<bool(int block)>;

  // What was given is read from `file`; a damaged one is an error that says what to do. A node
  // without a past begins at `first`: somebody else's pods may have ended in this block just now.
  static Result<Addresses> open(std::filesystem::path file, const Claim& claim,
                                std::uint64_t first);

  // The pod's address, the same one as long as it is not released. Exhausted when all are taken.
  Result<std::string> take(std::string_view uid);
  const std::string* find(std::string_view uid) const;
  Result<void> release(std::string_view uid);
  int block() const { return block_; }

 private:
  Addresses(std::filesystem::path file, int block) : file_(std::move(file)), block_(block) {}
  Result<void> save() const;

  std::filesystem::path file_;
  int block_;
  std::uint32_t next_ = 0;
  std::map<std::string, std::string, std::less<>> by_uid_;
};

// Takes blocks by an abstract socket's name, which the kernel frees when this process ends.
class BlockClaims {
 public:
  BlockClaims() = default;
  ~BlockClaims();
  BlockClaims(const BlockClaims&) = delete;
  BlockClaims& operator=(const BlockClaims&) = delete;
  bool take(int block);

 private:
  std::map<int, int> sockets_;
};

}  // namespace fixpoint::node
