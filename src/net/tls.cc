// SPDX-License-Identifier: Apache-2.0
#include "net/tls.h"

#include "net/transport/openssl.h"
#include "net/transport/tls_context.h"

#include <cstring>
#include <string_view>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

namespace fixpoint::net {
namespace {

constexpr std::string_view kAlpnBoth{"\x02h2\x08http/1.1", 12};
constexpr std::string_view kAlpnHttp1{"\x08http/1.1", 9};
constexpr std::string_view kAlpnHttp2{"\x02h2", 3};
// AES-128 first: the fastest authenticated cipher on every machine with AES instructions.
constexpr const char* kSuites13 =
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";
constexpr const char* kSuites12 = "ECDHE+AESGCM:ECDHE+CHACHA20";
constexpr const char* kGroups = "X25519:P-256:P-384";
constexpr int kChainDepthMax = 8;

Result<SslContextPtr> new_context(const SSL_METHOD* method) {
  SslContextPtr context{SSL_CTX_new(method)};
  FP_CHECK(context != nullptr);
  SSL_CTX* raw = context.get();
  const bool set = SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION) == 1 &&
                   SSL_CTX_set_ciphersuites(raw, kSuites13) == 1 &&
                   SSL_CTX_set_cipher_list(raw, kSuites12) == 1 &&
                   SSL_CTX_set1_groups_list(raw, kGroups) == 1;
  if (!set) return fail(ErrorKind::Internal, "TLS settings: " + openssl_error());
  SSL_CTX_set_options(raw, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION |
                               SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_IGNORE_UNEXPECTED_EOF);
  // Idle connections give their record buffers back: 34 KB less for each waiting watch.
  SSL_CTX_set_mode(raw, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                            SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_verify_depth(raw, kChainDepthMax);
  SSL_CTX_set_session_cache_mode(raw, SSL_SESS_CACHE_OFF);
  return context;
}

// The leaf and its chain, from memory; OpenSSL itself reads chains only from files.
Result<void> use_key_pair(SSL_CTX* context, const std::string& chain_pem,
                          const std::string& key_pem) {
  const auto bio = reading_bio(chain_pem);
  const CertificatePtr leaf{PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)};
  if (!leaf || SSL_CTX_use_certificate(context, leaf.get()) != 1) {
    return fail(ErrorKind::Invalid, "the certificate is not usable PEM: " + openssl_error());
  }
  while (CertificatePtr next{PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)}) {
    FP_CHECK(SSL_CTX_add1_chain_cert(context, next.get()) == 1);
  }
  ERR_clear_error();  // the end of the text is an error to the PEM reader
  // Without this OpenSSL asks for the password of an encrypted key on the terminal.
  const auto no_password = [](char*, int, int, void*) { return -1; };
  const KeyPtr key{
      PEM_read_bio_PrivateKey(reading_bio(key_pem).get(), nullptr, no_password, nullptr)};
  if (!key)
    return fail(ErrorKind::Invalid, "the private key is not usable PEM: " + openssl_error());
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1 || SSL_CTX_check_private_key(context) != 1) {
    return fail(ErrorKind::Invalid, "the private key does not belong to the certificate");
  }
  return {};
}

Result<void> trust(SSL_CTX* context, const std::string& ca_pem) {
  const auto bio = reading_bio(ca_pem);
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  int count = 0;
  while (CertificatePtr ca{PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)}) {
    if (X509_STORE_add_cert(store, ca.get()) != 1) {
      return fail(ErrorKind::Invalid, "a CA certificate is not usable: " + openssl_error());
    }
    SSL_CTX_add_client_CA(context, ca.get());
    ++count;
  }
  ERR_clear_error();
  if (count == 0) return fail(ErrorKind::Invalid, "the CA text holds no PEM certificate");
  return {};
}

// Goes on with a bad client certificate; tls_session.cc reports the stored verify result.
int note_and_continue(int, X509_STORE_CTX*) {
  return 1;
}

int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* size,
                    const unsigned char* offered, unsigned int offered_size, void*) {
  unsigned char* choice = nullptr;
  if (SSL_select_next_proto(&choice, size, bytes_of(kAlpnBoth),
                            static_cast<unsigned>(kAlpnBoth.size()), offered,
                            offered_size) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *chosen = choice;
  return SSL_TLSEXT_ERR_OK;
}

std::string_view alpn_of(HttpVersions versions) {
  switch (versions) {
    case HttpVersions::Any: return kAlpnBoth;
    case HttpVersions::OnlyHttp1: return kAlpnHttp1;
    case HttpVersions::OnlyHttp2: return kAlpnHttp2;
  }
  std::unreachable();
}

}  // namespace

Result<TlsContextRef> make_server_tls(const ServerTls& settings) {
  FP_TRY(context, new_context(TLS_server_method()));
  SSL_CTX* raw = context.get();
  FP_TRY_VOID(use_key_pair(raw, settings.certificate_pem, settings.private_key_pem));
  if (!settings.client_ca_pem.empty()) {
    FP_TRY_VOID(trust(raw, settings.client_ca_pem));
    SSL_CTX_set_verify(raw, SSL_VERIFY_PEER, note_and_continue);
  }
  SSL_CTX_set_alpn_select_cb(raw, choose_protocol, nullptr);
  SSL_CTX_set_num_tickets(raw, 1);
  constexpr std::string_view kSessionScope = "fixpoint";
  SSL_CTX_set_session_id_context(raw, bytes_of(kSessionScope), kSessionScope.size());
  return std::make_shared<const TlsContext>(TlsRole::Server, std::move(context), PeerCheck::Verify);
}

Result<TlsContextRef> make_client_tls(const ClientTls& settings) {
  FP_TRY(context, new_context(TLS_client_method()));
  SSL_CTX* raw = context.get();
  if (!settings.certificate_pem.empty()) {
    FP_TRY_VOID(use_key_pair(raw, settings.certificate_pem, settings.private_key_pem));
  }
  if (settings.check == PeerCheck::Verify) {
    if (!settings.ca_pem.empty()) {
      FP_TRY_VOID(trust(raw, settings.ca_pem));
    } else if (SSL_CTX_set_default_verify_paths(raw) != 1) {
      return fail(ErrorKind::Unavailable, "the machine's CA certificates: " + openssl_error());
    }
    SSL_CTX_set_verify(raw, SSL_VERIFY_PEER, nullptr);
  }
  const auto alpn = alpn_of(settings.versions);
  FP_CHECK(SSL_CTX_set_alpn_protos(raw, bytes_of(alpn), static_cast<unsigned>(alpn.size())) == 0);
  return std::make_shared<const TlsContext>(TlsRole::Client, std::move(context), settings.check);
}

}  // namespace fixpoint::net
