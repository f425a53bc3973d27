// SPDX-License-Identifier: Apache-2.0
#include "kinds/validation/network/ip_warnings.h"

#include "kube/go/text.h"
#include "kube/scalars/ip.h"

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

using kube::FieldPath;

bool has_colon(std::string_view text) {
  return text.find(':') != std::string_view::npos;
}

// One that strict readers refuse, or that says in IPv6 what is IPv4.
bool nonstandard(std::string_view ip, const kube::Ip& meant) {
  return !kube::parse_ip(ip, kube::IpSyntax::Strict) || (meant.v4 && has_colon(ip));
}

bool leading_zero(std::string_view number) {
  return number.size() > 1 && number.front() == '0';
}

std::string cidr_text(const kube::Ip& ip, int bits) {
  return fmt::format("{}/{}", ip.to_string(), bits);
}

}  // namespace

void warn_of_ip(std::string_view ip, const FieldPath& path, Warnings& warnings) {
  const auto meant = kube::parse_ip(ip, kube::IpSyntax::Legacy);
  if (!meant) return;
  const auto shown = kube::go_quoted(meant->to_string());
  if (nonstandard(ip, *meant)) {
    warnings.push_back(
        fmt::format("{}: non-standard IP address {} will be considered invalid in a future "
                    "Kubernetes release: use {}",
                    path.to_string(), kube::go_quoted(ip), shown));
  } else if (!meant->v4 && meant->to_string() != ip) {
    warnings.push_back(
        fmt::format("{}: IPv6 address {} should be in RFC 5952 canonical format ({})",
                    path.to_string(), kube::go_quoted(ip), shown));
  }
}

void warn_of_ips(json::View items, const FieldPath& path, Warnings& warnings) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    const FieldPath here = path.index(i);
    warn_of_ip(items[i].get("ip").as_string(), here.child("ip"), warnings);
  }
}

void warn_of_cidr(std::string_view cidr, const FieldPath& path, Warnings& warnings) {
  const auto block = kube::parse_cidr(cidr);
  if (!block) return;
  const auto where = path.to_string();
  const auto quoted = kube::go_quoted(cidr);
  const auto slash = cidr.find('/');
  const auto ip = cidr.substr(0, slash);
  const bool mapped = block->address.v4 && has_colon(ip);
  const int all_bits = has_colon(ip) ? 128 : 32;
  // IPv4 inside IPv6 is shown as IPv4 as long as all of that is fixed.
  constexpr int kMappedBits = 96;
  auto meant = *block;
  if (mapped && meant.prefix_bits >= kMappedBits) {
    meant.prefix_bits -= kMappedBits;
  } else if (mapped) {
    meant.address.v4 = false;
  }
  const auto network = meant.network();
  const auto whole = cidr_text(network, meant.prefix_bits);
  const auto before = warnings.size();
  if (network.bytes != block->address.bytes) {
    warnings.push_back(fmt::format(
        "{}: CIDR value {} is ambiguous in this context (should be {} or {}?)", where, quoted,
        kube::go_quoted(whole), kube::go_quoted(cidr_text(block->address, all_bits))));
  }
  if (nonstandard(ip, block->address) || leading_zero(cidr.substr(slash + 1))) {
    warnings.push_back(
        fmt::format("{}: non-standard CIDR value {} will be considered invalid in a future "
                    "Kubernetes release: use {}",
                    where, quoted, kube::go_quoted(whole)));
  }
  if (warnings.size() == before && has_colon(ip) && whole != cidr) {
    warnings.push_back(
        fmt::format("{}: IPv6 CIDR value {} should be in RFC 5952 canonical format ({})", where,
                    quoted, kube::go_quoted(whole)));
  }
}

}  // namespace fixpoint::kinds
