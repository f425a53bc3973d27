// SPDX-License-Identifier: Apache-2.0
//
// The probes of the stellar operator: one HTTP request each, judged by health.h.
//
//   name             arguments                               asks
//   core-info        {host, port, passphrase?}               GET  /info
//   core-metrics     {host, port}                            GET  /metrics
//   horizon-health   {host, port}                            GET  /health
//   horizon-root     {host, port, passphrase?}               GET  /
//   rpc-health       {host, port}                            POST / getHealth
//   archive          {url, ledger?, passphrase?, remembered?} GET
//   URL/.well-known/stellar-history.json
//
// With `remembered`, an answer about an archive that is not older than so many seconds (or, where
// nothing could be read, than kArchiveAgain) is given again as it was: archives belong to others
// and change every few minutes.
//
// The answer is Health::to_json(). No answer in time is such an answer too (Unknown), never an
// error: an error means that the operator asked for something that does not exist. Redirects are
// not followed, an answer larger than kAnswerBytesMax is none, and every probe returns within its
// deadline, also when a name server does not.
#pragma once

#include "operators/stellar/health/health.h"
#include "runtime/operator.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

namespace fixpoint::operators::stellar {

// Core's metrics are a few hundred kilobytes, everything else far less.
inline constexpr std::size_t kAnswerBytesMax = std::size_t{2} << 20U;
// Look-ups of names that outlived their probe; while there are more, none is begun.
inline constexpr int kAbandonedMax = 16;

inline constexpr std::string_view kCoreInfoProbe = "core-info";
inline constexpr std::string_view kCoreMetricsProbe = "core-metrics";
inline constexpr std::string_view kHorizonHealthProbe = "horizon-health";
inline constexpr std::string_view kHorizonRootProbe = "horizon-root";
inline constexpr std::string_view kRpcHealthProbe = "rpc-health";
inline constexpr std::string_view kArchiveProbe = "archive";

// The questions, with the deadlines they are asked with.
struct Address {
  std::string host;
  std::int64_t port = 0;
};
runtime::Probe core_info_probe(const Address& at, std::string_view passphrase);
runtime::Probe core_metrics_probe(const Address& at);
runtime::Probe horizon_health_probe(const Address& at);
runtime::Probe horizon_root_probe(const Address& at, std::string_view passphrase);
runtime::Probe rpc_health_probe(const Address& at);
runtime::Probe archive_probe(std::string_view url, std::optional<std::int64_t> network_ledger,
                             std::string_view passphrase, Duration remembered = {});

// How long an archive that was read is not read again to see whether it keeps up.
inline constexpr Duration kArchiveRemembered = std::chrono::hours(1);
inline constexpr Duration kArchiveAgain = std::chrono::minutes(5);
// Archives that are remembered; more are asked each time.
inline constexpr std::size_t kArchivesMax = 1'024;

// The real thing. Its calls block, several at once on different threads.
std::shared_ptr<runtime::Outside> make_outside();

}  // namespace fixpoint::operators::stellar
