// SPDX-License-Identifier: Apache-2.0
#include "kinds/openapi/openapi.h"

#include "json/parsing/parse.h"
#include "json/print.h"
#include "kinds/openapi/paths.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace fixpoint::kinds {
namespace {

using json::View;

json::Value document(const kube::GroupVersion& version) {
  auto parsed = json::parse(openapi_v3(version));
  EXPECT_TRUE(parsed.has_value()) << parsed.error().message;
  return parsed ? *std::move(parsed) : json::Value{};
}

View schema_named(const json::Value& document, std::string_view name) {
  return document.get("components", "schemas", name);
}

TEST(OpenApi, DescribesFieldsWithTypesListKeysAndPatchKeys) {
  const auto core = document({"", "v1"});

  const auto ports = schema_named(core, "io.k8s.api.core.v1.Container").get("properties", "ports");

  EXPECT_EQ(
      json::to_text(ports),
      R"({"description":"Ports that the container listens on.","items":{"allOf":[{"$ref":)"
      R"("#/components/schemas/io.k8s.api.core.v1.ContainerPort"}],"default":{}},"type":"array",)"
      R"("x-kubernetes-list-map-keys":["containerPort","protocol"],"x-kubernetes-list-type":"map",)"
      R"("x-kubernetes-patch-merge-key":"containerPort","x-kubernetes-patch-strategy":"merge"})");
}

TEST(OpenApi, TellsTheKindOfEachBody) {
  const auto apps = document({"apps", "v1"});

  EXPECT_EQ(json::to_text(schema_named(apps, "io.k8s.api.apps.v1.Deployment")
                              .get("x-kubernetes-group-version-kind")),
            R"([{"group":"apps","kind":"Deployment","version":"v1"}])");
  EXPECT_EQ(json::to_text(schema_named(apps, "io.k8s.api.autoscaling.v1.Scale")
                              .get("x-kubernetes-group-version-kind")),
            R"([{"group":"autoscaling","kind":"Scale","version":"v1"}])");
}

// kubectl decides by these whether a server validates fields and knows dry runs.
TEST(OpenApi, ListsTheParametersThatKubectlLooksFor) {
  const auto core = document({"", "v1"});

  const auto patch = core.get("paths", "/api/v1/namespaces/{namespace}/configmaps/{name}", "patch");

  std::set<std::string_view> names;
  for (const View parameter : patch.get("parameters").elements())
    names.insert(parameter.get("name").as_string());
  EXPECT_EQ(names,
            (std::set<std::string_view>{"dryRun", "fieldManager", "fieldValidation", "force"}));
  EXPECT_EQ(patch.get("x-kubernetes-action").as_string(), "patch");
  EXPECT_EQ(json::to_text(patch.get("x-kubernetes-group-version-kind")),
            R"({"group":"","kind":"ConfigMap","version":"v1"})");
  EXPECT_EQ(patch.get("requestBody", "content").size(), 4U);
}

void collect_references(View tree, std::set<std::string>& found) {
  for (const auto [key, value] : tree.members()) {
    if (key == "$ref" && value.is_string()) found.insert(std::string{value.as_string()});
    collect_references(value, found);
  }
  for (const View element : tree.elements()) collect_references(element, found);
}

TEST(OpenApi, RefersOnlyToWhatItDefines) {
  std::set<kube::GroupVersion> versions;
  for (const auto& kind : all()) versions.insert(kind.gvk.group_version());
  for (const auto& version : versions) {
    const auto text = document(version);
    std::set<std::string> references;
    collect_references(text, references);
    EXPECT_FALSE(references.empty());
    for (const auto& reference : references) {
      const std::string_view prefix = "#/components/schemas/";
      ASSERT_TRUE(reference.starts_with(prefix)) << reference;
      EXPECT_FALSE(schema_named(text, reference.substr(prefix.size())).is_null())
          << version.api_version() << " " << reference;
    }
  }
}

TEST(OpenApi, IsEmptyForGroupsThatDoNotExist) {
  EXPECT_EQ(openapi_v3({"example.com", "v1"}), "");
}

TEST(OpenApi, HasASecondVersionThatParses) {
  const auto parsed = json::parse(openapi_text(builtin_document(), OpenApi::V2));
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;

  std::set<std::string> references;
  collect_references(*parsed, references);
  for (const auto& reference : references) {
    const auto slash = reference.rfind('/');
    const auto place = std::string_view{reference}.substr(2, slash - 2);
    ASSERT_TRUE(place == "definitions" || place == "parameters") << reference;
    EXPECT_FALSE(parsed->get(place, std::string_view{reference}.substr(slash + 1)).is_null())
        << reference;
  }
  EXPECT_EQ(parsed->get("swagger").as_string(), "2.0");
}

// What every operation of a path is given stands beside them, once.
TEST(OpenApi, SaysOnceWhatAllOperationsOfAPathAreGiven) {
  const auto core = document({"", "v1"});
  const auto names = [](View parameters) {
    std::string made;
    for (const View each : parameters.elements()) {
      made += each.get("name").as_string();
      made += ' ';
    }
    return made;
  };

  const auto log = core.get("paths", "/api/v1/namespaces/{namespace}/pods/{name}/log");
  const auto pods = core.get("paths", "/api/v1/namespaces/{namespace}/pods");

  EXPECT_EQ(names(log.get("parameters")),
            "container follow insecureSkipTLSVerifyBackend limitBytes name namespace pretty "
            "previous sinceSeconds stream tailLines timestamps ");
  EXPECT_TRUE(log.get("get", "parameters").is_null());
  EXPECT_EQ(names(pods.get("parameters")), "namespace pretty ");
  EXPECT_EQ(names(pods.get("post", "parameters")), "dryRun fieldManager fieldValidation ");
}

TEST(OpenApi, NamesOperationsByGroupVersionScopeAndKind) {
  const auto core = document({"", "v1"});
  const auto id = [&](std::string_view path, std::string_view method) {
    return core.get("paths", path, method, "operationId").as_string();
  };

  EXPECT_EQ(id("/api/v1/pods", "get"), "listCoreV1PodForAllNamespaces");
  EXPECT_EQ(id("/api/v1/namespaces/{namespace}/pods", "delete"),
            "deleteCoreV1CollectionNamespacedPod");
  EXPECT_EQ(id("/api/v1/nodes/{name}/proxy/{path}", "head"), "connectCoreV1HeadNodeProxyWithPath");
  EXPECT_EQ(id("/api/v1/watch/nodes", "get"), "watchCoreV1NodeList");
  EXPECT_EQ(operation_word("my-group.example.com", FirstLetter::Lower), "myGroupExampleCom");
  EXPECT_EQ(operation_word(".well-known", FirstLetter::Lower), "WellKnown");
}

TEST(OpenApi, HasDocumentsForPagesThatAreNoResources) {
  const auto paths = page_documents();
  EXPECT_NE(std::ranges::find(paths, "apis/apps"), paths.end());

  const auto text = openapi_text(page_document("version"), OpenApi::V3);
  const auto parsed = json::parse(text);

  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(parsed->get("paths", "/version/", "get", "operationId").as_string(), "getCodeVersion");
  EXPECT_FALSE(schema_named(*parsed, "io.k8s.apimachinery.pkg.version.Info").is_null());
  EXPECT_TRUE(page_document("nothing").pages.empty());
}

TEST(OpenApi, DescribesCustomResourcesToo) {
  OpenApiDocument custom;
  custom.resources.push_back({
      {"example.com", "v1", "Boat"},
      "boats",
      true,
      {"get", "list", "patch"},
      {},
      "com.example.v1.Boat",
      "com.example.v1.BoatList",
      true
  });
  custom.definitions = {std::string{kObjectMetaDefinition}};
  custom.extra = {
      {"com.example.v1.Boat",     R"({"type":"object"})"},
      {"com.example.v1.BoatList", R"({"type":"object"})"}
  };

  const auto parsed = json::parse(openapi_text(custom, OpenApi::V3));

  ASSERT_TRUE(parsed.has_value());
  const auto patch =
      parsed->get("paths", "/apis/example.com/v1/namespaces/{namespace}/boats/{name}", "patch");
  EXPECT_EQ(patch.get("requestBody", "content").size(), 3U);
  EXPECT_FALSE(schema_named(*parsed, kObjectMetaDefinition).is_null());
  EXPECT_FALSE(schema_named(*parsed, "com.example.v1.Boat").is_null());
}

}  // namespace
}  // namespace fixpoint::kinds
