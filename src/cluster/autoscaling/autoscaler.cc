// SPDX-License-Identifier: Apache-2.0
#include "cluster/autoscaling/autoscaler.h"

#include "base/rfc3339.h"
#include "cluster/autoscaling/proposal.h"
#include "cluster/autoscaling/restraint.h"
#include "cluster/workloads/pod_template.h"
#include "json/draft.h"
#include "json/print.h"
#include "kube/meta/metadata.h"
#include "kube/scalars/quantity.h"
#include "kube/selectors/label_selector.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fixpoint::cluster::autoscaling {
namespace {

using json::Draft;
using json::View;
using Type = Notice::Type;

const kube::GroupVersionResource kAutoscalers{"autoscaling", "v2", "horizontalpodautoscalers"};
constexpr std::string_view kPrefix = "horizontalpodautoscalers.autoscaling/";
// A real controller's --horizontal-pod-autoscaler-sync-period.
constexpr auto kPeriod = std::chrono::seconds(15);

constexpr std::string_view kAble = "AbleToScale";
constexpr std::string_view kActive = "ScalingActive";
constexpr std::string_view kLimited = "ScalingLimited";

class AutoscalerPass {
 public:
  AutoscalerPass(const AutoscalerFacts& facts, Instant now)
      : facts_(facts),
        hpa_(facts.autoscaler->body),
        now_(now),
        status_(hpa_.get("status")),
        restraint_(Restraint::from(facts.memory.get("restraint"))) {
    if (!status_.is_object()) status_ = Draft::object();
    metrics_ = Draft::array();
  }
  Decision decide();

 private:
  void scale_target(const Scale& scale);
  // What the metrics ask for; nothing when that cannot be told.
  std::optional<std::int64_t> from_metrics(const Scale& scale);
  bool selector_is_usable(const Scale& scale);
  std::int64_t restrained(std::int64_t current, std::int64_t desired);
  void rescale(const Scale& scale, std::int64_t desired, std::string_view why);
  void set_condition(std::string_view type, bool holds, std::string_view reason,
                     std::string_view message);
  void write_counts(std::int64_t current, std::int64_t desired);
  void write_status();
  void tell(Type type, std::string_view reason, std::string message) {
    decision_.notices.push_back({.object = hpa_,
                                 .type = type,
                                 .reason = std::string{reason},
                                 .message = std::move(message)});
  }
  std::int64_t min() const { return hpa_.get("spec", "minReplicas").as_int(1); }
  std::int64_t max() const { return hpa_.get("spec", "maxReplicas").as_int(); }
  Tolerances tolerances() const;

