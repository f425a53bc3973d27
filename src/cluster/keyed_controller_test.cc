// SPDX-License-Identifier: Apache-2.0
//
// The frame, shown on a toy: a ConfigMap that wants so many Secrets.
#include "cluster/keyed_controller.h"

#include "cluster/loop_fixture.h"
#include "json/draft.h"
#include "kube/meta/metadata.h"

#include <chrono>
#include <cstdint>

#include <gmock/gmock.h>

namespace fixpoint::cluster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const kube::GroupVersionResource kMapResource{"", "v1", "configmaps"};
const kube::GroupVersionResource kSecrets{"", "v1", "secrets"};
constexpr auto kPath = "/api/v1/namespaces/ns/configmaps";

class Toy final : public KeyedController {
 public:
  Toy(int& passes, std::int64_t& remembered)
      : KeyedController({
            .name = "toy-controller",
            .prefix = "configmaps/",
            .kind = {"", "ConfigMap"},
            .children = {"secrets/"}
  }),
        passes_(passes),
        remembered_(remembered) {}

 private:
  Decision pass(const Reader& reader, const Subject& subject, Instant now) const override {
    ++passes_;
    Decision decision;
    remembered_ = subject.memory.get("passes").as_int();
    decision.memory = json::Draft::object({
                                              {"passes", remembered_ + 1}
    })
                          .freeze();
    if (!subject.record || !subject.record->body.contains("data")) return decision;
    const json::View object = subject.record->body;
    if (subject.refused) {
      json::Draft told{object};
      told["data"]["refused"] = message_of(*subject.refused);
      const json::Value body = told.freeze();
      decision.requests.push_back({.request = update_request(kMapResource, body)});
      return decision;
    }
    const auto have = reader.controlled(kube::uid_of(object), "secrets/").size();
    const auto want = std::stoul(std::string{object.get("data", "want").as_string()});
    for (auto i = have; i < want; ++i) decision.requests.push_back(create(object));
    if (object.get("data", "again").as_string() == "yes") {
      decision.again = now + std::chrono::seconds(10);
    }
    return decision;
  }

  static Effect create(json::View object) {
    const auto secret =
        json::Draft::object(
            {
                {"metadata",
                 json::Draft::object(
                     {{"generateName", "toy-"},
                      {"namespace", kube::namespace_of(object)},
                      {"ownerReferences",
                       json::Draft::array({kube::controller_reference(object).to_json()})}})}
    })
            .freeze();
    return {
        .request = create_request(kSecrets, secret),
        .done = Notice{.object = object, .reason = "Made", .message = "Made {}"},
        .refused = Notice{.object = object,
                       .type = Notice::Type::Warning,
                       .reason = "NotMade",
                       .message = "Error: {}"}
    };
  }

  int& passes_;
  std::int64_t& remembered_;
};

class Keyed : public apiserver::ApiFixture, public Server {
 protected:
  apiserver::Response call(const apiserver::Request& request) override { return run(request); }
  const store::Snapshot& latest() const override { return store_.latest(); }
  apiserver::CustomKinds& kinds() override { return core_.kinds(); }
  Instant now() const override { return clock_.wall(); }

  void want(std::string_view name, std::string_view data) {
    const auto made = create(kPath, R"({"metadata":{"name":")" + std::string{name} +
                                        R"("},"data":)" + std::string{data} + "}");
    ASSERT_EQ(made.code, 201) << message(made);
  }
  void deliver() {
    const auto events = store_.events_after(seen_);
    ASSERT_TRUE(events.has_value());
    seen_ = store_.revision();
    for (const auto& event : *events) {
      index_.observe(event);
      toy_.observe(event);
    }
  }
  // Lets it work until it rests; the events of its own writes come only in between.
  int settle() {
    int steps = 0;
    do {
      deliver();
      while (toy_.step(api_)) {
        if (++steps > kStepsMax) {
          ADD_FAILURE() << "it never rests";
          return steps;
        }
      }
    } while (store_.revision() != seen_);
    return steps;
  }
  std::size_t secrets() { return store_.latest().count("secrets/ns/"); }
  std::vector<std::string> events() {
    std::vector<std::string> told;
    const auto page = list("/api/v1/namespaces/ns/events");
    for (const auto& record : page.list->items) {
      told.push_back(std::string{record->body.get("reason").as_string()} + " x" +
                     std::to_string(record->body.get("count").as_int()) + " " +
                     std::string{record->body.get("message").as_string()});
    }
    return told;
  }

  static constexpr int kStepsMax = 10'000;

  int passes_ = 0;
  std::int64_t remembered_ = 0;
  Toy toy_{passes_, remembered_};
  ObjectIndex index_;
  Api api_{*this, index_};
  store::Revision seen_;
};

TEST_F(Keyed, AChildIsTheBusinessOfItsController) {
  want("a", R"({"want":"2"})");
  settle();
  ASSERT_EQ(secrets(), 2U);
  const auto child = list("/api/v1/namespaces/ns/secrets").list->items.front();

  remove("/api/v1/namespaces/ns/secrets/" + std::string{kube::name_of(child->body)});
  settle();

  EXPECT_EQ(secrets(), 2U);
}

