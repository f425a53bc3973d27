// SPDX-License-Identifier: Apache-2.0
//
// CertificateSigner: what was asked of kubernetes.io/kube-apiserver-client and approved gets its
// certificate, good for as long as was asked, a year at most. A request for uses that a client has
// none of is marked Failed.
//
// The two signers for kubelets are left alone: no kubelet asks here, and what they may be given has
// to be checked against the nodes there are.
#pragma once

#include "base/error.h"
#include "cluster/controller.h"

#include <functional>
#include <string>

namespace fixpoint::cluster {

struct CertificateOrder {
  std::string request_pem;
  bool digital_signature = false;
  bool key_encipherment = false;
  Instant from;
  Instant until;  // the authority's own end, where that is earlier
};
// The certificate, PEM. Cryptography is not this layer's.
using SignCertificate = std::function<Result<std::string>(const CertificateOrder&)>;

class CertificateSigner final : public Controller {
 public:
  explicit CertificateSigner(SignCertificate sign) : sign_(std::move(sign)) {}

  std::string_view name() const override { return "csrsigning-kube-apiserver-client"; }
  void begin(Api& api) override;
  void observe(const store::Event& event) override;
  bool step(Api& api) override;

 private:
  SignCertificate sign_;
  KeyQueue requests_;
};

}  // namespace fixpoint::cluster
