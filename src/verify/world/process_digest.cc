// SPDX-License-Identifier: Apache-2.0
//
// What a process is, for comparing two of them. Left out is only what no later step can tell:
// statistics, numbers of passes and effects, how long a wait is (time is only an order), how often
// in a row something failed beyond the number at which that stops to matter, and which events were
// said before, which only keeps them from being said again.
#include "runtime/cache/contents_state.h"
#include "runtime/controller/pass_state.h"
#include "verify/world/process.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace fixpoint::verify::world {
namespace {

using runtime::PassState;
using runtime::WorkQueue;

void add(DigestBuilder& out, const kube::Key& key) {
  out.text(key.ns);
  out.text(key.name);
}

void add(DigestBuilder& out, json::View value) {
  out.part(digest_of(value));
}

void add(DigestBuilder& out, const runtime::ObjectRef& object) {
  out.text(object.kind.group);
  out.text(object.kind.kind);
  add(out, object.key);
}

void add(DigestBuilder& out, const News& news) {
  out.number(static_cast<std::uint64_t>(news.type));
  add(out, news.object);
}

void add_tombstones(DigestBuilder& out, const runtime::Tombstones& tombstones) {
  struct Stone {
    std::string key;
    std::vector<std::string> uids;
    std::uint64_t up_to = 0;
  };
  std::vector<Stone> stones;
  tombstones.each([&](const std::string& key, const std::vector<std::string>& uids,
                      std::uint64_t up_to) { stones.push_back({key, uids, up_to}); });
  std::ranges::sort(stones, {}, &Stone::key);
  out.number(stones.size());
  for (const Stone& stone : stones) {
    out.text(stone.key);
    out.number(stone.uids.size());
    for (const auto& uid : stone.uids) out.text(uid);
    out.version(stone.up_to);
  }
}

}  // namespace

Digest digest_of(const Followed& followed) {
  DigestBuilder out;
  const auto& state = followed.contents.state();
  const auto objects = followed.contents.list("");
  out.number(objects.size());
  for (const json::View object : objects) add(out, object);
  const auto& feed = state.feeds.front();
  out.truth(feed.synced);
  out.version(feed.seen_number);
  out.version(feed.own_number);
  add_tombstones(out, state.tombstones);
  out.number(followed.pending.size());
  for (const News& news : followed.pending) add(out, news);
  out.truth(followed.last.has_value());
  if (followed.last) add(out, *followed.last);
  out.truth(followed.served);
  return out.finish();
}

