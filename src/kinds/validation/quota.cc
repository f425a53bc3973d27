// SPDX-License-Identifier: Apache-2.0
#include "kinds/validation/quota.h"

#include "kinds/conversion/internal_form.h"
#include "kinds/validation/fields.h"
#include "kube/scalars/quantity.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

using kube::Quantity;

// One item of a LimitRange, with its amounts by resource.
class LimitItem {
 public:
  LimitItem(View item, const FieldPath& path, FieldErrors& errors)
      : item_(item), path_(path), errors_(errors) {}

  void check() {
    const auto type = item_.get("type").as_string();
    pods_or_containers_ = type == "Pod" || type == "Container";
    check_names("max");
    check_names("min");
    if (type == "Pod") {
      forbid_for_pods("default");
      forbid_for_pods("defaultRequest");
    } else {
      check_names("default");
      check_names("defaultRequest");
    }
    if (type == "PersistentVolumeClaim" && !amount("min", "storage") && !amount("max", "storage")) {
      note_required(
          path_.child("limits"), errors_,
          "either minimum or maximum storage value is required, but neither was provided");
    }
    check_names("maxLimitRequestRatio");
    for (const auto& name : names_) check_amounts(name);
  }

 private:
  void check_names(std::string_view list) {
    const FieldPath here = path_.child(list);
    for (const auto [name, value] : item_.get(list).members()) {
      names_.emplace(name);
      if (pods_or_containers_) {
        check_container_resource_name(name, here.key(name), errors_);
      } else {
        check_resource_name(name, here.key(name), errors_);
      }
    }
  }

  void forbid_for_pods(std::string_view list) {
    if (item_.get(list).empty()) return;
    note_forbidden(path_.child(list), "may not be specified when `type` is 'Pod'", errors_);
  }

  std::optional<Quantity> amount(std::string_view list, std::string_view name) const {
    if (item_.get("type").as_string() == "Pod" && list.starts_with("default")) return std::nullopt;
    const View value = item_.get(list, name);
    if (value.is_null()) return std::nullopt;
    const auto parsed = Quantity::parse(value.as_string());
    return parsed ? std::optional{*parsed} : std::nullopt;
  }

  void too_big(std::string_view list, std::string_view name, const Quantity& shown,
               std::string detail) {
    const FieldPath here = path_.child(list);
    note_invalid(here.key(name), shown.to_string(), detail, errors_);
  }

  void check_amounts(const std::string& name) {
    const auto min = amount("min", name);
    const auto max = amount("max", name);
    const auto limit = amount("default", name);
    const auto request = amount("defaultRequest", name);
    const auto text = [](const std::optional<Quantity>& q) { return q->to_string(); };
    if (min && max && *min > *max) {
      too_big("min", name, *min,
              fmt::format("min value {} is greater than max value {}", text(min), text(max)));
    }
    if (request && min && *min > *request) {
      too_big("defaultRequest", name, *request,
              fmt::format("min value {} is greater than default request value {}", text(min),
                          text(request)));
    }
    if (request && max && *request > *max) {
      too_big("defaultRequest", name, *request,
              fmt::format("default request value {} is greater than max value {}", text(request),
                          text(max)));
    }
    if (request && limit && *request > *limit) {
      too_big("defaultRequest", name, *request,
              fmt::format("default request value {} is greater than default limit value {}",
                          text(request), text(limit)));
    }
    if (limit && min && *min > *limit) {
      too_big("default", name, *min,
              fmt::format("min value {} is greater than default value {}", text(min), text(limit)));
    }
    if (limit && max && *limit > *max) {
      too_big("default", name, *max,
              fmt::format("default value {} is greater than max value {}", text(limit), text(max)));
    }
    check_ratio(name, min, max);
  }

  void check_ratio(const std::string& name, const std::optional<Quantity>& min,
                   const std::optional<Quantity>& max) {
    const auto ratio = amount("maxLimitRequestRatio", name);
    if (!ratio) return;
    if (*ratio < Quantity::of(1)) {
      too_big("maxLimitRequestRatio", name, *ratio,
              fmt::format("ratio {} is less than 1", ratio->to_string()));
    }
    if (!min || !max || min->sign() == 0) return;
    const double bound = max->approximate() / min->approximate();
    if (ratio->approximate() > bound) {
      too_big("maxLimitRequestRatio", name, *ratio,
              fmt::format("ratio {} is greater than max/min = {:.6f}", ratio->to_string(), bound));
    }
  }

  View item_;
  const FieldPath& path_;
  FieldErrors& errors_;
  bool pods_or_containers_ = false;
  std::set<std::string> names_;
};

void check_limit_type(View type, const FieldPath& path, FieldErrors& errors) {
  const auto text = type.as_string();
  const auto before = errors.size();
  kube::note_problems(path, text, kube::qualified_name_problems, errors);
  if (errors.size() > before || text.find('/') != std::string_view::npos) return;
  if (text != "Pod" && text != "Container" && text != "PersistentVolumeClaim") {
    note_invalid(path, text, "must be a standard limit type or fully qualified", errors);
  }
}

void check_quota_amounts(View amounts, const FieldPath& path, FieldErrors& errors) {
  for (const auto [name, amount] : amounts.members()) {
    const FieldPath here = path.key(name);
    check_quota_resource_name(name, here, errors);
    check_resource_amount(name, amount, here, errors);
  }
}

bool scope_known(std::string_view scope) {
  constexpr std::array<std::string_view, 7> kScopes{
      "Terminating",          "NotTerminating", "BestEffort",
      "NotBestEffort",        "PriorityClass",  "CrossNamespacePodAffinity",
      "VolumeAttributesClass"};
  return std::ranges::find(kScopes, scope) != kScopes.end();
}

