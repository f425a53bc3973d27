// SPDX-License-Identifier: Apache-2.0
#include "kinds/kind.h"

#include "json/parsing/parse.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace fixpoint::kinds {
namespace {

std::string list(const std::vector<std::string>& items) {
  return items.empty() ? "-" : fmt::format("{}", fmt::join(items, ","));
}

// Discovery leaves group and version out where they are the resource's own.
std::string shown(const kube::GroupVersionKind& kind, const kube::GroupVersionKind& owner) {
  const bool own = kind.group_version() == owner.group_version();
  return fmt::format("{}/{}/{}", own ? "" : kind.group, own ? "" : kind.version, kind.kind);
}

std::string discovery_text() {
  std::string text;
  for (const auto& kind : all()) {
    text +=
        fmt::format("{}/{} {} {} {} {} {} {} {}\n", kind.gvk.group, kind.gvk.version, kind.resource,
                    kind.gvk.kind, kind.namespaced ? "Namespaced" : "Cluster", kind.singular,
                    list(kind.verbs), list(kind.short_names), list(kind.categories));
    for (const auto& sub : kind.subresources) {
      text += fmt::format("  {} {} {}\n", sub.name, shown(sub.kind, kind.gvk), list(sub.verbs));
    }
  }
  return text;
}

TEST(Kinds, AreListedAsARealServerListsThem) {
  std::ifstream file{"tests/testdata/kinds/discovery.txt"};
  ASSERT_TRUE(file);
  std::string wanted;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with('#')) wanted += line + "\n";
  }

  EXPECT_EQ(discovery_text(), wanted);
}

TEST(Kinds, AreFoundByResourceAndByKind) {
  const auto* deployments = find(kube::GroupVersionResource{"apps", "v1", "deployments"});
  ASSERT_NE(deployments, nullptr);

  EXPECT_EQ(find(kube::GroupVersionKind{"apps", "v1", "Deployment"}), deployments);
  EXPECT_EQ(find(kube::GroupVersionKind{"apps", "v2", "Deployment"}), nullptr);
  EXPECT_NE(deployments->subresource("scale"), nullptr);
  EXPECT_EQ(deployments->subresource("token"), nullptr);
}

TEST(Kinds, HaveASchemaThatNamesThem) {
  for (const auto& kind : all()) {
    const auto* schema = kind.schema();
    EXPECT_EQ(schema->go_type, kind.gvk.kind);
    EXPECT_NE(schema->definition.find(kind.gvk.version + "." + kind.gvk.kind), std::string::npos);
    EXPECT_FALSE(schema->properties.empty());
  }
}

TEST(Kinds, PointToWhatTheyAreStoredAs) {
  for (const auto& kind : all()) {
    if (kind.stored_as.resource.empty()) continue;
    EXPECT_NE(find(kind.stored_as), nullptr) << kind.gvk.to_string();
  }
}

// What a real server said about the names "a.b", "A_b" and "a%b" of each kind.
TEST(Kinds, HaveTheNameRulesOfARealServer) {
  const std::map<std::string_view, NameRule> exceptions{
      {"Namespace",                 NameRule::DnsLabel    },
      {"StatefulSet",               NameRule::DnsLabel    },
      {"Service",                   NameRule::DnsLabel1035},
      {"APIService",                NameRule::PathSegment },
      {"CertificateSigningRequest", NameRule::PathSegment },
      {"ClusterRole",               NameRule::PathSegment },
      {"ClusterRoleBinding",        NameRule::PathSegment },
      {"IPAddress",                 NameRule::PathSegment },
      {"PodDisruptionBudget",       NameRule::PathSegment },
      {"Role",                      NameRule::PathSegment },
      {"RoleBinding",               NameRule::PathSegment },
  };
  for (const auto& kind : all()) {
    const bool core_event = kind.gvk == kube::GroupVersionKind{"", "v1", "Event"};
    const auto found = exceptions.find(kind.gvk.kind);
    const auto wanted = core_event                  ? NameRule::PathSegment
                        : found == exceptions.end() ? NameRule::DnsSubdomain
                                                    : found->second;
    EXPECT_EQ(kind.name_rule, wanted) << kind.gvk.to_string();
  }
}

TEST(Kinds, ReadTheFieldsThatSelectorsName) {
  const auto pod =
      json::parse(R"({"spec":{"nodeName":"n"},"status":{"podIPs":[{"ip":"10.0.0.1"}]}})");
  const auto& fields = find(kube::GroupVersionKind{"", "v1", "Pod"})->selectable_fields;
  const auto value = [&](std::string_view name) {
    const auto found = std::ranges::find(fields, name, &SelectableField::name);
    return found == fields.end() ? "(none)" : found->value(*pod);
  };

  EXPECT_EQ(value("spec.nodeName"), "n");
  EXPECT_EQ(value("spec.hostNetwork"), "false");
  EXPECT_EQ(value("status.podIP"), "10.0.0.1");
  EXPECT_EQ(value("status.phase"), "");
  EXPECT_EQ(value("spec.image"), "(none)");
}

}  // namespace
}  // namespace fixpoint::kinds
