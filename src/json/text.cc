// SPDX-License-Identifier: Apache-2.0
//
// Text classes by table and, where the machine has it, sixteen bytes at a time.
#include "json/text.h"

#include <array>
#include <cstddef>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace fixpoint::json {
namespace {

constexpr std::uint8_t kDirty = 1;
constexpr std::uint8_t kNotAscii = 2;

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (std::size_t c = 0; c < 0x20; ++c) classes[c] = kDirty;
  for (const char c : {'"', '\\', '<', '>', '&'}) classes[static_cast<unsigned char>(c)] = kDirty;
  for (std::size_t c = 0x80; c < 256; ++c) classes[c] = kNotAscii;
  // U+2028 and U+2029 begin with E2 80: call every E2 dirty, the printer looks closer.
  classes[0xE2] = kDirty | kNotAscii;
  return classes;
}
constexpr auto kClasses = make_classes();

#ifdef __SSE2__
// Bytes of `chunk` that may need an escape, as the comparison masks of SSE2.
__m128i dirty_bytes(__m128i chunk) {
  const auto equals = [&](char c) { return _mm_cmpeq_epi8(chunk, _mm_set1_epi8(c)); };
  const auto control =
      _mm_cmpeq_epi8(_mm_min_epu8(chunk, _mm_set1_epi8(0x1F)), chunk);  // chunk <= 0x1F, unsigned
  // '<' 0x3C and '>' 0x3E differ in one bit.
  const auto angle = _mm_cmpeq_epi8(_mm_and_si128(chunk, _mm_set1_epi8(static_cast<char>(0xFD))),
                                    _mm_set1_epi8('<'));
  return _mm_or_si128(_mm_or_si128(_mm_or_si128(equals('"'), equals('\\')),
                                   _mm_or_si128(equals('&'), equals(static_cast<char>(0xE2)))),
                      _mm_or_si128(control, angle));
}
#endif

bool continues(std::string_view text, std::size_t at) {
  return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
}

}  // namespace

TextTraits traits_of(std::string_view text) {
  std::size_t at = 0;
  std::uint8_t seen = 0;
#ifdef __SSE2__
  if (text.size() >= 16) {
    auto dirty = _mm_setzero_si128();
    auto high = _mm_setzero_si128();
    const auto add = [&](std::size_t offset) {
      const auto chunk = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + offset));
      dirty = _mm_or_si128(dirty, dirty_bytes(chunk));
      high = _mm_or_si128(high, chunk);
    };
    for (; at + 16 <= text.size(); at += 16) add(at);
    add(text.size() - 16);  // overlaps what was seen; nothing left for the loop below
    return {_mm_movemask_epi8(dirty) == 0, _mm_movemask_epi8(high) == 0};
  }
#endif
  for (; at < text.size(); ++at) seen |= kClasses[static_cast<unsigned char>(text[at])];
  return {(seen & kDirty) == 0, (seen & kNotAscii) == 0};
}

Rune decode_rune(std::string_view text) {
  constexpr Rune kInvalid{kReplacementRune, 1};
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const char32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::uint32_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return kInvalid;
  for (std::uint32_t i = 1; i < length; ++i) {
    if (!continues(text, i)) return kInvalid;
  }
  char32_t code = first & (0xFFU >> (length + 1));
  for (std::uint32_t i = 1; i < length; ++i) code = (code << 6U) | (byte(i) & 0x3FU);
  // Overlong forms, surrogates and what lies past the last code point.
  if ((length == 3 && code < 0x800) || (length == 4 && code < 0x10000)) return kInvalid;
  if ((code >= 0xD800 && code <= 0xDFFF) || code > 0x10FFFF) return kInvalid;
  return {code, length};
}

void append_rune(char32_t code, std::string& out) {
  const auto put = [&](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0U | (code >> 6U));
    put(0x80U | (code & 0x3FU));
  } else if (code < 0x10000) {
    put(0xE0U | (code >> 12U));
    put(0x80U | ((code >> 6U) & 0x3FU));
    put(0x80U | (code & 0x3FU));
  } else {
    put(0xF0U | (code >> 18U));
    put(0x80U | ((code >> 12U) & 0x3FU));
    put(0x80U | ((code >> 6U) & 0x3FU));
    put(0x80U | (code & 0x3FU));
  }
}

bool valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const auto rune = decode_rune(text);
    if (rune.code == kReplacementRune && rune.bytes == 1) return false;
    text.remove_prefix(rune.bytes);
  }
  return true;
}

std::string repaired_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto rune = decode_rune(text);
    append_rune(rune.code, out);
    text.remove_prefix(rune.bytes);
  }
  return out;
}

}  // namespace fixpoint::json
