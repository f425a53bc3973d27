// SPDX-License-Identifier: Apache-2.0
#include "kube/scalars/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace fixpoint::kube {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<std::int8_t, 256> kValues = [] {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::int8_t>(i);
  }
  return values;
}();

}  // namespace

std::string base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group =
          (group << 8U) | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    const std::size_t letters = std::min<std::size_t>(bytes.size() - i, 3) + 1;
    for (std::size_t j = 0; j < 4; ++j) {
      text += j < letters ? kAlphabet[(group >> (18 - 6 * j)) & 63U] : '=';
    }
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  std::string bytes;
  std::uint32_t group = 0;
  std::size_t letters = 0;
  std::size_t padding = 0;
  for (const char c : text) {
    if (c == '\n' || c == '\r') continue;
    if (c == '=') {
      ++padding;
      continue;
    }
    const int value = kValues[static_cast<unsigned char>(c)];
    if (value < 0 || padding > 0) return std::nullopt;
    group = (group << 6U) | static_cast<std::uint32_t>(value);
    if (++letters % 4 == 0) {
      for (const unsigned shift : {16U, 8U, 0U})
        bytes += static_cast<char>((group >> shift) & 255U);
      group = 0;
    }
  }
  if ((letters + padding) % 4 != 0 || padding > 2 || letters % 4 == 1) return std::nullopt;
  if (letters % 4 == 2) bytes += static_cast<char>((group >> 4U) & 255U);
  if (letters % 4 == 3) {
    bytes += static_cast<char>((group >> 10U) & 255U);
    bytes += static_cast<char>((group >> 2U) & 255U);
  }
  return bytes;
}

}  // namespace fixpoint::kube
