// SPDX-License-Identifier: Apache-2.0
#include "apiserver/admission/quota.h"

#include "apiserver/admission/quota_usage.h"
#include "apiserver/write/write.h"
#include "kinds/kind.h"
#include "kube/meta/metadata.h"
#include "kube/ownership/managed_fields.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>

namespace fixpoint::apiserver {
namespace {

using kube::Answer;
using kube::Quantity;

// If a quota limits one of these, every container must say how much of it it wants.
constexpr std::array<std::string_view, 6> kMustBeStated{
    "cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"};

struct Quota {
  store::RecordRef record;
  ResourceList hard;  // of the status: what the quota controller has seen of the spec
  ResourceList used;
  std::vector<std::string> names;  // those of `hard` that the written object uses

  std::string_view name() const { return kube::name_of(record->body); }
};

std::unexpected<kube::Status> refuse(const AdmissionCall& call, std::string_view why) {
  return std::unexpected(kube::forbidden(call.resource.group_resource(), call.shown_name(), why));
}

// Whether this write could use more of any quota.
bool concerns_quota(const AdmissionCall& call, json::View object, json::View old_object) {
  const auto& prefix = call.resource.prefix;
  const bool creates = call.verb == "create";
  if (prefix == "pods/") {
    if (call.subresource == "resize") return !creates;
    if (!call.subresource.empty()) return false;
    return creates || is_terminating_pod(object) != is_terminating_pod(old_object);
  }
  // The volume's driver may report in a claim's status that it allocated more.
  if (prefix == "persistentvolumeclaims/") {
    return call.subresource.empty() || (!creates && call.subresource == "status");
  }
  return call.subresource.empty() && (creates || prefix == "services/");
}

// The quotas of the namespace that the object counts against.
std::vector<Quota> quotas_for(const AdmissionCall& call, const store::Snapshot& snapshot,
                              json::View object) {
  std::vector<Quota> quotas;
  const auto resource = call.resource.group_resource();
  snapshot.scan("resourcequotas/" + std::string{call.ns} + "/", {},
                [&](const store::RecordRef& record) {
                  const json::View status = record->body.get("status");
                  Quota quota{.record = record,
                              .hard = read_resources(status.get("hard")),
                              .used = read_resources(status.get("used")),
                              .names = {}};
                  quota.names = names_used_by(resource, quota.hard);
                  if (!quota.names.empty() && in_scopes(resource, record->body, object)) {
                    quotas.push_back(std::move(quota));
                  }
                  return true;
                });
  return quotas;
}

std::set<std::string_view> stated_by(json::View container) {
  std::set<std::string_view> stated;
  const json::View resources = container.get("resources");
  for (const std::size_t i : {0U, 1U}) {
    const auto plain = kMustBeStated[i];
    if (resources.get("requests").contains(plain)) {
      stated.insert(plain);
      stated.insert(kMustBeStated[i + 2]);
    }
    if (resources.get("limits").contains(plain)) stated.insert(kMustBeStated[i + 4]);
  }
  return stated;
}

// "must specify limits.memory for: a,b; requests.cpu for: b", or nothing.
std::string missing_amounts(const Quota& quota, json::View pod) {
  if (has_pod_level_resources(pod)) return {};
  std::map<std::string, std::set<std::string_view>> missing;
  for (const auto member : {"containers", "initContainers"}) {
    for (const json::View container : pod.get("spec", member).elements()) {
      const auto stated = stated_by(container);
      for (const auto& name : quota.names) {
        if (std::ranges::find(kMustBeStated, name) == kMustBeStated.end()) continue;
        if (!stated.contains(name)) missing[name].insert(container.get("name").as_string());
      }
    }
  }
  std::string text;
  for (const auto& [name, containers] : missing) {
    text += fmt::format("{}{} for: {}", text.empty() ? "must specify " : "; ", name,
                        fmt::join(containers, ","));
  }
  return text;
}

Answer<void> check_answerable(const AdmissionCall& call, const Quota& quota, json::View object) {
  if (call.resource.prefix == "pods/") {
    const auto missing = missing_amounts(quota, object);
    if (!missing.empty()) {
      return refuse(call, fmt::format("failed quota: {}: {}", quota.name(), missing));
    }
  }
  const auto counted = [&](const std::string& name) { return quota.used.contains(name); };
  if (std::ranges::all_of(quota.names, counted)) return {};
  return refuse(call, fmt::format("status unknown for quota: {}, resources: {}", quota.name(),
                                  fmt::join(quota.names, ",")));
}

// What the write adds to this quota: on updates only the growth, unless the object is new to it.
ResourceList growth(const AdmissionCall& call, const Quota& quota, const ResourceList& usage,
                    json::View old_object) {
  const auto resource = call.resource.group_resource();
  ResourceList before;
  if (call.verb == "update" && in_scopes(resource, quota.record->body, old_object)) {
    before = usage_of(resource, old_object, call.environment.now);
  }
  ResourceList grown;
  for (const auto& [name, amount] : usage) {
    if (!quota.hard.contains(name)) continue;
    Quantity delta = amount;
    if (const auto at = before.find(name); at != before.end()) delta -= at->second;
    if (delta.sign() > 0) grown.emplace(name, std::move(delta));
  }
  return grown;
}

ResourceList only(const ResourceList& amounts, const std::vector<std::string>& names) {
  ResourceList kept;
  for (const auto& name : names) {
    if (const auto at = amounts.find(name); at != amounts.end()) kept.insert(*at);
  }
  return kept;
}

Answer<void> check_fits(const AdmissionCall& call, const Quota& quota, const ResourceList& grown) {
  std::vector<std::string> exceeded;
  for (const auto& [name, amount] : grown) {
    if (quota.used.find(name)->second + amount > quota.hard.find(name)->second) {
      exceeded.push_back(name);
    }
  }
  if (exceeded.empty()) return {};
  return refuse(
      call, fmt::format("exceeded quota: {}, requested: {}, used: {}, limited: {}", quota.name(),
                        to_text(only(grown, exceeded)), to_text(only(quota.used, exceeded)),
                        to_text(only(quota.hard, exceeded))));
}

Answer<void> check_not_negative(const AdmissionCall& call, const ResourceList& usage) {
  std::vector<std::string> negative;
  for (const auto& [name, amount] : usage) {
    if (amount.sign() < 0) negative.push_back(name);
  }
  if (negative.empty()) return {};
  return refuse(
      call, fmt::format("quota usage is negative for resource(s): {}", fmt::join(negative, ",")));
}

Answer<void> write_used(const AdmissionCall& call, store::Store& store, const Quota& quota,
                        const ResourceList& grown) {
  static const kinds::Kind* const kind =
      kinds::find(kube::GroupVersionKind{"", "v1", "ResourceQuota"});
  ResourceList used = quota.used;
  add(used, grown);
  json::Draft changed{quota.record->body};
  changed.object_at("status")["used"] = to_draft(used);
  const kube::Writer writer{
      .schema = kind->schema(),
      .kind = kind->gvk,
      .manager = "kube-apiserver",
      .subresource = "status",
      .now = call.environment.now,
      .reset_fields = {{"spec"}, {"metadata", "labels"}},
      .api_versions = {}
  };
  if (auto ok = kube::track_update(writer, quota.record->body, changed); !ok) return ok;
  put_object(store, quota.record->key, std::move(changed));
  return {};
}

}  // namespace

Answer<void> charge_quota(const AdmissionCall& call, store::Store& store, json::View object,
                          json::View old_object) {
  const auto resource = call.resource.group_resource();
  if (call.ns.empty() || exempt_from_quota(resource)) return {};
  if (call.environment.weakness == Weakness::IgnoresQuota) return {};
  if (!concerns_quota(call, object, old_object)) return {};
  const auto quotas = quotas_for(call, store.latest(), object);
  if (quotas.empty()) return {};
  for (const auto& quota : quotas) {
    if (auto ok = check_answerable(call, quota, object); !ok) return ok;
  }
  const auto usage = usage_of(resource, object, call.environment.now);
  if (auto ok = check_not_negative(call, usage); !ok) return ok;

  std::vector<ResourceList> grown;
  for (const auto& quota : quotas) {
    grown.push_back(growth(call, quota, usage, old_object));
    // A status tells what already is: it is counted, not refused.
    if (call.subresource == "status") continue;
    if (auto ok = check_fits(call, quota, grown.back()); !ok) return ok;
  }
  if (call.dry_run || call.environment.weakness == Weakness::ChargesNoQuota) return {};
  for (std::size_t i = 0; i < quotas.size(); ++i) {
    if (grown[i].empty()) continue;
    if (auto ok = write_used(call, store, quotas[i], grown[i]); !ok) return ok;
  }
  return {};
}

}  // namespace fixpoint::apiserver
