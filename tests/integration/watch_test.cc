// SPDX-License-Identifier: Apache-2.0
//
// Watches of the whole server: how long they last, which revisions they begin with, and how they
// end. What each is told is apiserver's business and tested there.
#include "json/parsing/parse.h"
#include "net/loop.h"
#include "tests/integration/collections.h"
#include "tests/integration/running_server.h"
#include "tests/patience.h"

#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// One watch on a connection of its own.
struct Stream {
  Stream(const RunningServer& server, std::string query)
      : connection(net::Connection::open(loop, server.client(net::HttpVersions::OnlyHttp1))) {
    net::ClientRequest watch;
    watch.target = kConfigMaps + "?watch=1&" + std::move(query);
    watch.headers = {
        {"authorization", "Bearer " + server.token()}
    };
    connection->send(watch,
                     {.on_headers = [this](int code, const net::Headers&) { status = code; },
                      .on_body = [this](std::string_view bytes) { seen += bytes; },
                      .on_end = [this](Result<void> outcome) { ended = outcome.has_value(); }});
  }
  bool sees(std::string_view text) {
    return loop.run_until([&] { return seen.find(text) != std::string::npos; }, kPatience);
  }
  bool begins() {
    return loop.run_until([&] { return status != 0; }, kPatience);
  }
  bool ends() {
    return loop.run_until([&] { return ended.has_value(); }, kPatience) && *ended;
  }

  net::Loop loop;
  int status = 0;
  std::string seen;
  std::optional<bool> ended;
  std::shared_ptr<net::Connection> connection;
};

class Watches : public testing::Test {
 protected:
  void SetUp() override {
    auto started = RunningServer::start(scratch_.path(), {"--ephemeral"});
    ASSERT_TRUE(started.has_value()) << started.error().message;
    server_ = *std::move(started);
  }
  // The revision it was made at.
  std::int64_t make(const std::string& name) {
    auto answer =
        server_->request("POST", kConfigMaps, R"({"metadata":{"name":")" + name + R"("}})");
    EXPECT_TRUE(answer.has_value() && answer->status == 201);
    const auto body = json::parse(answer->body);
    return std::stoll(std::string{body->get("metadata", "resourceVersion").as_string()});
  }

  ScratchDirectory scratch_;
  std::unique_ptr<RunningServer> server_;
};

TEST_F(Watches, WithLessThanNoTimeAreOverBeforeTheyBegin) {
  make("there");

  Stream stream{*server_, "timeoutSeconds=-1"};

  EXPECT_TRUE(stream.ends());
  EXPECT_EQ(stream.status, 200);
  EXPECT_EQ(stream.seen, "");
}

TEST_F(Watches, EndWellWhenTheirTimeIsOver) {
  make("there");

  Stream stream{*server_, "timeoutSeconds=1"};

  EXPECT_TRUE(stream.sees("\"there\""));
  EXPECT_FALSE(stream.ended.has_value());
  EXPECT_TRUE(stream.ends());
}

TEST_F(Watches, FromTheFutureTellOnlyWhatComesAfterIt) {
  const auto now = make("there");

  Stream stream{*server_, "resourceVersion=" + std::to_string(now + 1)};
  ASSERT_TRUE(stream.begins());
  EXPECT_EQ(make("skipped"), now + 1);
  EXPECT_EQ(make("told"), now + 2);

  EXPECT_TRUE(stream.sees("\"told\""));
  EXPECT_THAT(stream.seen, Not(HasSubstr("\"skipped\"")));
  EXPECT_THAT(stream.seen, Not(HasSubstr("\"there\"")));
}

TEST_F(Watches, ThatCannotBeginWithWhatTheyAskForSayWhyAndEnd) {
  const auto now = make("there");

  Stream stream{*server_,
                "sendInitialEvents=true&allowWatchBookmarks=true&"
                "resourceVersionMatch=NotOlderThan&resourceVersion=" +
                    std::to_string(now + 1000)};

  EXPECT_TRUE(stream.ends());
  EXPECT_EQ(stream.status, 200);
  EXPECT_THAT(stream.seen, HasSubstr(R"({"type":"ERROR")"));
  EXPECT_THAT(stream.seen, HasSubstr("Too large resource version: " + std::to_string(now + 1000)));
}

}  // namespace
}  // namespace fixpoint