  const AutoscalerFacts& facts_;
  View hpa_;
  Instant now_;
  Draft status_;
  Draft metrics_;
  std::string metric_words_;
  Restraint restraint_;
  Decision decision_;
};

Decision AutoscalerPass::decide() {
  // Its own status, or somebody's label, is no reason to look before the time.
  const Instant last{std::chrono::nanoseconds(facts_.memory.get("at").as_int())};
  if (now_ < last + kPeriod && facts_.memory.get("spec") == hpa_.get("spec") && !facts_.refused) {
    decision_.again = last + kPeriod;
    decision_.memory = facts_.memory;
    return std::move(decision_);
  }
  decision_.again = now_ + kPeriod;
  if (facts_.scale) {
    scale_target(*facts_.scale);
  } else {
    const auto& why = facts_.scale.error().message;
    tell(Type::Warning, "FailedGetScale", why);
    set_condition(kAble, false, "FailedGetScale",
                  "the HPA controller was unable to get the target's current scale: " + why);
  }
  write_status();
  decision_.memory = Draft::object({
                                       {"at",        now_.time_since_epoch().count()},
                                       {"spec",      hpa_.get("spec")               },
                                       {"restraint", restraint_.to_json()           }
  })
                         .freeze();
  return std::move(decision_);
}

void AutoscalerPass::set_condition(std::string_view type, bool holds, std::string_view reason,
                                   std::string_view message) {
  auto& conditions = status_.array_at("conditions").elements();
  const auto text = [](const Draft& from, std::string_view field) {
    const Draft* given = from.find(field);
    return given == nullptr ? std::string_view{} : given->as_string();
  };
  auto at = std::ranges::find_if(conditions,
                                 [&](const Draft& each) { return text(each, "type") == type; });
  if (at == conditions.end()) {
    conditions.push_back(Draft::object({
        {"type", type}
    }));
    at = std::prev(conditions.end());
  }
  const std::string_view status = holds ? "True" : "False";
  if (text(*at, "status") != status) (*at)["lastTransitionTime"] = format_seconds(now_);
  (*at)["status"] = status;
  (*at)["reason"] = reason;
  (*at)["message"] = message;
}

void AutoscalerPass::scale_target(const Scale& scale) {
  set_condition(kAble, true, "SucceededGetScale",
                "the HPA controller was able to get the target's current scale");
  const auto current = scale.wanted;
  restraint_.begin(current, now_);
  if (current == 0 && min() != 0) {
    set_condition(kActive, false, "ScalingDisabled",
                  "scaling is disabled since the replica count of the target is zero");
    return write_counts(current, current);
  }
  if (current > max()) {
    return rescale(scale, max(), "Current number of replicas above Spec.MaxReplicas");
  }
  if (current < min()) {
    return rescale(scale, min(), "Current number of replicas below Spec.MinReplicas");
  }
  const auto proposed = from_metrics(scale);
  if (!proposed) return write_counts(current, hpa_.get("status", "desiredReplicas").as_int());
  const auto desired = restrained(current, *proposed);
  if (desired == current) return write_counts(current, current);
  // The reason is that of the metrics, whatever the restraint made of it.
  std::string why;
  if (*proposed > current) why = metric_words_ + " above target";
  if (*proposed < current) why = "All metrics below target";
  rescale(scale, desired, why);
}

bool AutoscalerPass::selector_is_usable(const Scale& scale) {
  const auto refuse = [&](std::string_view event, std::string_view reason, std::string message,
                          std::string_view condition) {
    set_condition(kActive, false, reason, condition.empty() ? message : condition);
    tell(Type::Warning, event, message);
    tell(Type::Warning, "FailedComputeMetricsReplicas", std::move(message));
    return false;
  };
  if (scale.selector.empty()) {
    return refuse("SelectorRequired", "InvalidSelector", "selector is required",
                  "the HPA target's scale is missing a selector");
  }
  if (facts_.rivals.size() > 1) {
    return refuse("AmbiguousSelector", "AmbiguousSelector",
                  fmt::format("pods by selector {} are controlled by multiple HPAs: [{}]",
                              scale.selector, fmt::join(facts_.rivals, " ")),
                  {});
  }
  return true;
}

Tolerances AutoscalerPass::tolerances() const {
  Tolerances made;
  const auto read = [&](std::string_view rules, double& into) {
    const View given = hpa_.get("spec", "behavior", rules, "tolerance");
    const auto quantity = kube::Quantity::parse(given.as_string());
    if (!given.is_null() && quantity) into = quantity->approximate();
  };
  read("scaleDown", made.down);
  read("scaleUp", made.up);
  return made;
}

std::optional<std::int64_t> AutoscalerPass::from_metrics(const Scale& scale) {
  if (!selector_is_usable(scale)) return std::nullopt;
  const ProposalFacts facts{.wanted = scale.wanted,
                            .replicas = scale.replicas,
                            .pods = facts_.pods,
                            .tolerances = tolerances(),
                            .now = now_};
  std::optional<ProposalError> first;
  std::int64_t failed = 0;
  std::int64_t most = 0;
  std::size_t i = 0;
  for (const View metric : hpa_.get("spec", "metrics").elements()) {
    auto made = propose(metric, facts_.readings[i++], facts);
    if (!made) {
      tell(Type::Warning, made.error().reason, made.error().message);
      if (failed++ == 0) first = std::move(made.error());
      metrics_.push_back(Draft::object({
          {"type", ""}
      }));
      continue;
    }
    metrics_.push_back(std::move(made->status));
    if (most == 0 || made->replicas > most) {
      most = made->replicas;
      metric_words_ = made->metric;
    }
  }
  // What cannot be measured may need what there is: without it the number only grows.
  const auto count = static_cast<std::int64_t>(i);
  if (failed >= count || (failed > 0 && most < scale.wanted)) {
    set_condition(
        kActive, false, first ? first->reason : "",
        first ? "the HPA was unable to compute the replica count: " + first->message : "");
    tell(Type::Warning, "FailedComputeMetricsReplicas",
         fmt::format("invalid metrics ({} invalid out of {}), first error is: {}", failed, count,
                     first ? first->summary : ""));
    return std::nullopt;
  }
  set_condition(kActive, true, "ValidMetricFound",
                "the HPA was able to successfully calculate a replica count from " + metric_words_);
  return most;
}

std::int64_t AutoscalerPass::restrained(std::int64_t current, std::int64_t desired) {
  const View behavior = hpa_.get("spec", "behavior");
  const auto stable = restraint_.stabilise(behavior, current, desired, now_);
  set_condition(kAble, true, stable.reason, stable.message);
  const auto limited = restraint_.limit(behavior, {.min = min(), .max = max(), .current = current},
                                        stable.replicas, now_);
  set_condition(kLimited, limited.replicas != stable.replicas, limited.reason, limited.message);
  return limited.replicas;
}

void AutoscalerPass::rescale(const Scale& scale, std::int64_t desired, std::string_view why) {
  const View target = scale.record->body;
  const bool refused = facts_.refused && facts_.refused->request.subresource == "scale";
  if (refused) {
    set_condition(kAble, false, "FailedUpdateScale",
                  fmt::format("the HPA controller was unable to update the target scale: {}",
                              message_of(*facts_.refused)));
    return write_counts(scale.wanted, hpa_.get("status", "desiredReplicas").as_int());
  }
  const auto body =
      Draft::object(
          {
              {"apiVersion", "autoscaling/v1"                                                                               },
              {"kind",       "Scale"                                                                                        },
              {"metadata",   Draft::object({{"name", kube::name_of(target)},
                                          {"namespace", kube::namespace_of(target)},
                                          {"uid", kube::uid_of(target)},
                                          {"resourceVersion", kube::resource_version_of(target)}})},
              {"spec",       Draft::object({{"replicas", desired}})                                                         }
  })
          .freeze();
  decision_.requests.push_back({
      .request = update_request(scale.resource, body, "scale"),
      .done = Notice{.object = hpa_,
                     .reason = "SuccessfulRescale",
                     .message = fmt::format("New size: {}; reason: {}", desired, why)},
      .refused =
          Notice{.object = hpa_,
                     .type = Type::Warning,
                     .reason = "FailedRescale",
                     .message = fmt::format("New size: {}; reason: {}; error: {{}}", desired, why)}
  });
  set_condition(
      kAble, true, "SucceededRescale",
      fmt::format("the HPA controller was able to update the target scale to {}", desired));
  restraint_.note_change(hpa_.get("spec", "behavior"), scale.wanted, desired, now_);
  status_["lastScaleTime"] = format_seconds(now_);
  write_counts(scale.wanted, desired);
}

void AutoscalerPass::write_counts(std::int64_t current, std::int64_t desired) {
  if (current == 0) {
    status_.erase("currentReplicas");
  } else {
    status_["currentReplicas"] = current;
  }
  status_["desiredReplicas"] = desired;
  status_.erase("observedGeneration");
  if (metrics_.empty()) {
    status_.erase("currentMetrics");
  } else {
    status_["currentMetrics"] = metrics_;
  }
}

void AutoscalerPass::write_status() {
  if (status_.find("desiredReplicas") == nullptr) status_["desiredReplicas"] = 0;
  if (const Draft* none = status_.find("currentMetrics"); none != nullptr && none->is_null()) {
    status_.erase("currentMetrics");
  }
  Draft before{hpa_.get("status")};
  if (before.is_object()) {
    if (const Draft* none = before.find("currentMetrics"); none != nullptr && none->is_null()) {
      before.erase("currentMetrics");
    }
  }
  if (before == status_) return;
  Draft hpa{hpa_};
  hpa["status"] = status_;
  const json::Value body = hpa.freeze();
  decision_.requests.push_back({
      .request = update_request(kAutoscalers, body, "status"),
      .refused = Notice{
                        .object = hpa_, .type = Type::Warning, .reason = "FailedUpdateStatus", .message = "{}"}
  });
}

ScaleReference target_of(View hpa) {
  const View target = hpa.get("spec", "scaleTargetRef");
  return {.api_version = target.get("apiVersion").as_string(),
          .kind = target.get("kind").as_string(),
          .name = target.get("name").as_string()};
}

std::vector<store::RecordRef> selected(const Reader& reader, std::string_view ns,
                                       const Result<Scale>& scale) {
  std::vector<store::RecordRef> pods;
  if (!scale || scale->selector.empty()) return pods;
  const auto selector = kube::LabelSelector::parse(scale->selector);
  if (!selector) return pods;
  pods = reader.all(kPodPrefix, ns);
  std::erase_if(pods,
                [&](const auto& pod) { return !selector->matches(kube::labels_of(pod->body)); });
  return pods;
}

// Autoscalers whose target selects one of the pods, as Go prints their keys.
std::vector<std::string> rivals_for(const Reader& reader, std::string_view ns,
                                    const std::vector<store::RecordRef>& pods) {
  std::vector<std::string> found;
  for (const auto& other : reader.all(kPrefix, ns)) {
    const auto scale = read_scale(reader, ns, target_of(other->body));
    const auto selector = scale && !scale->selector.empty()
                              ? kube::LabelSelector::parse(scale->selector)
                              : fail(ErrorKind::NotFound, "");
    const bool selects = selector && std::ranges::any_of(pods, [&](const auto& pod) {
                           return selector->matches(kube::labels_of(pod->body));
                         });
    if (selects) found.push_back(fmt::format("{{{} {}}}", kube::name_of(other->body), ns));
  }
  return found;
}

}  // namespace

