// SPDX-License-Identifier: Apache-2.0
#include "cluster/owner_index.h"

#include "cluster/reader.h"
#include "json/parse.h"

#include <gtest/gtest.h>

namespace fixpoint::cluster {
namespace {

json::Value pod(std::string_view owner_uid, store::Revision revision) {
  std::string text = R"({"metadata":{"name":"p","namespace":"ns","resourceVersion":")" +
                     std::to_string(revision.value) + R"(","ownerReferences":[)";
  if (!owner_uid.empty()) {
    text += R"({"uid":")" + std::string{owner_uid} + R"(","controller":true})";
  }
  return *json::parse(text + "]}}");
}

class Index : public testing::Test {
 protected:
  void put(std::string_view owner_uid) {
    index_.observe(store_.put("pods/ns/p", pod(owner_uid, store_.next_revision())));
  }
  std::size_t controlled(std::string_view uid) {
    return Reader{store_.latest(), index_}.controlled(uid, "pods/").size();
  }
  std::size_t orphans() { return Reader{store_.latest(), index_}.orphans("pods/", "ns").size(); }

  store::Store store_;
  OwnerIndex index_;
};

TEST_F(Index, FollowsAnObjectFromOwnerToOwner) {
  put("u1");
  EXPECT_EQ(controlled("u1"), 1U);
  EXPECT_EQ(orphans(), 0U);

  put("");
  EXPECT_EQ(controlled("u1"), 0U);
  EXPECT_EQ(orphans(), 1U);

  put("u2");
  EXPECT_EQ(controlled("u2"), 1U);
  EXPECT_EQ(orphans(), 0U);
}

TEST_F(Index, ALateEventOfTheOldObjectDoesNotHideTheNewOneOfItsName) {
  put("u1");
  const auto removed = store_.erase("pods/ns/p", pod("u1", store_.next_revision()));
  const auto made = store_.put("pods/ns/p", pod("u1", store_.next_revision()));
  index_.add("pods/ns/p", made.after->body, made.revision);

  index_.observe(removed);

  EXPECT_EQ(controlled("u1"), 1U);
}

TEST_F(Index, NamesNothingThatIsGone) {
  put("u1");
  store_.erase("pods/ns/p", pod("u1", store_.next_revision()));

  EXPECT_EQ(controlled("u1"), 0U);
}

}  // namespace
}  // namespace fixpoint::cluster
