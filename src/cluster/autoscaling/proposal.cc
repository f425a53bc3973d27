// SPDX-License-Identifier: Apache-2.0
#include "cluster/autoscaling/proposal.h"

#include "base/rfc3339.h"
#include "cluster/autoscaling/go_selector.h"
#include "cluster/workloads/pod_state.h"
#include "kube/meta/metadata.h"
#include "kube/scalars/quantity.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <expected>
#include <functional>
#include <numeric>
#include <optional>
#include <set>

#include <fmt/format.h>

namespace fixpoint::cluster::autoscaling {
namespace {

using json::Draft;
using json::View;
using Names = std::set<std::string, std::less<>>;
using Values = std::map<std::string, std::int64_t, std::less<>>;

// A real controller's defaults: a pod's cpu says nothing while it starts.
constexpr auto kCpuInitialization = std::chrono::minutes(5);
constexpr auto kFirstReadiness = std::chrono::seconds(30);

std::optional<Instant> time_in(View text) {
  const auto parsed = parse_rfc3339(text.as_string());
  return parsed ? std::optional{*parsed} : std::nullopt;
}

bool still_starting(View pod, const PodMetric& metric, Instant now) {
  const View ready = kube::condition_of(pod, "Ready");
  const auto started = time_in(pod.get("status", "startTime"));
  if (ready.is_null() || !started) return true;
  const bool down = ready.get("status").as_string() == "False";
  const auto changed = time_in(ready.get("lastTransitionTime")).value_or(Instant{});
  if (*started + kCpuInitialization > now) return down || metric.at < changed + metric.window;
  return down && *started + kFirstReadiness > changed;
}

struct Groups {
  std::int64_t ready = 0;
  Names unready;
  Names missing;
  Values measured;  // of those that are ready
};

Groups group(const Reading& reading, std::string_view resource, const ProposalFacts& facts) {
  Groups groups;
  for (const auto& record : facts.pods) {
    const View pod = record->body;
    const std::string name{kube::name_of(pod)};
    if (kube::being_deleted(pod) || phase_of(pod) == "Failed") continue;
    const auto metric = reading.pods.find(name);
    const bool measured = metric != reading.pods.end();
    const bool starting =
        measured && resource == "cpu" && still_starting(pod, metric->second, facts.now);
    if (phase_of(pod) == "Pending" || starting) {
      groups.unready.insert(name);
    } else if (!measured) {
      groups.missing.insert(name);
    } else {
      ++groups.ready;
      groups.measured.emplace(name, metric->second.value);
    }
  }
  return groups;
}

// The ratio of some values to the target, and what is said of them.
struct Usage {
  double ratio = 0;
  std::int64_t average = 0;
  std::int64_t percent = 0;
};
using Measure = std::function<Result<Usage>(const Values&)>;
using Stand = std::function<std::int64_t(const std::string& pod)>;

struct Count {
  std::int64_t replicas = 0;
  Usage usage;
};

std::int64_t ceiling(double value) {
  return static_cast<std::int64_t>(std::ceil(value));
}

// `stand_in` is what a pod that was not measured would use at its target.
Result<Count> count_replicas(Groups groups, const Measure& measure, const Stand& stand_in,
                             const ProposalFacts& facts) {
  if (groups.measured.empty()) {
    return fail(ErrorKind::Unavailable,
                "did not receive metrics for targeted pods (pods might be unready)");
  }
  FP_TRY(usage, measure(groups.measured));
  const bool rises = usage.ratio > 1.0;
  const bool with_unready = !groups.unready.empty() && rises;
  if (!with_unready && groups.missing.empty()) {
    if (facts.tolerances.cover(usage.ratio)) return Count{facts.wanted, usage};
    return Count{ceiling(usage.ratio * static_cast<double>(groups.ready)), usage};
  }
  for (const auto& pod : groups.missing) {
    if (usage.ratio != 1.0) groups.measured[pod] = rises ? 0 : stand_in(pod);
  }
  if (with_unready) {
    for (const auto& pod : groups.unready) groups.measured[pod] = 0;
  }
  FP_TRY(again, measure(groups.measured));
  const bool turned =
      (usage.ratio < 1.0 && again.ratio > 1.0) || (usage.ratio > 1.0 && again.ratio < 1.0);
  if (facts.tolerances.cover(again.ratio) || turned) return Count{facts.wanted, usage};
  const auto replicas = ceiling(again.ratio * static_cast<double>(groups.measured.size()));
  const bool contrary = (again.ratio < 1.0 && replicas > facts.wanted) ||
                        (again.ratio > 1.0 && replicas < facts.wanted);
  return Count{contrary ? facts.wanted : replicas, usage};
}

Measure against(std::int64_t target) {
  return [target](const Values& values) -> Result<Usage> {
    std::int64_t sum = 0;
    for (const auto& [pod, value] : values) sum += value;
    const auto average = sum / std::ssize(values);
    return Usage{.ratio = static_cast<double>(average) / static_cast<double>(target),
                 .average = average};
  };
}

Result<std::int64_t> request_of(View pod, std::string_view resource, std::string_view container) {
  std::int64_t sum = 0;
  const auto add = [&](View each) -> Result<void> {
    const auto name = each.get("name").as_string();
    if (!container.empty() && name != container) return {};
    const View given = each.get("resources", "requests", resource);
    const auto quantity = kube::Quantity::parse(given.as_string());
    if (given.is_null() || !quantity) {
      return fail(ErrorKind::Invalid,
                  fmt::format("missing request for {} in container {} of Pod {}", resource, name,
                              kube::name_of(pod)));
    }
    sum += quantity->milli_value();
    return {};
  };
  for (const View each : pod.get("spec", "containers").elements()) FP_TRY_VOID(add(each));
  for (const View each : pod.get("spec", "initContainers").elements()) {
    if (each.get("restartPolicy").as_string() == "Always") FP_TRY_VOID(add(each));
  }
  return sum;
}

Measure against_requests(const Values& requests, std::int64_t target) {
  return [&requests, target](const Values& values) -> Result<Usage> {
    std::int64_t used = 0;
    std::int64_t requested = 0;
    std::int64_t entries = 0;
    for (const auto& [pod, value] : values) {
      const auto request = requests.find(pod);
      if (request == requests.end()) continue;
      used += value;
      requested += request->second;
      ++entries;
    }
    if (requested == 0) {
      return fail(ErrorKind::Invalid, "no metrics returned matched known pods");
    }
    const auto percent = used * 100 / requested;
    return Usage{.ratio = static_cast<double>(percent) / static_cast<double>(target),
                 .average = used / entries,
                 .percent = percent};
  };
}

std::string quantity_text(std::int64_t milli, bool binary = false) {
  if (binary && milli % 1000 == 0) {
    return kube::Quantity::of(milli / 1000, kube::Quantity::Format::BinarySi).to_string();
  }
  return kube::Quantity::milli(milli).to_string();
}

std::int64_t milli_in(View quantity) {
  const auto parsed = kube::Quantity::parse(quantity.as_string());
  return parsed ? parsed->milli_value() : 0;
}

Error no_pods() {
  return {ErrorKind::Unavailable, "no pods returned by selector while calculating replica count"};
}

Result<Proposal> proposal_of_resource(View source, std::string_view kind, const Reading& reading,
                                      const ProposalFacts& facts) {
  const auto resource = source.get("name").as_string();
  const View target = source.get("target");
  const View average = target.get("averageValue");
  if (facts.pods.empty()) return std::unexpected(no_pods());
  auto current = Draft::object();
  std::optional<Count> count;
  if (!average.is_null()) {
    const auto wanted = milli_in(average);
    FP_TRY(made, count_replicas(
                     group(reading, resource, facts), against(wanted),
                     [&](const std::string&) { return wanted; }, facts));
    count = made;
  } else {
    const auto wanted = target.get("averageUtilization").as_int();
    auto groups = group(reading, resource, facts);
    if (groups.measured.empty()) {
      return fail(ErrorKind::Unavailable,
                  "did not receive metrics for targeted pods (pods might be unready)");
    }
    Values requests;
    for (const auto& pod : facts.pods) {
      FP_TRY(request, request_of(pod->body, resource, source.get("container").as_string()));
      requests.emplace(kube::name_of(pod->body), request);
    }
    const auto at_target = [&](const std::string& pod) {
      return requests[pod] * std::max<std::int64_t>(100, wanted) / 100;
    };
    FP_TRY(made,
           count_replicas(std::move(groups), against_requests(requests, wanted), at_target, facts));
    count = made;
    current["averageUtilization"] = count->usage.percent;
  }
  current["averageValue"] = quantity_text(count->usage.average, resource == "memory");
  auto status = Draft::object({
      {"name",    resource          },
      {"current", std::move(current)}
  });
  const bool in_container = kind == "ContainerResource";
  if (in_container) status["container"] = source.get("container");
  std::string words = fmt::format("{} resource", resource);
  if (average.is_null()) {
    words = fmt::format("{}{} resource utilization (percentage of request)", resource,
                        in_container ? " container" : "");
  }
  return Proposal{
      .replicas = count->replicas,
      .metric = std::move(words),
      .status = Draft::object(
          {{"type", kind}, {in_container ? "containerResource" : "resource", std::move(status)}}
            )
  };
}

Draft identifier_of(View source) {
  auto metric = Draft::object({
      {"name", source.get("metric", "name")}
  });
  const View selector = source.get("metric", "selector");
  if (!selector.is_null()) metric["selector"] = selector;
  return metric;
}

Result<Proposal> proposal_of_pods(View source, const Reading& reading, const ProposalFacts& facts) {
  if (facts.pods.empty()) return std::unexpected(no_pods());
  const auto target = milli_in(source.get("target", "averageValue"));
  FP_TRY(count, count_replicas(
                    group(reading, {}, facts), against(target),
                    [&](const std::string&) { return target; }, facts));
  auto status = Draft::object({
      {"metric",  identifier_of(source)                                                },
      {"current", Draft::object({{"averageValue", quantity_text(count.usage.average)}})}
  });
  return Proposal{
      .replicas = count.replicas,
      .metric = fmt::format("pods metric {}", source.get("metric", "name").as_string()),
      .status = Draft::object({{"type", "Pods"}, {"pods", std::move(status)}}
        )
  };
}

// One number for all pods together: the whole of it, or what falls to each.
Result<Proposal> proposal_of_whole(View source, std::string_view kind, const Reading& reading,
                                   const ProposalFacts& facts) {
  const auto used = std::accumulate(reading.values.begin(), reading.values.end(), std::int64_t{0});
  const View target = source.get("target");
  const auto value = milli_in(target.get("value"));
  const bool each = target.get("value").is_null();
  std::int64_t replicas = 0;
  std::int64_t shown = used;
  if (each) {
    const auto average = static_cast<double>(milli_in(target.get("averageValue")));
    const auto share = average * static_cast<double>(facts.replicas);
    replicas = facts.replicas;
    if (!facts.tolerances.cover(static_cast<double>(used) / share)) {
      replicas = static_cast<std::int64_t>(
          std::min(std::ceil(static_cast<double>(used) / average), 2147483647.0));
    }
    shown = facts.replicas == 0
                ? used
                : ceiling(static_cast<double>(used) / static_cast<double>(facts.replicas));
  } else {
    const auto ratio = static_cast<double>(used) / static_cast<double>(value);
    replicas = facts.wanted;
    if (facts.wanted == 0) {
      replicas = ceiling(ratio);
    } else if (!facts.tolerances.cover(ratio)) {
      if (facts.pods.empty()) {
        return fail(ErrorKind::Unavailable, "unable to calculate ready pods: " + no_pods().message);
      }
      const auto ready = std::ranges::count_if(facts.pods, [](const auto& pod) {
        return phase_of(pod->body) == "Running" && is_ready(pod->body);
      });
      replicas = ceiling(ratio * static_cast<double>(ready));
    }
  }
  auto status = Draft::object({
      {"metric",  identifier_of(source)                                                   },
      {"current", Draft::object({{each ? "averageValue" : "value", quantity_text(shown)}})}
  });
  const bool of_object = kind == "Object";
  if (of_object) status["describedObject"] = source.get("describedObject");
  const auto name = source.get("metric", "name").as_string();
  const auto words =
      of_object && !each
          ? fmt::format("{} metric {}", source.get("describedObject", "kind").as_string(), name)
          : fmt::format("external metric {}({})", name,
                        go_selector(source.get("metric", "selector")));
  return Proposal{
      .replicas = replicas,
      .metric = words,
      .status =
          Draft::object({{"type", kind}, {of_object ? "object" : "external", std::move(status)}}
          )
  };
}

struct Words {
  std::string_view field;
  std::string reason;
  std::string context;  // before the error, in condition and Event
  std::string summary;  // before that, in the error of the whole
};

Words words_for(View metric) {
  const auto type = metric.get("type").as_string();
  if (type == "Resource" || type == "ContainerResource") {
    const bool inside = type == "ContainerResource";
    const std::string_view field = inside ? "containerResource" : "resource";
    const View source = metric.get(field);
    const auto name = source.get("name").as_string();
    const bool average = !source.get("target", "averageValue").is_null();
    return {
        .field = field,
        .reason = inside ? "FailedGetContainerResourceMetric" : "FailedGetResourceMetric",
        .context = fmt::format("failed to get {} {}: ", name, average ? "usage" : "utilization"),
        .summary = inside ? fmt::format("failed to get {} container metric value: ",
                                        source.get("container").as_string())
                          : fmt::format("failed to get {} resource metric value: ", name)};
  }
  if (type == "Pods") {
    return {.field = "pods",
            .reason = "FailedGetPodsMetric",
            .context = "",
            .summary = "failed to get pods metric value: "};
  }
  const bool of_object = type == "Object";
  const std::string_view field = of_object ? "object" : "external";
  const auto name = metric.get(field, "metric", "name").as_string();
  const bool each = metric.get(field, "target", "value").is_null();
  if (of_object) {
    return {.field = field,
            .reason = "FailedGetObjectMetric",
            .context = "",
            .summary = each ? fmt::format("failed to get object metric value: failed to get {} "
                                          "object metric: ",
                                          name)
                            : "failed to get object metric value: "};
  }
  return {.field = field,
          .reason = "FailedGetExternalMetric",
          .context = "",
          .summary = each
                         ? fmt::format("failed to get {0} external metric value: failed to get {0} "
                                       "external metric: ",
                                       name)
                         : fmt::format("failed to get {0} external metric value: failed to get "
                                       "external metric {0}: ",
                                       name)};
}

}  // namespace

std::expected<Proposal, ProposalError> propose(View metric, const Result<Reading>& reading,
                                               const ProposalFacts& facts) {
  const auto words = words_for(metric);
  const auto refuse = [&](const Error& error) {
    const auto message = words.context + error.message;
    return std::unexpected(ProposalError{
        .reason = words.reason, .message = message, .summary = words.summary + message});
  };
  if (!reading) return refuse(reading.error());
  const auto type = metric.get("type").as_string();
  const View source = metric.get(words.field);
  auto made = type == "Pods" ? proposal_of_pods(source, *reading, facts)
              : type == "Object" || type == "External"
                  ? proposal_of_whole(source, type, *reading, facts)
                  : proposal_of_resource(source, type, *reading, facts);
  if (!made) return refuse(made.error());
  return *std::move(made);
}

}  // namespace fixpoint::cluster::autoscaling