Decision decide(const AutoscalerFacts& facts, Instant now) {
  return AutoscalerPass{facts, now}.decide();
}

Autoscaler::Autoscaler(std::shared_ptr<const MetricSource> source)
    : KeyedController({
          .name = "horizontal-pod-autoscaler",
          .prefix = kPrefix,
          .kind = {"autoscaling", "HorizontalPodAutoscaler"},
          .children = {},
          .adopts = {},
          .follows = {}
}),
      source_(std::move(source)) {}

Decision Autoscaler::pass(const Reader& reader, const Subject& subject, Instant now) const {
  if (!subject.record) return {};
  const View hpa = subject.record->body;
  const auto ns = subject.parts.ns;
  AutoscalerFacts facts{.autoscaler = subject.record,
                        .scale = read_scale(reader, ns, target_of(hpa)),
                        .pods = {},
                        .readings = {},
                        .rivals = {},
                        .refused = subject.refused,
                        .memory = subject.memory};
  facts.pods = selected(reader, ns, facts.scale);
  facts.rivals = rivals_for(reader, ns, facts.pods);
  for (const View metric : hpa.get("spec", "metrics").elements()) {
    facts.readings.push_back(source_->read(reader, hpa, metric, facts.pods, now));
  }
  return decide(facts, now);
}

}  // namespace fixpoint::cluster::autoscaling
