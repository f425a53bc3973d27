// SPDX-License-Identifier: Apache-2.0
//
// Contents against the truth: a server as a list of all its changes, and everything that can reach
// a cache from it in every order. Own answers come early, late and out of order; lists are taken,
// interrupted and taken from the past; events are repeated. After each step:
// - every cached state existed, no object went back, nothing known to be gone is there;
// - own writes that were answered are visible;
// - the reported changes, applied to a copy, give the contents; the indexes agree with a scan.
// And when everything has arrived, the cache is what the server has.
#include "base/rng.h"
#include "base/thoroughness_for_tests.h"
#include "runtime/cache/cached_object.h"
#include "runtime/cache/contents.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace fixpoint::runtime {
namespace {

using State = std::optional<CachedObject>;

struct Happened {
  std::uint64_t version = 0;
  kube::Key key;
  State before;
  State after;
};

class Truth {
 public:
  explicit Truth(Rng& rng) : rng_(rng) {}

  // Somebody creates, changes or deletes something.
  const Happened& write() {
    const kube::Key key{rng_.below(2) == 0 ? "one" : "two", std::string(1, names()[rng_.below(4)])};
    const auto found = objects.find(key);
    State before = found == objects.end() ? State{} : found->second;
    State after = before;
    ++now;
    if (!before) {
      after = CachedObject{.ns = key.ns, .name = key.name, .uid = "uid-" + std::to_string(now)};
    }
    if (before && rng_.below(3) == 0) {
      after.reset();
      objects.erase(key);
    } else {
      after->version = now;
      after->app = rng_.below(2) == 0 ? "x" : "y";
      after->owner = std::string(1, names()[rng_.below(4)]);
      objects[key] = *after;
      existed[{after->uid, now}] = {*after, after->value()};
    }
    history.push_back({now, key, before, after});
    return history.back();
  }

  std::map<kube::Key, CachedObject> at(std::uint64_t version) const {
    std::map<kube::Key, CachedObject> then;
    for (const auto& event : history) {
      if (event.version > version) break;
      if (event.after) {
        then[event.key] = *event.after;
      } else {
        then.erase(event.key);
      }
    }
    return then;
  }

  std::uint64_t now = 10;
  std::map<kube::Key, CachedObject> objects;
  std::vector<Happened> history;
  struct Existed {
    CachedObject object;
    json::Value value;
  };
  std::map<std::pair<std::string, std::uint64_t>, Existed> existed;

 private:
  static std::string_view names() { return "abcd"; }
  Rng& rng_;
};

class OrderTrial {
 public:
  OrderTrial(std::uint64_t seed, client::Selector selector, std::vector<std::string> namespaces)
      : rng_(seed),
        truth_(rng_),
        selects_(!selector.labels.empty()),
        contents_(config_maps(namespaces.front(), std::move(selector)), {by_app()}) {
    feeds_.push_back({.ns = namespaces.front()});
    for (std::size_t i = 1; i < namespaces.size(); ++i) {
      feeds_.push_back({.id = contents_.follow(namespaces[i]), .ns = namespaces[i]});
    }
  }

  void run(int steps) {
    for (int i = 0; i < steps && !testing::Test::HasFatalFailure(); ++i) {
      step();
      check();
    }
    settle();
    check();
    EXPECT_EQ(cached(), wanted());
  }

  struct Counts {
    int past_lists = 0;
    int past_events = 0;
    int late_answers = 0;
    int relists = 0;
  } counts;

 private:
  struct FeedState {
    FeedId id = 0;
    std::string ns;
    bool watching = false;
    std::optional<std::vector<CachedObject>> listing;  // what is still to come, last first
    std::uint64_t list_version = 0;
    std::uint64_t position = 0;
  };

  static Index by_app() {
    return {"app", [](json::View object, const auto& add) { add(kube::label_of(object, "app")); }};
  }

  bool shows(const FeedState& feed, const CachedObject& object) const {
    return (feed.ns.empty() || feed.ns == object.ns) && (!selects_ || object.app == "x");
  }
  bool shown(const CachedObject& object) const {
    return std::ranges::any_of(feeds_, [&](const auto& feed) { return shows(feed, object); });
  }

  std::uint64_t seen(const FeedState& feed) const {
    const auto& version = contents_.resource_version(feed.id);
    return version.empty() ? 0 : std::stoull(version);
  }

