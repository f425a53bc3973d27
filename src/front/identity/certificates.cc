// SPDX-License-Identifier: Apache-2.0
#include "front/identity/certificates.h"

#include "net/key_pair.h"

namespace fixpoint::front {
namespace {

class NetCertificates final : public apiserver::Certificates {
 public:
  std::string pair_problem(std::string_view certificate, std::string_view key) const override {
    return net::key_pair_problem(certificate, key);
  }
  std::string request_problem(std::string_view request) const override {
    return net::signing_request_problem(request);
  }
};

}  // namespace

const apiserver::Certificates& certificates() {
  static const NetCertificates kOne;
  return kOne;
}

}  // namespace fixpoint::front
