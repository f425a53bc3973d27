// SPDX-License-Identifier: Apache-2.0
//
// Bytes that arrive in pieces: the first byte of an input says how large, the rest is what arrives.
#pragma once

#include "base/error.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fixpoint::fuzz {

struct Arriving {
  std::size_t piece;
  std::string_view bytes;

  // `size` is not 0.
  Arriving(const std::uint8_t* data, std::size_t size)
      : piece(std::max<std::size_t>(1, data[0] % 64)),
        bytes(reinterpret_cast<const char*>(data) + 1, size - 1) {}
};

// Hands a decoder the bytes piece by piece; every event but NeedMore goes to `on`, which says
// whether to go on. A decoder that asks for more has used up what it got.
template <class Decoder, class On>
void decode_in_pieces(Decoder& decoder, std::string_view bytes, std::size_t piece, const On& on) {
  while (!bytes.empty()) {
    auto part = bytes.substr(0, piece);
    bytes.remove_prefix(part.size());
    while (true) {
      const auto event = decoder.next(part);
      if (event == Decoder::Event::NeedMore) break;
      if (!on(event)) return;
    }
    FP_CHECK(part.empty());
  }
}

}  // namespace fixpoint::fuzz
