// SPDX-License-Identifier: Apache-2.0
//
// Connections that leave HTTP: WebSockets and SPDY on real sockets, and what ends them.
#include "net/loopback_fixture.h"
#include "net/spdy.h"
#include "net/websocket.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace fixpoint::net {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kAsk =
    "GET /chat HTTP/1.1\r\nHost: h\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
constexpr std::array<std::uint8_t, 4> kPeerMask{1, 2, 3, 4};

class Upgrades : public testing::Test {
 protected:
  void serve(Handler handler) {
    server_ = *Server::listen(loop_, {}, std::move(handler));
    peer_ = std::make_unique<RawPeer>(loop_, server_->port());
  }
  // A server that sends every message back.
  void echo() {
    serve([this](Request&& request, const std::shared_ptr<Exchange>& exchange) {
      WebSocket::Handlers handlers;
      handlers.received = [this](const WebSocketPiece& piece) {
        message_ += piece.bytes;
        if (!piece.ends) return;
        socket_->send(WebSocket::Form::Text, message_);
        message_.clear();
      };
      handlers.ended = [this] { ++ended_; };
      auto socket = WebSocket::accept(request.headers, *exchange, "chat", {}, std::move(handlers));
      if (!socket) return exchange->respond(400, {}, socket.error().message);
      socket_ = *std::move(socket);
    });
  }
  bool until(const std::function<bool()>& holds) { return loop_.run_until(holds, kPatience); }

  Loop loop_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<RawPeer> peer_;
  std::shared_ptr<WebSocket> socket_;
  std::string message_;
  int ended_ = 0;
};

TEST_F(Upgrades, CarryMessagesBothWays) {
  echo();

  // Sent without waiting for the answer, as some do.
  peer_->say(std::string(kAsk) + websocket_frame(WebSocketOpcode::Text, "early", kPeerMask));
  ASSERT_TRUE(
      peer_->hears("\x81\x05"
                   "early"))
      << peer_->heard;
  EXPECT_THAT(peer_->heard, StartsWith("HTTP/1.1 101 Switching Protocols\r\n"));
  EXPECT_THAT(peer_->heard, HasSubstr("connection: Upgrade\r\nupgrade: websocket\r\n"));
  EXPECT_THAT(peer_->heard, HasSubstr("sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"));
  EXPECT_THAT(peer_->heard, HasSubstr("sec-websocket-protocol: chat\r\n"));

  peer_->say(websocket_frame(WebSocketOpcode::Ping, "there?", kPeerMask));
  EXPECT_TRUE(
      peer_->hears("\x8a\x06"
                   "there?"));
  peer_->say(websocket_frame(WebSocketOpcode::Close, websocket_close_payload(1000), kPeerMask));
  EXPECT_TRUE(peer_->hears("\x88\x02\x03\xe8"));
  EXPECT_TRUE(peer_->is_cut());
  EXPECT_EQ(ended_, 1);
}

TEST_F(Upgrades, EndWithTheirPeer) {
  echo();
  peer_->say(kAsk);
  ASSERT_TRUE(peer_->hears("\r\n\r\n"));

  peer_->leave();

  EXPECT_TRUE(until([&] { return ended_ == 1 && server_->connection_count() == 0; }));
}

TEST_F(Upgrades, EndWithTheirServer) {
  echo();
  peer_->say(kAsk);
  ASSERT_TRUE(peer_->hears("\r\n\r\n"));
  bool down = false;

  server_->shutdown(kPatience, [&] { down = true; });

  EXPECT_TRUE(peer_->is_cut());
  EXPECT_EQ(ended_, 1);
  peer_->leave();
  EXPECT_TRUE(until([&] { return down; }));
}

TEST_F(Upgrades, TellAPeerThatBreaksTheRules) {
  echo();
  peer_->say(kAsk);
  ASSERT_TRUE(peer_->hears("\r\n\r\n"));

  peer_->say("\x81\x05Hello");

  EXPECT_TRUE(peer_->hears("\x88\x02\x03\xea"));
  EXPECT_TRUE(until([&] { return ended_ == 1 && peer_->ended; }));
}

TEST_F(Upgrades, AreRefusedWithoutAKey) {
  echo();

  peer_->say(
      "GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
      "Sec-WebSocket-Version: 13\r\n\r\n");

  EXPECT_TRUE(peer_->hears("missing WebSocket Key"));
  EXPECT_THAT(peer_->heard, StartsWith("HTTP/1.1 400 "));
}

TEST_F(Upgrades, CarryStreamsOfSpdy) {
  std::shared_ptr<SpdySession> session;
  std::vector<std::string> told;
  serve([&](Request&&, const std::shared_ptr<Exchange>& exchange) {
    SpdySession::Handlers handlers;
    handlers.opened = [&](SpdyStreamId id, const Headers& headers) {
      told.push_back("opened " + std::to_string(id));
      return headers.contains("wanted");
    };
    handlers.received = [&](SpdyStreamId id, std::string_view bytes) { session->write(id, bytes); };
    handlers.finished = [&](SpdyStreamId id) {
      told.push_back("finished " + std::to_string(id));
      session->finish(id);
    };
    handlers.reset = [&](SpdyStreamId id) { told.push_back("reset " + std::to_string(id)); };
    handlers.ended = [&] { told.emplace_back("ended"); };
    session = std::make_shared<SpdySession>(std::move(handlers));
    session->use(exchange->upgrade("SPDY/3.1", {}, session->below()));
  });
  SpdyEncoder encoder;
  SpdyEncoder expected;
  const Headers wanted{
      {"wanted", "yes"}
  };

  peer_->say("POST / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n" +
             encoder.syn_stream(1, wanted) + encoder.data(1, "hello", SpdyEncoder::Last::Yes));
  ASSERT_TRUE(peer_->hears(expected.syn_reply(1, {}) + expected.data(1, "hello") +
                           expected.data(1, "", SpdyEncoder::Last::Yes)))
      << peer_->heard;
  EXPECT_EQ(session->stream_count(), 0U);
  peer_->say(encoder.syn_stream(3, {}));
  EXPECT_TRUE(peer_->hears(expected.reset(3, SpdyReset::RefusedStream)));
  peer_->say(encoder.syn_stream(3, wanted));  // used up
  EXPECT_TRUE(peer_->hears(expected.reset(3, SpdyReset::ProtocolError)));
  peer_->say(encoder.syn_stream(5, wanted) + encoder.reset(5, SpdyReset::Cancel) + encoder.ping(1));
  EXPECT_TRUE(peer_->hears(expected.ping(1)));
  peer_->leave();
  EXPECT_TRUE(until([&] { return told.back() == "ended"; }));
  EXPECT_THAT(told, testing::ElementsAre("opened 1", "finished 1", "opened 3", "opened 5",
                                         "reset 5", "ended"));
}

}  // namespace
}  // namespace fixpoint::net
