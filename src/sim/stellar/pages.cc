// SPDX-License-Identifier: Apache-2.0
#include "sim/stellar/pages.h"

#include "base/rfc3339.h"
#include "json/draft.h"
#include "json/parsing/parse.h"
#include "json/print.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::sim {
namespace {

using json::Draft;

constexpr std::string_view kBuild = "fixpoint stand-in";
constexpr int kProtocol = 22;
constexpr int kPeers = 8;
// As long as RPC takes a ledger for young.
constexpr std::int64_t kLatencyMaxSeconds = 30;
constexpr int kMethodNotFound = -32601;
constexpr int kInvalidRequest = -32600;
constexpr int kInternalError = -32603;

Page page(const Draft& body, int status = 200) {
  const auto frozen = body.freeze();
  return {.status = status, .body = json::to_text(frozen) + "\n"};
}

Draft counter(std::int64_t count) {
  return Draft::object({
      {"count", count    },
      {"type",  "counter"}
  });
}

std::string time_text(std::int64_t unix_seconds) {
  return format_seconds(Instant{std::chrono::seconds(unix_seconds)});
}

// Not the real one: none is made. The same for everybody, as a hash should be.
std::string hash_of(std::int64_t ledger) {
  return fmt::format("{:064x}", ledger);
}

Draft quorum_set(const Moment& moment) {
  return Draft::object({
      {"agree", kPeers},
      {"cost", Draft::object()},
      {"delayed", 0},
      {"disagree", 0},
      {"fail_at", 3},
      {"hash", hash_of(0).substr(0, 6)},
      {"lag_ms", 120},
      {"ledger", moment.ledger},
      {"missing", 0},
      {"phase", moment.synced() ? "EXTERNALIZE" : "unknown"},
  });
}

Draft quorum(const Moment& moment) {
  return Draft::object({
      {"node",       "self"                                                         },
      {"qset",       quorum_set(moment)                                             },
      {"transitive", Draft::object({{"critical", Draft{}},
                                    {"intersection", true},
                                    {"last_check_ledger", moment.ledger},
                                    {"node_count", kPeers + 1}})},
  });
}

Page info(const CoreFile& file, const Moment& moment, Instant started) {
  const auto ledger = Draft::object({
      {"age",          moment.age_seconds    },
      {"baseFee",      100                   },
      {"baseReserve",  5'000'000             },
      {"closeTime",    moment.closed_at      },
      {"hash",         hash_of(moment.ledger)},
      {"maxTxSetSize", 1000                  },
      {"num",          moment.ledger         },
      {"version",      kProtocol             },
  });
  auto body = Draft::object({
      {"build",            kBuild                                                                },
      {"ledger",           ledger                                                                },
      {"network",          file.network_passphrase                                               },
      {"peers",            Draft::object({{"authenticated_count", kPeers}, {"pending_count", 0}})},
      {"protocol_version", kProtocol                                                             },
      {"quorum",           quorum(moment)                                                        },
      {"startedOn",        format_seconds(started)                                               },
      {"state",            moment.state                                                          },
  });
  if (!moment.synced()) {
    body["status"] = Draft::array(
        {fmt::format("Catching up to ledger {}: at {}", moment.network_ledger, moment.ledger)});
  }
  return page(Draft::object({
      {"info", body}
  }));
}

Page metrics(const Moment& moment) {
  return page(Draft::object({
      {"metrics", Draft::object({
                      {"ledger.age.current-seconds", counter(moment.age_seconds)},
                      {"ledger.ledger.close", counter(moment.ledger)},
                      {"overlay.connection.authenticated", counter(kPeers)},
                      {"overlay.connection.pending", counter(0)},
                      {"history.publish.failure", counter(0)},
                      {"history.publish.success", counter(moment.ledger / 64)},
                  })}
  }));
}

Page peers() {
  Draft inbound = Draft::array();
  Draft outbound = Draft::array();
  for (int i = 0; i < kPeers; ++i) {
    outbound.push_back(Draft::object({
        {"address", fmt::format("192.0.2.{}:11625", i + 1)},
        {"elapsed", 10},
        {"latency", 20},
        {"ver", kBuild},
    }));
  }
  const auto all = Draft::object({
      {"inbound",  inbound },
      {"outbound", outbound}
  });
  return page(Draft::object({
      {"authenticated_peers", all                                                         },
      {"pending_peers",       Draft::object({{"inbound", Draft{}}, {"outbound", Draft{}}})},
  }));
}

Page text(std::string body) {
  return {.type = "text/plain; version=0.0.4", .body = std::move(body)};
}

Draft rpc_error(int code, std::string message) {
  return Draft::object({
      {"code",    code              },
      {"message", std::move(message)}
  });
}

Draft rpc_health(const RpcFile& file, const Moment& moment) {
  const auto oldest = std::max<std::int64_t>(moment.ledger - file.retention_ledgers + 1, 1);
  const auto paces = moment.ledger - oldest;
  return Draft::object({
      {"latestLedger",          moment.ledger                               },
      {"latestLedgerCloseTime", std::to_string(moment.closed_at)            },
      {"ledgerRetentionWindow", file.retention_ledgers                      },
      {"oldestLedger",          oldest                                      },
      {"oldestLedgerCloseTime", std::to_string(moment.closed_at - paces * 5)},
      {"status",                "healthy"                                   },
  });
}

// A result, or an error of JSON-RPC.
std::expected<Draft, Draft> rpc_answer(const RpcFile& file, std::string_view method,
                                       const Moment& moment) {
  if (method == "getHealth") {
    if (moment.state == "Joining SCP") {
      return std::unexpected(rpc_error(kInternalError, "data stores are not initialized"));
    }
    if (moment.age_seconds > kLatencyMaxSeconds) {
      return std::unexpected(
          rpc_error(kInternalError,
                    fmt::format("latency ({}s) since last known ledger closed is too high (>{}s)",
                                moment.age_seconds, kLatencyMaxSeconds)));
    }
    return rpc_health(file, moment);
  }
  if (method == "getLatestLedger") {
    return Draft::object({
        {"id",              hash_of(moment.ledger)},
        {"protocolVersion", kProtocol             },
        {"sequence",        moment.ledger         }
    });
  }
  if (method == "getNetwork") {
    return Draft::object({
        {"passphrase",      file.network_passphrase},
        {"protocolVersion", kProtocol              }
    });
  }
  if (method == "getVersionInfo") {
    return Draft::object({
        {"protocolVersion", kProtocol},
        {"version",         kBuild   }
    });
  }
  return std::unexpected(rpc_error(kMethodNotFound, fmt::format("no such method \"{}\"", method)));
}

}  // namespace

