// SPDX-License-Identifier: Apache-2.0
#include "front/identity/identity.h"

#include "base/clock.h"
#include "store/store.h"

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace fixpoint::front {
namespace {

struct Shown {
  std::string token;
  std::string common_name;
  bool certificate = false;
  std::string problem;  // of the certificate
};

// Who it is, "401" where a credential is wrong.
std::string sender_of(const Shown& shown) {
  ClusterKeys keys{.authority = {},
                   .server = {},
                   .tokens = net::SigningKey::generate(),
                   .admin_token = "the-admin-token"};
  const Identity identity{std::move(keys)};
  net::Peer peer{.address = {}, .tls = true, .identity = {}, .certificate_problem = shown.problem};
  if (shown.certificate) {
    peer.identity = {.common_name = shown.common_name, .organizations = {"devs"}};
  }
  net::Request request;
  request.peer = std::make_shared<const net::Peer>(std::move(peer));
  if (!shown.token.empty()) request.headers.set("authorization", "Bearer " + shown.token);
  const auto user = identity.sender(request, VirtualClock{}.wall(), store::Store{}.latest());
  if (!user) return std::to_string(user.error().code);
  std::string text = user->name;
  for (const auto& group : user->groups) text += " " + group;
  return text;
}

TEST(Sender, IsTheOwnerOfACertificateWhateverTheToken) {
  EXPECT_EQ(sender_of({.common_name = "ada", .certificate = true}),
            "ada devs system:authenticated");
  EXPECT_EQ(sender_of({.token = "the-admin-token", .common_name = "ada", .certificate = true}),
            "ada devs system:authenticated");
  EXPECT_EQ(sender_of({.token = "wrong", .common_name = "ada", .certificate = true}),
            "ada devs system:authenticated");
}

TEST(Sender, IsNobodyWithACertificateThatNamesNobody) {
  EXPECT_EQ(sender_of({.certificate = true}), "system:anonymous system:unauthenticated");
  EXPECT_EQ(sender_of({.token = "the-admin-token", .certificate = true}),
            "kubernetes-admin system:masters system:authenticated");
}

TEST(Sender, IsRefusedWithSomethingWrongAndNothingRight) {
  EXPECT_EQ(sender_of({.problem = "expired"}), "401");
  EXPECT_EQ(sender_of({.token = "wrong"}), "401");
  EXPECT_EQ(sender_of({.token = "wrong", .problem = "expired"}), "401");
  EXPECT_EQ(sender_of({.token = "the-admin-token", .problem = "expired"}),
            "kubernetes-admin system:masters system:authenticated");
  EXPECT_EQ(sender_of({}), "system:anonymous system:unauthenticated");
}

}  // namespace
}  // namespace fixpoint::front
