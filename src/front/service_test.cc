// SPDX-License-Identifier: Apache-2.0
#include "front/service.h"

#include "apiserver/request.h"
#include "store/scratch_dir.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace fixpoint::front {
namespace {

using namespace std::chrono_literals;

class DurableService : public testing::Test {
 protected:
  DurableService() : service_(loop_, store::Store{}, nullptr) {
    auto sink = service_.progress_sink();
    auto opened = store::DurableLog::open(
        scratch_.data(), [this, sink = std::move(sink)](const store::Progress& progress) {
          {
            const std::lock_guard guard{mutex_};
            reported_.push_back(progress.durable);
          }
          told_.notify_one();
          sink(progress);
        });
    FP_CHECK(opened.has_value());
    service_.attach(std::move(opened->log));
  }

  // Makes a namespace; what it showed may leave once `shown_` counts it.
  void create(int number) {
    apiserver::Request request;
    request.verb = apiserver::Verb::Create;
    request.resource = {"", "v1", "namespaces"};
    request.content_type = "application/json";
    request.user = apiserver::system_user();
    request.body = R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n)" +
                   std::to_string(number) + R"("}})";
    const auto response = service_.run(request);
    ASSERT_TRUE(response.ok()) << response.code;
    service_.when_durable(response.visible, [this](const std::optional<Error>& lost) {
      EXPECT_FALSE(lost);
      ++shown_;
    });
  }

  store::ScratchDir scratch_;
  net::Loop loop_;
  std::mutex mutex_;  // guards the next
  std::vector<store::Revision> reported_;
  std::condition_variable told_;
  Service service_;
  int shown_ = 0;
};

TEST_F(DurableService, TheChangesOfATickShareACommit) {
  loop_.post([this] {
    for (int i = 0; i < 10; ++i) create(i);
    EXPECT_EQ(shown_, 0);
  });

  ASSERT_TRUE(loop_.run_until([this] { return shown_ == 10; }, 30s));

  service_.drain();
  EXPECT_EQ(reported_, std::vector{service_.store().revision()});
}

TEST_F(DurableService, ALongTickDoesNotKeepTheDiskWaiting) {
  loop_.post([this] {
    for (int i = 0; i < 100; ++i) create(i);

    std::unique_lock guard{mutex_};
    EXPECT_TRUE(told_.wait_for(guard, 30s, [this] { return !reported_.empty(); }));
    EXPECT_EQ(shown_, 0) << "within the tick";
  });

  EXPECT_TRUE(loop_.run_until([this] { return shown_ == 100; }, 30s));
}

TEST_F(DurableService, WhatATickGatheredIsNotForgottenAtTheEnd) {
  create(1);

  service_.drain();

  EXPECT_EQ(shown_, 1);
  EXPECT_EQ(service_.durable(), service_.store().revision());
}

}  // namespace
}  // namespace fixpoint::front
