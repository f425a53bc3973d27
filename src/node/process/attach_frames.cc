// SPDX-License-Identifier: Apache-2.0
#include "node/process/attach_frames.h"

#include <algorithm>

namespace fixpoint::node {
namespace {

constexpr std::size_t kHeadBytes = 5;

}  // namespace

std::string attach_frame(AttachKind kind, std::string_view bytes) {
  std::string out;
  do {
    const auto piece = bytes.substr(0, kAttachBytesMax);
    bytes.remove_prefix(piece.size());
    out += static_cast<char>(kind);
    for (const unsigned shift : {24U, 16U, 8U, 0U}) {
      out += static_cast<char>((piece.size() >> shift) & 0xffU);
    }
    out += piece;
  } while (!bytes.empty());
  return out;
}

std::optional<AttachFrame> AttachDecoder::next() {
  if (broken_ || held_.size() < kHeadBytes) return std::nullopt;
  std::size_t size = 0;
  for (std::size_t i = 1; i < kHeadBytes; ++i)
    size = size << 8U | static_cast<std::uint8_t>(held_[i]);
  if (size > kAttachBytesMax) {
    broken_ = true;
    return std::nullopt;
  }
  if (held_.size() < kHeadBytes + size) return std::nullopt;
  AttachFrame frame{.kind = static_cast<AttachKind>(held_[0]),
                    .bytes = held_.substr(kHeadBytes, size)};
  held_.erase(0, kHeadBytes + size);
  return frame;
}

}  // namespace fixpoint::node
