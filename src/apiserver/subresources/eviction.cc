// SPDX-License-Identifier: Apache-2.0
#include "apiserver/subresources/eviction.h"

#include "apiserver/body/decode.h"
#include "apiserver/write/remove.h"
#include "apiserver/write/strategy.h"
#include "base/rfc3339.h"
#include "json/draft.h"
#include "kinds/kind.h"
#include "kube/meta/metadata.h"
#include "kube/ownership/managed_fields.h"
#include "kube/selectors/label_selector.h"

#include <algorithm>
#include <iterator>

namespace fixpoint::apiserver {
namespace {

using kube::Answer;

constexpr std::string_view kBudgets = "poddisruptionbudgets.policy/";

// Pods that never ran or are done disrupt nobody.
bool needs_budget(json::View pod) {
  const auto phase = pod.get("status", "phase").as_string();
  return phase != "Succeeded" && phase != "Failed" && phase != "Pending" &&
         !kube::being_deleted(pod);
}

std::vector<store::RecordRef> budgets_of(const WriteCall& call, json::View pod) {
  std::vector<store::RecordRef> budgets;
  call.store.latest().scan(
      std::string{kBudgets} + call.request.ns + "/", {}, [&](const store::RecordRef& record) {
        auto selector = kube::LabelSelector::from_object(record->body.get("spec", "selector"));
        if (selector && selector->matches(kube::labels_of(pod))) {
          budgets.push_back(record);
        }
        return true;
      });
  return budgets;
}

kube::Status budget_refusal(json::View budget) {
  const std::string name{kube::name_of(budget)};
  auto status = kube::too_many_requests(
      "Cannot evict pod as it would violate the pod's disruption budget.", 0);
  if (!status.details) status.details.emplace();
  status.details->causes.push_back(
      {.reason = "DisruptionBudget",
       .message = "The disruption budget " + name + " needs " +
                  std::to_string(budget.get("status", "desiredHealthy").as_int()) +
                  " healthy pods and has " +
                  std::to_string(budget.get("status", "currentHealthy").as_int()) + " currently",
       .field = {}});
  return status;
}

// No disruption is left: the budget's condition says so at once.
void note_exhausted(json::Draft& status, Instant now) {
  constexpr std::string_view kType = "DisruptionAllowed";
  auto& conditions = status.array_at("conditions").elements();
  const auto text = [](const json::Draft& from, std::string_view key) {
    const json::Draft* member = from.find(key);
    return member == nullptr ? std::string{} : std::string{member->as_string()};
  };
  auto at = std::ranges::find_if(
      conditions, [&](const json::Draft& each) { return text(each, "type") == kType; });
  if (at == conditions.end()) {
    conditions.push_back(json::Draft::object({
        {"type", kType}
    }));
    at = std::prev(conditions.end());
  }
  if (text(*at, "status") != "False") {
    (*at)["status"] = "False";
    (*at)["lastTransitionTime"] = format_seconds(now);
  }
  (*at)["reason"] = "InsufficientPods";
  (*at)["message"] = "";
  if (const json::Draft* observed = status.find("observedGeneration"); observed != nullptr) {
    (*at)["observedGeneration"] = *observed;
  }
}

// Who is not ready counts for no budget, so nobody misses it: where its budget says so, or where
// there are as many healthy ones as there have to be.
bool may_go_uncounted(json::View budget, json::View pod) {
  if (kube::condition_is_true(pod, "Ready")) return false;
  if (budget.get("spec", "unhealthyPodEvictionPolicy").as_string() == "AlwaysAllow") return true;
  const auto desired = budget.get("status", "desiredHealthy").as_int();
  return desired > 0 && budget.get("status", "currentHealthy").as_int() >= desired;
}

// Takes one disruption from the budget, or says why not.
Answer<void> charge(WriteCall& call, const store::RecordRef& budget, json::View pod) {
  const json::View status = budget->body.get("status");
  if (status.get("observedGeneration").as_int() < kube::generation_of(budget->body)) {
    auto waiting = kube::too_many_requests(
        "Cannot evict pod as it would violate the pod's disruption budget.", 10);
    if (!waiting.details) waiting.details.emplace();
    waiting.details->causes.push_back({.reason = "DisruptionBudget",
                                       .message = "The disruption budget " +
                                                  std::string{kube::name_of(budget->body)} +
                                                  " is still being processed by the server.",
                                       .field = {}});
    return std::unexpected(std::move(waiting));
  }
  const auto allowed = status.get("disruptionsAllowed").as_int();
  if (allowed <= 0) return std::unexpected(budget_refusal(budget->body));
  if (call.options.dry_run) return {};
  json::Draft object{budget->body};
  auto& next = object.object_at("status");
  next["disruptionsAllowed"] = allowed - 1;
  next.object_at("disruptedPods")[kube::name_of(pod)] = format_seconds(call.environment.now);
  if (allowed == 1) note_exhausted(next, call.environment.now);
  const auto* kind = kinds::find(kube::GroupVersionKind{"policy", "v1", "PodDisruptionBudget"});
  FP_CHECK(kind != nullptr);
  // The server writes in its own name.
  const kube::Writer writer{.schema = kind->schema(),
                            .kind = kind->gvk,
                            .manager = "kube-apiserver",
                            .subresource = "status",
                            .now = call.environment.now,
                            .reset_fields = {{"spec"}},
                            .api_versions = {}};
  if (auto ok = kube::track_update(writer, budget->body, object); !ok) return ok;
  put_object(call.store, budget->key, std::move(object));
  return {};
}

// The condition keeps its place and, while it holds, its time: a second eviction changes nothing.
void note_disruption(json::Draft& pod, std::chrono::system_clock::time_point now) {
  constexpr std::string_view kType = "DisruptionTarget";
  auto noted = json::Draft::object({
      {"type",               kType                   },
      {"status",             "True"                  },
      {"reason",             "EvictionByEvictionAPI" },
      {"message",            "Eviction API: evicting"},
      {"lastProbeTime",      json::Draft{}           },
      {"lastTransitionTime", format_seconds(now)     }
  });
  auto& conditions = pod.object_at("status").array_at("conditions").elements();
  const auto text = [](const json::Draft& from, std::string_view key) {
    const json::Draft* value = from.find(key);
    return value == nullptr ? std::string_view{} : value->as_string();
  };
  const auto known = std::ranges::find_if(
      conditions, [&](const json::Draft& each) { return text(each, "type") == kType; });
  if (known == conditions.end()) {
    conditions.push_back(std::move(noted));
    return;
  }
  if (text(*known, "status") == "True") {
    noted["lastTransitionTime"] = std::string{text(*known, "lastTransitionTime")};
  }
  *known = std::move(noted);
}

// The pod learns why it goes before it is told to.
Answer<Removed> end_pod(WriteCall& call, DeleteOptions options, store::RecordRef pod) {
  DeleteCall removal{call.request, call.resource, call.store, call.environment};
  removal.options = std::move(options);
  if (auto ok = check_delete_preconditions(removal, pod->body); !ok) {
    return std::unexpected(ok.error());
  }
  if (!removal.options.dry_run) {
    json::Draft object{pod->body};
    note_disruption(object, call.environment.now);
    const json::Value noted = object.freeze();
    note_status_warnings(call.resource, noted, call.warnings);
    if (!(noted == pod->body)) {
      put_object(call.store, pod->key, std::move(object));
      pod = call.store.latest().find(pod->key);
    }
    removal.options.resource_version.reset();  // it held when the eviction began
  }
  return remove_object(removal, pod);
}

}  // namespace

Answer<json::Value> evict(WriteCall& call) {
  auto body = decode_body_as({"policy", "v1", "Eviction"}, call.request, call.options.validation,
                             call.environment.weakness, call.warnings);
  // Evictions are older than their group; they are still read in its first version.
  if (!body) {
    auto older = decode_body_as({"policy", "v1beta1", "Eviction"}, call.request,
                                call.options.validation, call.environment.weakness, call.warnings);
    if (older) body = std::move(older);
  }
  if (!body) return std::unexpected(body.error());
  if (kube::name_of(*body) != call.request.name) {
    return std::unexpected(kube::bad_request("name in URL does not match name in Eviction object"));
  }
  const auto current = call.store.latest().find(call.key());
  if (!current) {
    return std::unexpected(kube::not_found(call.resource.group_resource(), call.request.name));
  }
  auto options = delete_options_in(body->get("deleteOptions"));
  if (!options) return std::unexpected(options.error());
  options->dry_run = options->dry_run || call.options.dry_run;
  call.options.dry_run = options->dry_run;
  if (needs_budget(current->body)) {
    const auto budgets = budgets_of(call, current->body);
    if (budgets.size() > 1) {
      return std::unexpected(kube::unreasoned(
          500,
          "This pod has more than one PodDisruptionBudget, which the eviction subresource does not "
          "support."));
    }
    for (const auto& budget : budgets) {
      if (may_go_uncounted(budget->body, current->body)) continue;
      if (auto ok = charge(call, budget, current->body); !ok) return std::unexpected(ok.error());
    }
  }
  auto removed = end_pod(call, *std::move(options), current);
  if (!removed) return std::unexpected(removed.error());
  return json::Draft::object({
                                 {"kind",       "Status"             },
                                 {"apiVersion", "v1"                 },
                                 {"metadata",   json::Draft::object()},
                                 {"status",     "Success"            },
                                 {"code",       201                  }
  })
      .freeze();
}

}  // namespace fixpoint::apiserver
