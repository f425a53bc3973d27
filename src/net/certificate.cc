// SPDX-License-Identifier: Apache-2.0
#include "net/certificate.h"

#include "net/transport/openssl.h"

#include <algorithm>

#include <openssl/asn1.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

namespace fixpoint::net {
namespace {

using ExtensionPtr = std::unique_ptr<X509_EXTENSION, Releaser<X509_EXTENSION_free>>;
using NamesPtr = std::unique_ptr<GENERAL_NAMES, Releaser<GENERAL_NAMES_free>>;
using RequestPtr = std::unique_ptr<X509_REQ, Releaser<X509_REQ_free>>;
using TimePtr = std::unique_ptr<ASN1_TIME, Releaser<ASN1_TIME_free>>;

constexpr std::size_t kNameBytesMax = 64;  // of RFC 5280's upper bounds for CN and O
constexpr std::size_t kDnsNameBytesMax = 253;
constexpr std::size_t kNamesMax = 64;  // names in one certificate; ours have a handful
constexpr std::size_t kSerialBytes = 16;

Result<void> check_text(std::string_view what, const std::string& text, std::size_t bytes_max) {
  if (text.empty() || text.size() > bytes_max || text.find('\0') != std::string::npos) {
    return fail(ErrorKind::Invalid, std::string(what) + " must be 1 to " +
                                        std::to_string(bytes_max) + " bytes of text");
  }
  return {};
}

Result<void> add_name(X509_NAME* name, const char* field, const std::string& text) {
  FP_TRY_VOID(check_text(field, text, kNameBytesMax));
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  if (X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, bytes, static_cast<int>(text.size()),
                                 -1, 0) != 1) {
    return fail(ErrorKind::Invalid, std::string(field) + " " + text + ": " + openssl_error());
  }
  return {};
}

Result<void> set_validity(X509* certificate, Instant from, Instant until) {
  if (until <= from) return fail(ErrorKind::Invalid, "a certificate must end after it begins");
  const auto seconds = [](Instant t) {
    return static_cast<time_t>(
        std::chrono::floor<std::chrono::seconds>(t.time_since_epoch()).count());
  };
  const bool set = ASN1_TIME_set(X509_getm_notBefore(certificate), seconds(from)) != nullptr &&
                   ASN1_TIME_set(X509_getm_notAfter(certificate), seconds(until)) != nullptr;
  if (!set) return fail(ErrorKind::Invalid, "the validity of the certificate is out of range");
  return {};
}

void set_serial(X509* certificate) {
  auto serial = random_bytes(kSerialBytes);
  serial[0] = static_cast<char>(serial[0] & 0x7f);  // serials are positive
  std::unique_ptr<BIGNUM, Releaser<BN_free>> number{
      BN_bin2bn(reinterpret_cast<const unsigned char*>(serial.data()), kSerialBytes, nullptr)};
  FP_CHECK(number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)));
}

void add_extension(X509* certificate, X509* issuer, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const ExtensionPtr extension{X509V3_EXT_conf_nid(nullptr, &context, nid, value)};
  FP_CHECK(extension && X509_add_ext(certificate, extension.get(), -1) == 1);
}

void push_name(GENERAL_NAMES* names, int type, ASN1_STRING* text) {
  GENERAL_NAME* name = GENERAL_NAME_new();
  FP_CHECK(name && text);
  GENERAL_NAME_set0_value(name, type, text);
  FP_CHECK(sk_GENERAL_NAME_push(names, name) > 0);
}

// Built from objects, not from OpenSSL's "DNS:a,IP:b" text, into which a name could smuggle more.
Result<void> add_alternative_names(X509* certificate, const CertificateRequest& request) {
  if (request.dns_names.empty() && request.ip_addresses.empty()) return {};
  if (request.dns_names.size() + request.ip_addresses.size() > kNamesMax) {
    return fail(ErrorKind::Exhausted,
                "a certificate may hold " + std::to_string(kNamesMax) + " names");
  }
  const NamesPtr names{GENERAL_NAMES_new()};
  for (const auto& dns : request.dns_names) {
    FP_TRY_VOID(check_text("a DNS name", dns, kDnsNameBytesMax));
    ASN1_IA5STRING* text = ASN1_IA5STRING_new();
    FP_CHECK(text && ASN1_STRING_set(text, dns.data(), static_cast<int>(dns.size())) == 1);
    push_name(names.get(), GEN_DNS, text);
  }
  for (const auto& ip : request.ip_addresses) {
    ASN1_OCTET_STRING* address = a2i_IPADDRESS(ip.c_str());
    if (address == nullptr) return fail(ErrorKind::Invalid, "\"" + ip + "\" is not an IP address");
    push_name(names.get(), GEN_IPADD, address);
  }
  FP_CHECK(X509_add1_ext_i2d(certificate, NID_subject_alt_name, names.get(), 0, 0) == 1);
  return {};
}

