// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/spdy_frames.h"

#include "net/protocol/spdy_dictionary.h"

#include <string>

#include <gtest/gtest.h>
#include <zlib.h>

namespace fixpoint::net {
namespace {

using SpdyEvent = SpdyDecoder::Event;

std::string told_by_spdy(std::string_view bytes, std::size_t piece) {
  SpdyDecoder decoder;
  std::string out;
  while (!bytes.empty()) {
    auto part = bytes.substr(0, piece);
    bytes.remove_prefix(part.size());
    for (auto event = decoder.next(part); event != SpdyEvent::NeedMore;
         event = decoder.next(part)) {
      const std::string stream = std::to_string(decoder.stream());
      switch (event) {
        case SpdyEvent::SynStream:
        case SpdyEvent::SynReply:
          out += (event == SpdyEvent::SynStream ? "open " : "reply ") + stream;
          for (const auto& [name, value] : decoder.headers()) out += " " + name + "=" + value;
          out += "\n";
          break;
        case SpdyEvent::Data:
          out += decoder.bytes();
          if (decoder.is_last()) out += "|end " + stream + "\n";
          break;
        case SpdyEvent::Reset: out += "reset " + stream + "\n"; break;
        case SpdyEvent::Ping: out += "ping " + std::to_string(decoder.number()) + "\n"; break;
        case SpdyEvent::GoAway: out += "go away\n"; break;
        case SpdyEvent::Ignored: out += "ignored\n"; break;
        case SpdyEvent::Fault: return out + "fault: " + std::string(decoder.fault());
        case SpdyEvent::NeedMore: break;
      }
    }
  }
  return out;
}

TEST(SpdyFrames, AreReadHoweverTheyArrive) {
  SpdyEncoder encoder;
  std::string bytes = encoder.syn_stream(1, {
                                                {"streamtype", "error"},
                                                {"port",       "6379" }
  });
  bytes += encoder.syn_stream(3, {
                                     {"streamtype", "data"},
                                     {"port",       "6379"}
  });
  bytes += encoder.syn_reply(3, {});
  bytes += encoder.data(3, "PING\r\n");
  bytes += encoder.data(3, std::string(200'000, 'x'), SpdyEncoder::Last::Yes);
  bytes += encoder.ping(7);
  bytes += encoder.reset(1, SpdyReset::Cancel);
  bytes += encoder.go_away(3);
  const std::string expected =
      "open 1 streamtype=error port=6379\nopen 3 streamtype=data port=6379\nreply 3\nPING\r\n" +
      std::string(200'000, 'x') + "|end 3\nping 7\nreset 1\ngo away\n";

  for (const std::size_t piece :
       {std::size_t{1}, std::size_t{9}, std::size_t{4096}, bytes.size()}) {
    EXPECT_EQ(told_by_spdy(bytes, piece), expected) << piece;
  }
}

TEST(SpdyFrames, ArePackedWithTheTextOfTheDraft) {
  // Its length and checksum are known from every other speaker of the protocol.
  const auto& text = spdy_dictionary();
  EXPECT_EQ(text.size(), 1423U);
  EXPECT_EQ(adler32(1, reinterpret_cast<const Bytef*>(text.data()), 1423), 0xe3c6a7c2U);
}

TEST(SpdyFrames, ThatBreakTheRulesAreRefused) {
  EXPECT_EQ(told_by_spdy(std::string(8, '\0'), 100), "fault: data without a stream");
  EXPECT_EQ(told_by_spdy({"\x80\x02\x00\x06\x00\x00\x00\x04", 8}, 100),
            "fault: not version 3 of SPDY");
  EXPECT_EQ(told_by_spdy({"\x80\x03\x00\x01\x00\xff\xff\xff", 8}, 100),
            "fault: a control frame is too large");
  EXPECT_EQ(told_by_spdy({"\x80\x03\x00\x06\x00\x00\x00\x02xx", 10}, 100),
            "fault: a ping has the wrong size");
  EXPECT_EQ(told_by_spdy({"\x80\x03\x00\x01\x00\x00\x00\x02xx", 10}, 100),
            "fault: a control frame is too small");
  EXPECT_EQ(told_by_spdy({"\x80\x03\x00\x02\x00\x00\x00\x08\x00\x00\x00\x01nope", 16}, 100),
            "fault: headers cannot be unpacked");
}

TEST(SpdyFrames, HoldNoMoreThanABoundOfHeaders) {
  SpdyEncoder encoder;
  Headers large;
  for (int i = 0; i < 20; ++i) large.add("n" + std::to_string(i), std::string(10'000, 'x'));
  EXPECT_EQ(told_by_spdy(encoder.syn_stream(1, large), 4096), "fault: headers cannot be unpacked");

  SpdyEncoder other;
  Headers many;
  for (int i = 0; i < 100; ++i) many.add("n" + std::to_string(i), "x");
  EXPECT_EQ(told_by_spdy(other.syn_stream(1, many), 4096), "fault: headers make no sense");
}

}  // namespace
}  // namespace fixpoint::net
