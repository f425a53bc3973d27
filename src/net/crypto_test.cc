// SPDX-License-Identifier: Apache-2.0
#include "net/crypto.h"

#include <gtest/gtest.h>

namespace fixpoint::net {
namespace {

TEST(Crypto, HashesAsTheStandardSays) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Crypto, WritesTokensInTheAlphabetOfUrlsWithoutPadding) {
  EXPECT_EQ(base64url_encode("\xfb\xff"), "-_8");
  EXPECT_EQ(base64url_decode("-_8"), "\xfb\xff");
  EXPECT_EQ(base64_encode("\xfb\xff"), "+/8=");
}

TEST(Crypto, ComparesWholeTokens) {
  EXPECT_TRUE(equal_in_constant_time("token", "token"));
  EXPECT_FALSE(equal_in_constant_time("token", "tokeN"));
  EXPECT_FALSE(equal_in_constant_time("token", "toke"));
  EXPECT_FALSE(equal_in_constant_time("", "x"));
}

TEST(Crypto, GivesDifferentRandomBytesEachTime) {
  EXPECT_EQ(random_bytes(32).size(), 32U);
  EXPECT_NE(random_bytes(32), random_bytes(32));
}

TEST(SigningKey, VerifiesItsOwnSignaturesAndNoOthers) {
  const auto key = SigningKey::generate();
  const auto other = SigningKey::generate();

  const auto signature = key.sign("claims");

  EXPECT_EQ(signature.size(), 64U);
  EXPECT_TRUE(key.verify("claims", signature));
  EXPECT_FALSE(key.verify("claims!", signature));
  EXPECT_FALSE(other.verify("claims", signature));
  for (std::size_t i = 0; i < signature.size(); ++i) {
    auto broken = signature;
    broken[i] = static_cast<char>(broken[i] ^ 1);
    EXPECT_FALSE(key.verify("claims", broken));
  }
  EXPECT_FALSE(key.verify("claims", ""));
  EXPECT_FALSE(key.verify("claims", std::string(64, '\0')));
  EXPECT_FALSE(key.verify("claims", std::string(64, '\xff')));
}

TEST(SigningKey, GoesThroughPem) {
  const auto key = SigningKey::generate();
  const auto same = SigningKey::from_pem(key.private_pem());
  const auto half = SigningKey::from_pem(key.public_pem());

  ASSERT_TRUE(same && half);
  EXPECT_TRUE(same->can_sign());
  EXPECT_FALSE(half->can_sign());
  EXPECT_TRUE(half->verify("claims", same->sign("claims")));
  EXPECT_FALSE(SigningKey::from_pem("no key").has_value());
}

TEST(SigningKey, VerifiesTheExampleOfRfc7515) {
  // Appendix A.3: the public key's PEM, the signing input and the ES256 signature given there.
  const std::string pem =
      "-----BEGIN PUBLIC KEY-----\n"
      "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV7\n"
      "6e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==\n"
      "-----END PUBLIC KEY-----\n";
  const auto key = SigningKey::from_pem(pem);
  ASSERT_TRUE(key.has_value());
  const auto signature = base64url_decode(
      "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q");
  ASSERT_TRUE(signature.has_value());

  EXPECT_TRUE(
      key->verify("eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0"
                  "dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ",
                  *signature));
}

}  // namespace
}  // namespace fixpoint::net
