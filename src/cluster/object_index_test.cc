// SPDX-License-Identifier: Apache-2.0
#include "cluster/object_index.h"

#include "cluster/reader.h"
#include "json/parsing/parse.h"

#include <string>
#include <vector>

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
  ObjectIndex index_;
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

using storage::Relation;

class Relations : public testing::Test {
 protected:
  json::Value object(const std::string& key, std::string_view body) {
    const auto first = key.find('/');
    const auto second = key.rfind('/');
    return *json::parse(R"({"metadata":{"name":")" + key.substr(second + 1) + R"(","namespace":")" +
                        key.substr(first + 1, second - first - 1) + R"(","resourceVersion":")" +
                        std::to_string(store_.next_revision().value) + R"("},)" +
                        std::string{body} + "}");
  }
  store::Event write(const std::string& key, std::string_view body) {
    return store_.put(key, object(key, body));
  }
  void put(const std::string& key, std::string_view body) { index_.observe(write(key, body)); }
  void erase(const std::string& key) {
    index_.observe(store_.erase(key, object(key, R"("spec":{})")));
  }
  std::vector<std::string> found(Relation relation, std::string_view name) {
    std::vector<std::string> keys;
    for (const auto& record : Reader{store_.latest(), index_}.related(relation, name)) {
      keys.push_back(record->key);
    }
    return keys;
  }
  using Keys = std::vector<std::string>;

  store::Store store_;
  ObjectIndex index_;
};

TEST_F(Relations, AVolumeIsOfItsClassUntilAClaimHasIt) {
  const std::string key = "persistentvolumes//v";
  put(key, R"("spec":{"storageClassName":"fast"})");
  EXPECT_EQ(found(Relation::UnkeptVolume, "fast"), Keys{key});

  put(key, R"("spec":{"storageClassName":"fast","claimRef":{"namespace":"ns","name":"c"}})");
  EXPECT_EQ(found(Relation::UnkeptVolume, "fast"), Keys{});
  EXPECT_EQ(found(Relation::VolumeOfClaim, "ns/c"), Keys{key});

  erase(key);
  EXPECT_EQ(found(Relation::VolumeOfClaim, "ns/c"), Keys{});
}

TEST_F(Relations, AClaimIsUnboundInItsClassUntilItNamesAVolume) {
  const std::string key = "persistentvolumeclaims/ns/c";
  put(key, R"("spec":{})");
  EXPECT_EQ(found(Relation::UnboundClaim, storage::kAnyClass), Keys{key});
  EXPECT_EQ(found(Relation::UnboundClaim, ""), Keys{});

  put(key, R"("spec":{"storageClassName":""})");
  EXPECT_EQ(found(Relation::UnboundClaim, ""), Keys{key});

  put(key, R"("spec":{"storageClassName":"","volumeName":"v"})");
  EXPECT_EQ(found(Relation::UnboundClaim, ""), Keys{});
  EXPECT_EQ(found(Relation::ClaimOfVolume, "v"), Keys{key});
}

TEST_F(Relations, APodIsOfEveryClaimItMounts) {
  const std::string key = "pods/ns/p";
  put(key, R"("spec":{"volumes":[{"name":"a","persistentVolumeClaim":{"claimName":"c"}},
                                 {"name":"b","ephemeral":{"volumeClaimTemplate":{}}}]})");
  put("pods/other/p", R"("spec":{"volumes":[{"persistentVolumeClaim":{"claimName":"c"}}]})");

  EXPECT_EQ(found(Relation::PodOfClaim, "ns/c"), Keys{key});
  EXPECT_EQ(found(Relation::PodOfClaim, "ns/p-b"), Keys{key});
  EXPECT_EQ(found(Relation::PodOfClaim, "other/c"), Keys{"pods/other/p"});
}

TEST_F(Relations, WhatALoopWroteIsFoundThoughItsEventComesLater) {
  const std::string key = "persistentvolumes//v";
  put(key, R"("spec":{"storageClassName":"fast"})");
  const auto kept = write(key, R"("spec":{"claimRef":{"namespace":"ns","name":"c"}})");
  const auto freed = write(key, R"("spec":{"storageClassName":"fast"})");
  index_.add(key, kept.after->body, kept.revision);
  index_.add(key, freed.after->body, freed.revision);
  EXPECT_EQ(found(Relation::UnkeptVolume, "fast"), Keys{key});

  index_.observe(kept);
  EXPECT_EQ(found(Relation::UnkeptVolume, "fast"), Keys{key});

  index_.observe(freed);
  EXPECT_EQ(found(Relation::UnkeptVolume, "fast"), Keys{key});
  EXPECT_EQ(found(Relation::VolumeOfClaim, "ns/c"), Keys{});
}

TEST_F(Relations, NothingIsHandedOutThatHasToDoWithSomethingElse) {
  for (int i = 0; i < 100; ++i) {
    put("persistentvolumes//v" + std::to_string(i),
        R"("spec":{"claimRef":{"namespace":"ns","name":"c)" + std::to_string(i) + R"("}})");
  }

  const Reader reader{store_.latest(), index_};
  reader.related(Relation::VolumeOfClaim, "ns/c7");
  reader.related(Relation::UnkeptVolume, "");

  EXPECT_EQ(reader.handed_out(), 1U);
}

}  // namespace
}  // namespace fixpoint::cluster
