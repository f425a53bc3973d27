// SPDX-License-Identifier: Apache-2.0
//
// Identity: the cluster's keys, and who a request comes from.
//
// Three ways in: client certificates signed by the cluster's authority, the admin token of the
// kubeconfig, service-account tokens signed by the cluster's key; the first that is right counts.
// With none right and one wrong it is 401, even where none would have been needed.
#pragma once

#include "apiserver/access/tokens.h"
#include "apiserver/request.h"
#include "kube/errors/status.h"
#include "net/certificate.h"
#include "net/crypto.h"
#include "net/http.h"

#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::front {

// Everything secret about a cluster; kept beside its data, mode 0600.
struct ClusterKeys {
  net::KeyPair authority;
  net::KeyPair server;
  net::SigningKey tokens;
  std::string admin_token;
};

// The certificate of a server reached at `address`.
Result<net::KeyPair> issue_server_certificate(const net::KeyPair& authority,
                                              std::string_view address, Instant now);
// Fresh keys for a server reached at `address`.
Result<ClusterKeys> make_cluster_keys(std::string_view address, Instant now);

class Identity final : public apiserver::Tokens {
 public:
  explicit Identity(ClusterKeys keys) : keys_(std::move(keys)) {}

  const ClusterKeys& keys() const { return keys_; }

  Result<std::string> issue(const apiserver::ServiceAccountClaims& claims) const override;
  Result<apiserver::Authenticated> authenticate(std::string_view token,
                                                const std::vector<std::string>& audiences,
                                                Instant now,
                                                const store::Snapshot& snapshot) const override;

  // The sender: authenticated, anonymous when nothing was shown, 401 when it was wrong.
  kube::Answer<apiserver::User> sender(const net::Request& request, Instant now,
                                       const store::Snapshot& snapshot) const;

 private:
  ClusterKeys keys_;
};

apiserver::User anonymous();

}  // namespace fixpoint::front
