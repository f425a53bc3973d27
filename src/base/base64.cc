// SPDX-License-Identifier: Apache-2.0
#include "base/base64.h"

#include <array>

namespace fixpoint {
namespace {

constexpr std::string_view kStandard =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrl =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

using Values = std::array<std::int8_t, 256>;

constexpr Values values_of(std::string_view alphabet) {
  Values values{};
  values.fill(-1);
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    values[static_cast<unsigned char>(alphabet[i])] = static_cast<std::int8_t>(i);
  }
  return values;
}

constexpr Values kStandardValues = values_of(kStandard);
constexpr Values kUrlValues = values_of(kUrl);

std::unexpected<Error> illegal_at(std::size_t at) {
  return fail(ErrorKind::Invalid, "illegal base64 data at input byte " + std::to_string(at));
}

bool line_break(char c) {
  return c == '\r' || c == '\n';
}

}  // namespace

std::string base64_encode(std::string_view bytes, Base64 form) {
  const auto alphabet = form == Base64::Standard ? kStandard : kUrl;
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8U | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k <= count; ++k) text += alphabet[group >> (18 - 6 * k) & 0x3fU];
    if (form == Base64::Standard) text.append(3 - count, '=');
  }
  return text;
}

Result<std::string> base64_decode(std::string_view text, Base64 form) {
  const auto& values = form == Base64::Standard ? kStandardValues : kUrlValues;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 3);
  std::uint32_t group = 0;
  std::size_t digits = 0;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (line_break(text[at])) continue;
    const int value = values[static_cast<unsigned char>(text[at])];
    if (value < 0) break;
    group = group << 6U | static_cast<std::uint32_t>(value);
    if (++digits == 4) {
      for (const auto shift : {16U, 8U, 0U}) bytes += static_cast<char>(group >> shift & 0xffU);
      group = 0;
      digits = 0;
    }
  }
  std::size_t padding = 0;
  for (; form == Base64::Standard && at < text.size(); ++at) {
    if (line_break(text[at])) continue;
    // Go blames the first '=' when the second one is missing.
    if (text[at] != '=') return illegal_at(digits == 2 && padding == 1 ? at - 1 : at);
    if (digits + ++padding > 4 || digits < 2) return illegal_at(at);
  }
  if (at < text.size()) return illegal_at(at);
  // A group cut short is blamed on where its digits began.
  const bool cut_short = form == Base64::Standard ? digits != 0 && padding == 0 : digits == 1;
  if (cut_short) return illegal_at(text.size() - digits);
  if (form == Base64::Standard && digits != 0 && digits + padding != 4) return illegal_at(at);
  if (digits >= 2) bytes += static_cast<char>(group >> (digits == 2 ? 4U : 10U) & 0xffU);
  if (digits == 3) bytes += static_cast<char>(group >> 2U & 0xffU);
  return bytes;
}

}  // namespace fixpoint
