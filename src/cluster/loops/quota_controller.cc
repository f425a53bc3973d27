// SPDX-License-Identifier: Apache-2.0
#include "cluster/loops/quota_controller.h"

#include "apiserver/admission/quota_usage.h"
#include "apiserver/definition.h"
#include "json/draft.h"
#include "json/print.h"
#include "kube/meta/metadata.h"

#include <algorithm>

namespace fixpoint::cluster {
namespace {

using apiserver::ResourceList;

constexpr std::string_view kQuotas = "resourcequotas/";

// "deployments.apps/" is deployments of apps.
kube::GroupResource resource_of_prefix(std::string_view prefix) {
  prefix.remove_suffix(1);
  const auto dot = std::min(prefix.find('.'), prefix.size());
  return {std::string{prefix.substr(std::min(dot + 1, prefix.size()))},
          std::string{prefix.substr(0, dot)}};
}

// Whether an update may have made an object use less.
bool may_free(std::string_view prefix, json::View before, json::View after) {
  if (prefix != "pods/" && prefix != "services/" && prefix != "persistentvolumeclaims/") {
    return false;
  }
  const auto differs = [&](auto... path) { return !(before.get(path...) == after.get(path...)); };
  return differs("spec") || differs("status", "phase") || differs("status", "allocatedResources");
}

bool limits_changed(const store::Event& event) {
  const json::View now = event.after->body;
  if (!event.before || now.get("status", "hard").is_null()) return true;
  return !(event.before->body.get("spec") == now.get("spec"));
}

// What is known to be used, brought up to date; only what is limited is told.
ResourceList new_used(const store::Snapshot& snapshot, json::View quota, Instant now) {
  const auto hard = apiserver::read_resources(quota.get("spec", "hard"));
  ResourceList used = apiserver::read_resources(quota.get("status", "used"));
  for (auto& [name, amount] : apiserver::usage_of(snapshot, quota, now)) used[name] = amount;
  std::erase_if(used, [&](const auto& entry) { return !hard.contains(entry.first); });
  return used;
}

}  // namespace

void QuotaController::begin(Api& api) {
  add_all(api);
}

void QuotaController::observe(const store::Event& event) {
  const auto parts = split_key(event.key());
  if (parts.prefix == kQuotas && event.after && limits_changed(event)) {
    quotas_.add(event.after->key);
  }
  // A new definition may be one whose instances a quota counts.
  if (parts.prefix == apiserver::kDefinitionPrefix) definitions_changed_ = true;
  if (parts.ns.empty()) return;
  const bool frees = !event.after || (event.before && may_free(parts.prefix, event.before->body,
                                                               event.after->body));
  if (frees) freed_.add(std::string{parts.prefix} + std::string{parts.ns});
}

bool QuotaController::step(Api& api) {
  if (definitions_changed_ || (recount_all_at_ && *recount_all_at_ <= api.now())) {
    definitions_changed_ = false;
    add_all(api);
    return true;
  }
  if (const auto freed = freed_.take()) {
    add_affected(api, *freed);
    return true;
  }
  const auto key = quotas_.take();
  if (!key) return false;
  recount(api, *key);
  return true;
}

void QuotaController::add_all(Api& api) {
  recount_all_at_.reset();
  api.latest().scan(kQuotas, {}, [&](const store::RecordRef& record) {
    quotas_.add(record->key);
    recount_all_at_ = api.now() + kRecountEvery;
    return true;
  });
}

void QuotaController::add_affected(Api& api, std::string_view freed) {
  const auto slash = freed.find('/');
  const auto resource = resource_of_prefix(freed.substr(0, slash + 1));
  const std::string quotas{std::string{kQuotas} + std::string{freed.substr(slash + 1)} + "/"};
  api.latest().scan(quotas, {}, [&](const store::RecordRef& record) {
    const auto hard = apiserver::read_resources(record->body.get("spec", "hard"));
    if (!apiserver::names_used_by(resource, hard).empty()) quotas_.add(record->key);
    return true;
  });
}

void QuotaController::recount(Api& api, const std::string& key) {
  const auto record = api.latest().find(key);
  if (!record) return;
  if (!recount_all_at_) recount_all_at_ = api.now() + kRecountEvery;
  const json::View hard = record->body.get("spec", "hard");
  if (hard.empty()) return;
  const json::View status = record->body.get("status");
  const auto used = new_used(api.latest(), record->body, api.now());
  if (status.get("hard") == hard && apiserver::read_resources(status.get("used")) == used) return;

  json::Draft changed{record->body};
  changed["status"] = json::Draft::object({
      {"hard", hard                     },
      {"used", apiserver::to_draft(used)}
  });
  const json::Value body = changed.freeze();
  const auto resource = resource_of(api, body);
  FP_CHECK(resource.has_value());
  auto request = request_for(*resource, apiserver::Verb::Update, kube::namespace_of(body),
                             kube::name_of(body));
  request.subresource = "status";
  request.body = json::to_text(body);
  // Somebody was faster: count again. Any other refusal is tried again with the next recount.
  if (api.call(request).code == 409) quotas_.add(key);
}

}  // namespace fixpoint::cluster
