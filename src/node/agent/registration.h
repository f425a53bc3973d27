// SPDX-License-Identifier: Apache-2.0
//
// Registration: the node in the API, and its Lease, which says that it lives.
#pragma once

#include "client/client.h"
#include "json/value.h"
#include "net/loop.h"
#include "node/agent/host.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace fixpoint::node {

// What the machine has.
struct Machine {
  std::int64_t cpus = 1;
  std::int64_t memory_bytes = 0;
  std::int64_t disk_bytes = 0;
  std::string kernel;
  std::string os;
  std::string architecture;  // as Go names it
  std::string machine_id;
  std::string boot_id;

  static Machine here(const std::filesystem::path& directory);
};

// As a kubelet registers one; pure.
json::Value node_object(const NodeOptions& options, const Machine& machine, Instant now);

class Registration {
 public:
  static constexpr Duration kLeasePeriod = std::chrono::seconds(10);
  static constexpr std::int64_t kLeaseSeconds = 40;
  static constexpr Duration kStatusPeriod = std::chrono::minutes(5);

  Registration(Host& host, Machine machine) : host_(host), machine_(std::move(machine)) {}
  ~Registration();
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

  // Calls back once the API has the node; tries until then.
  void start(std::function<void()> registered);

 private:
  void create();
  void write_status();
  void renew();
  void create_lease();
  void again(Duration wait, void (Registration::*step)(), net::TimerId& timer);
  client::Call lease_call(client::Verb verb) const;

  Host& host_;
  Machine machine_;
  std::function<void()> registered_;
  std::string uid_;
  net::TimerId node_timer_;
  net::TimerId lease_timer_;
  std::shared_ptr<Registration*> self_ = std::make_shared<Registration*>(this);
};

}  // namespace fixpoint::node
