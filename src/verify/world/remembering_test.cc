// SPDX-License-Identifier: Apache-2.0
#include "verify/world/remembering.h"

#include "json/parsing/parse.h"
#include "runtime/reader.h"

#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace fixpoint::verify::world {
namespace {

const kube::Key kKey{"default", "web"};

// Counts how often it is asked.
class Asked final : public runtime::Operator {
 public:
  const runtime::Declaration& declaration() const override { return declaration_; }
  kube::FieldErrors check(json::View) const override { return {}; }
  Result<runtime::Facts> observe(const runtime::Reader& reader, runtime::Probes& probes,
                                 const kube::Key& key) const override {
    [[maybe_unused]] const auto answer = probes.ask({.name = "well?", .arguments = {}});
    return std::make_shared<const json::Value>(reader.get({}, key));
  }
  runtime::Plan decide(const runtime::Facts& facts, Instant) const override {
    ++decided;
    runtime::Plan plan;
    plan.apply(*static_cast<const json::Value*>(facts.get()));
    return plan;
  }
  runtime::Conclusion conclude(const runtime::Facts&, const runtime::Outcomes&) const override {
    ++concluded;
    return {};
  }

  mutable int decided = 0;
  mutable int concluded = 0;

 private:
  runtime::Declaration declaration_;
};

struct Told final : runtime::Reader, runtime::Probes {
  json::Value object;
  json::Value answer;

  json::View primary() const override { return object; }
  json::View get(const kube::GroupVersionKind&, const kube::Key&) const override { return object; }
  std::vector<json::View> owned(const kube::GroupVersionKind&) const override { return {}; }
  std::vector<json::View> list(const kube::GroupVersionKind&, std::string_view) const override {
    return {};
  }
  std::vector<json::View> indexed(const kube::GroupVersionKind&, std::string_view,
                                  std::string_view) const override {
    return {};
  }
  Result<json::Value> live(const runtime::ObjectRef&) const override { return json::Value{}; }
  Result<json::Value> ask(const runtime::Probe&) override { return answer; }
};

Told told(std::string_view object, std::string_view answer) {
  Told made;
  made.object = *json::parse(object);
  made.answer = *json::parse(answer);
  return made;
}

runtime::Facts seen(const runtime::Operator& by, Told reader) {
  return *by.observe(reader, reader, kKey);
}

TEST(Remembering, AsksOnceWhoIsToldTheSame) {
  const Asked plain;
  const auto it = remembering(plain);

  const auto first = it->decide(seen(*it, told(R"({"a":1})", "1")), {});
  const auto second = it->decide(seen(*it, told(R"({"a":1})", "1")), {});

  EXPECT_EQ(plain.decided, 1);
  EXPECT_EQ(first.step_count(), second.step_count());
}

TEST(Remembering, AsksAgainWhenAnObjectAnAnswerOrAnOutcomeIsAnother) {
  const Asked plain;
  const auto it = remembering(plain);
  const auto facts = seen(*it, told(R"({"a":1})", "1"));

  (void)it->decide(facts, {});
  (void)it->decide(seen(*it, told(R"({"a":2})", "1")), {});
  (void)it->decide(seen(*it, told(R"({"a":1})", "2")), {});
  (void)it->conclude(facts, {});
  (void)it->conclude(facts, {.steps = {{.branch = "b", .object = {}, .result = {}}}});

  EXPECT_EQ(plain.decided, 3);
  EXPECT_EQ(plain.concluded, 2);
}

TEST(Remembering, TwoOperatorsHaveNothingInCommon) {
  const Asked one;
  const Asked other;
  const auto first = remembering(one);
  const auto second = remembering(other);

  (void)first->decide(seen(*first, told("{}", "1")), {});
  (void)second->decide(seen(*second, told("{}", "1")), {});

  EXPECT_EQ(one.decided, 1);
  EXPECT_EQ(other.decided, 1);
}

TEST(Remembering, AfreshNothingRememberedIsUsed) {
  const Asked plain;
  const auto it = remembering(plain);
  const auto facts = seen(*it, told("{}", "1"));
  (void)it->decide(facts, {});

  {
    const Afresh afresh{true};
    (void)it->decide(facts, {});
  }
  (void)it->decide(facts, {});

  EXPECT_EQ(plain.decided, 2);
}

}  // namespace
}  // namespace fixpoint::verify::world
