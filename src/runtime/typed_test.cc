// SPDX-License-Identifier: Apache-2.0
#include "runtime/typed.h"

#include "json/parsing/parse.h"
#include "json/print.h"
#include "types/gadget_for_tests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::runtime {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using types::Wheel;

// Everything an author can say.
struct Wheelwright {
  using Spec = Wheel;
  using Status = types::GadgetStatus;
  struct Facts {
    std::string seen;
  };
  static types::Kind kind() {
    return {.group = "test.fixpoint.example",
            .name = "Wheel",
            .plural = "wheels",
            .doc = "A wheel.",
            .versions = {{.spec = &types::table_of<Wheel>()}}};
  }
  static Declaration declare() { return {.name = "wheels", .watches = {reconciles(kind())}}; }

  kube::FieldErrors validate(const Wheel& wheel) const {
    if (wheel.name != "square") return {};
    return {kube::invalid(kube::FieldPath{"spec"}.child("name"), "square", "must be round")};
  }
  Result<Facts> observe(const Primary<Wheel>& wheel, const Reader&, Probes&) const {
    if (wheel.spec.size == 99) return fail(ErrorKind::Unavailable, "ask later");
    return Facts{wheel.key.ns + "/" + wheel.key.name};
  }
  Plan decide(const Primary<Wheel>& wheel, const Facts& facts, Instant) const {
    Plan plan;
    plan.wait(wheel.spec.name, facts.seen);
    return plan;
  }
  Plan cleanup(const Primary<Wheel>& wheel, const Facts&, Instant) const {
    Plan plan;
    plan.wait("Cleanup", wheel.uid.value);
    return plan;
  }
  Verdict<Status> conclude(const Primary<Wheel>&, const Facts&, const Outcomes& outcomes) const {
    return {
        {.phase = "Rolling", .ready = 1, .selector = {}, .wheels = {}},
        {ready(outcomes)}
    };
  }
};

class OneObject final : public Reader, public Probes {
 public:
  explicit OneObject(std::string_view text) : object_(*json::parse(text)) {}
  json::View primary() const override { return object_; }
  json::View get(const kube::GroupVersionKind&, const kube::Key&) const override { return {}; }
  std::vector<json::View> owned(const kube::GroupVersionKind&) const override { return {}; }
  std::vector<json::View> list(const kube::GroupVersionKind&, std::string_view) const override {
    return {};
  }
  std::vector<json::View> indexed(const kube::GroupVersionKind&, std::string_view,
                                  std::string_view) const override {
    return {};
  }
  Result<json::Value> live(const ObjectRef&) const override { return json::Value{}; }
  Result<json::Value> ask(const Probe&) override { return json::Value{}; }

 private:
  json::Value object_;
};

constexpr std::string_view kObject = R"({"metadata":{"name":"w","namespace":"ns","uid":"u1",
  "generation":3},"spec":{"name":"front"}})";

TEST(Typed, HandsTheDecodedSpecToEveryFunction) {
  const Typed<Wheelwright> wheels;
  OneObject world(kObject);

  const auto facts = *wheels.observe(world, world, {"ns", "w"});

  const auto plan = wheels.decide(facts, {});
  const auto& wait = std::get<WaitStep>(plan.branches.at(0).steps.at(0));
  EXPECT_EQ(wait.reason, "front");
  EXPECT_EQ(wait.message, "ns/w");
  const auto cleanup = wheels.cleanup(facts, {});
  EXPECT_EQ(std::get<WaitStep>(cleanup.branches.at(0).steps.at(0)).message, "u1");
}

TEST(Typed, EncodesTheStatus) {
  const Typed<Wheelwright> wheels;
  OneObject world(kObject);

  const auto conclusion = wheels.conclude(*wheels.observe(world, world, {"ns", "w"}), {});

  EXPECT_EQ(json::to_text(conclusion.status), R"({"phase":"Rolling","ready":1})");
  ASSERT_EQ(conclusion.conditions.size(), 1U);
  EXPECT_TRUE(conclusion.conditions[0].is_true);
}

TEST(Typed, HandsOnWhatObserveFailedOf) {
  const Typed<Wheelwright> wheels;
  OneObject world(R"({"metadata":{"name":"w"},"spec":{"name":"a","size":99}})");

  EXPECT_EQ(wheels.observe(world, world, {"ns", "w"}).error().message, "ask later");
}

