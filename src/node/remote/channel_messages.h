// SPDX-License-Identifier: Apache-2.0
//
// ChannelMessages: many streams on one WebSocket. The first byte of each message says whose the
// rest is; in base64 it is a digit, and the rest is text.
#pragma once

#include "base/error.h"
#include "net/websocket.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::node {

class ChannelMessages {
 public:
  enum class Coding : std::uint8_t { Raw, Base64 };
  explicit ChannelMessages(Coding coding) : coding_(coding) {}

  void send(net::WebSocket& socket, std::uint8_t channel, std::string_view bytes) const;

  struct Piece {
    std::uint8_t channel = 0;
    std::string_view bytes;  // until the next is read
    bool begins = false;     // the first of its message
    bool ends = false;       // the last
  };
  // What a piece of a message brings; nothing as long as nobody knows whose it is. The error says
  // that it is not base64.
  Result<std::optional<Piece>> read(const net::WebSocketPiece& piece);

 private:
  Result<std::string_view> unpack(std::string_view bytes, bool last);

  Coding coding_;
  std::optional<std::uint8_t> channel_;  // of the message at hand
  std::string packed_;                   // fewer than four letters
  std::string plain_;
};

}  // namespace fixpoint::node