std::optional<Page> core_page(const CoreFile& file, const Asked& asked, const Moment& moment,
                              Instant started) {
  if (asked.path == "/info") return info(file, moment, started);
  if (asked.path == "/metrics") return metrics(moment);
  if (asked.path == "/peers") return peers();
  if (asked.path == "/quorum") return page(quorum(moment));
  if (asked.path == "/scp") {
    return page(Draft::object({
        {"scp", Draft::object()},
        {"you", "self"         }
    }));
  }
  return std::nullopt;
}

std::optional<Page> horizon_page(const HorizonConfiguration& configuration, const Asked& asked,
                                 const Moment& moment) {
  if (asked.path == "/health") {
    return page(Draft::object({
                    {"core_synced",        moment.synced()},
                    {"core_up",            true           },
                    {"database_connected", true           },
    }),
                moment.synced() ? 200 : 503);
  }
  if (asked.path != "/") return std::nullopt;
  return page(Draft::object({
      {"core_latest_ledger",              moment.network_ledger           },
      {"core_supported_protocol_version", kProtocol                       },
      {"core_version",                    kBuild                          },
      {"current_protocol_version",        kProtocol                       },
      {"history_elder_ledger",            std::int64_t{2}                 },
      {"history_latest_ledger",           moment.ledger                   },
      {"history_latest_ledger_closed_at", time_text(moment.closed_at)     },
      {"horizon_version",                 kBuild                          },
      {"ingest_latest_ledger",            moment.ledger                   },
      {"network_passphrase",              configuration.network_passphrase},
  }));
}

std::optional<Page> horizon_admin_page(const Asked& asked, const Moment& moment) {
  if (asked.path != "/metrics") return std::nullopt;
  return text(
      fmt::format("# TYPE horizon_history_latest_ledger gauge\n"
                  "horizon_history_latest_ledger {}\n"
                  "# TYPE horizon_stellar_core_synced gauge\n"
                  "horizon_stellar_core_synced {}\n",
                  moment.ledger, moment.synced() ? 1 : 0));
}

std::optional<Page> rpc_page(const RpcFile& file, const Asked& asked, const Moment& moment) {
  if (asked.path != "/") return std::nullopt;
  if (asked.method != "POST") return Page{.status = 405, .type = "text/plain", .body = ""};
  const auto request = json::parse(asked.body);
  Draft out = Draft::object({
      {"id",      Draft{}},
      {"jsonrpc", "2.0"  }
  });
  if (!request || !request->is_object() || !request->get("method").is_string()) {
    out["error"] = rpc_error(kInvalidRequest, "invalid request value");
    return page(out);
  }
  out["id"] = Draft{request->get("id")};
  auto answer = rpc_answer(file, request->get("method").as_string(), moment);
  out[answer ? "result" : "error"] = answer ? *std::move(answer) : std::move(answer).error();
  return page(out);
}

std::optional<Page> rpc_admin_page(const Asked& asked, const Moment& moment) {
  if (asked.path != "/metrics") return std::nullopt;
  return text(
      fmt::format("# TYPE soroban_rpc_ingest_local_latest_ledger gauge\n"
                  "soroban_rpc_ingest_local_latest_ledger {}\n",
                  moment.ledger));
}

}  // namespace fixpoint::sim
