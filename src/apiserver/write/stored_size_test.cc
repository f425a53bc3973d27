// SPDX-License-Identifier: Apache-2.0
#include "apiserver/write/stored_size.h"

#include "apiserver/api_fixture.h"

#include <fmt/format.h>

namespace fixpoint::apiserver {
namespace {

class StoredSize : public ApiFixture {
 protected:
  Response make_pod(std::string_view argument) {
    return create(
        "/api/v1/namespaces/ns/pods",
        R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i","args":[")" +
            std::string{argument} + R"("]}]}})");
  }
};

TEST_F(StoredSize, IsBoundedAsEtcdBoundsIt) {
  const auto refused = make_pod(std::string(kStoredBytesMax, 'x'));
  const auto refused_before = make_pod(std::string(kSentBytesMax, 'x'));
  const auto absent = get("/api/v1/namespaces/ns/pods/p");
  const auto taken = make_pod(std::string(kStoredBytesMax - (64 << 10), 'x'));

  EXPECT_EQ(refused.code, 500);
  EXPECT_EQ(message(refused), "etcdserver: request is too large");
  EXPECT_TRUE(message(refused_before)
                  .starts_with("rpc error: code = ResourceExhausted desc = trying to send message "
                               "larger than max (2097"))
      << message(refused_before);
  EXPECT_EQ(absent.code, 404);
  EXPECT_EQ(taken.code, 201) << message(taken);
}

TEST_F(StoredSize, OfABuiltInKindIsNotThatOfItsText) {
  std::string lines;
  for (int i = 0; i < (1 << 20); ++i) lines += "\\n";

  const auto taken =
      create("/api/v1/namespaces/ns/configmaps", R"({"metadata":{"name":"a"},"data":{"k":")" +
                                                     lines.substr(0, lines.size() - 64) + R"("}})");

  EXPECT_EQ(taken.code, 201) << message(taken);
}

// Its keys are as large as its owners' record of them; together they are too much.
TEST_F(StoredSize, OwnersAreForgottenWhereTheyMakeAnObjectTooLarge) {
  constexpr std::string_view kMap = "/api/v1/namespaces/ns/configmaps/a";
  std::string data;
  for (int i = 0; i < 9999; ++i) {
    data += fmt::format(R"({}"{}{}":"A")", i == 0 ? "" : ",", std::string(71, 'k'), i);
  }

  const auto taken = create("/api/v1/namespaces/ns/configmaps",
                            R"({"metadata":{"name":"a"},"data":{)" + data + "}}");
  const auto changed = patch(std::string{kMap}, R"({"data":{"k":"v"}})");
  const auto again = patch(std::string{kMap}, R"({"data":{"k":"v"}})");
  const auto applied = apply(
      std::string{kMap}, R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}})", "m");

  ASSERT_EQ(taken.code, 201) << message(taken);
  EXPECT_EQ(meta(taken, "managedFields"), "null");
  EXPECT_EQ(changed.code, 200) << message(changed);
  EXPECT_EQ(meta(changed, "resourceVersion"), meta(again, "resourceVersion"));
  EXPECT_EQ(applied.code, 500);
  EXPECT_EQ(message(applied), "etcdserver: request is too large");
}

TEST_F(StoredSize, IsCheckedWhenAnObjectGrowsToo) {
  ASSERT_EQ(create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", kBoatDefinition).code,
            201);
  ASSERT_EQ(
      create(kBoats, R"({"apiVersion":"sea.example.com/v1","kind":"Boat","metadata":{"name":"b"}})")
          .code,
      201);

  const auto refused =
      patch(std::string{kBoats} + "/b",
            R"({"spec":{"color":")" + std::string(kStoredBytesMax, 'x') + R"("}})");

  EXPECT_EQ(refused.code, 500);
  EXPECT_EQ(text(get(std::string{kBoats} + "/b"), "spec", "color"), "null");
}

}  // namespace
}  // namespace fixpoint::apiserver