const char* usage_of(CertificateUse use) {
  switch (use) {
    case CertificateUse::Server: return "serverAuth";
    case CertificateUse::Client: return "clientAuth";
    case CertificateUse::Both: return "serverAuth,clientAuth";
  }
  std::unreachable();
}

struct Draft {
  CertificatePtr certificate;
  KeyPtr key;
};

Result<Draft> draft(Instant from, Instant until) {
  Draft result{CertificatePtr{X509_new()}, KeyPtr{EVP_EC_gen("P-256")}};
  FP_CHECK(result.certificate && result.key);
  FP_CHECK(X509_set_version(result.certificate.get(), X509_VERSION_3) == 1);
  set_serial(result.certificate.get());
  FP_TRY_VOID(set_validity(result.certificate.get(), from, until));
  FP_CHECK(X509_set_pubkey(result.certificate.get(), result.key.get()) == 1);
  return result;
}

std::string sealed(X509* certificate, EVP_PKEY* signer) {
  FP_CHECK(X509_sign(certificate, signer, EVP_sha256()) > 0);
  const auto text = writing_bio();
  FP_CHECK(PEM_write_bio_X509(text.get(), certificate) == 1);
  return bio_text(text.get());
}

KeyPair seal(const Draft& draft, EVP_PKEY* signer) {
  auto certificate = sealed(draft.certificate.get(), signer);
  const auto key = writing_bio();
  FP_CHECK(PEM_write_bio_PrivateKey(key.get(), draft.key.get(), nullptr, nullptr, 0, nullptr,
                                    nullptr) == 1);
  return {.certificate_pem = std::move(certificate), .private_key_pem = bio_text(key.get())};
}

struct Issuer {
  CertificatePtr certificate;
  KeyPtr key;
};

Result<Issuer> issuer_of(const KeyPair& authority) {
  Issuer issuer{.certificate = CertificatePtr{PEM_read_bio_X509(
                    reading_bio(authority.certificate_pem).get(), nullptr, nullptr, nullptr)},
                .key = KeyPtr{PEM_read_bio_PrivateKey(reading_bio(authority.private_key_pem).get(),
                                                      nullptr, nullptr, nullptr)}};
  const bool usable = issuer.certificate && issuer.key &&
                      X509_check_private_key(issuer.certificate.get(), issuer.key.get()) == 1;
  ERR_clear_error();
  if (!usable) {
    return fail(ErrorKind::Invalid, "the certificate authority's certificate and key do not match");
  }
  return issuer;
}

// Who issued it, and with which key.
void name_issuer(X509* certificate, X509* issuer) {
  FP_CHECK(X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1);
  // Ours names its key; one that somebody put in its place may not, and then there is none to
  // repeat.
  if (X509_get0_subject_key_id(issuer) != nullptr) {
    add_extension(certificate, issuer, NID_authority_key_identifier, "keyid");
  }
}

Result<RequestPtr> read_request(const std::string& pem) {
  RequestPtr request{PEM_read_bio_X509_REQ(reading_bio(pem).get(), nullptr, nullptr, nullptr)};
  EVP_PKEY* key = request ? X509_REQ_get0_pubkey(request.get()) : nullptr;
  const bool own = key != nullptr && X509_REQ_verify(request.get(), key) == 1;
  ERR_clear_error();
  if (!own) return fail(ErrorKind::Invalid, "the PEM text is no request signed by its own key");
  return request;
}

