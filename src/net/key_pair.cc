// SPDX-License-Identifier: Apache-2.0
#include "net/key_pair.h"

#include "base/pem.h"
#include "net/transport/openssl.h"

#include <memory>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

namespace fixpoint::net {
namespace {

struct Free {
  void operator()(X509* it) const { X509_free(it); }
  void operator()(X509_REQ* it) const { X509_REQ_free(it); }
  void operator()(EVP_PKEY* it) const { EVP_PKEY_free(it); }
  void operator()(PKCS8_PRIV_KEY_INFO* it) const { PKCS8_PRIV_KEY_INFO_free(it); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

// The first block that is wanted, or the types of all that are not.
struct Found {
  std::optional<PemBlock> block;
  std::vector<std::string> skipped;
};

template <class Wanted>
Found find_block(std::string_view pem, Wanted wanted) {
  Found found;
  while (auto block = next_pem_block(pem)) {
    if (wanted(block->type)) {
      found.block = std::move(block);
      return found;
    }
    found.skipped.push_back(block->type);
  }
  return found;
}

bool is_key(std::string_view type) {
  return type == "PRIVATE KEY" || type.ends_with(" PRIVATE KEY");
}

std::string no_certificate(const std::vector<std::string>& skipped) {
  if (skipped.empty()) return "tls: failed to find any PEM data in certificate input";
  if (skipped.size() == 1 && skipped.front().ends_with("PRIVATE KEY")) {
    return "tls: failed to find certificate PEM data in certificate input, but did find a private "
           "key; PEM inputs may have been switched";
  }
  return fmt::format(
      "tls: failed to find \"CERTIFICATE\" PEM block in certificate input after skipping PEM "
      "blocks of the following types: [{}]",
      fmt::join(skipped, " "));
}

std::string no_key(const std::vector<std::string>& skipped) {
  if (skipped.empty()) return "tls: failed to find any PEM data in key input";
  if (skipped.size() == 1 && skipped.front() == "CERTIFICATE") {
    return "tls: found a certificate rather than a key in the PEM for the private key";
  }
  return fmt::format(
      "tls: failed to find PEM block with type ending in \"PRIVATE KEY\" in key input after "
      "skipping PEM blocks of the following types: [{}]",
      fmt::join(skipped, " "));
}

Owned<EVP_PKEY> read_key(const std::string& der) {
  const auto size = static_cast<long>(der.size());
  for (const int type : {EVP_PKEY_RSA, EVP_PKEY_EC}) {
    const auto* at = bytes_of(der);
    Owned<EVP_PKEY> key{d2i_PrivateKey(type, nullptr, &at, size)};
    // OpenSSL takes a wrapped key for any of these, too.
    if (key && EVP_PKEY_get_base_id(key.get()) == type) return key;
  }
  const auto* at = bytes_of(der);
  const Owned<PKCS8_PRIV_KEY_INFO> wrapped{d2i_PKCS8_PRIV_KEY_INFO(nullptr, &at, size)};
  return Owned<EVP_PKEY>{wrapped ? EVP_PKCS82PKEY(wrapped.get()) : nullptr};
}

bool known_type(int type) {
  return type == EVP_PKEY_RSA || type == EVP_PKEY_EC || type == EVP_PKEY_ED25519;
}

// What Go's encoding/asn1 says of the nested parts of a request, in the order of their bytes.
class DerReader {
 public:
  DerReader(std::string_view bytes) : bytes_(bytes) {}

  const std::string& problem() const { return problem_; }
  std::size_t at() const { return at_; }
  void skip_to(std::size_t at) { at_ = at; }

  struct Part {
    int tag_class = 0;
    int tag = 0;
    bool compound = false;
    std::size_t length = 0;
  };

  // The part's head, and that its bytes are there up to `end`; they are not passed over.
  std::optional<Part> head(std::size_t end) {
    if (at_ >= end) return fail("asn1: syntax error: sequence truncated");
    Part part;
    const auto first = byte(at_++);
    part.tag_class = first >> 6U;
    part.compound = (first & 0x20U) != 0;
    part.tag = first & 0x1fU;
    if (part.tag == kLongTag) return fail("asn1: structure error: base 128 integer too large");
    if (at_ >= bytes_.size()) return fail("asn1: syntax error: truncated tag or length");
    if (!read_length(part)) return std::nullopt;
    return part;
  }

  // A part of that tag, named as its Go type is.
  std::optional<Part> sequence(std::string_view type, std::size_t end) {
    constexpr int kSequence = 16;
    const auto part = head(end);
    if (!part) return part;
    if (part->tag_class != 0 || part->tag != kSequence || !part->compound) {
      return fail(fmt::format(
          "asn1: structure error: tags don't match ({} vs {{class:{} tag:{} length:{} "
          "isCompound:{}}}) {{optional:false explicit:false application:false private:false "
          "defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false}} {} @{}",
          kSequence, part->tag_class, part->tag, part->length, part->compound, type, at_));
    }
    if (at_ + part->length > end) return fail("asn1: syntax error: data truncated");
    return part;
  }

  std::optional<Part> fail(std::string why) {
    if (problem_.empty()) problem_ = std::move(why);
    return std::nullopt;
  }

 private:
  static constexpr int kLongTag = 0x1f;

  unsigned byte(std::size_t at) const { return static_cast<unsigned char>(bytes_[at]); }

  bool read_length(Part& part) {
    constexpr std::size_t kTooLarge = std::size_t{1} << 23U;
    constexpr std::size_t kShort = 0x80;
    const auto first = byte(at_++);
    if ((first & kShort) == 0) {
      part.length = first;
      return true;
    }
    const auto count = first & 0x7fU;
    if (count == 0) {
      fail("asn1: syntax error: indefinite length found (not DER)");
      return false;
    }
    for (unsigned i = 0; i < count; ++i) {
      if (at_ >= bytes_.size()) {
        fail("asn1: syntax error: truncated tag or length");
        return false;
      }
      if (part.length >= kTooLarge) {
        fail("asn1: structure error: length too large");
        return false;
      }
      part.length = (part.length << 8U) | byte(at_++);
      if (part.length == 0) {
        fail("asn1: structure error: superfluous leading zeros in length");
        return false;
      }
    }
    if (part.length >= kShort) return true;
    fail("asn1: structure error: non-minimal length");
    return false;
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  std::string problem_;
};

// The outer frame of a request: itself, what is signed, and the parts of that.
std::string frame_problem(std::string_view der) {
  DerReader reader{der};
  const auto whole = reader.sequence("certificateRequest", der.size());
  if (!whole) return reader.problem();
  const auto end = reader.at() + whole->length;
  const auto signed_part = reader.sequence("tbsCertificateRequest", end);
  if (!signed_part) return reader.problem();
  const auto signed_end = reader.at() + signed_part->length;
  // Version, subject, key: each is passed over once its head is whole.
  for (int i = 0; i < 3; ++i) {
    const auto part = reader.head(signed_end);
    if (!part) return reader.problem();
    if (reader.at() + part->length > signed_end) return "asn1: syntax error: data truncated";
    if (i == 2) {
      const auto inner_end = reader.at() + part->length;
      const auto algorithm = reader.sequence("AlgorithmIdentifier", inner_end);
      if (!algorithm) return reader.problem();
      reader.skip_to(inner_end);
    } else {
      reader.skip_to(reader.at() + part->length);
    }
  }
  return end == der.size() ? "" : "asn1: syntax error: trailing data";
}

std::string bad_signature(EVP_PKEY* key) {
  switch (EVP_PKEY_get_base_id(key)) {
    case EVP_PKEY_RSA: return "crypto/rsa: verification error";
    case EVP_PKEY_EC: return "x509: ECDSA verification failure";
    case EVP_PKEY_ED25519: return "x509: Ed25519 verification failure";
    default: return "x509: cannot verify signature: algorithm unimplemented";
  }
}

}  // namespace

std::string key_pair_problem(std::string_view certificate_pem, std::string_view key_pem) {
  const auto certificates =
      find_block(certificate_pem, [](std::string_view type) { return type == "CERTIFICATE"; });
  if (!certificates.block) return no_certificate(certificates.skipped);
  const auto keys = find_block(key_pem, is_key);
  if (!keys.block) return no_key(keys.skipped);
  const auto& der = certificates.block->bytes;
  const auto* at = bytes_of(der);
  const Owned<X509> certificate{d2i_X509(nullptr, &at, static_cast<long>(der.size()))};
  if (!certificate) return "x509: malformed certificate";
  if (at != bytes_of(der) + der.size()) return "x509: trailing data";
  const auto key = read_key(keys.block->bytes);
  if (!key) return "tls: failed to parse private key";
  const int type = EVP_PKEY_get_base_id(key.get());
  if (!known_type(type)) return "tls: found unknown private key type in PKCS#8 wrapping";
  EVP_PKEY* published = X509_get0_pubkey(certificate.get());
  if (published == nullptr || !known_type(EVP_PKEY_get_base_id(published))) {
    return "tls: unknown public key algorithm";
  }
  if (EVP_PKEY_get_base_id(published) != type) {
    return "tls: private key type does not match public key type";
  }
  return EVP_PKEY_eq(published, key.get()) == 1 ? "" : "tls: private key does not match public key";
}

std::string signing_request_problem(std::string_view pem) {
  const auto block = next_pem_block(pem);
  if (!block || block->type != "CERTIFICATE REQUEST") {
    return "PEM block type must be CERTIFICATE REQUEST";
  }
  if (auto problem = frame_problem(block->bytes); !problem.empty()) return problem;
  const auto* at = bytes_of(block->bytes);
  const Owned<X509_REQ> request{d2i_X509_REQ(nullptr, &at, static_cast<long>(block->bytes.size()))};
  if (!request) return "asn1: structure error: the request does not parse";
  EVP_PKEY* key = X509_REQ_get0_pubkey(request.get());
  if (key == nullptr) return "x509: unsupported public key";
  return X509_REQ_verify(request.get(), key) == 1 ? "" : bad_signature(key);
}

}  // namespace fixpoint::net
