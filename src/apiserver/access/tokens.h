// SPDX-License-Identifier: Apache-2.0
//
// Tokens: who issues and reads bearer tokens. The core has no cryptography; the front gives it one.
#pragma once

#include "apiserver/request.h"
#include "base/error.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::apiserver {

inline constexpr std::string_view kIssuer = "https://kubernetes.default.svc";

// An object by the name and uid a token knows it by.
struct ObjectClaim {
  std::string name;
  std::string uid;
};

// The claims of a service account token.
struct ServiceAccountClaims {
  std::string ns;
  std::string name;
  std::string uid;
  std::vector<std::string> audiences;
  Instant issued;
  Instant expires;
  std::string id;
  // The object the token dies with, if any. Beside a pod, the node is only told.
  std::optional<ObjectClaim> pod;
  std::optional<ObjectClaim> secret;
  std::optional<ObjectClaim> node;
  std::optional<Instant> warn_after;  // a use after this is noted, not refused
};

struct Authenticated {
  User user;
  std::vector<std::string> audiences;  // those asked for that the token is also meant for
};

class Tokens {
 public:
  virtual ~Tokens() = default;
  virtual Result<std::string> issue(const ServiceAccountClaims& claims) const = 0;
  // The user of a token valid for one of `audiences`; the error says what a TokenReview shows
  // ("invalid bearer token").
  virtual Result<Authenticated> authenticate(std::string_view token,
                                             const std::vector<std::string>& audiences, Instant now,
                                             const store::Snapshot& snapshot) const = 0;
};

}  // namespace fixpoint::apiserver
