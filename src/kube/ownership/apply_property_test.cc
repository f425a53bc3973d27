// SPDX-License-Identifier: Apache-2.0
//
// What must hold of apply whatever is applied: random configurations of a kind with every list and
// map type, from fixed seeds.
#include "base/rng.h"
#include "json/draft.h"
#include "json/print.h"
#include "kube/ownership/managed_fields.h"
#include "kube/ownership/merge.h"
#include "kube/schema/schema_for_tests.h"
#include "kube/table_for_tests.h"

#include <algorithm>

namespace fixpoint::kube {
namespace {

using json::Draft;

constexpr int kRounds = 40;

class Configurations {
 public:
  explicit Configurations(std::uint64_t seed) : rng_(seed) {}

  // A configuration; two of different `share`s state no field twice.
  json::Value next(std::string_view share) {
    share_ = share;
    // Never empty: an empty spec would itself be stated, and that is another matter.
    Draft spec = Draft::object({
        {"plainMap", texts()}
    });
    if (maybe()) spec["setList"] = set();
    if (maybe()) spec["mapList"] = keyed();
    if (maybe()) spec["ports"] = ports();
    if (maybe())
      spec["structMap"] = Draft::object({
          {name(), Draft::object({{"a", number()}})}
      });
    if (maybe())
      spec["free"] = Draft::object({
          {"map" + name(),  texts()},
          {"list" + name(), set()  }
      });
    if (maybe() && share != "b") spec["text"] = text();
    if (maybe() && share != "a") spec["number"] = number();
    if (maybe() && share != "b") spec["atomicList"] = set();
    if (maybe() && share != "a") spec["atomicMap"] = texts();
    if (maybe() && share != "b")
      spec["atomicStruct"] = Draft::object({
          {"x", number()}
      });
    if (maybe())
      spec["struct"] = Draft::object({
          {share == "a" ? "a" : "b", number()}
      });
    return Draft::object({
                             {"apiVersion", Draft("apply.example/v1")            },
                             {"kind",       Draft("Thing")                       },
                             {"metadata",   Draft::object({{"name", Draft("x")}})},
                             {"spec",       std::move(spec)                      }
    })
        .freeze();
  }

 private:
  bool maybe() { return rng_.below(2) == 0; }
  std::string name() { return std::string(share_) + std::to_string(rng_.below(4)); }
  Draft text() { return Draft(name()); }
  Draft number() { return Draft(static_cast<std::int64_t>(rng_.below(3))); }

  Draft texts() {
    Draft out = Draft::object();
    for (std::uint64_t i = rng_.below(3) + 1; i > 0; --i) out[name()] = text();
    return out;
  }

  std::vector<std::string> names() {
    std::vector<std::string> out;
    for (std::uint64_t i = rng_.below(4) + 1; i > 0; --i) {
      std::string fresh = name();
      if (std::ranges::find(out, fresh) == out.end()) out.push_back(std::move(fresh));
    }
    return out;
  }

  Draft set() {
    Draft out = Draft::array();
    for (std::string& each : names()) out.push_back(Draft(std::move(each)));
    return out;
  }

  Draft keyed() {
    Draft out = Draft::array();
    for (std::string& each : names()) {
      Draft& item = out.push_back(Draft::object({
          {"name", Draft(std::move(each))}
      }));
      if (maybe()) item["value"] = text();
      if (maybe())
        item["nested"] = Draft::object({
            {"a", number()}
        });
      if (maybe()) item["tags"] = set();
    }
    return out;
  }

  Draft ports() {
    const std::int64_t base = share_ == "b" ? 100 : 10;
    Draft out = Draft::array();
    out.push_back(Draft::object({
        {"port", Draft(base + static_cast<std::int64_t>(rng_.below(3)))}
    }));
    if (maybe())
      out.push_back(Draft::object({
          {"port",     Draft(base) },
          {"protocol", Draft("UDP")}
      }));
    return out;
  }

  Rng rng_;
  std::string_view share_;
};

class ApplyProperty : public ::testing::Test {
 protected:
  Writer writer(std::string manager) const {
    Writer out;
    out.schema = &schemas_.of("Thing");
    out.kind = {"apply.example", "v1", "Thing"};
    out.manager = std::move(manager);
    out.now = Instant{} + std::chrono::hours(1);
    return out;
  }

  json::Value applied(std::string manager, const json::Value& live, const json::Value& config,
                      Force force = Force::No) const {
    auto answer = apply(writer(std::move(manager)), live, config, force);
    EXPECT_TRUE(answer.has_value()) << (answer ? "" : answer.error().message);
    if (!answer) return {};
    // What the store adds, so that the object counts as existing.
    Draft stored(*std::move(answer));
    stored["metadata"]["uid"] = Draft("u");
    return stored.freeze();
  }

  FieldSet stated(const json::Value& object) const {
    return stated_fields(schemas_.of("Thing"), object).value();
  }

