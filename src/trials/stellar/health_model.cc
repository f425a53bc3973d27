// SPDX-License-Identifier: Apache-2.0
#include "trials/stellar/health_model.h"

#include "json/draft.h"
#include "operators/stellar/health/outside.h"

#include <string>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::trials::stellar {
namespace {

using namespace operators::stellar;

RawAnswer said(std::string body, int status = 200) {
  return RawAnswer::complete(status, std::move(body));
}

std::string core_info(bool synced, std::string_view passphrase) {
  return fmt::format(R"({{"info":{{"state":"{}","network":"{}","ledger":{{"num":5000,"age":{}}},)"
                     R"("peers":{{"authenticated_count":8}}}}}})",
                     synced ? "Synced!" : "Catching up", passphrase, synced ? 3 : 1200);
}

std::string horizon_health(bool synced) {
  return fmt::format(R"({{"database_connected":true,"core_up":true,"core_synced":{}}})", synced);
}

std::string horizon_root(bool synced, std::string_view passphrase) {
  return fmt::format(
      R"({{"history_latest_ledger":5000,"core_latest_ledger":{},"network_passphrase":"{}"}})",
      synced ? 5000 : 5240, passphrase);
}

std::string rpc_health(bool synced) {
  return synced ? R"({"result":{"status":"healthy","latestLedger":5000}})"
                : R"({"error":{"code":-32603,"message":"latency (20m0s) is too high"}})";
}

// Of a program that answers.
Health answer_of(const runtime::Probe& probe, bool synced) {
  const auto passphrase = probe.arguments.get("passphrase").as_string();
  if (probe.name == kCoreInfoProbe) {
    return judge_core_info(said(core_info(synced, passphrase)), passphrase);
  }
  if (probe.name == kHorizonHealthProbe) {
    return judge_horizon_health(said(horizon_health(synced), synced ? 200 : 503));
  }
  if (probe.name == kHorizonRootProbe) {
    return judge_horizon_root(said(horizon_root(synced, passphrase)), passphrase);
  }
  return judge_rpc_health(said(rpc_health(synced)));
}

Health judged(const runtime::Probe& probe, const RawAnswer& answer) {
  if (probe.name == kCoreInfoProbe) return judge_core_info(answer, {});
  if (probe.name == kHorizonHealthProbe) return judge_horizon_health(answer);
  if (probe.name == kHorizonRootProbe) return judge_horizon_root(answer, {});
  return judge_rpc_health(answer);
}

Result<json::Value> probe(const json::Value& outside, const runtime::Probe& probe) {
  const auto mode = mode_of(outside, probe.arguments.get("host").as_string());
  if (mode == kHang) {
    const RawAnswer none{.kind = RawAnswer::Kind::Missing, .problem = "no answer in time"};
    return judged(probe, none).to_json();
  }
  if (mode == kDie) {
    const RawAnswer nobody{.kind = RawAnswer::Kind::Refused, .problem = "Connection refused"};
    return judged(probe, nobody).to_json();
  }
  if (mode == kFail) return judged(probe, said("{}\n", 500)).to_json();
  return answer_of(probe, mode == kSync).to_json();
}

}  // namespace

std::string_view mode_of(json::View outside, std::string_view address) {
  const auto mode = outside.get(address).as_string();
  return mode.empty() ? kSync : mode;
}

json::Value with_mode(json::View outside, std::string_view address, std::string_view mode) {
  json::Draft draft(outside);
  if (mode == kSync) {
    draft.erase(address);
  } else {
    draft[address] = mode;
  }
  return draft.freeze();
}

verify::world::OutsideModel programs() {
  return {.state = json::Draft::object().freeze(),
          .probe = probe,
          // Everything the operator does to a node it does through the API.
          .perform = [](json::Value&, const runtime::EffectStep& step) -> Result<json::Value> {
            return fail(ErrorKind::Invalid, fmt::format("there is no effect \"{}\"", step.name));
          }};
}

}  // namespace fixpoint::trials::stellar
