// SPDX-License-Identifier: Apache-2.0
//
// The store against a naive model: a std::map per revision and a vector of events. Random changes,
// forks, rewinds and compactions; after each, everything a user can see must be the same.
#include "base/rng.h"
#include "store/store.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace fixpoint::store {
namespace {

struct Version {
  std::uint64_t created = 0;
  std::uint64_t modified = 0;
  std::int64_t body = 0;
  bool operator==(const Version&) const = default;
};
using Contents = std::map<std::string, Version>;

struct Change {
  std::string key;
  bool removed = false;
  std::int64_t body = 0;
  bool operator==(const Change&) const = default;
};

struct Model {
  std::map<std::uint64_t, Contents> states{
      {0, {}}
  };  // by revision, kept ones only
  std::map<std::uint64_t, Change> changes;

  std::uint64_t revision() const { return states.rbegin()->first; }
  const Contents& latest() const { return states.rbegin()->second; }
  void put(const std::string& key, std::int64_t body) {
    Contents next = latest();
    const auto now = revision() + 1;
    const auto created = next.contains(key) ? next[key].created : now;
    next[key] = {.created = created, .modified = now, .body = body};
    commit(now, std::move(next), {.key = key, .removed = false, .body = body});
  }
  void erase(const std::string& key, std::int64_t body) {
    Contents next = latest();
    next.erase(key);
    commit(revision() + 1, std::move(next), {.key = key, .removed = true, .body = body});
  }
  void commit(std::uint64_t now, Contents next, Change change) {
    changes[now] = std::move(change);
    states[now] = std::move(next);
  }
  void compact(std::uint64_t up_to) {
    states.erase(states.begin(), states.lower_bound(std::min(up_to, revision())));
  }
  void rewind(std::uint64_t to) {
    states.erase(states.upper_bound(to), states.end());
    changes.erase(changes.upper_bound(to), changes.end());
  }
};

// Short, so that the history is many segments and loses its oldest ones all the time.
constexpr std::size_t kEventsMax = 700;

struct World {
  Store store{HistoryLimits{.events_max = kEventsMax}};
  Model model;
};

std::int64_t number(const RecordRef& record) {
  return record->body.view().as_int();
}

Contents contents(const Snapshot& snapshot, std::string_view prefix = "",
                  std::string_view after = "") {
  Contents found;
  std::string last;
  snapshot.scan(prefix, after, [&](const RecordRef& record) {
    EXPECT_LT(last, record->key);
    last = record->key;
    found[record->key] = {.created = record->created.value,
                          .modified = record->modified.value,
                          .body = number(record)};
    return true;
  });
  return found;
}

std::string random_key(Rng& rng, std::uint64_t range) {
  std::string key = rng.below(2) == 0 ? "pods/" : "nodes/";
  key += std::string(rng.below(3), 'z') + "/" + std::to_string(rng.below(range));
  return key;
}

void check_contents(const World& world) {
  const Snapshot& latest = world.store.latest();
  EXPECT_EQ(latest.size(), world.model.latest().size());
  EXPECT_EQ(contents(latest), world.model.latest());
}

void check_range(const World& world, Rng& rng) {
  const std::string prefix = random_key(rng, 10).substr(0, rng.below(9));
  const std::string after = rng.below(3) == 0 ? std::string{} : random_key(rng, 1000);
  Contents expected;
  std::size_t under_prefix = 0;
  for (const auto& [key, version] : world.model.latest()) {
    if (!key.starts_with(prefix)) continue;
    ++under_prefix;
    if (key > after) expected[key] = version;
  }
  EXPECT_EQ(contents(world.store.latest(), prefix, after), expected) << prefix << " " << after;
  EXPECT_EQ(world.store.latest().count(prefix), under_prefix);
}

void check_past(const World& world, Rng& rng) {
  const auto oldest = world.model.states.begin()->first;
  ASSERT_EQ(world.store.oldest().value, oldest);
  const auto revision = oldest + rng.below(world.model.revision() - oldest + 1);
  const auto past = world.store.at(Revision{revision});
  ASSERT_TRUE(past);
  EXPECT_EQ(contents(*past), world.model.states.at(revision)) << "at " << revision;
  if (oldest > 0) {
    EXPECT_FALSE(world.store.at(Revision{oldest - 1}));
  }

  const auto events = world.store.events_after(Revision{revision});
  ASSERT_TRUE(events);
  auto expected = world.model.changes.upper_bound(revision);
  for (const Event& event : *events) {
    ASSERT_NE(expected, world.model.changes.end());
    EXPECT_EQ(event.revision.value, expected->first);
    const Change change{.key = event.key(),
                        .removed = !event.after,
                        .body = number(event.after ? event.after : event.last)};
    EXPECT_EQ(change, expected->second);
    ++expected;
  }
  EXPECT_EQ(expected, world.model.changes.end());
}

void change(World& world, Rng& rng, std::uint64_t key_range) {
  const std::string key = random_key(rng, key_range);
  const auto body = static_cast<std::int64_t>(rng.below(5));
  const bool there = world.model.latest().contains(key);
  EXPECT_EQ(static_cast<bool>(world.store.latest().find(key)), there);
  if (there && rng.below(5) < 2) {
    world.store.erase(key, json::Value::integer(body));
    world.model.erase(key, body);
  } else {
    world.store.put(key, json::Value::integer(body));
    world.model.put(key, body);
  }
  const auto kept = world.store.revision().value - world.store.oldest().value;
  EXPECT_LE(kept, kEventsMax);
  if (world.store.oldest().value > world.model.states.begin()->first) {
    EXPECT_GT(kept, kEventsMax * 7 / 8) << "let go of too much";
    world.model.compact(world.store.oldest().value);
  }
}

void step(std::vector<World>& worlds, Rng& rng, std::uint64_t key_range) {
  World& world = worlds[rng.below(worlds.size())];
  const auto choice = rng.below(1000);
  if (choice < 985) return change(world, rng, key_range);
  const auto oldest = world.model.states.begin()->first;
  const auto revision = oldest + rng.below(world.model.revision() - oldest + 1);
  if (choice < 990) {
    world.store.compact(Revision{revision});
    world.model.compact(revision);
  } else if (choice < 994) {
    ASSERT_TRUE(world.store.rewind(Revision{revision}));
    world.model.rewind(revision);
  } else if (worlds.size() < 4) {
    World copy = world;
    worlds.push_back(std::move(copy));
  } else {
    worlds.erase(worlds.begin() + static_cast<std::ptrdiff_t>(rng.below(worlds.size())));
  }
}

class StoreModel : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(StoreModel, AgreesAfterEveryRandomStep) {
  constexpr int kSteps = 1500;
  Rng rng{GetParam()};
  const auto key_range = std::uint64_t{1} << (2 + GetParam() % 7);
  std::vector<World> worlds(1);

  for (int i = 0; i < kSteps; ++i) {
    step(worlds, rng, key_range);
    const World& world = worlds[rng.below(worlds.size())];
    if (i % 8 == 0) check_contents(world);
    if (i % 8 == 1) check_range(world, rng);
    if (i % 16 == 2) check_past(world, rng);
    if (HasFailure()) FAIL() << "first at step " << i;
  }
  for (const World& a : worlds) {
    for (const World& b : worlds) {
      Contents of_a = a.model.latest();
      Contents of_b = b.model.latest();
      for (auto* side : {&of_a, &of_b}) {
        for (auto& [key, version] : *side) version.created = version.modified = 0;
      }
      EXPECT_EQ(a.store.latest() == b.store.latest(), of_a == of_b);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, StoreModel, ::testing::Range<std::uint64_t>(1, 9));

}  // namespace
}  // namespace fixpoint::store
