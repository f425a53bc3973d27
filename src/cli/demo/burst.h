// SPDX-License-Identifier: Apache-2.0
//
// Burst: many creates at once, and a note of every one that was acknowledged. Durability is a
// promise about acknowledged writes, so they are what is compared after the crash.
#pragma once

#include "base/error.h"
#include "cli/demo/session.h"
#include "json/value.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace fixpoint::cli::demo {

// Requests under way at once: as many as a few dozen busy clients have.
inline constexpr std::size_t kBurstWidth = 32;

class Burst {
 public:
  explicit Burst(Session& session) : session_(session) {}

  // Sends without end, kBurstWidth at a time, until stop() or until the connection breaks.
  void start();
  void stop() { stopped_ = true; }

  std::size_t acknowledged() const { return acknowledged_.size(); }
  std::size_t unanswered() const { return unanswered_; }
  bool idle() const { return in_flight_ == 0; }
  std::uint64_t last_revision() const { return last_revision_; }
  // A status that no create should be answered with; 0 when there was none.
  int refused() const { return refused_; }

  // Acknowledged objects that the list lacks or shows with another uid or resourceVersion.
  std::size_t missing_from(json::View list) const;
  // Objects in the list that are not, in full, what was sent.
  std::size_t broken_in(json::View list) const;

 private:
  struct Seen {
    std::string uid;
    std::string revision;
  };
  void send_next();
  void answered(Result<Reply> reply);

  Session& session_;
  std::size_t next_ = 0;
  std::size_t in_flight_ = 0;
  std::size_t unanswered_ = 0;
  int refused_ = 0;
  bool stopped_ = false;
  std::uint64_t last_revision_ = 0;
  std::map<std::string, Seen, std::less<>> acknowledged_;  // by name
};

std::uint64_t revision_of(json::View object);

}  // namespace fixpoint::cli::demo
