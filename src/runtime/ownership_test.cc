// SPDX-License-Identifier: Apache-2.0
#include "runtime/ownership.h"

#include "json/parsing/parse.h"

#include <gtest/gtest.h>

namespace fixpoint::runtime {
namespace {

TEST(Ownership, IsTheControllerReferenceAndNoOther) {
  const auto object = json::parse(R"({"metadata":{"ownerReferences":[
      {"uid":"friend"},{"uid":"parent","controller":true},{"uid":"other","controller":false}]}})");

  EXPECT_EQ(owner_uid_of(*object), "parent");
}

TEST(Ownership, IsTheLabelWhereThereIsNoControllerReference) {
  const auto object = json::parse(R"({"metadata":{"labels":{"fixpoint.dev/owner-uid":"far"},
      "ownerReferences":[{"uid":"friend"}]}})");

  EXPECT_EQ(owner_uid_of(*object), "far");
}

TEST(Ownership, IsTheReferenceWhereThereAreBoth) {
  const auto object = json::parse(R"({"metadata":{"labels":{"fixpoint.dev/owner-uid":"copied"},
      "ownerReferences":[{"uid":"parent","controller":true}]}})");

  EXPECT_EQ(owner_uid_of(*object), "parent");
}

TEST(Ownership, IsNobodysWithoutEither) {
  const auto object = json::parse(R"({"metadata":{"name":"a"}})");

  EXPECT_EQ(owner_uid_of(*object), "");
  EXPECT_EQ(owner_uid_of(json::View{}), "");
}

}  // namespace
}  // namespace fixpoint::runtime