  void step() {
    auto& feed = feeds_[rng_.below(feeds_.size())];
    switch (rng_.below(10)) {
      case 0:
      case 1: truth_.write(); return;
      case 2: answers_.push_back(truth_.write()); return;
      case 3:
      case 4: return deliver_answer();
      case 5: return repeat_something_old(feed);
      case 6: return rng_.below(4) == 0 ? interrupt(feed) : fork();
      default: return feed.watching ? deliver_event(feed) : go_on_listing(feed);
    }
  }

  void fork() {
    auto other = contents_;
    if (!answers_.empty()) put_answer(other, answers_.front());
    other.begin_relist(feeds_.front().id);
  }

  void interrupt(FeedState& feed) {
    feed.watching = false;
    feed.listing.reset();
  }

  void go_on_listing(FeedState& feed) {
    if (!feed.listing) return begin_list(feed);
    std::vector<json::Value> page;
    while (!feed.listing->empty() && page.size() < 2) {
      page.push_back(feed.listing->back());
      feed.listing->pop_back();
    }
    apply(contents_.put_page(std::move(page), std::to_string(feed.list_version), feed.id).value());
    if (!feed.listing->empty()) return;
    feed.listing.reset();
    apply(contents_.end_relist(feed.id));
    ++counts.relists;
    feed.watching = true;
    feed.position = feed.list_version;
  }

  void begin_list(FeedState& feed) {
    contents_.begin_relist(feed.id);
    if (seen(feed) > 10 && rng_.below(3) == 0) return list_from_the_past(feed);
    feed.listing.emplace();
    feed.list_version = truth_.now;
    for (const auto& [key, object] : truth_.objects) {
      if (shows(feed, object)) feed.listing->insert(feed.listing->begin(), object);
    }
  }

  void list_from_the_past(FeedState& feed) {
    const auto version = 10 + rng_.below(seen(feed) - 10);
    std::vector<json::Value> items;
    for (const auto& [key, object] : truth_.at(version)) {
      if (shows(feed, object)) items.push_back(object);
    }
    EXPECT_FALSE(contents_.put_page(std::move(items), std::to_string(version), feed.id));
    ++counts.past_lists;
  }

  void deliver_event(FeedState& feed) {
    const auto next =
        std::ranges::upper_bound(truth_.history, feed.position, {}, &Happened::version);
    if (next == truth_.history.end()) return;
    feed.position = next->version;
    // Nothing about it is shown: sometimes a bookmark says that much.
    if (!deliver(feed, *next) && rng_.below(2) == 0) return;
    contents_.seen(std::to_string(next->version), feed.id);
  }

  bool deliver(const FeedState& feed, const Happened& event) {
    if (event.after && shows(feed, *event.after)) {
      apply(contents_.put(*event.after, Origin::Watch));
      return true;
    }
    if (!event.before || !shows(feed, *event.before)) return false;
    auto last = *event.before;
    last.version = event.version;
    const auto value = last.value();
    apply(contents_.remove(value, Origin::Watch));
    return true;
  }

  void repeat_something_old(const FeedState& feed) {
    const auto end = std::ranges::upper_bound(truth_.history, seen(feed), {}, &Happened::version);
    const auto old = static_cast<std::size_t>(end - truth_.history.begin());
    if (old == 0) return;
    const auto before = cached();
    deliver(feed, truth_.history[rng_.below(old)]);
    EXPECT_EQ(cached(), before);
    ++counts.past_events;
  }

  std::optional<Change> put_answer(Contents& contents, const Happened& own) {
    if (own.after) return contents.put(*own.after, Origin::OwnWrite);
    return contents.gone(own.key, own.before->uid);
  }

  void deliver_answer() {
    if (answers_.empty()) return;
    const auto which = static_cast<std::ptrdiff_t>(rng_.below(answers_.size()));
    const auto own = answers_[static_cast<std::size_t>(which)];
    answers_.erase(answers_.begin() + which);
    if (which > 0) ++counts.late_answers;
    apply(put_answer(contents_, own));
    if (own.after) {
      expect_visible(own);
    } else {
      gone_.insert(own.before->uid);
    }
  }

  // What was written is there, or something later is known to have happened to it.
  void expect_visible(const Happened& own) {
    const auto now = contents_.get(own.key);
    const auto version = now.is_null() ? 0 : std::stoull(std::string{resource_version(now)});
    if (version >= own.version) return;
    EXPECT_TRUE(now.is_null()) << runtime::brief(now) << " hides own " << own.version;
    const bool overtaken = std::ranges::any_of(truth_.history, [&](const Happened& later) {
      return later.version > own.version && later.key == own.key &&
             (!later.after || !shown(*later.after));
    });
    EXPECT_TRUE(overtaken || !shown(*own.after)) << "own write " << own.version << " is lost";
  }

