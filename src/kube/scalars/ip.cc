// SPDX-License-Identifier: Apache-2.0
#include "kube/scalars/ip.h"

#include "base/ascii.h"

#include <algorithm>
#include <charconv>

#include <arpa/inet.h>

namespace fixpoint::kube {
namespace {

constexpr std::size_t kTextBytesMax = 64;  // longer than any address

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

std::optional<int> small_number(std::string_view text) {
  int value = 0;
  if (!all_digits(text)) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Ip> parse_v4(std::string_view text, IpSyntax syntax) {
  Ip ip{.v4 = true};
  ip.bytes[10] = ip.bytes[11] = 0xff;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto dot = text.find('.');
    const auto part = text.substr(0, dot);
    const auto value = small_number(part);
    if (!value || *value > 255) return std::nullopt;
    if (syntax == IpSyntax::Strict && part.size() > 1 && part.front() == '0') return std::nullopt;
    ip.bytes[12 + i] = static_cast<std::uint8_t>(*value);
    if ((dot == std::string_view::npos) != (i == 3)) return std::nullopt;
    text.remove_prefix(std::min(text.size(), part.size() + 1));
  }
  return ip;
}

bool mapped_v4(const std::array<std::uint8_t, 16>& bytes) {
  return std::all_of(bytes.begin(), bytes.begin() + 10, [](auto b) { return b == 0; }) &&
         bytes[10] == 0xff && bytes[11] == 0xff;
}

}  // namespace

std::optional<Ip> parse_ip(std::string_view text, IpSyntax syntax) {
  if (text.size() > kTextBytesMax) return std::nullopt;
  if (text.find(':') == std::string_view::npos) return parse_v4(text, syntax);
  Ip ip;
  if (::inet_pton(AF_INET6, std::string{text}.c_str(), ip.bytes.data()) != 1) return std::nullopt;
  ip.v4 = mapped_v4(ip.bytes);
  return ip;
}

std::optional<Cidr> parse_cidr(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto ip = parse_ip(text.substr(0, slash), IpSyntax::Legacy);
  const auto bits = small_number(text.substr(slash + 1));
  if (!ip || !bits) return std::nullopt;
  const bool short_text = text.find(':') == std::string_view::npos;
  if (*bits > (short_text ? 32 : 128)) return std::nullopt;
  return Cidr{*ip, *bits};
}

std::string Ip::to_string() const {
  char text[INET6_ADDRSTRLEN];
  if (v4) return ::inet_ntop(AF_INET, bytes.data() + 12, text, sizeof text);
  return ::inet_ntop(AF_INET6, bytes.data(), text, sizeof text);
}

bool Ip::unspecified() const {
  const auto from = v4 ? bytes.begin() + 12 : bytes.begin();
  return std::all_of(from, bytes.end(), [](auto b) { return b == 0; });
}

bool Ip::loopback() const {
  if (v4) return bytes[12] == 127;
  return std::all_of(bytes.begin(), bytes.end() - 1, [](auto b) { return b == 0; }) &&
         bytes[15] == 1;
}

bool Ip::link_local() const {
  if (v4) return bytes[12] == 169 && bytes[13] == 254;
  return bytes[0] == 0xfe && (bytes[1] & 0xc0U) == 0x80;
}

bool Ip::link_local_multicast() const {
  if (v4) return bytes[12] == 224 && bytes[13] == 0 && bytes[14] == 0;
  return bytes[0] == 0xff && (bytes[1] & 0x0fU) == 0x02;
}

Ip Cidr::network() const {
  Ip first = address;
  const int fixed = (address.v4 && prefix_bits <= 32 ? 96 : 0) + prefix_bits;
  for (int bit = fixed; bit < 128; ++bit) {
    const auto mask = static_cast<std::uint8_t>(0x80U >> static_cast<unsigned>(bit % 8));
    first.bytes[static_cast<std::size_t>(bit / 8)] &= static_cast<std::uint8_t>(~mask);
  }
  return first;
}

bool Cidr::contains(const Ip& ip) const {
  if (ip.v4 != address.v4) return false;
  const int first_bit = address.v4 && prefix_bits <= 32 ? 96 : 0;
  for (int bit = 0; bit < first_bit + prefix_bits; ++bit) {
    const auto byte = static_cast<std::size_t>(bit / 8);
    const auto mask = static_cast<std::uint8_t>(0x80U >> static_cast<unsigned>(bit % 8));
    if ((ip.bytes[byte] & mask) != (address.bytes[byte] & mask)) return false;
  }
  return true;
}

}  // namespace fixpoint::kube
