// SPDX-License-Identifier: Apache-2.0
//
// WebSocketDecoder: the frames of RFC 6455, without any I/O. Bytes in any split, events out.
//
// Messages come in pieces as they arrive, so that nothing a peer can send has to be held; only
// control frames, at most 125 bytes, are. The first fault is final. Read next: net/websocket.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::net {

enum class WebSocketOpcode : std::uint8_t {
  Continuation = 0,
  Text = 1,
  Binary = 2,
  Close = 8,
  Ping = 9,
  Pong = 10,
};

// The reasons to close that are used here.
inline constexpr std::uint16_t kWebSocketNormal = 1000;
inline constexpr std::uint16_t kWebSocketProtocolError = 1002;

class WebSocketDecoder {
 public:
  // Clients mask what they send, servers do not; whoever gets it the wrong way must close.
  enum class From : std::uint8_t { Client, Server };
  enum class Event : std::uint8_t {
    NeedMore,  // the input is used up
    Data,      // payload() is a piece of a message, perhaps an empty one
    Ping,      // payload() is to be sent back
    Pong,
    Close,  // nothing comes after it
    Fault,  // fault() says why; nothing more is decoded
  };

  explicit WebSocketDecoder(From from) : from_(from) {}

  // Consumes from the front of `input` and reports one event.
  Event next(std::string_view& input);

  std::string_view payload() const { return payload_; }
  // Of the Data event at hand.
  bool begins_message() const { return begins_; }
  bool ends_message() const { return ends_; }
  bool is_text() const { return text_; }
  std::string_view fault() const { return fault_; }

 private:
  enum class State : std::uint8_t { Head, Payload, Failed };

  Event refuse(std::string_view why);
  bool gather_head(std::string_view& input);
  std::optional<Event> read_head();
  Event read_payload(std::string_view& input);
  Event control();
  void take(std::string_view& input, std::string& into);

  From from_;
  State state_ = State::Head;
  std::array<std::uint8_t, 14> head_{};
  std::size_t head_size_ = 0;
  WebSocketOpcode opcode_ = WebSocketOpcode::Continuation;
  bool final_ = false;
  bool in_message_ = false;  // a message has begun and not ended
  bool fresh_ = false;       // nothing of the message at hand was reported yet
  bool text_ = false;
  std::uint64_t remaining_ = 0;
  std::array<std::uint8_t, 4> mask_{};
  std::size_t mask_at_ = 0;
  std::string scratch_;  // unmasked
  std::string control_;  // of a control frame, until it is complete
  std::string_view payload_;
  bool begins_ = false;
  bool ends_ = false;
  std::string_view fault_;
};

// One whole frame; with a mask as a client sends it.
std::string websocket_frame(WebSocketOpcode opcode, std::string_view payload,
                            std::optional<std::array<std::uint8_t, 4>> mask = std::nullopt);
std::string websocket_close_payload(std::uint16_t code);
// What a server answers to a Sec-WebSocket-Key.
std::string websocket_accept(std::string_view key);

}  // namespace fixpoint::net
