// SPDX-License-Identifier: Apache-2.0
#include "front/identity/account_token.h"

#include "base/clock.h"
#include "json/parsing/parse.h"

#include <gtest/gtest.h>

namespace fixpoint::front {
namespace {

using apiserver::kIssuer;
using apiserver::ServiceAccountClaims;

const std::vector<std::string> kHere{std::string{kIssuer}};

class AccountToken : public testing::Test {
 protected:
  AccountToken() {
    put("serviceaccounts/ns/sa", "account-uid");
    put("pods/ns/p", "pod-uid");
    put("nodes//n", "node-uid");
  }

  void put(const std::string& key, const std::string& uid, const std::string& more = "") {
    const auto body = json::parse(R"({"metadata":{"uid":")" + uid + R"(")" + more + "}}");
    (void)store_.put(key, *body);
  }

  ServiceAccountClaims claims() const {
    return {.ns = "ns",
            .name = "sa",
            .uid = "account-uid",
            .audiences = kHere,
            .issued = clock_.wall(),
            .expires = clock_.wall() + std::chrono::hours(1),
            .id = "id",
            .pod = {},
            .secret = {},
            .node = {},
            .warn_after = {}};
  }

  // The user's name, or why there is none.
  std::string read(const std::string& token, const std::vector<std::string>& audiences = kHere) {
    const auto snapshot = store_.latest();
    const auto known = read_token(token, audiences, clock_.wall(), {key_, snapshot});
    return known ? known->user.name : known.error().message;
  }

  VirtualClock clock_;
  store::Store store_;
  net::SigningKey key_ = net::SigningKey::generate();
};

TEST_F(AccountToken, NamesItsAccount) {
  EXPECT_EQ(read(write_token(claims(), key_)), "system:serviceaccount:ns:sa");
}

TEST_F(AccountToken, IsForItsAudiencesOnly) {
  auto both = claims();
  both.audiences = {"x", "y"};
  const auto token = write_token(both, key_);

  EXPECT_EQ(read(token, {"z"}),
            "[invalid bearer token, token audiences [\"x\" \"y\"] is invalid for the target "
            "audiences [\"z\"]]");
  const auto snapshot = store_.latest();
  const auto known = read_token(token, {"y", "z", "x"}, clock_.wall(), {key_, snapshot});
  ASSERT_TRUE(known.has_value());
  EXPECT_EQ(known->audiences, (std::vector<std::string>{"y", "x"}));
}

TEST_F(AccountToken, EndsAMinuteAfterItsTime) {
  const auto token = write_token(claims(), key_);

  clock_.advance(std::chrono::seconds(3660));
  EXPECT_EQ(read(token), "system:serviceaccount:ns:sa");
  clock_.advance(std::chrono::seconds(1));
  EXPECT_EQ(read(token), "[invalid bearer token, service account token has expired]");
}

TEST_F(AccountToken, DiesWithItsAccount) {
  const auto token = write_token(claims(), key_);

  put("serviceaccounts/ns/sa", "another");
  EXPECT_EQ(read(token),
            "[invalid bearer token, service account UID (another) does not match claim "
            "(account-uid)]");
  (void)store_.erase("serviceaccounts/ns/sa", json::Value{});
  EXPECT_EQ(read(token), "[invalid bearer token, serviceaccounts \"sa\" not found]");
}

TEST_F(AccountToken, DiesWithThePodItIsBoundTo) {
  auto bound = claims();
  bound.pod = {.name = "p", .uid = "pod-uid"};
  bound.node = {.name = "gone", .uid = "only told"};
  const auto token = write_token(bound, key_);

  EXPECT_EQ(read(token), "system:serviceaccount:ns:sa");
  put("pods/ns/p", "another");
  EXPECT_EQ(read(token),
            "[invalid bearer token, pod UID (another) does not match service account pod ref "
            "claim (pod-uid)]");
  (void)store_.erase("pods/ns/p", json::Value{});
  EXPECT_EQ(read(token), "[invalid bearer token, service account token has been invalidated]");
}

TEST_F(AccountToken, DiesWithASecretOrANode) {
  auto secret = claims();
  secret.secret = {.name = "s", .uid = "s"};
  auto node = claims();
  node.node = {.name = "n", .uid = "node-uid"};

  EXPECT_EQ(read(write_token(secret, key_)),
            "[invalid bearer token, service account token has been invalidated]");
  EXPECT_EQ(read(write_token(node, key_)), "system:serviceaccount:ns:sa");
  put("nodes//n", "node-uid", R"(,"deletionTimestamp":"1960-01-01T00:00:00Z")");
  EXPECT_EQ(read(write_token(node, key_)),
            "[invalid bearer token, service account token has been invalidated]");
}

TEST_F(AccountToken, OfAnotherClusterIsNone) {
  const auto token = write_token(claims(), net::SigningKey::generate());
  const auto ours = write_token(claims(), key_);

  EXPECT_EQ(read(token), "[invalid bearer token, invalid signature, no keys found]");
  EXPECT_EQ(read(ours.substr(0, ours.size() - 4) + "AAAA"),
            "[invalid bearer token, go-jose/go-jose: error in cryptographic primitive]");
  EXPECT_EQ(read("a.b.c"), "invalid bearer token");
  EXPECT_EQ(read(""), "invalid bearer token");
}

}  // namespace
}  // namespace fixpoint::front
