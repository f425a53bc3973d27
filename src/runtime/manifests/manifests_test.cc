// SPDX-License-Identifier: Apache-2.0
#include "runtime/manifests/manifests.h"

#include "apiserver/api_fixture.h"
#include "json/print.h"
#include "json/yaml/yaml.h"
#include "kube/meta/metadata.h"
#include "runtime/manifests/rbac.h"
#include "runtime/typed.h"
#include "types/gadget_for_tests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::runtime {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Gadgeteer {
  using Spec = types::GadgetSpec;
  using Status = types::GadgetStatus;
  struct Facts {};
  static types::Kind kind() { return types::gadget_kind(); }
  static Declaration declare() {
    return {
        .name = "gadgets",
        .watches = {reconciles(kind()), owns("apps/v1", "Deployment"), reads("v1", "Node")},
        .permissions = {
                    {.resource = builtin("v1", "Secret"), .verbs = {"delete"}, .subresource = {}},
                    {.resource = builtin("v1", "Pod"), .verbs = {"create"}, .subresource = "exec"},
                    }
    };
  }
  Result<Facts> observe(const Primary<Spec>&, const Reader&, Probes&) const { return Facts{}; }
  Plan decide(const Primary<Spec>&, const Facts&, Instant) const { return {}; }
  Verdict<Status> conclude(const Primary<Spec>&, const Facts&, const Outcomes&) const { return {}; }
};

const OperatorEntry& gadgets() {
  static const auto kEntry = entry_of<Gadgeteer>("gadgets", "Gadgets");
  return kEntry;
}

ManifestOptions options() {
  ManifestOptions options;
  options.operators = {&gadgets()};
  options.image = "gadgets:1";
  return options;
}

std::string text_of(const std::vector<json::Value>& objects) {
  std::string text;
  for (const auto& object : objects) text += json::to_text(object) + "\n";
  return text;
}

TEST(Grants, FollowFromTheDeclaration) {
  Grants grants;
  grants.add(Gadgeteer::declare());
  const auto list = grants.rules().freeze();
  const auto rules = json::to_text(list);

  EXPECT_THAT(rules, HasSubstr(R"({"apiGroups":["apps"],"resources":["deployments"],)"
                               R"("verbs":["get","list","watch","create","patch","delete"]})"));
  EXPECT_THAT(rules, HasSubstr(R"("resources":["nodes"],"verbs":["get","list","watch"]})"));
  EXPECT_THAT(rules,
              HasSubstr(R"("resources":["gadgets"],"verbs":["get","list","watch","patch"]})"));
  EXPECT_THAT(rules,
              HasSubstr(R"("resources":["gadgets/status"],"verbs":["get","update","patch"]})"));
  EXPECT_THAT(rules, HasSubstr(R"("resources":["gadgets/finalizers"],"verbs":["update"]})"));
  EXPECT_THAT(rules, HasSubstr(R"("resources":["events"],"verbs":["create","patch"]})"));
  EXPECT_THAT(rules, HasSubstr(R"("resources":["pods/exec"],"verbs":["create"]})"));
  // What is deleted is read before.
  EXPECT_THAT(rules, HasSubstr(R"("resources":["secrets"],"verbs":["get","list","delete"]})"));
  EXPECT_THAT(rules, Not(HasSubstr("*")));
}

TEST(Grants, ForOneNamespaceLeaveOnlyTheRestToTheClusterRole) {
  auto narrow = options();
  narrow.watch_namespaces = {"team", "other"};
  const auto objects = access_objects(narrow);

  ASSERT_EQ(objects[1].get("kind").as_string(), "ClusterRole");
  EXPECT_EQ(json::to_text(objects[1].get("rules")),
            R"([{"apiGroups":[""],"resources":["nodes"],"verbs":["get","list","watch"]}])");
  ASSERT_EQ(objects[3].get("kind").as_string(), "Role");
  EXPECT_EQ(kube::namespace_of(objects[3]), "team");
  EXPECT_EQ(kube::namespace_of(objects[5]), "other");
  EXPECT_THAT(json::to_text(objects[3].get("rules")), HasSubstr("deployments"));
  EXPECT_THAT(text_of(workload_objects(narrow)), HasSubstr("--namespace=team,other"));
}