namespace {

void add(DigestBuilder& out, const runtime::KeyMemory& memory) {
  out.number(memory.doubts.size());
  for (const auto& object : memory.doubts) add(out, object);
  out.number(memory.stored.size());
  for (const auto& stored : memory.stored) {
    add(out, stored.object);
    out.number(stored.desired.high);
    out.number(stored.desired.low);
    out.version(stored.returned);
  }
  out.number(std::min(memory.transients, runtime::kTransientsUnsaid));
}

void add(DigestBuilder& out, const client::CallError& error) {
  out.number(static_cast<std::uint64_t>(error.fate));
  out.number(static_cast<std::uint64_t>(error.status.code));
  out.text(error.status.reason);
  out.text(error.status.message);
}

// What the digest of a pass has no need of: it follows from the rest.
void add_rest(DigestBuilder& out, const client::CallError& error) {
  out.number(static_cast<std::uint64_t>(error.retry_after ? error.retry_after->count() + 1 : 0));
  if (!error.status.details) return;
  out.text(error.status.details->name);
  out.text(error.status.details->uid);
  for (const auto& cause : error.status.details->causes) {
    out.text(cause.reason);
    out.text(cause.message);
    out.text(cause.field);
  }
}

struct AddReply {
  DigestBuilder& out;
  void operator()(const client::Reply& reply) const {
    out.truth(reply.has_value());
    if (reply) {
      add(out, reply->body);
    } else {
      add(out, reply.error());
    }
  }
  void operator()(const client::PageReply& reply) const {
    out.truth(reply.has_value());
    if (!reply) return add(out, reply.error());
    out.version(reply->resource_version);
    out.number(reply->items.size());
    for (const auto& item : reply->items) add(out, item);
  }
  void operator()(const std::expected<client::Resource, client::CallError>& reply) const {
    out.truth(reply.has_value());
    if (!reply) add(out, reply.error());
  }
  void operator()(const Result<json::Value>& reply) const {
    out.truth(reply.has_value());
    if (reply) {
      add(out, *reply);
    } else {
      out.text(reply.error().message);
    }
  }
};

void add(DigestBuilder& out, const runtime::Outcome& outcome) {
  out.number(static_cast<std::uint64_t>(outcome.state));
  out.number(static_cast<std::uint64_t>(outcome.error_class));
  out.text(outcome.reason);
  out.text(outcome.message);
  add(out, outcome.result);
}

void add(DigestBuilder& out, const runtime::Script& script) {
  out.truth(script.begun);
  add(out, script.current);
  out.number(script.replies.size());
  for (const auto& reply : script.replies) std::visit(AddReply{out}, reply);
  out.number(script.verdicts.size());
  for (const auto& verdict : script.verdicts) {
    out.number(static_cast<std::uint64_t>(verdict.kind));
    out.text(verdict.message);
  }
}

// The plan and what is wanted now follow from what is here.
void add(DigestBuilder& out, const PassState& pass) {
  add(out, pass.start.key);
  add(out, pass.start.memory);
  add(out, pass.primary);
  out.truth(pass.deleting);
  out.number(static_cast<std::uint64_t>(pass.phase));
  add(out, pass.script);
  out.number(pass.asks.size());
  for (const auto& ask : pass.asks) {
    out.truth(ask.answer.has_value());
    if (ask.answer) AddReply{out}(*ask.answer);
  }
  out.number(pass.reads.size());
  for (const auto& read : pass.reads) add(out, read);
  out.number(pass.branch);
  out.number(pass.step);
  out.number(pass.result.outcomes.steps.size());
  for (const auto& outcome : pass.result.outcomes.steps) add(out, outcome);
  out.truth(pass.again.has_value());
  out.truth(pass.result.changed);
  out.text(pass.result.failure.reason);
  out.number(pass.outstanding.size());
}

void add(DigestBuilder& out, const WorkQueue& queue) {
  std::vector<WorkQueue::Waiting> queued;
  std::vector<WorkQueue::Waiting> others;
  queue.each([&](const WorkQueue::Waiting& waiting) {
    (waiting.queued ? queued : others).push_back(waiting);
  });
  const auto tell = [&](const WorkQueue::Waiting& waiting) {
    add(out, waiting.key);
    out.truth(waiting.queued);
    out.truth(waiting.again);
    out.number(waiting.running);
    out.number(static_cast<std::uint64_t>(waiting.priority));
    out.deadline(waiting.requeue_at);
    out.deadline(waiting.retry_at);
  };
  for (const auto& waiting : queued) tell(waiting);
  std::vector<const WorkQueue::Waiting*> sorted;
  sorted.reserve(others.size());
  for (const auto& waiting : others) sorted.push_back(&waiting);
  std::ranges::sort(sorted, {}, [](const auto* waiting) { return waiting->key; });
  for (const auto* waiting : sorted) {
    // Nothing is waited for: only how often it failed is remembered, and that changes nothing here.
    const bool idle = waiting->running == 0 && waiting->requeue_at == WorkQueue::kNever &&
                      waiting->retry_at == WorkQueue::kNever;
    if (!idle) tell(*waiting);
  }
}

// Durations are not explored, so neither is how full a bucket has become meanwhile.
void add(DigestBuilder& out, const runtime::Guard& guard) {
  std::vector<std::pair<runtime::ManagedKey, json::Value>> records;
  guard.each([&](const runtime::ManagedKey& key, const runtime::GuardEntry& entry) {
    records.emplace_back(key, runtime::shadow_record(key, entry, guard.settings().tokens,
                                                     {.steady = {}, .wall = Server::moment()}));
  });
  std::ranges::sort(records, {}, [](const auto& record) -> const auto& { return record.first; });
  for (const auto& [key, record] : records) {
    for (const auto [name, value] : record.members()) {
      out.text(name);
      if (name == "version" || name == "judged") {
        out.version(value.as_string());
      } else {
        out.value(value);
      }
    }
  }
}

}  // namespace

Hash128 exact_hash_of(const runtime::EffectReply& reply) {
  DigestBuilder out;
  out.number(reply.index());
  std::visit(AddReply{out}, reply);
  if (const auto* one = std::get_if<client::Reply>(&reply)) {
    if (*one) {
      out.number(static_cast<std::uint64_t>((*one)->code));
    } else {
      add_rest(out, one->error());
    }
  } else if (const auto* page = std::get_if<client::PageReply>(&reply); page != nullptr && !*page) {
    add_rest(out, page->error());
  }
  return out.finish().exact();
}

Digest digest_of(const Process& process) {
  DigestBuilder out;
  out.truth(process.connected);
  for (const auto& followed : process.follows) out.part(*followed.digest);
  add(out, process.core.queue());
  for (const auto& [key, memory] : process.core.remembered()) {
    // One that only knows what it said, or how often it made progress, is as good as none.
    if (memory.doubts.empty() && memory.stored.empty() && memory.transients == 0) continue;
    add(out, key);
    add(out, memory);
  }
  process.core.each_running([&](auto id, const runtime::Pass& pass) {
    add(out, pass.state());
    out.truth(process.core.status_heard(id));
  });
  if (process.guard) add(out, process.guard->core());
  return out.finish();
}

}  // namespace fixpoint::verify::world
