// SPDX-License-Identifier: Apache-2.0
#include "node/pod/image_map.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::node {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ImageMap::Find installed(std::set<std::string, std::less<>> programs) {
  return [programs = std::move(programs)](std::string_view name) -> std::optional<std::string> {
    if (!programs.contains(name)) return std::nullopt;
    return "/usr/bin/" + std::string{name};
  };
}

TEST(ImageMap, NamesAreWithoutRegistryAndWithATag) {
  EXPECT_EQ(image_name("redis").value(), "redis:latest");
  EXPECT_EQ(image_name("registry.example:5000/valkey/valkey:8.1-alpine").value(),
            "valkey/valkey:8.1-alpine");
  EXPECT_EQ(image_name("library/redis:7").value(), "redis:7");
  EXPECT_EQ(image_name("redis:7@sha256:00").value(), "redis:7");
}

TEST(ImageMap, RefusesWhatIsNoImageInKubernetesWords) {
  EXPECT_EQ(image_name("Redis").error().message,
            "Failed to apply default image tag \"Redis\": couldn't parse image name \"Redis\": "
            "invalid reference format: repository name (library/Redis) must be lowercase");
  EXPECT_THAT(image_name("a b").error().message, HasSubstr("invalid reference format"));
  EXPECT_FALSE(image_name("redis:").has_value());
  EXPECT_FALSE(image_name("").has_value());
}

TEST(ImageMap, TakesTheFirstProgramThatIsInstalled) {
  const auto map = ImageMap::standard();

  EXPECT_EQ(map.find("valkey/valkey:8.0", installed({"valkey-server", "redis-server"}))->program,
            "valkey-server");
  EXPECT_EQ(map.find("valkey/valkey:7.2", installed({"valkey-server", "redis-server"}))->program,
            "redis-server");
  EXPECT_EQ(map.find("busybox", installed({"sh"}))->program, "sh");
  EXPECT_EQ(map.find("nginx:1.27", installed({"sh"}))->row, nullptr);
  const auto missing = map.find("redis:7", installed({"sh"}));
  EXPECT_EQ(missing.error().kind, ErrorKind::NotFound);
  EXPECT_EQ(missing.error().message,
            "no local program for image \"redis:7\": redis-server is not installed");
}

TEST(ImageMap, LetsAPersonsLinesWinAndNamesABadOne) {
  auto map = ImageMap::standard();
  map.put_before(ImageMap::parse("# mine\nexample.org/app sleep\n\nredis:7* my-redis").value());

  EXPECT_EQ(map.find("redis:7.2", installed({"my-redis"}))->program, "my-redis");
  EXPECT_FALSE(map.find("app:1", installed({"sleep"}))->row);
  EXPECT_EQ(ImageMap::parse("a b\nc").error().message,
            "image map, line 2: an image and its program are needed");
}

TEST(ImageMap, RunsWhatTheContainerSaysAndElseTheProgram) {
  const auto map = ImageMap::standard();
  const auto image = map.find("valkey/valkey:7.2", installed({"redis-server"})).value();

  EXPECT_THAT(command_of(image, {}, {"--port", "1"}, "127.1.0.1"),
              ElementsAre("redis-server", "--port", "1", "--bind", "127.1.0.1"));
  EXPECT_THAT(command_of(image, {"valkey-server"}, {"--bind", "0.0.0.0"}, "127.1.0.1"),
              ElementsAre("redis-server", "--bind", "0.0.0.0"));
  EXPECT_THAT(command_of(image, {"valkey-cli", "ping"}, {}, "127.1.0.1"),
              ElementsAre("redis-cli", "ping"));
  EXPECT_THAT(command_of(image, {}, {"sh", "-c", "true"}, "127.1.0.1"),
              ElementsAre("sh", "-c", "true"));
}

TEST(ImageMap, BringsStandInsAlongUnderTheNamesOfTheRealPrograms) {
  const auto map = ImageMap::standard();
  const auto core = map.find("stellar/stellar-core:22.1", installed({})).value();
  const auto horizon = map.find("stellar/stellar-horizon@sha256:00", installed({})).value();

  EXPECT_TRUE(core.is_stand_in());
  EXPECT_THAT(core.stand_in_names(), ElementsAre("stellar-core"));
  EXPECT_THAT(horizon.stand_in_names(), ElementsAre("horizon", "stellar-horizon"));
  // An image's entry point takes all arguments.
  EXPECT_THAT(command_of(core, {}, {"run", "--conf", "f"}, "127.1.0.1"),
              ElementsAre("stellar-core", "run", "--conf", "f"));
  EXPECT_THAT(command_of(core, {"sh", "-c"}, {"stellar-core version"}, "127.1.0.1"),
              ElementsAre("sh", "-c", "stellar-core version"));
  EXPECT_FALSE(map.find("busybox", installed({"sh"}))->is_stand_in());
}

}  // namespace
}  // namespace fixpoint::node
