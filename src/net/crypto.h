// SPDX-License-Identifier: Apache-2.0
//
// The cryptography the rest of Fixpoint needs, as plain functions on strings: digests, the text
// forms of bytes, randomness, and ES256 signatures for service-account tokens.
//
// Byte strings travel as std::string; what comes from outside and may be wrong comes back as Result
// or bool, never as an abort.
#pragma once

#include "base/base64.h"
#include "base/error.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace fixpoint::net {

using Sha256 = std::array<std::uint8_t, 32>;
Sha256 sha256(std::string_view bytes);
std::string hex(std::string_view bytes);
std::string sha256_hex(std::string_view bytes);

// base/base64.h under the names a reader of tokens looks for.
inline std::string base64_encode(std::string_view bytes) {
  return fixpoint::base64_encode(bytes);
}
inline std::string base64url_encode(std::string_view bytes) {
  return fixpoint::base64_encode(bytes, Base64::RawUrl);
}
inline Result<std::string> base64url_decode(std::string_view text) {
  return fixpoint::base64_decode(text, Base64::RawUrl);
}

// Takes the same time wherever the first difference is; for comparing tokens.
bool equal_in_constant_time(std::string_view a, std::string_view b);

// From the kernel; aborts if there is none, since no key may come from anything weaker.
std::string random_bytes(std::size_t count);

// A P-256 private key that signs, or a public key that only verifies.
class SigningKey {
 public:
  static SigningKey generate();
  // Accepts a private key, a public key, or a certificate.
  static Result<SigningKey> from_pem(std::string_view pem);

  bool can_sign() const;
  std::string private_pem() const;  // needs can_sign()
  std::string public_pem() const;
  // ES256 of RFC 7518: 64 bytes, r then s.
  std::string sign(std::string_view message) const;  // needs can_sign()
  bool verify(std::string_view message, std::string_view signature) const;

  struct Key;  // OpenSSL's, known only inside this folder
  explicit SigningKey(std::shared_ptr<const Key> key) : key_(std::move(key)) {}
  const Key& key() const { return *key_; }

 private:
  std::shared_ptr<const Key> key_;
};

}  // namespace fixpoint::net
