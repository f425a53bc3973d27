// SPDX-License-Identifier: Apache-2.0
//
// Owners for OpenSSL's objects, and what their users share. Included only by sources of this
// folder, never by a public header.
#pragma once

#include "net/crypto.h"

#include <memory>
#include <string>
#include <string_view>

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

namespace fixpoint::net {

template <auto Free>
struct Releaser {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};

using BioPtr = std::unique_ptr<BIO, Releaser<BIO_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, Releaser<EVP_PKEY_free>>;
using CertificatePtr = std::unique_ptr<X509, Releaser<X509_free>>;
using SslPtr = std::unique_ptr<SSL, Releaser<SSL_free>>;
using SslContextPtr = std::unique_ptr<SSL_CTX, Releaser<SSL_CTX_free>>;

struct SigningKey::Key {
  KeyPtr pkey;
  bool has_private = false;
};

// Text as OpenSSL takes bytes.
inline const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// Reads from memory; the text must outlive the BIO.
BioPtr reading_bio(std::string_view text);
BioPtr writing_bio();
std::string bio_text(BIO* bio);
// The oldest queued OpenSSL error as text, and empties the queue.
std::string openssl_error();

}  // namespace fixpoint::net
