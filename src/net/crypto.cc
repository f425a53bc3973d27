// SPDX-License-Identifier: Apache-2.0
#include "net/crypto.h"

#include "net/transport/openssl.h"

#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>

namespace fixpoint::net {
namespace {

constexpr std::size_t kScalarBytes = 32;  // of P-256

using SignaturePtr = std::unique_ptr<ECDSA_SIG, Releaser<ECDSA_SIG_free>>;
using DigestPtr = std::unique_ptr<EVP_MD_CTX, Releaser<EVP_MD_CTX_free>>;

std::string raw_from_der(std::string_view der) {
  const unsigned char* cursor = bytes_of(der);
  const SignaturePtr signature{d2i_ECDSA_SIG(nullptr, &cursor, static_cast<long>(der.size()))};
  FP_CHECK(signature != nullptr);
  std::string raw(2 * kScalarBytes, '\0');
  auto* out = reinterpret_cast<unsigned char*>(raw.data());
  FP_CHECK(BN_bn2binpad(ECDSA_SIG_get0_r(signature.get()), out, kScalarBytes) >= 0);
  FP_CHECK(BN_bn2binpad(ECDSA_SIG_get0_s(signature.get()), out + kScalarBytes, kScalarBytes) >= 0);
  return raw;
}

std::string der_from_raw(std::string_view raw) {
  const SignaturePtr signature{ECDSA_SIG_new()};
  BIGNUM* r = BN_bin2bn(bytes_of(raw), kScalarBytes, nullptr);
  BIGNUM* s = BN_bin2bn(bytes_of(raw) + kScalarBytes, kScalarBytes, nullptr);
  FP_CHECK(signature && r && s && ECDSA_SIG_set0(signature.get(), r, s) == 1);
  unsigned char* der = nullptr;
  const int size = i2d_ECDSA_SIG(signature.get(), &der);
  FP_CHECK(size > 0);
  std::string text(reinterpret_cast<char*>(der), static_cast<std::size_t>(size));
  OPENSSL_free(der);
  return text;
}

KeyPtr read_public(std::string_view pem) {
  if (KeyPtr key{PEM_read_bio_PUBKEY(reading_bio(pem).get(), nullptr, nullptr, nullptr)})
    return key;
  const CertificatePtr certificate{
      PEM_read_bio_X509(reading_bio(pem).get(), nullptr, nullptr, nullptr)};
  return KeyPtr{certificate ? X509_get_pubkey(certificate.get()) : nullptr};
}

bool is_p256(EVP_PKEY* key) {
  char group[64] = "";
  std::size_t size = 0;
  return EVP_PKEY_is_a(key, "EC") == 1 &&
         EVP_PKEY_get_group_name(key, group, sizeof group, &size) == 1 &&
         std::string_view(group, size) == SN_X9_62_prime256v1;
}

}  // namespace

BioPtr reading_bio(std::string_view text) {
  BioPtr bio{BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))};
  FP_CHECK(bio != nullptr);
  return bio;
}

BioPtr writing_bio() {
  BioPtr bio{BIO_new(BIO_s_mem())};
  FP_CHECK(bio != nullptr);
  return bio;
}

std::string bio_text(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return std::string(data, static_cast<std::size_t>(size));
}

std::string openssl_error() {
  const auto code = ERR_get_error();
  ERR_clear_error();
  if (code == 0) return "unknown TLS error";
  const char* reason = ERR_reason_error_string(code);
  return reason != nullptr ? reason : "TLS error " + std::to_string(code);
}

Sha256 sha256(std::string_view bytes) {
  // Found once: looking it up by name costs more than the digest of a token, which every request
  // has.
  static const EVP_MD* const kAlgorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  FP_CHECK(kAlgorithm != nullptr);
  Sha256 digest;
  FP_CHECK(EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, kAlgorithm, nullptr) ==
           1);
  return digest;
}

std::string hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<std::uint8_t>(c);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::string sha256_hex(std::string_view bytes) {
  const auto digest = sha256(bytes);
  return hex({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  // Digests first: then not even the length of the secret shows in the time.
  const auto left = sha256(a);
  const auto right = sha256(b);
  return CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0 && a.size() == b.size();
}

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  FP_CHECK(RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(count)) ==
           1);
  return bytes;
}

SigningKey SigningKey::generate() {
  auto key = std::make_shared<Key>();
  key->pkey.reset(EVP_EC_gen("P-256"));
  key->has_private = true;
  FP_CHECK(key->pkey != nullptr);
  return SigningKey(std::move(key));
}

Result<SigningKey> SigningKey::from_pem(std::string_view pem) {
  auto key = std::make_shared<Key>();
  key->pkey.reset(PEM_read_bio_PrivateKey(reading_bio(pem).get(), nullptr, nullptr, nullptr));
  key->has_private = key->pkey != nullptr;
  if (!key->pkey) key->pkey = read_public(pem);
  ERR_clear_error();
  if (!key->pkey) return fail(ErrorKind::Invalid, "the PEM text holds no key and no certificate");
  if (!is_p256(key->pkey.get())) return fail(ErrorKind::Invalid, "the key is not a P-256 key");
  return SigningKey(std::move(key));
}

bool SigningKey::can_sign() const {
  return key_->has_private;
}

std::string SigningKey::private_pem() const {
  FP_CHECK(can_sign());
  const auto bio = writing_bio();
  FP_CHECK(PEM_write_bio_PrivateKey(bio.get(), key_->pkey.get(), nullptr, nullptr, 0, nullptr,
                                    nullptr) == 1);
  return bio_text(bio.get());
}

std::string SigningKey::public_pem() const {
  const auto bio = writing_bio();
  FP_CHECK(PEM_write_bio_PUBKEY(bio.get(), key_->pkey.get()) == 1);
  return bio_text(bio.get());
}

std::string SigningKey::sign(std::string_view message) const {
  FP_CHECK(can_sign());
  const DigestPtr digest{EVP_MD_CTX_new()};
  FP_CHECK(EVP_DigestSignInit(digest.get(), nullptr, EVP_sha256(), nullptr, key_->pkey.get()) == 1);
  unsigned char der[128];
  std::size_t size = sizeof der;
  FP_CHECK(EVP_DigestSign(digest.get(), der, &size, bytes_of(message), message.size()) == 1);
  return raw_from_der({reinterpret_cast<char*>(der), size});
}

bool SigningKey::verify(std::string_view message, std::string_view signature) const {
  if (signature.size() != 2 * kScalarBytes) return false;
  const auto der = der_from_raw(signature);
  const DigestPtr digest{EVP_MD_CTX_new()};
  FP_CHECK(EVP_DigestVerifyInit(digest.get(), nullptr, EVP_sha256(), nullptr, key_->pkey.get()) ==
           1);
  const bool good = EVP_DigestVerify(digest.get(), bytes_of(der), der.size(), bytes_of(message),
                                     message.size()) == 1;
  ERR_clear_error();
  return good;
}

}  // namespace fixpoint::net
