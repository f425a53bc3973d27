// SPDX-License-Identifier: Apache-2.0
#include "json/draft.h"
#include "json/parsing/parse.h"
#include "operators/stellar/health/health.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::operators::stellar {
namespace {

constexpr int kOk = 200;
// What a program says in a message we repeat; longer words are its logs' matter.
constexpr std::size_t kQuotedMax = 200;

std::string quoted(std::string_view text) {
  return std::string{text.substr(0, kQuotedMax)};
}

Health unhealthy(std::string reason, std::string message) {
  return {
      .verdict = Verdict::Unhealthy, .reason = std::move(reason), .message = std::move(message)};
}

// The body as JSON; a Health when there is nothing to read. A status of its own is no error here:
// programs say that they are not ready by 503 with a body.
std::expected<json::Value, Health> read(const RawAnswer& answer, std::string_view what) {
  if (answer.kind == RawAnswer::Kind::Refused) {
    return std::unexpected(unhealthy("Unreachable", answer.problem));
  }
  if (answer.kind == RawAnswer::Kind::Missing) {
    return std::unexpected(
        Health{.verdict = Verdict::Unknown, .reason = "NoAnswer", .message = answer.problem});
  }
  if (answer.status >= 300 && answer.status < 400) {
    return std::unexpected(unhealthy(
        "Redirected", fmt::format("{} answers {}: elsewhere is not asked", what, answer.status)));
  }
  auto body = json::parse(answer.body);
  if (!body || !body->is_object()) {
    return std::unexpected(unhealthy(
        "Unreadable", fmt::format("{} answers {} with no JSON object", what, answer.status)));
  }
  return *std::move(body);
}

std::optional<std::int64_t> number(json::View value) {
  if (!value.is_int()) return std::nullopt;
  return value.as_int();
}

bool other_network(Health& health, std::string_view theirs, std::string_view ours) {
  if (ours.empty() || theirs.empty() || theirs == ours) return false;
  health.verdict = Verdict::Unhealthy;
  health.reason = "WrongNetwork";
  health.message = fmt::format("follows \"{}\", not \"{}\"", quoted(theirs), ours);
  return true;
}

void read_warnings(Health& health, json::View info) {
  if (health.peers.value_or(kPeersFew) < kPeersFew) {
    health.warnings.push_back(fmt::format("only {} peers", *health.peers));
  }
  const json::View set = info.get("quorum", "qset");
  health.quorum_agreeing = number(set.get("agree"));
  health.quorum_missing = number(set.get("missing"));
  health.quorum_fail_at = number(set.get("fail_at"));
  if (health.quorum_fail_at.value_or(2) <= 1) {
    health.warnings.push_back(
        fmt::format("quorum fails with {} more failure(s)", *health.quorum_fail_at));
  }
  const json::View intersection = info.get("quorum", "transitive", "intersection");
  if (intersection.is_bool() && !intersection.as_bool()) {
    health.warnings.emplace_back("quorums need not intersect");
  }
}

// A metric's current value, whichever form it has.
std::optional<std::int64_t> metric(json::View metrics, std::string_view name) {
  return number(metrics.get(name, "count"));
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  constexpr std::array<std::string_view, 3> kWords{"Healthy", "Unhealthy", "Unknown"};
  return kWords[static_cast<std::size_t>(verdict)];
}

Health judge_core_info(const RawAnswer& answer, std::string_view passphrase) {
  const auto body = read(answer, "stellar-core");
  if (!body) return body.error();
  const json::View info = body->get("info");
  if (!info.is_object()) return unhealthy("Unreadable", "stellar-core's /info has no \"info\"");
  Health health;
  health.state = quoted(info.get("state").as_string());
  health.ledger = number(info.get("ledger", "num"));
  health.age_seconds = number(info.get("ledger", "age"));
  health.peers = number(info.get("peers", "authenticated_count"));
  if (other_network(health, info.get("network").as_string(), passphrase)) return health;
  read_warnings(health, info);
  health.verdict = Verdict::Unhealthy;
  if (health.state != "Synced!") {
    health.reason = "Syncing";
    health.message =
        fmt::format("stellar-core is \"{}\" at ledger {}", health.state, health.ledger.value_or(0));
    return health;
  }
  if (!health.ledger || !health.age_seconds) {
    health.reason = "Unreadable";
    health.message = "stellar-core says it is synced and names no ledger";
    return health;
  }
  if (*health.age_seconds >= kLedgerAgeMaxSeconds) {
    health.reason = "StaleLedger";
    health.message = fmt::format("ledger {} is {} s old", *health.ledger, *health.age_seconds);
    return health;
  }
  health.verdict = Verdict::Healthy;
  health.reason = "Synced";
  health.message = fmt::format("synced at ledger {}", *health.ledger);
  return health;
}

Health judge_core_metrics(const RawAnswer& answer) {
  const auto body = read(answer, "stellar-core");
  if (!body) return body.error();
  const json::View metrics = body->get("metrics");
  if (answer.status != kOk || !metrics.is_object()) {
    return unhealthy("Unreadable", "stellar-core's /metrics has no \"metrics\"");
  }
  Health health{.verdict = Verdict::Healthy, .reason = "Readable", .message = "metrics are served"};
  health.age_seconds = metric(metrics, "ledger.age.current-seconds");
  health.peers = metric(metrics, "overlay.connection.authenticated");
  return health;
}

Health judge_horizon_health(const RawAnswer& answer) {
  const auto body = read(answer, "Horizon");
  if (!body) return body.error();
  std::string missing;
  for (const std::string_view name : {"database_connected", "core_up", "core_synced"}) {
    const json::View value = body->get(name);
    if (!value.is_bool()) {
      return unhealthy("Unreadable",
                       fmt::format("Horizon answers {} without \"{}\"", answer.status, name));
    }
    if (!value.as_bool()) missing += fmt::format("{}{}", missing.empty() ? "" : ", ", name);
  }
  if (!missing.empty()) {
    // The database and core are parts of it; a core that is not synced yet is on its way.
    const bool syncing = missing == "core_synced";
    return unhealthy(syncing ? "Syncing" : "NotReady", fmt::format("Horizon lacks {}", missing));
  }
  if (answer.status != kOk) {
    return unhealthy("NotReady", fmt::format("Horizon answers {}", answer.status));
  }
  return {.verdict = Verdict::Healthy, .reason = "Synced", .message = "Horizon is synced"};
}

Health judge_horizon_root(const RawAnswer& answer, std::string_view passphrase) {
  const auto body = read(answer, "Horizon");
  if (!body) return body.error();
  Health health;
  health.ledger = number(body->get("history_latest_ledger"));
  const auto core = number(body->get("core_latest_ledger"));
  if (answer.status != kOk || !health.ledger || !core) {
    return unhealthy("Unreadable",
                     fmt::format("Horizon answers {} without ledgers", answer.status));
  }
  health.lag = std::max<std::int64_t>(*core - *health.ledger, 0);
  if (other_network(health, body->get("network_passphrase").as_string(), passphrase)) return health;
  const bool young = *core > 0 && *health.lag <= kHistoryLagMax;
  health.verdict = young ? Verdict::Healthy : Verdict::Unhealthy;
  health.reason = young ? "Synced" : "Syncing";
  health.message =
      fmt::format("history is at ledger {}, {} behind core", *health.ledger, *health.lag);
  return health;
}

Health judge_rpc_health(const RawAnswer& answer) {
  const auto body = read(answer, "stellar-rpc");
  if (!body) return body.error();
  if (const json::View error = body->get("error"); error.is_object()) {
    const auto message = error.get("message").as_string();
    // Its stores fill, or the newest ledger is too old: both are said as an error.
    const bool stale = message.starts_with("latency");
    return unhealthy(stale ? "StaleLedger" : "Syncing", quoted(message));
  }
  const json::View result = body->get("result");
  if (answer.status != kOk || !result.is_object()) {
    return unhealthy("Unreadable",
                     fmt::format("stellar-rpc answers {} without a result", answer.status));
  }
  Health health;
  health.state = quoted(result.get("status").as_string());
  health.ledger = number(result.get("latestLedger"));
  const bool healthy = health.state == "healthy" && health.ledger.has_value();
  health.verdict = healthy ? Verdict::Healthy : Verdict::Unhealthy;
  health.reason = healthy ? "Synced" : "NotReady";
  health.message = healthy ? fmt::format("healthy at ledger {}", *health.ledger)
                           : fmt::format("stellar-rpc is \"{}\"", health.state);
  return health;
}

Health judge_archive(const RawAnswer& answer, std::optional<std::int64_t> network_ledger,
                     std::string_view passphrase) {
  const auto body = read(answer, "the archive");
  if (!body) return body.error();
  Health health;
  health.ledger = number(body->get("currentLedger"));
  if (answer.status != kOk || !health.ledger) {
    // Any web server answers something; an archive says how far it is.
    return unhealthy("Unreadable", fmt::format("the archive answers {} without \"currentLedger\"",
                                               answer.status));
  }
  if (other_network(health, body->get("networkPassphrase").as_string(), passphrase)) return health;
  if (network_ledger) {
    health.lag = std::max<std::int64_t>(*network_ledger - *health.ledger, 0);
  }
  const bool late = health.lag.value_or(0) > kArchiveLagMax;
  health.verdict = late ? Verdict::Unhealthy : Verdict::Healthy;
  health.reason = late ? "StaleLedger" : "Synced";
  health.message =
      health.lag ? fmt::format("archive is at ledger {}, {} behind", *health.ledger, *health.lag)
                 : fmt::format("archive is at ledger {}", *health.ledger);
  return health;
}

Health worse_of(Health one, Health other) {
  // What is said to be wrong weighs more than what was not heard.
  constexpr auto kWeight = [](Verdict verdict) {
    return verdict == Verdict::Unhealthy ? 2 : verdict == Verdict::Unknown ? 1 : 0;
  };
  const bool first = kWeight(one.verdict) >= kWeight(other.verdict);
  Health& kept = first ? one : other;
  const Health& rest = first ? other : one;
  const auto fill = [](auto& into, const auto& from) {
    if (!into) into = from;
  };
  fill(kept.ledger, rest.ledger);
  fill(kept.age_seconds, rest.age_seconds);
  fill(kept.lag, rest.lag);
  fill(kept.peers, rest.peers);
  if (kept.state.empty()) kept.state = rest.state;
  kept.warnings.insert(kept.warnings.end(), rest.warnings.begin(), rest.warnings.end());
  return std::move(kept);
}

json::Value Health::to_json() const {
  json::Draft out = json::Draft::object({
      {"health",  to_string(verdict)},
      {"reason",  reason            },
      {"message", message           },
  });
  if (!state.empty()) out["state"] = state;
  const auto put = [&](std::string_view key, const std::optional<std::int64_t>& value) {
    if (value) out[key] = *value;
  };
  put("ledger", ledger);
  put("ageSeconds", age_seconds);
  put("lag", lag);
  put("peers", peers);
  put("quorumAgreeing", quorum_agreeing);
  put("quorumMissing", quorum_missing);
  put("quorumFailAt", quorum_fail_at);
  for (const auto& warning : warnings) out.array_at("warnings").push_back(warning);
  return out.freeze();
}

Health Health::from_json(json::View answer) {
  Health health;
  const auto word = answer.get("health").as_string();
  for (const auto verdict : {Verdict::Healthy, Verdict::Unhealthy, Verdict::Unknown}) {
    if (word == to_string(verdict)) health.verdict = verdict;
  }
  health.reason = answer.get("reason").as_string();
  health.message = answer.get("message").as_string();
  health.state = answer.get("state").as_string();
  health.ledger = number(answer.get("ledger"));
  health.age_seconds = number(answer.get("ageSeconds"));
  health.lag = number(answer.get("lag"));
  health.peers = number(answer.get("peers"));
  health.quorum_agreeing = number(answer.get("quorumAgreeing"));
  health.quorum_missing = number(answer.get("quorumMissing"));
  health.quorum_fail_at = number(answer.get("quorumFailAt"));
  for (const json::View warning : answer.get("warnings").elements()) {
    health.warnings.emplace_back(warning.as_string());
  }
  return health;
}

}  // namespace fixpoint::operators::stellar
