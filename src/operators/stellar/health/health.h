// SPDX-License-Identifier: Apache-2.0
//
// Health: what a Stellar program's answer means, as three values and a few numbers.
//
// Judging is pure: the bytes of an answer (or the fact that there was none) in, Health out. The
// probes of outside.h call these functions on real answers, models of the programs on made ones, so
// both say the same of the same answer. *Unknown* is not *unhealthy*: it says nothing about the
// node, and whoever knew better before may keep to that for a while.
// Read next: outside.h, the probes by name.
#pragma once

#include "json/value.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::operators::stellar {

enum class Verdict : std::uint8_t {
  Healthy,
  Unhealthy,  // it said so, or nothing is there that could say anything
  Unknown,    // no answer in time, or half of one
};
std::string_view to_string(Verdict verdict);

// An answer as it came in.
struct RawAnswer {
  enum class Kind : std::uint8_t {
    Complete,  // status and body, whatever they say
    Refused,   // nobody listens there
    Missing,   // too late, cut off, too large, or the way there is broken
  };
  Kind kind = Kind::Missing;
  int status = 0;
  std::string body{};
  std::string problem{};  // of Refused and Missing

  static RawAnswer complete(int status, std::string body) {
    return {.kind = Kind::Complete, .status = status, .body = std::move(body)};
  }
};

struct Health {
  Verdict verdict = Verdict::Unknown;
  // CamelCase, for conditions: Synced, Syncing, StaleLedger, WrongNetwork, NotReady, Unreachable,
  // NoAnswer, Unreadable, Redirected.
  std::string reason{};
  std::string message{};  // for people, with the numbers in it
  std::string state{};    // the program's own word: "Catching up"
  std::optional<std::int64_t> ledger{};
  std::optional<std::int64_t> age_seconds{};  // of that ledger
  std::optional<std::int64_t> lag{};          // ledgers behind what it follows
  std::optional<std::int64_t> peers{};
  std::optional<std::int64_t> quorum_agreeing{};  // nodes of its quorum set, by what they do
  std::optional<std::int64_t> quorum_missing{};
  std::optional<std::int64_t> quorum_fail_at{};  // so many more failures stop it
  std::vector<std::string> warnings{};           // healthy all the same

  bool healthy() const { return verdict == Verdict::Healthy; }
  // {"health":"Healthy","reason":…,"message":…}, absent numbers left out: a probe's answer.
  json::Value to_json() const;
  // The way back; what is no such answer is Unknown.
  static Health from_json(json::View answer);
  friend bool operator==(const Health&, const Health&) = default;
};

// A ledger closes every five seconds or so; one this old was missed by the node, not by the
// network.
inline constexpr std::int64_t kLedgerAgeMaxSeconds = 30;
// Horizon's history may be this many ledgers behind its core.
inline constexpr std::int64_t kHistoryLagMax = 5;
// An archive publishes every 64 ledgers: two of those and it is not keeping up.
inline constexpr std::int64_t kArchiveLagMax = 128;
// Fewer peers are a warning.
inline constexpr std::int64_t kPeersFew = 3;

// stellar-core's /info: synced with a young ledger, on the network of that passphrase (empty: any).
Health judge_core_info(const RawAnswer& answer, std::string_view passphrase);
// stellar-core's /metrics: readable, with the age of the ledger and the number of peers.
Health judge_core_metrics(const RawAnswer& answer);
// Horizon's /health: three booleans, HTTP 503 when one is false.
Health judge_horizon_health(const RawAnswer& answer);
// Horizon's /: how far its history is.
Health judge_horizon_root(const RawAnswer& answer, std::string_view passphrase);
// stellar-rpc's getHealth.
Health judge_rpc_health(const RawAnswer& answer);
// .well-known/stellar-history.json of an archive; `network_ledger`, where it is known, is what the
// archive is measured by.
Health judge_archive(const RawAnswer& answer, std::optional<std::int64_t> network_ledger,
                     std::string_view passphrase);

// Two answers about one program: the worse verdict with its words, the numbers of both.
Health worse_of(Health one, Health other);

}  // namespace fixpoint::operators::stellar
