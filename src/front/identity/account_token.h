// SPDX-License-Identifier: Apache-2.0
//
// Account tokens: the JWTs of service accounts, written and read. A token is only as good as the
// objects it names: the account and whatever it is bound to must still be there, with the same uid.
#pragma once

#include "apiserver/access/tokens.h"
#include "net/crypto.h"
#include "store/store.h"

#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::front {

std::string write_token(const apiserver::ServiceAccountClaims& claims, const net::SigningKey& key);

struct TokenReader {
  const net::SigningKey& key;
  const store::Snapshot& snapshot;
};

// The account of a token meant for one of `audiences`. The error is the text a TokenReview shows.
Result<apiserver::Authenticated> read_token(std::string_view token,
                                            const std::vector<std::string>& audiences, Instant now,
                                            const TokenReader& reader);

}  // namespace fixpoint::front
