// SPDX-License-Identifier: Apache-2.0
#include "operators/stellar/configuration/strkey.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace fixpoint::operators::stellar {
namespace {

// 35 bytes are exactly 56 characters: no padding, no spare bits.
constexpr std::size_t kTextSize = 56;
constexpr std::size_t kBytes = 35;
constexpr std::size_t kChecked = 33;
constexpr std::uint8_t kPublicKey = 6U << 3U;
constexpr std::uint8_t kSecretSeed = 18U << 3U;

// CRC-16/XMODEM.
std::uint16_t checksum(const std::array<std::uint8_t, kBytes>& bytes) {
  std::uint32_t crc = 0;
  for (std::size_t i = 0; i < kChecked; ++i) {
    crc ^= std::uint32_t{bytes[i]} << 8U;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc & 0x8000U) != 0 ? (crc << 1U) ^ 0x1021U : crc << 1U;
    }
    crc &= 0xFFFFU;
  }
  return static_cast<std::uint16_t>(crc);
}

bool is_key(std::string_view text, std::uint8_t version) {
  if (text.size() != kTextSize) return false;
  std::array<std::uint8_t, kBytes> bytes{};
  std::size_t count = 0;
  std::uint32_t buffer = 0;
  std::uint32_t bits = 0;
  for (const char c : text) {
    std::uint32_t five = 0;
    if (c >= 'A' && c <= 'Z') {
      five = static_cast<std::uint32_t>(c - 'A');
    } else if (c >= '2' && c <= '7') {
      five = static_cast<std::uint32_t>(c - '2') + 26;
    } else {
      return false;
    }
    buffer = (buffer << 5U | five) & 0xFFFFU;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes[count++] = static_cast<std::uint8_t>(buffer >> bits & 0xFFU);
    }
  }
  const auto sum = static_cast<std::uint16_t>(bytes[kChecked] | bytes[kChecked + 1] << 8U);
  return bytes[0] == version && sum == checksum(bytes);
}

}  // namespace

bool is_public_key(std::string_view text) {
  return is_key(text, kPublicKey);
}

bool is_secret_seed(std::string_view text) {
  return is_key(text, kSecretSeed);
}

}  // namespace fixpoint::operators::stellar
