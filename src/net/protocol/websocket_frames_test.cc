// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/websocket_frames.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace fixpoint::net {
namespace {

using WebSocketEvent = WebSocketDecoder::Event;
using From = WebSocketDecoder::From;

constexpr std::array<std::uint8_t, 4> kRfcMask{0x37, 0xfa, 0x21, 0x3d};

// Everything the decoder says, in words: [ begins a message, ] ends it.
std::string told(From from, std::string_view bytes, std::size_t piece) {
  WebSocketDecoder decoder(from);
  std::string out;
  while (!bytes.empty()) {
    auto part = bytes.substr(0, piece);
    bytes.remove_prefix(part.size());
    for (auto event = decoder.next(part); event != WebSocketEvent::NeedMore;
         event = decoder.next(part)) {
      switch (event) {
        case WebSocketEvent::Data:
          if (decoder.begins_message()) out += decoder.is_text() ? "t[" : "b[";
          out += decoder.payload();
          if (decoder.ends_message()) out += "]";
          break;
        case WebSocketEvent::Ping: out += "ping(" + std::string(decoder.payload()) + ")"; break;
        case WebSocketEvent::Pong: out += "pong(" + std::string(decoder.payload()) + ")"; break;
        case WebSocketEvent::Close: out += "close"; break;
        case WebSocketEvent::Fault: return out + "fault: " + std::string(decoder.fault());
        case WebSocketEvent::NeedMore: break;
      }
    }
  }
  return out;
}

TEST(WebSocketFrames, AreReadHoweverTheyArrive) {
  std::string bytes = websocket_frame(WebSocketOpcode::Text, "Hello", kRfcMask);
  bytes += websocket_frame(WebSocketOpcode::Binary, "", kRfcMask);
  bytes += websocket_frame(WebSocketOpcode::Ping, "are you there", kRfcMask);
  bytes += websocket_frame(WebSocketOpcode::Binary, std::string(300, 'x'), kRfcMask);
  bytes += websocket_frame(WebSocketOpcode::Binary, std::string(70'000, 'y'), kRfcMask);
  bytes += websocket_frame(WebSocketOpcode::Close, websocket_close_payload(1000), kRfcMask);
  const std::string expected = "t[Hello]b[]ping(are you there)b[" + std::string(300, 'x') + "]b[" +
                               std::string(70'000, 'y') + "]close";

  for (const std::size_t piece :
       {std::size_t{1}, std::size_t{7}, std::size_t{4096}, bytes.size()}) {
    EXPECT_EQ(told(From::Client, bytes, piece), expected) << piece;
  }
}

TEST(WebSocketFrames, AreThoseOfTheStandard) {
  EXPECT_EQ(websocket_frame(WebSocketOpcode::Text, "Hello", kRfcMask),
            "\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58");
  EXPECT_EQ(websocket_frame(WebSocketOpcode::Text, "Hello"), "\x81\x05Hello");
  EXPECT_EQ(websocket_accept("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

TEST(WebSocketFrames, OfOneMessageMayHaveAPingBetweenThem) {
  const std::string bytes =
      std::string("\x01\x03Hel", 5) + std::string("\x89\x00", 2) + std::string("\x80\x02lo", 4);

  EXPECT_EQ(told(From::Server, bytes, 1), "t[Helping()lo]");
}

TEST(WebSocketFrames, ThatBreakTheRulesAreRefused) {
  const auto server = [](std::string_view bytes) { return told(From::Server, bytes, 100); };
  EXPECT_EQ(told(From::Client, "\x81\x05Hello", 100), "fault: a frame is masked the wrong way");
  EXPECT_EQ(server(websocket_frame(WebSocketOpcode::Text, "x", kRfcMask)),
            "fault: a frame is masked the wrong way");
  EXPECT_EQ(server({"\xc1\x00", 2}), "fault: a reserved bit is set");
  EXPECT_EQ(server({"\x83\x00", 2}), "fault: an unknown kind of frame");
  EXPECT_EQ(server({"\x09\x00", 2}), "fault: a control frame is too large");
  EXPECT_EQ(server({"\x89\x7e\x00\x7e", 4}), "fault: a control frame is too large");
  EXPECT_EQ(server({"\x80\x00", 2}), "fault: a message begins or goes on where it cannot");
  EXPECT_EQ(server({"\x01\x01x\x01\x01y", 6}),
            "t[xfault: a message begins or goes on where it cannot");
  EXPECT_EQ(server({"\x88\x01x", 3}), "fault: a reason to close is half a number");
  EXPECT_EQ(server({"\x82\x7f\xff\x00\x00\x00\x00\x00\x00\x00", 10}),
            "fault: a frame's length is negative");
}

}  // namespace
}  // namespace fixpoint::net
