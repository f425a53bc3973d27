// SPDX-License-Identifier: Apache-2.0
#include "net/transport/tls_session.h"

#include "net/transport/openssl.h"
#include "net/transport/tls_context.h"

#include <algorithm>
#include <cstring>

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace fixpoint::net {

struct TlsSession::Ssl {
  SslPtr ssl;
};

// A BIO that reads from `input_` and appends to `*output_`: no socket, no second buffer.
struct TlsSession::Bio {
  static int read(BIO* bio, char* into, int size) {
    auto* session = static_cast<TlsSession*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    const auto count = std::min(session->input_.size(), static_cast<std::size_t>(size));
    if (count == 0) {
      BIO_set_retry_read(bio);
      return -1;
    }
    std::memcpy(into, session->input_.data(), count);
    session->input_.remove_prefix(count);
    return static_cast<int>(count);
  }

  static int write(BIO* bio, const char* bytes, int size) {
    auto* session = static_cast<TlsSession*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    FP_CHECK(session->output_ != nullptr);
    session->output_->append(bytes, static_cast<std::size_t>(size));
    return size;
  }

  static long control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

  static BIO_METHOD* method() {
    static BIO_METHOD* const made = [] {
      BIO_METHOD* fresh = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "fixpoint");
      FP_CHECK(fresh && BIO_meth_set_read(fresh, read) && BIO_meth_set_write(fresh, write) &&
               BIO_meth_set_ctrl(fresh, control));
      return fresh;
    }();
    return made;
  }
};

namespace {

// OpenSSL goes through its whole list, however empty; a busy wire asks for every record.
void forget_errors() {
  if (ERR_peek_error() != 0) ERR_clear_error();
}

bool is_ip_address(const std::string& text) {
  unsigned char bytes[16];
  return inet_pton(AF_INET, text.c_str(), bytes) == 1 ||
         inet_pton(AF_INET6, text.c_str(), bytes) == 1;
}

void expect_name(SSL* ssl, const std::string& name) {
  if (is_ip_address(name)) {
    FP_CHECK(X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name.c_str()) == 1);
    return;
  }
  SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  FP_CHECK(SSL_set1_host(ssl, name.c_str()) == 1);
}

std::string entry_text(const X509_NAME_ENTRY* entry) {
  unsigned char* utf8 = nullptr;
  const int size = ASN1_STRING_to_UTF8(&utf8, X509_NAME_ENTRY_get_data(entry));
  if (size < 0) return {};
  std::string text(reinterpret_cast<char*>(utf8), static_cast<std::size_t>(size));
  OPENSSL_free(utf8);
  return text;
}

CertificateIdentity identity_of(X509* certificate) {
  CertificateIdentity identity;
  const X509_NAME* subject = X509_get_subject_name(certificate);
  for (int i = 0; i < X509_NAME_entry_count(subject); ++i) {
    const X509_NAME_ENTRY* entry = X509_NAME_get_entry(subject, i);
    const int field = OBJ_obj2nid(X509_NAME_ENTRY_get_object(entry));
    if (field == NID_commonName) identity.common_name = entry_text(entry);
    if (field == NID_organizationName) identity.organizations.push_back(entry_text(entry));
  }
  return identity;
}

}  // namespace

TlsSession::TlsSession(const TlsContextRef& context, const std::string& server_name,
                       Partner partner)
    : ssl_(std::make_unique<Ssl>()), context_(context) {
  ssl_->ssl.reset(SSL_new(context->get()));
  SSL* ssl = ssl_->ssl.get();
  FP_CHECK(ssl != nullptr);
  BIO* bio = BIO_new(Bio::method());
  FP_CHECK(bio != nullptr);
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl, bio, bio);
  if (context->role() == TlsRole::Server) {
    SSL_set_accept_state(ssl);
    return;
  }
  SSL_set_connect_state(ssl);
  if (partner == Partner::Proxy) {
    constexpr unsigned char kOnlyHttp1[] = "\x08http/1.1";
    FP_CHECK(SSL_set_alpn_protos(ssl, kOnlyHttp1, sizeof kOnlyHttp1 - 1) == 0);
    SSL_certs_clear(ssl);
  }
  if (context->check() == PeerCheck::Verify) expect_name(ssl, server_name);
  if (!server_name.empty() && !is_ip_address(server_name)) {
    SSL_set_tlsext_host_name(ssl, server_name.c_str());
  }
}