TEST_F(Keyed, APassSeesWhatTheOneBeforeItMadeAlthoughNoEventCameYet) {
  want("a", R"({"want":"3"})");
  deliver();
  while (toy_.step(api_)) {
  }
  patch(std::string{kPath} + "/a", R"({"metadata":{"labels":{"x":"y"}}})");
  toy_.observe(store_.events_after(store::Revision{store_.revision().value - 1})->front());
  while (toy_.step(api_)) {
  }

  EXPECT_EQ(secrets(), 3U);
}

TEST_F(Keyed, APassIsToldWhatTheLastOneOfTheSameObjectLeft) {
  want("a", R"({"want":"0","again":"yes"})");
  settle();
  EXPECT_EQ(remembered_, 0);
  clock_.advance(std::chrono::seconds(10));
  settle();
  EXPECT_EQ(remembered_, 1);

  remove(std::string{kPath} + "/a");
  settle();
  want("a", R"({"want":"0"})");
  settle();

  EXPECT_EQ(remembered_, 0);
}

TEST_F(Keyed, WhatWasDecidedForAnObjectThatIsGoneIsNotDone) {
  want("a", R"({"want":"5"})");
  deliver();
  ASSERT_TRUE(toy_.step(api_));  // decides
  ASSERT_TRUE(toy_.step(api_));  // the first
  remove(std::string{kPath} + "/a");
  while (toy_.step(api_)) {
  }

  EXPECT_EQ(secrets(), 1U);
}

TEST_F(Keyed, ARefusalIsAFactAtOnceAndIsTriedAgainAfterAPauseThatGrows) {
  create("/api/v1/namespaces/ns/resourcequotas",
         R"({"metadata":{"name":"q"},"spec":{"hard":{"count/secrets":"1"}}})");
  patch("/api/v1/namespaces/ns/resourcequotas/q/status",
        R"({"status":{"hard":{"count/secrets":"1"},"used":{"count/secrets":"0"}}})");
  want("a", R"({"want":"3"})");
  settle();
  const auto refused = get(std::string{kPath} + "/a").body;
  const auto first = *toy_.wakes() - now();
  const int passes = passes_;

  clock_.advance(first);
  settle();

  EXPECT_EQ(secrets(), 1U);
  EXPECT_THAT(std::string{refused.get("data", "refused").as_string()}, HasSubstr("exceeded quota"));
  EXPECT_GT(*toy_.wakes() - now(), first);
  EXPECT_LE(passes_ - passes, 3);
  remove("/api/v1/namespaces/ns/resourcequotas/q");
  clock_.advance(std::chrono::minutes(1));
  settle();
  EXPECT_EQ(secrets(), 3U);
  EXPECT_FALSE(toy_.wakes());
}

TEST_F(Keyed, LooksAgainWhenItSaidSo) {
  want("a", R"({"want":"0","again":"yes"})");
  settle();
  const int passes = passes_;
  ASSERT_EQ(toy_.wakes(), now() + std::chrono::seconds(10));

  clock_.advance(std::chrono::seconds(9));
  EXPECT_FALSE(toy_.step(api_));
  clock_.advance(std::chrono::seconds(1));
  EXPECT_TRUE(toy_.step(api_));

  EXPECT_EQ(passes_, passes + 1);
}

TEST_F(Keyed, AnObjectWithManyChildrenIsNotLookedAtForEachOfThem) {
  want("a", R"({"want":"600"})");
  settle();
  clock_.advance(std::chrono::seconds(1));
  settle();
  const int passes = passes_;

  const auto page = list("/api/v1/namespaces/ns/secrets");
  for (std::size_t i = 0; i < 10; ++i) {
    patch("/api/v1/namespaces/ns/secrets/" + std::string{kube::name_of(page.list->items[i]->body)},
          R"({"metadata":{"labels":{"x":"y"}}})");
    settle();
  }
  EXPECT_LE(passes_, passes + 1);
  ASSERT_TRUE(toy_.wakes());
  EXPECT_LE(*toy_.wakes() - now(), std::chrono::milliseconds(100));
  clock_.advance(std::chrono::milliseconds(100));
  settle();

  EXPECT_LE(passes_, passes + 2);
  EXPECT_FALSE(toy_.wakes());
}

TEST_F(Keyed, TellsWhatItDidInEvents) {
  want("a", R"({"want":"1"})");
  settle();

  const auto name =
      std::string{kube::name_of(list("/api/v1/namespaces/ns/secrets").list->items.front()->body)};
  EXPECT_THAT(events(), ElementsAre("Made x1 Made " + name));
}

TEST_F(Keyed, CombinesEventsThatAreManyAndDropsThoseThatAreTooMany) {
  want("a", R"({"want":"40"})");
  settle();

  const auto told = events();
  ASSERT_EQ(told.size(), 10U);
  const auto combined = std::ranges::find_if(
      told, [](const auto& one) { return one.find("(combined from") != std::string::npos; });
  ASSERT_NE(combined, told.end());
  EXPECT_THAT(*combined, HasSubstr("Made x16 (combined from similar events): Made toy-"));
}

}  // namespace
}  // namespace fixpoint::cluster
