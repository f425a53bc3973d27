// SPDX-License-Identifier: Apache-2.0
#include "front/identity/issuer.h"

#include "apiserver/access/tokens.h"
#include "json/draft.h"

#include <algorithm>
#include <string_view>

namespace fixpoint::front {
namespace {

constexpr std::size_t kCoordinateBytes = 32;  // P-256

// SubjectPublicKeyInfo; for P-256 it ends in the two coordinates.
std::string public_bytes(const net::SigningKey& key) {
  const std::string pem = key.public_pem();
  std::string body;
  for (std::string_view rest = pem; !rest.empty();) {
    const auto end = std::min(rest.find('\n'), rest.size());
    const auto line = rest.substr(0, end);
    if (!line.starts_with("-----")) body += line;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  auto bytes = base64_decode(body);
  FP_CHECK(bytes.has_value() && bytes->size() > 2 * kCoordinateBytes);  // our own encoder's work
  return *std::move(bytes);
}

}  // namespace

std::string key_id(const net::SigningKey& key) {
  const auto digest = net::sha256(public_bytes(key));
  return net::base64url_encode({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

json::Value key_set(const net::SigningKey& key) {
  const std::string bytes = public_bytes(key);
  const auto coordinate = [&](std::size_t from_end) {
    return net::base64url_encode(
        std::string_view{bytes}.substr(bytes.size() - from_end, kCoordinateBytes));
  };
  json::Draft published = json::Draft::object({
      {"use", "sig"                           },
      {"kty", "EC"                            },
      {"kid", key_id(key)                     },
      {"crv", "P-256"                         },
      {"alg", "ES256"                         },
      {"x",   coordinate(2 * kCoordinateBytes)},
      {"y",   coordinate(kCoordinateBytes)    }
  });
  return json::Draft::object({
                                 {"keys", json::Draft::array({std::move(published)})}
  })
      .freeze();
}

json::Value issuer_configuration(const std::string& address) {
  return json::Draft::object(
             {
                 {"issuer",                                apiserver::kIssuer                      },
                 {"jwks_uri",                              "https://" + address + "/openid/v1/jwks"},
                 {"response_types_supported",              json::Draft::array({"id_token"})        },
                 {"subject_types_supported",               json::Draft::array({"public"})          },
                 {"id_token_signing_alg_values_supported", json::Draft::array({"ES256"})           }
  })
      .freeze();
}

}  // namespace fixpoint::front