TEST(Manifests, KeepToTheRestrictedProfile) {
  const auto objects = workload_objects(options());
  const auto pod = objects[0].get("spec", "template", "spec");
  const auto container = pod.get("containers")[0];

  EXPECT_TRUE(pod.get("securityContext", "runAsNonRoot").as_bool());
  EXPECT_EQ(pod.get("securityContext", "seccompProfile", "type").as_string(), "RuntimeDefault");
  EXPECT_FALSE(container.get("securityContext", "allowPrivilegeEscalation").as_bool(true));
  EXPECT_EQ(container.get("securityContext", "capabilities", "drop")[0].as_string(), "ALL");
  EXPECT_TRUE(container.get("livenessProbe").is_object());
  EXPECT_TRUE(container.get("readinessProbe").is_object());
}

TEST(Manifests, AreReadableAsYaml) {
  const auto documents = json::parse_yaml_documents(to_yaml_documents(access_objects(options())));

  ASSERT_TRUE(documents.has_value()) << documents.error().message;
  EXPECT_EQ(documents->size(), 5U);
}

TEST(Manifests, RefuseNamesThatKubernetesRefuses) {
  auto wrong = options();
  wrong.ns = "Not_A_Name";
  EXPECT_THAT(check(wrong).error().message, HasSubstr("namespace 'Not_A_Name'"));

  wrong = options();
  wrong.image = "two words";
  EXPECT_THAT(check(wrong).error().message, HasSubstr("image 'two words'"));
  EXPECT_TRUE(check(options()).has_value());
}

TEST(Registry, ChoosesByNameAndLeavesOutExamples) {
  auto example = gadgets();
  example.name = "example";
  example.example = true;
  const std::vector<OperatorEntry> all{gadgets(), example};

  EXPECT_EQ((*choose(all, ""))[0]->name, "gadgets");
  EXPECT_EQ(choose(all, "")->size(), 1U);
  EXPECT_EQ(choose(all, "example,gadgets")->size(), 2U);
  EXPECT_EQ(choose(all, "gadget").error().message,
            "there is no operator 'gadget'; there are: gadgets, example");
  EXPECT_THAT(choose(all, "gadgets,").error().message, HasSubstr("no operator ''"));
}

class ManifestsOn : public apiserver::ApiFixture {
 protected:
  // Where an object of these kinds is applied.
  static std::string path_of(json::View object) {
    const auto kind = kube::gvk_of(object);
    const auto resource =
        builtin(kube::GroupVersion{kind.group, kind.version}.api_version(), kind.kind);
    std::string path = kind.group.empty() ? "/api/v1" : "/apis/" + kind.group + "/" + kind.version;
    if (const auto ns = kube::namespace_of(object); !ns.empty()) {
      path.append("/namespaces/").append(ns);
    }
    return path + "/" + resource.plural + "/" + std::string{kube::name_of(object)};
  }
};

TEST_F(ManifestsOn, OurServerAreAcceptedStrictly) {
  std::vector<json::Value> objects{namespace_object(options())};
  for (auto part : {custom_resource_definitions(options()), access_objects(options()),
                    workload_objects(options())}) {
    for (auto& object : part) objects.push_back(std::move(object));
  }

  for (const auto& object : objects) {
    const auto answer =
        patch(path_of(object), json::to_text(object), "application/apply-patch+yaml",
              "fieldManager=kubectl&fieldValidation=Strict");

    EXPECT_TRUE(answer.ok()) << path_of(object) << ": " << message(answer);
    EXPECT_TRUE(answer.warnings.empty()) << path_of(object) << ": " << answer.warnings.front();
  }
  EXPECT_EQ(objects.size(), 10U);
}

}  // namespace
}  // namespace fixpoint::runtime
