// SPDX-License-Identifier: Apache-2.0
//
// The HTTP/1.1 grammar on strings: every message is decoded whole, cut in two at every place, and
// byte by byte, and must come out the same.
#include "net/protocol/http1.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace fixpoint::net {
namespace {

using Http1Event = Http1Decoder::Event;
using Side = Http1Decoder::Side;

constexpr Http1Limits kLimits{
    .header_bytes = 512, .header_count = 8, .target_bytes = 64, .body_bytes = 100};

// Everything a decoder says about a byte stream, as text.
class Transcript {
 public:
  explicit Transcript(Side side) : decoder_(side, kLimits) {}

  void feed(std::string_view input) {
    while (!failed_) {
      const auto event = decoder_.next(input);
      if (event == Http1Event::NeedMore) {
        EXPECT_TRUE(input.empty());
        return;
      }
      note(event);
    }
  }
  void finish() {
    if (!failed_) note(decoder_.finish());
  }
  const std::string& text() const { return text_; }
  Http1Decoder& decoder() { return decoder_; }

 private:
  void note(Http1Event event) {
    if (event != Http1Event::Body && in_body_) {
      text_ += ")";
      in_body_ = false;
    }
    switch (event) {
      case Http1Event::Head: note_head(); break;
      case Http1Event::Body:
        if (!in_body_) text_ += "(";
        in_body_ = true;
        text_ += decoder_.body();
        break;
      case Http1Event::End: text_ += decoder_.keep_alive() ? " end" : " end-close"; break;
      case Http1Event::Fault:
        text_ += " fault " + std::to_string(decoder_.fault().status);
        failed_ = true;
        break;
      case Http1Event::NeedMore: break;
    }
  }
  void note_head() {
    const auto& head = decoder_.head();
    text_ += head.method.empty() ? std::to_string(head.status) : head.method + " " + head.target;
    for (const auto& [name, value] : head.headers) text_ += "|" + name + "=" + value;
  }

  Http1Decoder decoder_;
  std::string text_;
  bool in_body_ = false;
  bool failed_ = false;
};

std::string decode_whole(Side side, std::string_view bytes) {
  Transcript transcript(side);
  transcript.feed(bytes);
  return transcript.text();
}

std::string decode(Side side, std::string_view bytes) {
  const auto whole = decode_whole(side, bytes);
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    Transcript split(side);
    split.feed(bytes.substr(0, cut));
    split.feed(bytes.substr(cut));
    EXPECT_EQ(split.text(), whole) << "cut at " << cut;
  }
  Transcript trickle(side);
  for (const char c : bytes) trickle.feed({&c, 1});
  EXPECT_EQ(trickle.text(), whole) << "byte by byte";
  return whole;
}

std::string request(std::string_view bytes) {
  return decode(Side::Request, bytes);
}
std::string response(std::string_view bytes) {
  return decode(Side::Response, bytes);
}

TEST(Http1Decoder, ReadsARequestInAnySplit) {
  EXPECT_EQ(request("GET /api?x=1 HTTP/1.1\r\nHost: a\r\nAccept:  b/c \r\n\r\n"),
            "GET /api?x=1|host=a|accept=b/c end");
}

TEST(Http1Decoder, ReadsPipelinedRequestsOneAfterTheOther) {
  EXPECT_EQ(request("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
                    "GET /b HTTP/1.1\r\nHost: a\r\n\r\n"),
            "POST /a|host=a|content-length=3(abc) endGET /b|host=a end");
}