TlsSession::~TlsSession() = default;

Result<std::size_t> TlsSession::give_up(int outcome, std::string_view doing) {
  const int reason = SSL_get_error(ssl_->ssl.get(), outcome);
  if (reason == SSL_ERROR_WANT_READ) return 0;
  if (reason == SSL_ERROR_ZERO_RETURN) {
    state_ = State::Ended;
    return 0;
  }
  const long verdict = SSL_get_verify_result(ssl_->ssl.get());
  const bool blames_certificate =
      state_ == State::Handshaking && verdict != X509_V_OK && context_->role() == TlsRole::Client;
  state_ = State::Ended;
  auto why = openssl_error();
  if (!blames_certificate) {
    return fail(ErrorKind::Unavailable, std::string(doing) + ": " + why);
  }
  // Trying again does not make a certificate better.
  return fail(ErrorKind::Invalid, std::string(doing) + ": the server's certificate is refused: " +
                                      X509_verify_cert_error_string(verdict));
}

Result<TlsSession::State> TlsSession::handshake(std::string& to_peer) {
  output_ = &to_peer;
  ERR_clear_error();
  const int outcome = SSL_do_handshake(ssl_->ssl.get());
  if (outcome == 1) {
    state_ = State::Open;
    return state_;
  }
  if (auto stuck = give_up(outcome, "TLS handshake"); !stuck) {
    return std::unexpected(std::move(stuck).error());
  }
  return state_;
}

Result<std::size_t> TlsSession::read(std::span<char> plain, std::string& to_peer) {
  output_ = &to_peer;
  std::size_t used = 0;
  while (used < plain.size()) {
    forget_errors();
    std::size_t count = 0;
    const int outcome =
        SSL_read_ex(ssl_->ssl.get(), plain.data() + used, plain.size() - used, &count);
    if (outcome != 1) {
      if (auto stuck = give_up(outcome, "TLS read"); !stuck && used == 0) return stuck;
      return used;  // an error after good bytes shows again on the next call
    }
    used += count;
  }
  return used;
}

Result<void> TlsSession::write(std::string_view plain, std::string& to_peer) {
  output_ = &to_peer;
  while (!plain.empty()) {
    forget_errors();
    std::size_t count = 0;
    const int outcome = SSL_write_ex(ssl_->ssl.get(), plain.data(), plain.size(), &count);
    if (outcome != 1) {
      if (auto stuck = give_up(outcome, "TLS write"); !stuck) {
        return std::unexpected(std::move(stuck).error());
      }
      return fail(ErrorKind::Unavailable, "TLS write: the peer ended the conversation");
    }
    plain.remove_prefix(count);
  }
  return {};
}

void TlsSession::close(std::string& to_peer) {
  if (state_ == State::Handshaking) return;  // nothing was agreed that could be ended
  output_ = &to_peer;
  SSL_shutdown(ssl_->ssl.get());
  ERR_clear_error();
  // The peer's own farewell may still come and is read to see the end of its data.
}

bool TlsSession::negotiated_http2() const {
  const unsigned char* name = nullptr;
  unsigned int size = 0;
  SSL_get0_alpn_selected(ssl_->ssl.get(), &name, &size);
  return std::string_view(reinterpret_cast<const char*>(name), size) == "h2";
}

void TlsSession::describe(Peer& peer) const {
  peer.tls = true;
  X509* certificate = SSL_get0_peer_certificate(ssl_->ssl.get());
  if (certificate == nullptr) return;
  const long verdict = SSL_get_verify_result(ssl_->ssl.get());
  if (verdict == X509_V_OK) {
    peer.identity = identity_of(certificate);
  } else {
    peer.certificate_problem = X509_verify_cert_error_string(verdict);
  }
}

}  // namespace fixpoint::net
