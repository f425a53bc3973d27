// SPDX-License-Identifier: Apache-2.0
//
// ServiceHoldings: which cluster addresses and node ports the Services of a store hold.
//
// The Services are the truth and this is what was read of them last, brought up to date from the
// store's own events whenever somebody asks: so that a new Service costs the same with ten others
// and with ten thousand, and yet nothing can disagree with what is stored. A refused write, a dry
// run and a restart need no care: they leave no events.
//
// Any store may ask (apiserver/core.h). It is known again by its events: the record of the last one
// that was looked at is in no other history than that of the same store and its forks. Where it is
// not, as after a rewind, or where it is less work, all Services are read.
#pragma once

#include "store/store.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fixpoint::apiserver {

// 10.0.0.0/16, and an address in it by its last two numbers.
inline constexpr std::string_view kServiceRange = "10.0.";
using Host = std::uint16_t;
// Nothing for an address of another network.
std::optional<Host> host_of(std::string_view address);

class ServiceHoldings {
 public:
  // Must be called before the questions below, after each change of the store.
  void follow(const store::Store& store);

  bool holds_address(Host host) const { return addresses_.contains(host); }
  bool holds_port(std::int64_t port) const { return ports_.contains(port); }
  // How many Services were looked at so far: what following cost.
  std::size_t services_read() const { return services_read_; }

 private:
  // Looking at an event is so many times less work than reading a Service.
  static constexpr std::size_t kEventsPerService = 8;

  // How many hold a number: more than one only where a server of another kind let them.
  template <class Number>
  using Holders = std::unordered_map<Number, std::uint32_t>;

  bool catch_up(const store::Store& store);
  void read_all(const store::Store& store);
  void note(const store::Event& event);
  void count(const store::RecordRef& service, int sign);

  Holders<Host> addresses_;
  Holders<std::int64_t> ports_;
  std::size_t services_ = 0;
  std::size_t services_read_ = 0;
  store::Revision seen_;
  store::RecordRef last_;  // of the event at seen_; empty when that was not to be had
};

}  // namespace fixpoint::apiserver
