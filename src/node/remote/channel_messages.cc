// SPDX-License-Identifier: Apache-2.0
#include "node/remote/channel_messages.h"

#include "base/base64.h"

#include <utility>

namespace fixpoint::node {

void ChannelMessages::send(net::WebSocket& socket, std::uint8_t channel,
                           std::string_view bytes) const {
  std::string message;
  message.reserve(bytes.size() + 1);
  if (coding_ == Coding::Base64) {
    message += static_cast<char>(channel + '0');
    socket.send(net::WebSocket::Form::Text, message + base64_encode(bytes));
  } else {
    message += static_cast<char>(channel);
    socket.send(net::WebSocket::Form::Binary, message.append(bytes));
  }
}

Result<std::optional<ChannelMessages::Piece>> ChannelMessages::read(
    const net::WebSocketPiece& piece) {
  auto bytes = piece.bytes;
  if (piece.begins) {
    channel_.reset();
    packed_.clear();
  }
  Piece out{.channel = 0, .bytes = {}, .begins = !channel_, .ends = piece.ends};
  if (!channel_) {
    if (bytes.empty()) return std::nullopt;
    const auto first = static_cast<std::uint8_t>(bytes.front());
    channel_ = coding_ == Coding::Base64 ? static_cast<std::uint8_t>(first - '0') : first;
    bytes.remove_prefix(1);
  }
  out.channel = *channel_;
  if (coding_ == Coding::Raw) {
    out.bytes = bytes;
    return out;
  }
  FP_TRY(plain, unpack(bytes, piece.ends));
  out.bytes = plain;
  return out;
}

// Whole groups of four letters; the rest waits for more of the message.
Result<std::string_view> ChannelMessages::unpack(std::string_view bytes, bool last) {
  packed_.append(bytes);
  const auto whole = last ? packed_.size() : packed_.size() - packed_.size() % 4;
  FP_TRY(plain, base64_decode(std::string_view(packed_).substr(0, whole)));
  packed_.erase(0, whole);
  plain_ = std::move(plain);
  return plain_;
}

}  // namespace fixpoint::node
