// SPDX-License-Identifier: Apache-2.0
//
// LocalServer: an API server in memory and a client of it, in virtual time, for tests.
#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "client/local_client.h"
#include "json/parsing/parse.h"
#include "runtime/virtual_scheduler.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace fixpoint::runtime {

class SchedulersClock final : public Clock {
 public:
  explicit SchedulersClock(const Scheduler& scheduler) : scheduler_(scheduler) {}
  Instant wall() const override { return scheduler_.wall(); }
  MonotonicInstant monotonic() const override { return scheduler_.now(); }

 private:
  const Scheduler& scheduler_;
};

// Answers in the next moment. Watches are told when a test says client.changed().
struct LocalServer {
  explicit LocalServer(VirtualScheduler& time)
      : clock(time), api(clock), client(api, [&time](std::move_only_function<void()> task) {
          time.after(Duration::zero(), std::move(task));
        }) {
    for (const std::string ns : {"one", "two"}) {
      client::Call call;
      call.verb = client::Verb::Create;
      call.resource = {
          {"", "v1", "Namespace"},
          "namespaces", client::Scope::Cluster
      };
      call.body = json::parse(R"({"metadata":{"name":")" + ns + R"("}})").value();
      FP_CHECK(run(time, std::move(call)));
    }
  }

  // One call from beginning to end.
  client::Reply run(VirtualScheduler& time, client::Call call) {
    std::optional<client::Reply> reply;
    client.call(std::move(call), [&](client::Reply got) { reply = std::move(got); });
    time.run_due();
    FP_CHECK(reply);
    return *std::move(reply);
  }
  store::Store& store() { return api.store_to_change(); }

  SchedulersClock clock;
  client::MemoryApi api;
  client::LocalClient client;
};

}  // namespace fixpoint::runtime
