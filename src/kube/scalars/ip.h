// SPDX-License-Identifier: Apache-2.0
//
// IP addresses and CIDR blocks, as far as Kubernetes' fields need them: read, tell the family,
// print.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::kube {

// Legacy fields take leading zeroes in IPv4 (010.0.0.1 is 10.0.0.1); newer ones do not.
enum class IpSyntax : std::uint8_t { Legacy, Strict };

struct Ip {
  std::array<std::uint8_t, 16> bytes{};  // IPv4 in the last four, as ::ffff:a.b.c.d
  bool v4 = false;                       // also for an IPv4-mapped IPv6 text, as Go has it

  bool operator==(const Ip&) const = default;
  std::string to_string() const;  // RFC 5952
  bool unspecified() const;
  bool loopback() const;
  bool link_local() const;
  bool link_local_multicast() const;
};

struct Cidr {
  Ip address;
  int prefix_bits = 0;

  bool contains(const Ip& ip) const;
  Ip network() const;  // its first address
};

std::optional<Ip> parse_ip(std::string_view text, IpSyntax syntax);
std::optional<Cidr> parse_cidr(std::string_view text);

}  // namespace fixpoint::kube