  void apply(const std::optional<Change>& change) {
    if (change) apply(std::vector{*change});
  }
  void apply(const std::vector<Change>& changes) {
    for (const auto& change : changes) {
      const auto object = change.after.is_null() ? change.before.view() : change.after.view();
      auto& mirrored = mirror_[kube::key_of(object)];
      EXPECT_EQ(mirrored, change.before) << "a change that did not begin where the last one ended";
      EXPECT_FALSE(change.before == change.after) << "a change of nothing";
      mirrored = change.after;
      if (mirrored.is_null()) mirror_.erase(kube::key_of(object));
    }
  }

  static std::string_view resource_version(json::View object) {
    return kube::resource_version_of(object);
  }

  static std::string described(json::View object) {
    return std::string{kube::namespace_of(object)} + "/" + runtime::brief(object) + " " +
           std::string{kube::uid_of(object)};
  }
  std::vector<std::string> cached() const {
    std::vector<std::string> all;
    for (const auto object : contents_.list("")) all.push_back(described(object));
    return all;
  }
  std::vector<std::string> mirrored() const {
    std::vector<std::string> all;
    for (const auto& [key, object] : mirror_) all.push_back(described(object));
    return all;
  }
  std::vector<std::string> wanted() const {
    std::vector<std::string> all;
    for (const auto& [key, object] : truth_.objects) {
      if (shown(object)) {
        const auto value = object.value();
        all.push_back(described(value));
      }
    }
    return all;
  }

  void check() {
    ASSERT_EQ(cached(), mirrored());
    ASSERT_EQ(mirror_.size(), contents_.size());
    std::map<std::string, std::size_t> owners;
    std::size_t with_x = 0;
    for (const auto& [key, object] : mirror_) {
      const auto uid = std::string{kube::uid_of(object)};
      const auto version = std::stoull(std::string{resource_version(object)});
      const auto state = truth_.existed.find({uid, version});
      ASSERT_TRUE(state != truth_.existed.end() && state->second.value == object);
      ASSERT_FALSE(gone_.contains(uid)) << uid << " came back";
      ASSERT_GE(version, newest_[key]) << key.name << " went back";
      newest_[key] = version;
      ASSERT_EQ(contents_.get(key), object.view());
      ++owners[state->second.object.owner];
      with_x += state->second.object.app == "x" ? 1U : 0U;
    }
    for (const auto& [owner, count] : owners) ASSERT_EQ(contents_.owned_by(owner).size(), count);
    ASSERT_EQ(contents_.indexed("app", "x").size(), with_x);
  }

  // No more faults: everything arrives.
  void settle() {
    while (!answers_.empty()) deliver_answer();
    for (auto& feed : feeds_) {
      while (!feed.watching) go_on_listing(feed);
      while (feed.position < truth_.now) deliver_event(feed);
    }
  }

  Rng rng_;
  Truth truth_;
  bool selects_;
  Contents contents_;
  std::vector<FeedState> feeds_;
  std::vector<Happened> answers_;  // to own writes, on their way
  std::map<kube::Key, json::Value> mirror_;
  std::map<kube::Key, std::uint64_t> newest_;
  std::set<std::string> gone_;
};

constexpr std::uint64_t kOrderTrials = some_of(200);
constexpr int kSteps = 150;

void try_all_orders(const client::Selector& selector, const std::vector<std::string>& namespaces) {
  OrderTrial::Counts sum;
  for (std::uint64_t seed = 0; seed < kOrderTrials && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    OrderTrial trial{seed, selector, namespaces};
    trial.run(kSteps);
    sum.past_lists += trial.counts.past_lists;
    sum.past_events += trial.counts.past_events;
    sum.late_answers += trial.counts.late_answers;
    sum.relists += trial.counts.relists;
  }
  EXPECT_GT(sum.past_lists, some_of(50));
  EXPECT_GT(sum.past_events, some_of(500));
  EXPECT_GT(sum.late_answers, some_of(500));
  EXPECT_GT(sum.relists, some_of(500));
}

TEST(ContentsModel, AgreesWithTheServerInEveryOrderOfNews) {
  try_all_orders({}, {""});
}

TEST(ContentsModel, AgreesWhileObjectsEnterAndLeaveTheSelection) {
  try_all_orders({.labels = "app=x", .fields = ""}, {""});
}

TEST(ContentsModel, AgreesWhenNamespacesAreFedOneByOne) {
  try_all_orders({}, {"one", "two"});
}

}  // namespace
}  // namespace fixpoint::runtime
