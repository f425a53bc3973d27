// SPDX-License-Identifier: Apache-2.0
//
// Clients that are slow, silent, wrong or hostile, each on a raw socket: what the server says to
// them, and that it lets go of them in time. The clock is virtual; nothing sleeps.
#include "net/loopback_fixture.h"

namespace fixpoint::net {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

// One HTTP/2 frame.
std::string frame(std::uint8_t type, std::uint8_t flags, std::uint32_t stream,
                  std::string_view payload = {}) {
  const auto size = static_cast<std::uint32_t>(payload.size());
  std::string bytes;
  for (const auto shift : {16, 8, 0}) bytes += static_cast<char>((size >> shift) & 255);
  bytes += static_cast<char>(type);
  bytes += static_cast<char>(flags);
  for (const auto shift : {24, 16, 8, 0}) bytes += static_cast<char>((stream >> shift) & 255);
  bytes += payload;
  return bytes;
}
constexpr std::uint8_t kData = 0;
constexpr std::uint8_t kHeaders = 1;
constexpr std::uint8_t kPriority = 2;
constexpr std::uint8_t kReset = 3;
constexpr std::uint8_t kSettings = 4;
constexpr std::uint8_t kPing = 6;
constexpr std::uint8_t kGoAway = 7;
// :method GET, :scheme http, :path /, :authority a, from HPACK's static table.
constexpr std::string_view kGetBlock =
    "\x82\x86\x84\x41\x01"
    "a";
// The same with POST.
constexpr std::string_view kPostBlock =
    "\x83\x86\x84\x41\x01"
    "a";
// GET of /big, whose answer is as large as anything may wait.
constexpr std::string_view kBigBlock =
    "\x82\x86\x04\x04"
    "/big\x41\x01"
    "a";

class Abuse : public testing::Test {
 protected:
  void serve(ServerOptions options = {}) {
    server = *Server::listen(
        loop, std::move(options), [this](Request&& request, std::shared_ptr<Exchange> exchange) {
          requests.push_back(request.method + " " + request.target + " " + request.body);
          if (request.target == "/hold") {
            held.push_back(std::move(exchange));
          } else if (request.target == "/big") {
            exchange->respond(200, {}, std::string(64 * 1024, 'x'));
          } else {
            exchange->respond(200, {}, "ok " + request.target);
          }
        });
  }
  RawPeer& peer() {
    peers.push_back(std::make_unique<RawPeer>(loop, server->port()));
    RawPeer& made = *peers.back();
    const auto before = server->connection_count();
    loop.run_until([&] { return server->connection_count() > before; }, kPatience);
    return made;
  }
  RawPeer& http2_peer() {
    RawPeer& made = peer();
    made.say(std::string(kPreface) + frame(kSettings, 0, 0));
    return made;
  }
  // Lets the loop see the new time without waiting.
  void advance(Duration by) {
    clock.advance(by);
    for (int i = 0; i < 4; ++i) loop.tick({});
  }

