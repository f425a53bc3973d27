// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "net/loopback_fixture.h"
#include "net/protocol/websocket_frames.h"
#include "node/remote/channels.h"

#include <array>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::node {
namespace {

using ::testing::EndsWith;

constexpr std::string_view kAsk =
    "GET /exec HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    "Sec-WebSocket-Protocol: v5.channel.k8s.io\r\n\r\n";
constexpr std::array<std::uint8_t, 4> kPeerMask{1, 2, 3, 4};
// A message of one byte, which is its channel's: that of the output.
constexpr std::string_view kConnected("\x82\x01\x01", 3);

// kubectl before 1.34 loses what it is told before it has made its streams; nothing says when it
// has but what it says itself. The clock stands still, so that only what is meant to can happen.
class WebSocketChannelsStart : public testing::Test {
 protected:
  WebSocketChannelsStart() {
    server_ = *net::Server::listen(
        loop_, {}, [this](net::Request&& request, const std::shared_ptr<net::Exchange>& exchange) {
          Channels::Handlers handlers;
          handlers.opened = [this] { events_ += "opened "; };
          handlers.input = [this](std::string_view bytes) { events_ += bytes; };
          handlers.input_ended = handlers.drained = handlers.gone = [] {};
          handlers.resized = [this](TerminalSize size) { events_ += std::to_string(size.width); };
          channels_ = Channels::open(
              loop_, {.request = request.headers, .answer = {}, .exchange = exchange},
              {.in = true, .out = true, .err = false, .terminal = true}, std::move(handlers));
        });
    peer_ = std::make_unique<net::RawPeer>(loop_, server_->port());
    peer_->say(kAsk);
    EXPECT_TRUE(peer_->hears("\r\n\r\n"));
  }

  VirtualClock clock_;
  net::Loop loop_{clock_};
  std::unique_ptr<net::Server> server_;
  std::unique_ptr<net::RawPeer> peer_;
  std::shared_ptr<Channels> channels_;
  std::string events_;
};

TEST_F(WebSocketChannelsStart, WaitsForTheClientToHaveMadeItsStreams) {
  EXPECT_THAT(peer_->heard, EndsWith("\r\n\r\n"));
  EXPECT_EQ(events_, "");

  clock_.advance(std::chrono::milliseconds(10));

  EXPECT_TRUE(peer_->hears(kConnected));
  EXPECT_EQ(events_, "opened ");
}

TEST_F(WebSocketChannelsStart, WaitsNoLongerForAClientThatSpeaks) {
  peer_->say(net::websocket_frame(net::WebSocketOpcode::Binary,
                                  std::string_view("\x04{\"Width\":99,\"Height\":33}"), kPeerMask));

  EXPECT_TRUE(peer_->hears(kConnected));
  EXPECT_EQ(events_, "opened 99");
}

TEST_F(WebSocketChannelsStart, OpensOnce) {
  peer_->say(
      net::websocket_frame(net::WebSocketOpcode::Binary, std::string_view("\0a", 2), kPeerMask));
  ASSERT_TRUE(peer_->hears(kConnected));

  clock_.advance(std::chrono::milliseconds(10));
  peer_->say(net::websocket_frame(net::WebSocketOpcode::Ping, "", kPeerMask));

  EXPECT_TRUE(peer_->hears(std::string_view("\x8a\x00", 2)));
  EXPECT_EQ(events_, "opened a");
}

}  // namespace
}  // namespace fixpoint::node