// Nothing else of what a request wishes for: a permission would be one that nobody looked at.
void copy_alternative_names(X509* certificate, X509_REQ* request) {
  STACK_OF(X509_EXTENSION)* wishes = X509_REQ_get_extensions(request);
  const int at = X509v3_get_ext_by_NID(wishes, NID_subject_alt_name, -1);
  if (at >= 0) FP_CHECK(X509_add_ext(certificate, X509v3_get_ext(wishes, at), -1) == 1);
  sk_X509_EXTENSION_pop_free(wishes, X509_EXTENSION_free);
}

}  // namespace

Result<KeyPair> make_certificate_authority(const AuthorityRequest& request) {
  FP_TRY(made, draft(request.not_before, request.not_after));
  X509* certificate = made.certificate.get();
  FP_TRY_VOID(add_name(X509_get_subject_name(certificate), "CN", request.common_name));
  FP_CHECK(X509_set_issuer_name(certificate, X509_get_subject_name(certificate)) == 1);
  add_extension(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE");
  add_extension(certificate, certificate, NID_key_usage,
                "critical,digitalSignature,keyEncipherment,keyCertSign");
  add_extension(certificate, certificate, NID_subject_key_identifier, "hash");
  return seal(made, made.key.get());
}

Result<KeyPair> issue_certificate(const KeyPair& authority, const CertificateRequest& request) {
  FP_TRY(issuer, issuer_of(authority));
  FP_TRY(made, draft(request.not_before, request.not_after));
  X509* certificate = made.certificate.get();
  X509_NAME* subject = X509_get_subject_name(certificate);
  for (const auto& organization : request.organizations) {
    FP_TRY_VOID(add_name(subject, "O", organization));
  }
  FP_TRY_VOID(add_name(subject, "CN", request.common_name));
  X509* by = issuer.certificate.get();
  add_extension(certificate, by, NID_basic_constraints, "critical,CA:FALSE");
  add_extension(certificate, by, NID_key_usage, "critical,digitalSignature,keyEncipherment");
  add_extension(certificate, by, NID_ext_key_usage, usage_of(request.use));
  name_issuer(certificate, by);
  FP_TRY_VOID(add_alternative_names(certificate, request));
  return seal(made, issuer.key.get());
}

Result<std::string> sign_client_request(const KeyPair& authority, const ClientOrder& order) {
  FP_TRY(issuer, issuer_of(authority));
  FP_TRY(request, read_request(order.request_pem));
  FP_TRY(authority_ends, certificate_expiry(authority.certificate_pem));
  const CertificatePtr made{X509_new()};
  X509* certificate = made.get();
  FP_CHECK(made && X509_set_version(certificate, X509_VERSION_3) == 1);
  set_serial(certificate);
  FP_TRY_VOID(
      set_validity(certificate, order.not_before, std::min(order.not_after, authority_ends)));
  FP_CHECK(X509_set_pubkey(certificate, X509_REQ_get0_pubkey(request.get())) == 1);
  FP_CHECK(X509_set_subject_name(certificate, X509_REQ_get_subject_name(request.get())) == 1);
  X509* by = issuer.certificate.get();
  add_extension(certificate, by, NID_basic_constraints, "critical,CA:FALSE");
  std::string uses = order.digital_signature ? ",digitalSignature" : "";
  if (order.key_encipherment) uses += ",keyEncipherment";
  if (!uses.empty()) {
    add_extension(certificate, by, NID_key_usage, ("critical" + uses).c_str());
  }
  add_extension(certificate, by, NID_ext_key_usage, usage_of(CertificateUse::Client));
  name_issuer(certificate, by);
  copy_alternative_names(certificate, request.get());
  return sealed(certificate, issuer.key.get());
}

Result<Instant> certificate_expiry(const std::string& certificate_pem) {
  const CertificatePtr certificate{
      PEM_read_bio_X509(reading_bio(certificate_pem).get(), nullptr, nullptr, nullptr)};
  ERR_clear_error();
  if (!certificate) return fail(ErrorKind::Invalid, "the PEM text holds no certificate");
  int days = 0;
  int seconds = 0;
  const TimePtr epoch{ASN1_TIME_set(nullptr, 0)};
  FP_CHECK(epoch && ASN1_TIME_diff(&days, &seconds, epoch.get(),
                                   X509_get0_notAfter(certificate.get())) == 1);
  return Instant{std::chrono::days(days)} + std::chrono::seconds(seconds);
}

}  // namespace fixpoint::net