  VirtualClock clock;
  Loop loop{clock};
  std::unique_ptr<Server> server;
  std::vector<std::unique_ptr<RawPeer>> peers;
  std::vector<std::string> requests;
  std::vector<std::shared_ptr<Exchange>> held;
};

TEST_F(Abuse, AnswersPipelinedRequestsInOrder) {
  serve();
  RawPeer& client = peer();

  client.say(
      "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /hold HTTP/1.1\r\nHost: a\r\n\r\n"
      "GET /3 HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_TRUE(client.hears("ok /1"));
  ASSERT_TRUE(loop.run_until([&] { return !held.empty(); }, kPatience));
  EXPECT_EQ(requests.size(), 2U);  // the third waits for the second's answer
  held[0]->respond(200, {}, "ok /hold");

  ASSERT_TRUE(client.hears("ok /3"));
  EXPECT_LT(client.heard.find("ok /1"), client.heard.find("ok /hold"));
  EXPECT_LT(client.heard.find("ok /hold"), client.heard.find("ok /3"));
}

TEST_F(Abuse, DoesNotReadPipelinedRequestsWithoutBound) {
  serve();
  RawPeer& client = peer();
  client.say("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_TRUE(loop.run_until([&] { return !held.empty(); }, kPatience));

  // Far more than a connection buffers: at some point the kernel takes no more of it.
  const std::string padded =
      "GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(4000, 'x') + "\r\n\r\n";
  std::string flood;
  while (flood.size() < 50'000) flood += padded;
  int floods = 0;
  std::size_t accepted = 0;
  for (; floods < 1000; ++floods) {
    const auto count = client.try_say(flood);
    accepted += count;
    loop.tick({});
    if (count == 0) break;
  }

  EXPECT_LT(floods, 1000);
  held[0]->respond(200, {}, "done");
  const auto whole = accepted / padded.size();
  ASSERT_TRUE(loop.run_until([&] { return requests.size() >= whole; }, kPatience));
}

TEST_F(Abuse, SaysContinueBeforeTheBody) {
  serve();
  RawPeer& client = peer();

  client.say("PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  ASSERT_TRUE(client.hears("HTTP/1.1 100 Continue\r\n\r\n"));
  EXPECT_TRUE(requests.empty());
  client.say("hi");

  ASSERT_TRUE(client.hears("ok /x"));
  EXPECT_EQ(requests[0], "PUT /x hi");
}

TEST_F(Abuse, ClosesAfterAnHttp10Answer) {
  serve();
  RawPeer& client = peer();

  client.say("GET /old HTTP/1.0\r\n\r\n");

  ASSERT_TRUE(client.is_cut());
  EXPECT_TRUE(client.heard.ends_with("\r\nconnection: close\r\n\r\nok /old"));
}

TEST_F(Abuse, StillAnswersAPeerThatClosedItsSendingHalf) {
  serve();
  RawPeer& client = peer();

  client.say("GET /half HTTP/1.1\r\nHost: a\r\n\r\n");
  client.stop_sending();

  ASSERT_TRUE(client.is_cut());
  EXPECT_TRUE(client.heard.ends_with("ok /half"));
}

TEST_F(Abuse, AnswersNonsenseWith400AndCloses) {
  serve();
  RawPeer& client = peer();

  client.say("\x16\x03\x01 this is not HTTP\r\n\r\n");

  ASSERT_TRUE(client.is_cut());
  EXPECT_TRUE(client.heard.starts_with("HTTP/1.1 400 Bad Request\r\n"));
  EXPECT_TRUE(requests.empty());
}

TEST_F(Abuse, TakesNoRequestAfterASmuggledLength) {
  serve();
  RawPeer& client = peer();

  client.say(
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n"
      "0\r\n\r\nGET /secret HTTP/1.1\r\nHost: a\r\n\r\n");

  ASSERT_TRUE(client.is_cut());
  EXPECT_TRUE(client.heard.starts_with("HTTP/1.1 400 "));
  EXPECT_TRUE(requests.empty());
}

TEST_F(Abuse, CutsAPeerThatNeverSpeaks) {
  serve();
  RawPeer& client = peer();

  advance(9s);
  EXPECT_EQ(server->connection_count(), 1U);
  advance(2s);

  EXPECT_TRUE(client.is_cut());
  EXPECT_EQ(client.heard, "");
}

TEST_F(Abuse, CutsAPeerThatTricklesItsHeader) {
  serve();
  RawPeer& client = peer();
  client.say("GET / HTTP/1.1\r\n");
  ASSERT_TRUE(loop.run_until([&] { return true; }, kPatience));
  loop.tick({});

  for (int i = 0; i < 6; ++i) {
    advance(2s);
    client.say("x");
    loop.tick({});
  }

  ASSERT_TRUE(client.is_cut());
  EXPECT_TRUE(client.heard.starts_with("HTTP/1.1 408 "));
}

TEST_F(Abuse, CutsAPeerThatTricklesItsBody) {
  serve();
  RawPeer& client = peer();
  client.say("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n");
  loop.tick({});

  for (int i = 0; i < 13; ++i) {
    client.say("x");
    loop.tick({});
    advance(5s);
  }

  ASSERT_TRUE(client.is_cut());
  EXPECT_TRUE(client.heard.starts_with("HTTP/1.1 408 "));
  EXPECT_TRUE(requests.empty());
}

TEST_F(Abuse, CutsAPeerThatDoesNotFinishItsTlsHandshake) {
  ServerOptions options;
  options.tls = server_tls();
  serve(options);
  RawPeer& silent = peer();
  RawPeer& nonsense = peer();

  nonsense.say("GET / HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(nonsense.is_cut());
  advance(9s);
  EXPECT_EQ(server->connection_count(), 1U);
  advance(2s);

  EXPECT_TRUE(silent.is_cut());
  EXPECT_EQ(server->connection_count(), 0U);
}

TEST_F(Abuse, TurnsAwayMoreConnectionsThanAllowed) {
  ServerOptions options;
  options.connections_max = 2;
  serve(options);
  peer();
  RawPeer& second = peer();

  RawPeer third(loop, server->port());
  EXPECT_TRUE(third.is_cut());
  EXPECT_EQ(server->connection_count(), 2U);

  second.leave();
  ASSERT_TRUE(loop.run_until([&] { return server->connection_count() == 1; }, kPatience));
  RawPeer& fourth = peer();
  fourth.say(kGet);
  EXPECT_TRUE(fourth.hears("ok /"));
}

TEST_F(Abuse, DoesNotLingerForAPeerThatStaysAfterItsRefusal) {
  serve();
  RawPeer& client = peer();
  client.say("nonsense\r\n\r\n");
  ASSERT_TRUE(client.hears("400"));
  client.ignore_end = true;
  loop.tick({});

  advance(3s);

  EXPECT_EQ(server->connection_count(), 0U);
}

TEST_F(Abuse, EndsARapidResetFlood) {
  serve();
  RawPeer& client = http2_peer();
  std::string flood;
  for (std::uint32_t stream = 1; stream < 2 * 1500; stream += 2) {
    flood += frame(kHeaders, 0x5, stream, kGetBlock);
    flood += frame(kReset, 0, stream, std::string_view("\0\0\0\x8", 4));
  }

  client.say(flood);

  ASSERT_TRUE(client.is_cut());
  // GOAWAY with ENHANCE_YOUR_CALM
  EXPECT_NE(client.heard.find(std::string_view("\0\0\0\x0b", 4)), std::string::npos);
  EXPECT_LE(requests.size(), 1100U);
}

class Http2Nuisance : public Abuse, public testing::WithParamInterface<std::string> {};

TEST_P(Http2Nuisance, FloodEndsTheConnection) {
  serve();
  RawPeer& client = http2_peer();
  client.say(frame(kHeaders, 0x4, 1, kPostBlock));
  std::string flood;
  for (int i = 0; i < 1500; ++i) flood += GetParam();

  client.say(flood);

  EXPECT_TRUE(client.is_cut());
}

TEST_P(Http2Nuisance, IsFineAtALowRate) {
  serve();
  RawPeer& client = http2_peer();
  client.say(frame(kHeaders, 0x4, 1, kPostBlock));

  for (int i = 0; i < 50; ++i) {
    for (int j = 0; j < 40; ++j) client.say(GetParam());
    advance(1s);
  }
  client.say(frame(kData, 0x1, 1, "x"));

  EXPECT_TRUE(client.hears("ok /"));
}

INSTANTIATE_TEST_SUITE_P(Of, Http2Nuisance,
                         testing::Values(frame(kPing, 0, 0, "01234567"), frame(kSettings, 0, 0),
                                         frame(kPriority, 0, 3,
                                               std::string_view("\0\0\0\0\x10", 5)),
                                         frame(kData, 0, 1)));

TEST_F(Abuse, AnswersAnHttp2BodyThatDoesNotArrive) {
  serve();
  RawPeer& client = http2_peer();
  client.say(frame(kHeaders, 0x4, 1, kPostBlock));
  loop.tick({});
  advance(30s);
  client.say(frame(kHeaders, 0x4, 3, kPostBlock));
  loop.tick({});

  advance(31s);
  ASSERT_TRUE(client.hears("the request's body did not arrive in time"));
  client.say(frame(kData, 0x1, 3, "x"));
  ASSERT_TRUE(client.hears("ok /"));

  EXPECT_EQ(requests, std::vector<std::string>{"POST / x"});
}

TEST_F(Abuse, EndsAConnectionWithBrokenHttp2) {
  serve();
  RawPeer& client = http2_peer();

  client.say(frame(kHeaders, 0x5, 1, "\xff\xff\xff\xff\xff\xff\xff"));

  ASSERT_TRUE(client.is_cut());
  EXPECT_NE(client.heard.find(static_cast<char>(kGoAway)), std::string::npos);
  EXPECT_TRUE(requests.empty());
}

TEST_F(Abuse, EndsAnHttp2ConnectionThatMakesNoRequest) {
  serve();
  RawPeer& client = http2_peer();
  loop.tick({});

  advance(11s);

  EXPECT_TRUE(client.is_cut());
}

TEST_F(Abuse, EndsAnHttp2ConnectionWhoseHeaderDoesNotArrive) {
  serve();
  RawPeer& client = http2_peer();
  client.say(frame(kHeaders, 0x1, 1, kGetBlock));  // more of the header is to come
  loop.tick({});

  advance(11s);

  EXPECT_TRUE(client.is_cut());
  EXPECT_TRUE(requests.empty());
}

// Whatever is refused without being handled is answered with a reset; a peer that reads none of
// them must not make us keep them.
class Http2Refused : public Abuse, public testing::WithParamInterface<std::string> {};

TEST_P(Http2Refused, FloodEndsTheConnection) {
  serve({.streams_max = 5});
  RawPeer& client = http2_peer();
  std::string flood;
  for (std::uint32_t stream = 1; stream < 2 * 5000; stream += 2) {
    flood += frame(kHeaders, 0x4, stream, GetParam());
  }

  client.say(flood);

  ASSERT_TRUE(client.is_cut());
  EXPECT_NE(client.heard.find(std::string_view("\0\0\0\x0b", 4)), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Of, Http2Refused,
                         testing::Values(std::string(kPostBlock),            // more than may run
                                         std::string(kPostBlock) + "\x83"),  // malformed
                         [](const auto& one) { return one.index == 0 ? "TooMany" : "Malformed"; });

TEST_F(Abuse, RefusesRequestsWhileTooManyAnswersWaitToBeRead) {
  serve({.backlog_bytes_max = 64 * 1024});
  RawPeer& client = http2_peer();
  client.say(frame(kSettings, 0, 0, std::string_view("\0\4\0\0\0\0", 6)));  // no window at all
  for (const std::uint32_t stream : {1, 3}) {
    client.say(frame(kHeaders, 0x5, stream, std::string(kBigBlock)));
  }
  ASSERT_TRUE(loop.run_until([&] { return requests.size() == 2; }, kPatience));

  client.say(frame(kHeaders, 0x5, 5, kGetBlock));
  client.say(frame(8, 0, 5, std::string_view("\0\0\xff\xff", 4)));  // a window for this one

  EXPECT_TRUE(client.hears("answers to this connection wait to be read"));
  EXPECT_EQ(requests.size(), 2U);
}

TEST_F(Abuse, WantsAPathOfEveryRequest) {
  serve();
  RawPeer& client = http2_peer();

  client.say(frame(kHeaders, 0x5, 1,  // CONNECT has none
                   "\x02\x07"
                   "CONNECT\x41\x01"
                   "a"));

  EXPECT_TRUE(client.hears("the request target is not a path"));
  EXPECT_TRUE(requests.empty());
}

}  // namespace
}  // namespace fixpoint::net