  json::Value table_ = read_table("kube/apply.json");
  TestSchemas schemas_{table_.get("schemas")};
  Configurations configurations_{20260101};
};

FieldSet fields_of(json::View object, std::string_view manager) {
  for (const json::View entry : object.get("metadata", "managedFields").elements())
    if (entry.get("manager").as_string() == manager)
      return parse_fields_v1(entry.get("fieldsV1")).value();
  return {};
}

FieldSet spec_of(const FieldSet& fields) {
  return fields.below(PathElement::field("spec"));
}

// The order of list items is a matter of who came first.
Draft without_order(json::View value) {
  Draft out(value);
  if (value.is_object())
    for (auto& [key, part] : out.members()) {
      const json::Value frozen = part.freeze();
      part = without_order(frozen);
    }
  if (value.is_array()) {
    for (Draft& item : out.elements()) {
      const json::Value frozen = item.freeze();
      item = without_order(frozen);
    }
    std::ranges::sort(out.elements(), std::less<>{}, [](const Draft& item) {
      const json::Value frozen = item.freeze();
      return json::to_text(frozen);
    });
  }
  return out;
}

std::string sorted_text(json::View value) {
  const json::Value frozen = without_order(value).freeze();
  return json::to_text(frozen);
}

TEST_F(ApplyProperty, ApplyingAgainChangesNothing) {
  for (int round = 0; round < kRounds; ++round) {
    const json::Value config = configurations_.next("c");
    const json::Value once = applied("m", {}, config);
    const json::Value twice = applied("m", once, config);
    ASSERT_EQ(json::to_text(once), json::to_text(twice));
  }
}

TEST_F(ApplyProperty, WhatIsNoLongerStatedIsGone) {
  for (int round = 0; round < kRounds; ++round) {
    const json::Value first = configurations_.next("c");
    const json::Value second = configurations_.next("c");
    const json::Value live = applied("m", {}, first);
    const json::Value after = applied("m", live, second);
    // All that is left is what the second configuration states.
    ASSERT_EQ(sorted_text(after.get("spec")), sorted_text(second.get("spec")))
        << json::to_text(first);
  }
}

TEST_F(ApplyProperty, DisjointManagersConvergeInEitherOrder) {
  for (int round = 0; round < kRounds; ++round) {
    const json::Value a = configurations_.next("a");
    const json::Value b = configurations_.next("b");
    const json::Value one = applied("second", applied("first", {}, a), b);
    const json::Value other = applied("first", applied("second", {}, b), a);
    ASSERT_EQ(sorted_text(one), sorted_text(other));
    // And each takes away only its own.
    const json::Value alone =
        applied("second", applied("first", one, configurations_.next("a")), b);
    ASSERT_EQ(spec_of(fields_of(alone, "second")), spec_of(stated(b)));
  }
}

TEST_F(ApplyProperty, ForceTakesWhatItStates) {
  for (int round = 0; round < kRounds; ++round) {
    const json::Value mine = configurations_.next("c");
    const json::Value theirs = configurations_.next("c");
    const json::Value live = applied("them", {}, theirs);
    const json::Value after = applied("me", live, mine, Force::Yes);
    ASSERT_EQ(spec_of(fields_of(after, "me")), spec_of(stated(mine)));
    const json::Value again = merge_objects(schemas_.of("Thing"), after, mine).value();
    ASSERT_EQ(sorted_text(after.get("spec")), sorted_text(again.get("spec")));
    // Without force the same is refused, exactly if it would change a field of theirs.
    const bool touches =
        !intersect(subtract(fields_of(live, "them"), fields_of(after, "them")), stated(mine))
             .empty();
    const bool refused = !apply(writer("me"), live, mine, Force::No).has_value();
    ASSERT_EQ(refused, touches);
  }
}

// Holds where both parts give a member the same shape, which is all that schemas allow.
TEST_F(ApplyProperty, FieldsOfAMergeAreThoseOfBothParts) {
  for (int round = 0; round < kRounds; ++round) {
    const json::Value a = configurations_.next("c");
    const json::Value b = configurations_.next("c");
    const json::Value merged = merge_objects(schemas_.of("Thing"), a, b).value();
    ASSERT_EQ(to_fields_v1_text(stated(merged)), to_fields_v1_text(unite(stated(a), stated(b))));
  }
}

TEST_F(ApplyProperty, ComparisonIsTheSameBackwards) {
  for (int round = 0; round < kRounds; ++round) {
    const json::Value a = configurations_.next("c");
    const json::Value b = configurations_.next("c");
    const Comparison there = compare_objects(schemas_.of("Thing"), a, b).value();
    const Comparison back = compare_objects(schemas_.of("Thing"), b, a).value();
    ASSERT_EQ(there.added, back.removed);
    ASSERT_EQ(there.removed, back.added);
    ASSERT_EQ(there.modified, back.modified);
    const json::Value copy = json::Value(a).compact();
    ASSERT_TRUE(compare_objects(schemas_.of("Thing"), a, copy)->same());
  }
}

TEST_F(ApplyProperty, FieldsSurviveTheirWireForm) {
  for (int round = 0; round < kRounds; ++round) {
    const FieldSet fields = stated(configurations_.next("c"));
    const json::Value wire = to_fields_v1(fields);
    ASSERT_EQ(parse_fields_v1(wire).value(), fields);
  }
}

TEST_F(ApplyProperty, AnOrdinaryWriteOwnsExactlyWhatItChanged) {
  for (int round = 0; round < kRounds; ++round) {
    const json::Value before = applied("m", {}, configurations_.next("c"));
    const json::Value after = configurations_.next("c");
    Draft object(before);
    object["spec"] = Draft(after.get("spec"));
    const json::Value edited = object.freeze();
    const Comparison change = compare_objects(schemas_.of("Thing"), before, edited).value();
    ASSERT_TRUE(track_update(writer("u"), before, object).has_value());
    const json::Value tracked = object.freeze();
    ASSERT_EQ(fields_of(tracked, "u"), unite(change.modified, change.added));
    ASSERT_TRUE(intersect(fields_of(tracked, "m"), unite(change.modified, change.removed)).empty());
  }
}

}  // namespace
}  // namespace fixpoint::kube
