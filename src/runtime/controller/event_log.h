// SPDX-License-Identifier: Apache-2.0
//
// EventLog: turns what passes say into events.k8s.io/v1 objects, few of them.
//
// The same thing said again about the same object becomes a series with a count, written when the
// count doubles or a minute has passed, not each time. An object that says many different things is
// cut short: from then on things of one reason are one series. Memory and what waits to be sent are
// bounded; what does not fit is dropped and counted. Nobody waits for an event, and one that cannot
// be written is not missed by any pass. A plain value: whoever owns it sends the calls.
#pragma once

#include "base/clock.h"
#include "client/call.h"
#include "json/value.h"
#include "runtime/plan.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fixpoint::runtime {

class EventLog {
 public:
  // As client-go's recorder: a series ends after six quiet minutes.
  static constexpr Duration kSeriesWindow = std::chrono::minutes(6);
  static constexpr Duration kRefresh = std::chrono::minutes(1);
  static constexpr std::size_t kSeriesMax = 4'096;
  static constexpr std::size_t kWaitingMax = 1'000;
  // Different things one object may say before they are taken together.
  static constexpr std::size_t kDifferentMax = 25;

  struct Source {
    std::string controller;  // reportingController
    std::string instance;    // of this process
  };
  explicit EventLog(Source source) : source_(std::move(source)) {}

  void say(json::View regarding, const EmitStep& event, Instant now);

  struct Outgoing {
    std::uint64_t series = 0;
    client::Call call;
  };
  // To be sent now, in any order.
  std::vector<Outgoing> take();
  // How it ended; a series that could not be written starts over.
  void answered(std::uint64_t series, const client::Reply& reply);

  struct Statistics {
    std::uint64_t written = 0;
    std::uint64_t dropped = 0;  // no room
    std::uint64_t failed = 0;
  };
  const Statistics& statistics() const { return statistics_; }
  std::size_t size() const { return series_.size(); }

 private:
  struct Series {
    kube::Key key;  // of the Event
    std::string uid;
    std::uint32_t count = 1;
    std::uint32_t written_count = 1;
    Instant last{};
    Instant written{};
  };

  std::uint64_t identity(json::View regarding, const EmitStep& event) const;
  void repeat(std::uint64_t id, Series& series, Instant now);
  void begin(std::uint64_t id, json::View regarding, const EmitStep& event, Instant now);
  void send(std::uint64_t id, client::Call call);
  void forget_old(Instant now);

  Source source_;
  std::map<std::uint64_t, Series> series_;
  std::map<std::string, std::size_t, std::less<>> different_;  // series of each object, by uid
  std::vector<Outgoing> waiting_;
  std::uint64_t last_name_ = 0;
  Statistics statistics_;
};

}  // namespace fixpoint::runtime
