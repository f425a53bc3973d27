// SPDX-License-Identifier: Apache-2.0
#include "cluster/loops/role_aggregation.h"

#include "json/draft.h"
#include "json/print.h"
#include "kube/meta/metadata.h"
#include "kube/selectors/label_selector.h"

#include <algorithm>
#include <utility>

namespace fixpoint::cluster {
namespace {

constexpr std::string_view kClusterRoles = "clusterroles.rbac.authorization.k8s.io/";
constexpr auto kManager = "clusterrole-aggregation-controller";

// A rule without its empty parts: absent and empty mean the same.
json::Value plain(json::View rule) {
  json::Draft kept = json::Draft::object();
  for (const auto& [key, value] : rule.members()) {
    if (!value.empty()) kept[key] = value;
  }
  return kept.freeze();
}

using Rules = std::vector<json::Value>;

void append_rules(json::View role, Rules& rules) {
  for (const json::View rule : role.get("rules").elements()) {
    auto one = plain(rule);
    if (std::ranges::find(rules, one) == rules.end()) rules.push_back(std::move(one));
  }
}

// Scans are in name order, as the rules are to be.
Rules aggregated_rules(const store::Snapshot& snapshot, const store::Record& aggregate) {
  Rules rules;
  const json::View selectors = aggregate.body.get("aggregationRule", "clusterRoleSelectors");
  for (const json::View selector : selectors.elements()) {
    const auto parsed = kube::LabelSelector::from_object(selector);
    if (!parsed) continue;  // validation refuses such a selector
    snapshot.scan(kClusterRoles, {}, [&](const store::RecordRef& record) {
      const bool chosen =
          record->key != aggregate.key && parsed->matches(kube::labels_of(record->body));
      if (chosen) append_rules(record->body, rules);
      return true;
    });
  }
  return rules;
}

Rules present_rules(json::View role) {
  Rules rules;
  for (const json::View rule : role.get("rules").elements()) rules.push_back(plain(rule));
  return rules;
}

void apply_rules(Api& api, json::View role, const Rules& rules) {
  json::Draft wanted = json::Draft::object({
      {"apiVersion", role.get("apiVersion")                              },
      {"kind",       role.get("kind")                                    },
      {"metadata",   json::Draft::object({{"name", kube::name_of(role)}})}
  });
  for (const auto& rule : rules) wanted.array_at("rules").push_back(rule);
  const auto resource = resource_of(api, role);
  FP_CHECK(resource.has_value());
  auto request = request_for(*resource, apiserver::Verb::Patch, "", kube::name_of(role));
  request.content_type = "application/apply-patch+yaml";
  request.query = {
      {"fieldManager", kManager},
      {"force",        "true"  }
  };
  const json::Value body = wanted.freeze();
  request.body = json::to_text(body);
  // The role is going, or is refused for what it was already: the next change tries again.
  (void)api.call(request);
}

}  // namespace

void RoleAggregation::begin(Api&) {
  changed_ = true;
}

void RoleAggregation::observe(const store::Event& event) {
  if (event.key().starts_with(kClusterRoles)) changed_ = true;
}

bool RoleAggregation::step(Api& api) {
  if (std::exchange(changed_, false)) {
    api.latest().scan(kClusterRoles, {}, [&](const store::RecordRef& record) {
      if (record->body.get("aggregationRule").is_object()) aggregates_.add(record->key);
      return true;
    });
    return true;
  }
  const auto key = aggregates_.take();
  if (!key) return false;
  const auto record = api.latest().find(*key);
  if (!record || !record->body.get("aggregationRule").is_object()) return true;
  const auto rules = aggregated_rules(api.latest(), *record);
  if (rules != present_rules(record->body)) apply_rules(api, record->body, rules);
  return true;
}

}  // namespace fixpoint::cluster