TEST(Http1Decoder, ReadsChunkedBodiesWithExtensionsAndTrailers) {
  EXPECT_EQ(request("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                    "3\r\nabc\r\n0A;x=y\r\n0123456789\r\n0\r\nX-Sum: 1\r\n\r\n"),
            "PUT /|host=a|transfer-encoding=chunked(abc0123456789) end");
}

TEST(Http1Decoder, IgnoresBlankLinesBeforeARequest) {
  EXPECT_EQ(request("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"), "GET /|host=a end");
}

TEST(Http1Decoder, TakesThePathOutOfAnAbsoluteTarget) {
  EXPECT_EQ(request("GET http://h:1/p?q HTTP/1.1\r\nHost: h\r\n\r\n"), "GET /p?q|host=h end");
  EXPECT_EQ(request("GET http://h?q HTTP/1.1\r\nHost: h\r\n\r\n"), "GET /?q|host=h end");
}

TEST(Http1Decoder, KnowsWhetherTheConnectionStays) {
  EXPECT_EQ(request("GET / HTTP/1.0\r\n\r\n"), "GET / end-close");
  EXPECT_EQ(request("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"),
            "GET /|connection=Keep-Alive end");
  EXPECT_EQ(request("GET / HTTP/1.1\r\nHost: a\r\nConnection: x, close\r\n\r\n"),
            "GET /|host=a|connection=x, close end-close");
}

struct Refused {
  std::string_view why;
  std::string_view bytes;
  int status;
};

class Http1Refusal : public testing::TestWithParam<Refused> {};

TEST_P(Http1Refusal, IsRefusedInAnySplit) {
  const auto& [why, bytes, status] = GetParam();
  const auto said = request(bytes);
  EXPECT_TRUE(said.ends_with("fault " + std::to_string(status))) << why << ": " << said;
}

const std::string kLongTarget = "GET /" + std::string(80, 'x') + " HTTP/1.1\r\nHost: a\r\n\r\n";
const std::string kEndlessTarget = "GET /" + std::string(700, 'x');
const std::string kLongHeader = "GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(600, 'x');
const std::string kManyHeaders = [] {
  std::string text = "GET / HTTP/1.1\r\nHost: a\r\n";
  for (int i = 0; i < 8; ++i) text += "X: y\r\n";
  return text + "\r\n";
}();
const std::string kChunkedHead = "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
const std::string kBadChunkSize = kChunkedHead + "3g\r\nabc\r\n";
const std::string kNegativeChunk = kChunkedHead + "-3\r\nabc\r\n";
const std::string kHugeChunk = kChunkedHead + "fffffffffffffffff\r\n";
const std::string kEmptyChunkSize = kChunkedHead + "\r\n";
const std::string kBareFeedChunk = kChunkedHead + "3\nabc\r\n";
const std::string kLongChunk = kChunkedHead + "3\r\nabcd\r\n";
const std::string kManyChunks = kChunkedHead + "40\r\n" + std::string(64, 'x') + "\r\n40\r\n";
const std::string kBadTrailer = kChunkedHead + "0\r\nno colon\r\n\r\n";
const std::string kLongTrailers = kChunkedHead + "0\r\nX: " + std::string(600, 'x');
const std::string kNulValue{"GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n", 35};

INSTANTIATE_TEST_SUITE_P(
    Shapes, Http1Refusal,
    testing::Values(
        Refused{"both lengths",
                "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n"
                "Transfer-Encoding: chunked\r\n\r\n",
                400},
        Refused{"two lengths",
                "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n"
                "Content-Length: 3\r\n\r\n",
                400},
        Refused{"listed lengths", "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 3, 3\r\n\r\n", 400},
        Refused{"signed length", "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: +3\r\n\r\n", 400},
        Refused{"empty length", "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n", 400},
        Refused{"length past 64 bits",
                "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", 400},
        Refused{"other coding", "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n",
                501},
        Refused{"hidden coding", "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n",
                501},
        Refused{"two codings",
                "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"
                "Transfer-Encoding: chunked\r\n\r\n",
                400},
        Refused{"chunked in 1.0", "PUT / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
        Refused{"folded", "GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n", 400},
        Refused{"bare line feed", "GET / HTTP/1.1\nHost: a\r\n\r\n", 400},
        Refused{"bare feed at the end", "GET / HTTP/1.1\r\nHost: a\r\n\n", 400},
        Refused{"bare feed after a blank line", "\r\n\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        Refused{"bare carriage return", "GET / HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n", 400},
        Refused{"zero byte", kNulValue, 400},
        Refused{"blank before colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400},
        Refused{"no colon", "GET / HTTP/1.1\r\nHost: a\r\nhello\r\n\r\n", 400},
        Refused{"empty name", "GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n", 400},
        Refused{"no host", "GET / HTTP/1.1\r\n\r\n", 400},
        Refused{"two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
        Refused{"no target", "GET HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        Refused{"blank in target", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        Refused{"not a path", "GET a HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        Refused{"bad method", "G(T / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        Refused{"no version", "GET /\r\n\r\n", 400},
        Refused{"odd version", "GET / HTTP/1.11\r\nHost: a\r\n\r\n", 400},
        Refused{"next version", "GET / HTTP/3.0\r\nHost: a\r\n\r\n", 505},
        Refused{"expectation", "GET / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n", 417},
        Refused{"long target", kLongTarget, 414}, Refused{"endless target", kEndlessTarget, 414},
        Refused{"long header", kLongHeader, 431}, Refused{"many headers", kManyHeaders, 431},
        Refused{"large body", "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 101\r\n\r\n", 413},
        Refused{"chunk size", kBadChunkSize, 400}, Refused{"negative chunk", kNegativeChunk, 400},
        Refused{"huge chunk", kHugeChunk, 400}, Refused{"no chunk size", kEmptyChunkSize, 400},
        Refused{"bare feed in chunk", kBareFeedChunk, 400},
        Refused{"chunk too long", kLongChunk, 400}, Refused{"many chunks", kManyChunks, 413},
        Refused{"bad trailer", kBadTrailer, 400}, Refused{"long trailers", kLongTrailers, 431}));

TEST(Http1Decoder, AcceptsABodyOfExactlyTheBound) {
  const std::string body(100, 'x');
  EXPECT_EQ(request("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n" + body),
            "PUT /|host=a|content-length=100(" + body + ") end");
}

TEST(Http1Decoder, ReadsResponsesByLengthByChunkAndWithoutBody) {
  EXPECT_EQ(response("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
            "200|content-length=2(ok) end");
  EXPECT_EQ(response("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"),
            "200|transfer-encoding=chunked(ok) end");
  EXPECT_EQ(response("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 \r\n\r\n"), "100 end204 end");
}

TEST(Http1Decoder, EndsABodyWithoutLengthAtTheClose) {
  Transcript transcript(Side::Response);
  transcript.feed("HTTP/1.1 200 OK\r\n\r\nabc");
  transcript.finish();
  EXPECT_EQ(transcript.text(), "200(abc) end-close");
}

TEST(Http1Decoder, CallsACloseInMidBodyAFault) {
  Transcript transcript(Side::Response);
  transcript.feed("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc");
  transcript.finish();
  EXPECT_EQ(transcript.text(), "200|content-length=5(abc) fault 400");
}

TEST(Http1Decoder, KnowsThatAnAnswerToHeadHasNoBody) {
  Transcript transcript(Side::Response);
  transcript.decoder().answer_has_no_body();
  transcript.feed("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
  EXPECT_EQ(transcript.text(), "200|content-length=5 end");
}

}  // namespace
}  // namespace fixpoint::net
