// SPDX-License-Identifier: Apache-2.0
//
// Certificates: who reads keys, certificates and requests for them. The core has no cryptography;
// the front gives it one (front/identity/certificates.h).
#pragma once

#include <string>
#include <string_view>

namespace fixpoint::apiserver {

class Certificates {
 public:
  virtual ~Certificates() = default;
  // Why a server could not use this certificate with this key, both PEM, in a real one's words;
  // empty: it could.
  virtual std::string pair_problem(std::string_view certificate, std::string_view key) const = 0;
  // Why this PEM is no request for a certificate that its own key has signed; empty: it is one.
  virtual std::string request_problem(std::string_view request) const = 0;
};

}  // namespace fixpoint::apiserver
