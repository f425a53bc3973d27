// SPDX-License-Identifier: Apache-2.0
//
// Digest: what a part of a world's state is, up to the names of things that only grow.
//
// resourceVersions, uids and times never repeat, so hashed as they are they would make every state
// new: nothing would ever be visited twice and no run would have a loop. A digest is the hash of a
// part in which these stand as "the first that is mentioned", "the second", and beside it the list
// of them, each once. So what a part of many objects costs is the number of things it mentions, not
// how often it does.
// Parts are digested once, when they are made; canonical() then numbers what all parts of a state
// mention and hashes the lot:
//  - resourceVersions by rank: only their order and equality is ever asked for. Those of the
//    beginning, which are the same in all states, stay as they are.
//  - uids by first mention: only their equality is ever asked for.
//  - points of time and deadlines by rank: time is only an order (world.h).
// Each of these can be turned off (Reductions); a small world then has more states and the same
// verdicts, which a test shows.
#pragma once

#include "base/clock.h"
#include "base/hash.h"
#include "json/value.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::verify::world {

struct Mention {
  enum class Kind : std::uint8_t { Version, Uid, Time, Deadline };
  Kind kind = Kind::Version;
  std::uint64_t value = 0;

  bool operator==(const Mention&) const = default;
};

struct Digest {
  Hash128 shape;
  // Each once, in order of first mention; but every deadline, since all that are due are alike.
  std::vector<Mention> mentions;

  // Of the part as it is, nothing left out.
  Hash128 exact(std::uint64_t seed = 0) const;
};
using DigestRef = std::shared_ptr<const Digest>;

class DigestBuilder {
 public:
  void number(std::uint64_t value) { words_.push_back(value); }
  void truth(bool value) { number(value ? 1 : 0); }
  // uids and times in it are found.
  void text(std::string_view text);
  void version(std::uint64_t version) { mention(Mention::Kind::Version, version); }
  void version(std::string_view text);
  void deadline(MonotonicInstant at);
  void value(json::View value);
  void part(const Digest& digest);
  Digest finish();

 private:
  void mention(Mention::Kind kind, std::uint64_t value);
  void refer(const Mention& mention);
  void index();
  void walk(json::View value);
  void plain(std::string_view text);

  std::vector<std::uint64_t> words_;
  std::vector<Mention> mentions_;
  // Once there are many: open addressing, a power of two; 1 + where it is among the mentions.
  std::vector<std::uint32_t> places_;
};

// Of a JSON tree; remembered by its block, so that trees that states share are walked once.
const Digest& digest_of(json::View value);

struct Reductions {
  bool versions = true;   // by rank
  bool uids = true;       // by first mention
  bool times = true;      // by rank
  bool deadlines = true;  // by rank
  bool echoes = true;     // news that tells a cache nothing is delivered at once
  bool in_flight = true;  // requests that nobody waits for have an order of their own

  auto operator<=>(const Reductions&) const = default;
};

// The fingerprint of a state made of these parts, in this order.
struct Canonical {
  Reductions reductions;
  std::uint64_t first_version = 0;  // up to here versions are the same in all states
  // Hashes of uids that are the same in all states, sorted.
  const std::vector<std::uint64_t>* fixed_uids = nullptr;
  MonotonicInstant now{};

  Hash128 fingerprint(const std::vector<const Digest*>& parts) const;
};

}  // namespace fixpoint::verify::world
