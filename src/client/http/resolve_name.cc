// SPDX-License-Identifier: Apache-2.0
#include "client/http/resolve_name.h"

#include <algorithm>
#include <memory>

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>

namespace fixpoint::client {
namespace {

// A name with more addresses than this has enough to try.
constexpr std::size_t kAddressesMax = 16;

}  // namespace

bool is_numeric_address(const std::string& host) {
  unsigned char bytes[16];
  return inet_pton(AF_INET, host.c_str(), bytes) == 1 ||
         inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

Result<std::vector<std::string>> resolve_name(const std::string& name) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int outcome = getaddrinfo(name.c_str(), nullptr, &hints, &list);
  if (outcome != 0) {
    return fail(ErrorKind::Unavailable, "look up " + name + ": " + gai_strerror(outcome));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner{list, freeaddrinfo};
  std::vector<std::string> addresses;
  for (const addrinfo* at = list; at != nullptr && addresses.size() < kAddressesMax;
       at = at->ai_next) {
    char text[NI_MAXHOST];
    if (getnameinfo(at->ai_addr, at->ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST) !=
        0) {
      continue;
    }
    if (std::ranges::find(addresses, text) == addresses.end()) addresses.emplace_back(text);
  }
  if (addresses.empty()) return fail(ErrorKind::Unavailable, "look up " + name + ": no address");
  return addresses;
}

}  // namespace fixpoint::client
