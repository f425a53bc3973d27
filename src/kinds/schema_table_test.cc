// SPDX-License-Identifier: Apache-2.0
#include "kinds/schema_table.h"

#include "kinds/table.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace fixpoint::kinds {
namespace {

const kube::Property& field(const kube::Schema* schema, std::string_view name) {
  const auto* found = schema->property(name);
  EXPECT_NE(found, nullptr) << schema->definition << " " << name;
  return *found;
}

TEST(SchemaTable, KnowsListKeysAndPatchKeys) {
  const auto* container = schema_of("core.v1.Container");

  const auto& ports = field(container, "ports");

  EXPECT_EQ(ports.schema->list_type, kube::ListType::Map);
  EXPECT_EQ(ports.schema->list_map_keys, (std::vector<std::string>{"containerPort", "protocol"}));
  EXPECT_TRUE(ports.patch.merge);
  EXPECT_EQ(ports.patch.merge_key, "containerPort");
  EXPECT_EQ(ports.schema->items->definition, "io.k8s.api.core.v1.ContainerPort");
}

TEST(SchemaTable, KeepsDefaultsThatCompleteAListKey) {
  const auto* port = schema_of("core.v1.ContainerPort");

  EXPECT_EQ(field(port, "protocol").default_value->view().as_string(), "TCP");
  EXPECT_EQ(field(port, "containerPort").default_value->view().as_int(-1), 0);
  EXPECT_FALSE(
      field(schema_of("core.v1.ObjectFieldSelector"), "fieldPath").default_value.has_value());
}

TEST(SchemaTable, KnowsRetainKeysAndAtomicStructs) {
  EXPECT_TRUE(field(schema_of("apps.v1.DeploymentSpec"), "strategy").patch.replace_keys);
  EXPECT_TRUE(field(schema_of("core.v1.PodSpec"), "volumes").patch.replace_keys);
  EXPECT_TRUE(field(schema_of("policy.v1.PodDisruptionBudgetSpec"), "selector").patch.replace);
  EXPECT_EQ(schema_of("core.v1.ObjectReference")->map_type, kube::MapType::Atomic);
  EXPECT_EQ(schema_of("core.v1.PodSpec")->map_type, kube::MapType::Granular);
}

TEST(SchemaTable, NamesGoTypesAsDecodeErrorsDo) {
  EXPECT_EQ(field(schema_of("core.v1.PodSpec"), "containers").schema->go_type, "[]v1.Container");
  EXPECT_EQ(field(schema_of("core.v1.ResourceRequirements"), "limits").schema->go_type,
            "v1.ResourceList");
  EXPECT_EQ(field(schema_of("core.v1.ContainerPort"), "protocol").schema->go_type, "v1.Protocol");
  EXPECT_EQ(field(schema_of("core.v1.ConfigMap"), "data").schema->go_type, "map[string]string");
  EXPECT_EQ(field(schema_of("authentication.v1.UserInfo"), "extra").schema->go_type,
            "map[string]v1.ExtraValue");
}

TEST(SchemaTable, SharesOneNodePerType) {
  const auto* pod = schema_of("core.v1.Pod");
  const auto* templated = schema_of("core.v1.PodTemplateSpec");

  EXPECT_EQ(field(pod, "spec").schema, field(templated, "spec").schema);
}

TEST(SchemaTable, ClosesRecursiveTypes) {
  const auto* props = schema_of("apiextensions.v1.JSONSchemaProps");

  EXPECT_EQ(field(props, "not").schema, props);
  EXPECT_EQ(field(props, "properties").schema->additional_properties, props);
  EXPECT_EQ(field(props, "items").schema->additional_properties, props);
}

TEST(SchemaTable, LoadsEveryTypeOfEveryTable) {
  std::size_t types = 0;
  for (const auto& package : packages()) {
    for (const auto& type : package.types) {
      const auto* schema = schema_of(std::string{package.alias} + "." + std::string{type.name});
      EXPECT_EQ(schema->go_type, type.name);
      EXPECT_EQ(schema->by_name.size(), schema->properties.size());
      ++types;
    }
  }
  EXPECT_GT(types, 400U);
}

TEST(SchemaTable, IsLoadedOnceByManyThreads) {
  std::vector<const kube::Schema*> seen(8);
  std::vector<std::thread> threads;
  for (auto& slot : seen) threads.emplace_back([&slot] { slot = schema_of("batch.v1.CronJob"); });
  for (auto& thread : threads) thread.join();

  for (const auto* schema : seen) EXPECT_EQ(schema, seen.front());
}

}  // namespace
}  // namespace fixpoint::kinds
