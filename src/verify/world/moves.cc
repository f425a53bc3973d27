// SPDX-License-Identifier: Apache-2.0
#include "verify/world/moves.h"

#include "runtime/controller/pass_state.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace fixpoint::verify::world {
namespace {

std::atomic<std::uint64_t> processes_made{0};

// The numbers of passes and effects decide about nothing, but properties tell by them what is new:
// of two processes that are one they are the same.
Hash128 identity_of(const Process& process) {
  thread_local std::vector<std::uint64_t> words;
  const Hash128 digest = process.digest->exact();
  words.assign({digest.high, digest.low, process.blueprint_serial});
  process.core.each_running([&](auto id, const runtime::Pass& pass) {
    words.push_back(id);
    for (const auto& out : pass.state().outstanding) words.push_back(out.id);
  });
  return hash128(
      {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(std::uint64_t)});
}

}  // namespace

Moves& Moves::of_this_thread() {
  thread_local Moves moves;
  return moves;
}

const Move* Moves::find(const Hash128& key) const {
  return moves_.find(key);
}

void Moves::remember(const Hash128& key, const Move& move) {
  moves_.put(key, move);
}

Ref<const Process> Moves::same_as(const Ref<const Process>& complete) {
  const Hash128 identity = identity_of(*complete);
  if (const auto* known = processes_.find(identity)) return *known;
  processes_.put(identity, complete);
  return complete;
}

Ref<const Process> complete(const Ref<Process>& made, const Process* from) {
  for (std::size_t at = 0; at < made->follows.size(); ++at) {
    auto& followed = made->follows[at];
    if (from != nullptr && followed.untouched_since(from->follows[at])) continue;
    followed.digest = std::make_shared<const Digest>(digest_of(followed));
  }
  made->digest = std::make_shared<const Digest>(digest_of(*made));
  made->serial = ++processes_made;
  return made;
}

}  // namespace fixpoint::verify::world
