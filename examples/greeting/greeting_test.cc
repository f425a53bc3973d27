// SPDX-License-Identifier: Apache-2.0
//
// The example, pass by pass, on the API server that ships.
#include "base/file.h"
#include "json/print.h"
#include "kube/meta/metadata.h"
#include "runtime/controller/pass_fixture.h"
#include "runtime/registry.h"
#include "runtime/typed.h"
#include "types/reference.h"

#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace greeting {
fixpoint::runtime::OperatorEntry entry();
}

namespace fixpoint::runtime {
namespace {

using testing::HasSubstr;

const client::Resource kDeployments = builtin("apps/v1", "Deployment");

class Greeting : public PassFixture {
 protected:
  Greeting() : parts_(greeting::entry().make()), kind_(*greeting::entry().kinds().front()) {
    settings_.reconciler = parts_.front().reconciler.get();
    settings_.field_manager = "greeting";
    const auto definition = types::crd(kind_);
    world_.create("apiextensions.k8s.io", "v1", "customresourcedefinitions", "",
                  json::to_text(definition));
    // No controllers run here that would say that the kind is served.
    world_.patch(builtin("apiextensions.k8s.io/v1", "CustomResourceDefinition"), kind_.crd_name(),
                 R"({"status":{"acceptedNames":{"plural":"greetings","singular":"greeting",
          "kind":"Greeting","listKind":"GreetingList"},"storedVersions":["v1"],"conditions":[
          {"type":"NamesAccepted","status":"True","reason":"Accepted","message":"",
           "lastTransitionTime":"2026-01-01T00:00:00Z"},
          {"type":"Established","status":"True","reason":"Accepted","message":"",
           "lastTransitionTime":"2026-01-01T00:00:00Z"}]}})",
                 "status");
    world_.follow(resource_of(kind_));
    world_.follow(kDeployments);
  }
  void greet(std::string_view spec) {
    world_.create(kind_.group, "v1", kind_.plural, "ns",
                  R"({"apiVersion":"example.fixpoint.dev/v1","kind":"Greeting",)"
                  R"("metadata":{"name":"hello"},"spec":)" +
                      std::string{spec} + "}");
  }
  json::Value greeting() { return world_.get(resource_of(kind_), "hello"); }

  std::vector<Part> parts_;
  const types::Kind& kind_;
};

TEST_F(Greeting, BecomesAPageAndPodsThatServeIt) {
  greet(R"({"message":"Hello, world","replicas":2})");

  settle("hello");

  EXPECT_EQ(world_.text(kMaps, "hello", "data", "index.html"), "Hello, world");
  const auto deployment = world_.get(kDeployments, "hello");
  EXPECT_EQ(deployment.get("spec", "replicas").as_int(), 2);
  EXPECT_EQ(kube::controller_of(deployment)->kind, "Greeting");
  const auto object = greeting();
  EXPECT_EQ(object.get("status", "phase").as_string(), "Progressing");
  EXPECT_FALSE(kube::condition_is_true(object, "Ready"));
}

TEST_F(Greeting, IsReadyWhenItsPodsAre) {
  greet(R"({"message":"Hello"})");
  settle("hello");

  world_.patch(kDeployments, "hello", R"({"status":{"replicas":1,"readyReplicas":1}})", "status");
  settle("hello");

  const auto object = greeting();
  EXPECT_EQ(object.get("status", "phase").as_string(), "Ready");
  EXPECT_EQ(object.get("status", "readyReplicas").as_int(), 1);
  EXPECT_TRUE(kube::condition_is_true(object, "Ready"));
}

TEST_F(Greeting, WritesNothingWhenNothingChanged) {
  greet(R"({"message":"Hello"})");
  settle("hello");

  EXPECT_EQ(run("hello").writes, 0U);
}

TEST_F(Greeting, TakesItsChildrenWithIt) {
  greet(R"({"message":"Hello"})");
  settle("hello");

  // The watch goes on while a pass runs: news of its own writes come in between its steps.
  between_ = [&](const Effect&) { world_.sync(); };
  world_.remove(resource_of(kind_), "hello");
  for (int pass = 0; pass < 5; ++pass) {
    world_.sync();
    const auto end = run("hello");
    EXPECT_NE(end.result, PassEnd::Result::Error) << end.failure.message;
  }

  EXPECT_TRUE(world_.get(kMaps, "hello").is_null());
  EXPECT_TRUE(world_.get(kDeployments, "hello").is_null());
  EXPECT_TRUE(greeting().is_null());
}

TEST_F(Greeting, IsCheckedBeforeAnythingIsDone) {
  const auto wrong = parsed(R"({"spec":{"replicas":11}})");

  const auto errors = settings_.reconciler->check(wrong);

  ASSERT_EQ(errors.size(), 2U);
  EXPECT_THAT(errors[0].to_string(), HasSubstr("spec.message: Required value: add it"));
  EXPECT_THAT(errors[1].to_string(), HasSubstr("spec.replicas: Invalid value: 11: must be less"));
}

TEST_F(Greeting, HasNoMistakesInItsTables) {
  EXPECT_THAT(types::mistakes(kind_), testing::IsEmpty());
}

// `fixpoint manifests --operators greeting --only reference` makes the page.
TEST_F(Greeting, HasItsReferencePageInTheDocs) {
  EXPECT_EQ(read_file("docs/reference/greeting.md").value_or(""),
            "<!-- SPDX-License-Identifier: Apache-2.0 -->\n" + types::reference_page(kind_));
}

TEST(GreetingSource, FitsInAHundredLines) {
  std::ifstream source("examples/greeting/greeting.cc");
  int lines = 0;
  for (std::string line; std::getline(source, line);) ++lines;

  EXPECT_GT(lines, 50);
  EXPECT_LE(lines, 100);
}

}  // namespace
}  // namespace fixpoint::runtime
