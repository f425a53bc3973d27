// SPDX-License-Identifier: Apache-2.0
#include "node/pod/storage_limits.h"

#include "json/parsing/parse.h"

#include <gtest/gtest.h>

namespace fixpoint::node {
namespace {

constexpr std::uint64_t kMebibyte = 1024 * 1024;

json::Value pod(std::string_view spec) {
  return *json::parse(R"({"metadata":{"name":"p"},"spec":)" + std::string{spec} + "}");
}

TEST(StorageLimits, OfAVolumeAreKept) {
  const auto limited = pod(R"({"volumes":[{"name":"v","emptyDir":{"sizeLimit":"1Mi"}},
                               {"name":"w","emptyDir":{}}],"containers":[{"name":"a"}]})");

  EXPECT_TRUE(has_storage_limits(limited));
  EXPECT_EQ(over_storage_limit(
                limited,
                {
                    .volumes = {{"v", kMebibyte}, {"w", 9 * kMebibyte}},
                      .containers = {}
  }),
            std::nullopt);
  EXPECT_EQ(over_storage_limit(limited, {.volumes = {{"v", kMebibyte + 1}}, .containers = {}}),
            "Usage of EmptyDir volume \"v\" exceeds the limit \"1Mi\". ");
}

TEST(StorageLimits, OfContainersCountTheirOwnFilesAndTogetherTheVolumesToo) {
  const auto limited = pod(R"({"volumes":[{"name":"v","emptyDir":{}}],"containers":[
      {"name":"a","resources":{"limits":{"ephemeral-storage":"1Mi"}}},
      {"name":"b","resources":{"limits":{"ephemeral-storage":"2Mi"}}}]})");

  EXPECT_EQ(over_storage_limit(limited, {.volumes = {}, .containers = {{"b", 2 * kMebibyte}}}),
            std::nullopt);
  EXPECT_EQ(over_storage_limit(limited, {.volumes = {}, .containers = {{"a", 2 * kMebibyte}}}),
            "Container a exceeded its local ephemeral storage limit \"1Mi\". ");
  EXPECT_EQ(
      over_storage_limit(limited, {.volumes = {{"v", 3 * kMebibyte}}, .containers = {{"a", 1}}}),
      "Pod ephemeral local storage usage exceeds the total limit of containers 3Mi. ");
}

TEST(StorageLimits, OfInitContainersThatRunAloneCountOnce) {
  const auto limited = pod(R"({"initContainers":[
      {"name":"i","resources":{"limits":{"ephemeral-storage":"5Mi"}}}],"containers":[
      {"name":"a","resources":{"limits":{"ephemeral-storage":"1Mi"}}}]})");

  EXPECT_EQ(over_storage_limit(limited, {.volumes = {}, .containers = {{"i", 5 * kMebibyte}}}),
            std::nullopt);
  EXPECT_EQ(over_storage_limit(limited, {.volumes = {}, .containers = {{"i", 6 * kMebibyte}}}),
            "Pod ephemeral local storage usage exceeds the total limit of containers 5Mi. ");
}

TEST(StorageLimits, ThatNobodySetAreNone) {
  const auto free = pod(R"({"volumes":[{"name":"v","emptyDir":{}}],"containers":[{"name":"a"}]})");

  EXPECT_FALSE(has_storage_limits(free));
  EXPECT_EQ(over_storage_limit(free, {.volumes = {{"v", 1ULL << 40U}}, .containers = {}}),
            std::nullopt);
}

}  // namespace
}  // namespace fixpoint::node