TEST(Typed, ChecksTheTableFirstAndTheAuthorsRulesThen) {
  const Typed<Wheelwright> wheels;
  const auto errors = [&](std::string_view text) {
    std::vector<std::string> fields;
    const auto object = *json::parse(text);
    for (const auto& error : wheels.check(object)) fields.push_back(error.field);
    return fields;
  };

  EXPECT_THAT(errors(R"({"spec":{"name":"round"}})"), ElementsAre());
  EXPECT_THAT(errors(R"({"spec":{"name":"square"}})"), ElementsAre("spec.name"));
  EXPECT_THAT(errors(R"({"spec":{"size":0}})"), ElementsAre("spec.name", "spec.size"));
  EXPECT_THAT(errors("{}"), ElementsAre("spec.name"));
}

TEST(Typed, DecodesTheSpecOnceForCheckAndObserve) {
  class WithDecoded final : public Reader {
   public:
    WithDecoded(OneObject& under, Facts decoded) : under_(under), decoded_(std::move(decoded)) {}
    json::View primary() const override { return under_.primary(); }
    Facts decoded() const override { return decoded_; }
    json::View get(const kube::GroupVersionKind&, const kube::Key&) const override { return {}; }
    std::vector<json::View> owned(const kube::GroupVersionKind&) const override { return {}; }
    std::vector<json::View> list(const kube::GroupVersionKind&, std::string_view) const override {
      return {};
    }
    std::vector<json::View> indexed(const kube::GroupVersionKind&, std::string_view,
                                    std::string_view) const override {
      return {};
    }
    Result<json::Value> live(const ObjectRef&) const override { return json::Value{}; }

   private:
    OneObject& under_;
    Facts decoded_;
  };
  const Typed<Wheelwright> wheels;
  OneObject world(kObject);
  const auto other = *json::parse(R"({"spec":{"name":"rear"}})");

  // What is handed on is what observe() works with, not what it could decode by itself.
  auto checked = wheels.inspect(other);
  ASSERT_TRUE(checked.errors.empty());
  const WithDecoded reader(world, std::move(checked.decoded));
  const auto plan = wheels.decide(*wheels.observe(reader, world, {"ns", "w"}), {});

  EXPECT_EQ(std::get<WaitStep>(plan.branches.at(0).steps.at(0)).reason, "rear");
}

TEST(Typed, ARejectedSpecLeavesNothingOfAnEarlierStatus) {
  const Typed<Wheelwright> wheels;
  const auto object = *json::parse(R"({"spec":{},"status":{"phase":"Rolling","ready":1}})");

  const auto conclusion = wheels.reject(object, wheels.check(object));

  EXPECT_EQ(json::to_text(conclusion.status), "{}");
  ASSERT_EQ(conclusion.conditions.size(), 1U);
  EXPECT_FALSE(conclusion.conditions[0].is_true);
  EXPECT_EQ(conclusion.conditions[0].reason, "InvalidSpec");
}

TEST(Typed, SaysWhyItIsNotReady) {
  Outcomes outcomes;
  outcomes.steps.push_back({.branch = "a",
                            .what = "apply ConfigMap ns/w",
                            .state = StepState::Failed,
                            .reason = "Forbidden",
                            .message = "not allowed"});

  const auto failed = ready(outcomes, "waiting");
  EXPECT_FALSE(failed.is_true);
  EXPECT_EQ(failed.reason, "Forbidden");
  EXPECT_EQ(failed.message, "apply ConfigMap ns/w: not allowed");
  EXPECT_EQ(ready({}, "waiting for pods").reason, "Progressing");
}

TEST(Typed, FindsBuiltInKinds) {
  EXPECT_EQ(builtin("networking.k8s.io/v1", "Ingress").plural, "ingresses");
  EXPECT_EQ(builtin("v1", "Node").scope, client::Scope::Cluster);
}

TEST(Typed, MakesChildrenBesideThePrimary) {
  const auto made = child(
      {
          "ns", "w"
  },
      "v1", "ConfigMap", {{"data", object({{"a", "b"}})}});

  EXPECT_EQ(json::to_text(made), R"({"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap",)"
                                 R"("metadata":{"name":"w","namespace":"ns"}})");
}

}  // namespace
}  // namespace fixpoint::runtime