bool scope_fits(std::string_view scope, std::string_view resource) {
  constexpr std::array<std::string_view, 6> kCompute{
      "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"};
  if (!scope_known(scope)) return true;
  if (scope == "VolumeAttributesClass") {
    return resource == "persistentvolumeclaims" || resource == "requests.storage";
  }
  if (resource == "pods") return true;
  return scope != "BestEffort" && std::ranges::find(kCompute, resource) != kCompute.end();
}

bool standard_for_quota(std::string_view resource) {
  FieldErrors unused;
  check_quota_resource_name(resource, FieldPath{}, unused);
  return unused.empty() && resource.find('/') == std::string_view::npos;
}

void check_conflicts(const std::set<std::string_view>& scopes, View shown, const FieldPath& path,
                     FieldErrors& errors) {
  for (const auto& [a, b] : {
           std::pair{"BestEffort",  "NotBestEffort" },
           std::pair{"Terminating", "NotTerminating"}
  }) {
    if (scopes.contains(a) && scopes.contains(b)) {
      note_invalid(path, shown, "conflicting scopes", errors);
    }
  }
}

void check_scopes(View spec, FieldErrors& errors) {
  const View scopes = spec.get("scopes");
  const FieldPath root{"spec"};
  const FieldPath path = root.child("scopes");
  std::set<std::string_view> seen;
  for (const View scope : scopes.elements()) {
    if (!scope_known(scope.as_string())) note_invalid(path, scopes, "unsupported scope", errors);
    for (const auto [resource, amount] : spec.get("hard").members()) {
      if (standard_for_quota(resource) && !scope_fits(scope.as_string(), resource)) {
        note_invalid(path, scopes, "unsupported scope applied to resource", errors);
      }
    }
    seen.insert(scope.as_string());
  }
  check_conflicts(seen, scopes, path, errors);
}

void check_scope_expression(View expression, View spec, const FieldPath& path,
                            FieldErrors& errors) {
  const auto scope = expression.get("scopeName").as_string();
  const auto op = expression.get("operator").as_string();
  const View values = expression.get("values");
  if (!scope_known(scope))
    note_invalid(path.child("scopeName"), scope, "unsupported scope", errors);
  for (const auto [resource, amount] : spec.get("hard").members()) {
    if (!standard_for_quota(resource) || scope_fits(scope, resource)) continue;
    errors.push_back(kube::invalid(path, internal_text("ScopeSelector", spec.get("scopeSelector")),
                                   "unsupported scope applied to resource"));
  }
  if (scope_known(scope) && scope != "PriorityClass" && scope != "VolumeAttributesClass" &&
      op != "Exists") {
    note_invalid(path.child("operator"), op,
                 "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, "
                 "ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, "
                 "ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
                 errors);
  }
  if (op == "In" || op == "NotIn") {
    if (values.empty()) {
      note_required(
          path.child("values"), errors,
          "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector");
    }
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!values.empty()) {
      note_invalid(
          path.child("values"), values,
          "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
          errors);
    }
  } else {
    note_invalid(path.child("operator"), op, "not a valid selector operator", errors);
  }
}

FieldErrors validate_quota_spec(View spec) {
  FieldErrors errors;
  const FieldPath root{"spec"};
  check_quota_amounts(spec.get("hard"), root.child("hard"), errors);
  check_scopes(spec, errors);
  const FieldPath selector = root.child("scopeSelector");
  const FieldPath expressions = selector.child("matchExpressions");
  std::set<std::string_view> seen;
  for (const View expression : spec.get("scopeSelector", "matchExpressions").elements()) {
    check_scope_expression(expression, spec, expressions, errors);
    seen.insert(expression.get("scopeName").as_string());
  }
  check_conflicts(seen, spec.get("scopes"), expressions, errors);
  return errors;
}

}  // namespace

FieldErrors validate_limit_range(View object) {
  FieldErrors errors;
  const FieldPath spec{"spec"};
  const FieldPath path = spec.child("limits");
  const View limits = object.get("spec", "limits");
  std::set<std::string_view> types;
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const FieldPath here = path.index(i);
    const View type = limits[i].get("type");
    check_limit_type(type, here.child("type"), errors);
    if (!types.insert(type.as_string()).second) {
      errors.push_back(kube::duplicate(here.child("type"), type));
    }
    LimitItem{limits[i], here, errors}.check();
  }
  return errors;
}

FieldErrors validate_limit_range_update(View object, View) {
  return validate_limit_range(object);
}

FieldErrors validate_resource_quota(View object) {
  return validate_quota_spec(object.get("spec"));
}

FieldErrors validate_resource_quota_update(View object, View old_object) {
  FieldErrors errors = validate_quota_spec(object.get("spec"));
  const auto scopes = [](View quota) {
    std::set<std::string> set;
    for (const View each : quota.get("spec", "scopes").elements()) set.emplace(each.as_string());
    return set;
  };
  const FieldPath spec{"spec"};
  if (scopes(object) != scopes(old_object)) {
    note_invalid(spec.child("scopes"), object.get("spec", "scopes"), kImmutable, errors);
  }
  return errors;
}

FieldErrors validate_resource_quota_status_update(View object, View) {
  FieldErrors errors;
  const FieldPath status{"status"};
  check_quota_amounts(object.get("status", "hard"), status.child("hard"), errors);
  check_quota_amounts(object.get("status", "used"), status.child("used"), errors);
  return errors;
}

}  // namespace fixpoint::kinds
