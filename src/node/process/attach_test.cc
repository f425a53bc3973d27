// SPDX-License-Identifier: Apache-2.0
#include "node/process/attach_frames.h"
#include "node/remote/channels.h"

#include <string>

#include <gtest/gtest.h>

namespace fixpoint::node {
namespace {

TEST(AttachFrames, AreReadHoweverTheyArrive) {
  const std::string large(kAttachBytesMax + 10, 'x');
  const std::string bytes = attach_frame(AttachKind::Input, "typed") +
                            attach_frame(AttachKind::EndOfInput, "") +
                            attach_frame(AttachKind::Output, large);
  AttachDecoder decoder;
  std::string read;

  for (const char c : bytes) {
    decoder.feed({&c, 1});
    while (const auto frame = decoder.next()) {
      read += static_cast<char>(frame->kind);
      read += frame->bytes;
    }
  }

  EXPECT_EQ(read, "itypedzo" + large.substr(0, kAttachBytesMax) + "o" + std::string(10, 'x'));
}

TEST(AttachFrames, OfAbsurdLengthEndIt) {
  AttachDecoder decoder;
  decoder.feed({"i\xff\xff\xff\xff", 5});

  EXPECT_FALSE(decoder.next());
  EXPECT_TRUE(decoder.is_broken());
}

TEST(RemoteOutcome, IsToldAsClientsExpectIt) {
  EXPECT_EQ((Outcome{}).to_status(), R"({"metadata":{},"status":"Success"})");
  EXPECT_EQ((Outcome{.code = 3}).to_status(),
            R"({"details":{"causes":[{"message":"3","reason":"ExitCode"}]},"message":)"
            R"("command terminated with non-zero exit code: exit status 3","metadata":{},)"
            R"("reason":"NonZeroExitCode","status":"Failure"})");
  EXPECT_EQ((Outcome{}).to_words(), "");
  EXPECT_EQ((Outcome{.error = "no"}).to_words(), "Internal error occurred: no");
}

TEST(RemoteTerminal, HasTheSizeThatMakesSense) {
  TerminalSize size;
  EXPECT_TRUE(parse_size(R"({"Width":80,"Height":24})", size));
  EXPECT_EQ(size.width, 80);
  EXPECT_EQ(size.height, 24);
  for (const std::string_view text : {R"({"Width":80})", R"({"Width":-1,"Height":24})", "[]", ""}) {
    EXPECT_FALSE(parse_size(text, size)) << text;
  }
}

TEST(RemoteHeaders, MayBeListsOrRepeated) {
  const net::Headers headers{
      {"a", "x, y,,z "},
      {"b", "no"      },
      {"A", "w"       }
  };
  EXPECT_EQ(header_list(headers, "a"), (std::vector<std::string>{"x", "y", "z", "w"}));
}

}  // namespace
}  // namespace fixpoint::node
