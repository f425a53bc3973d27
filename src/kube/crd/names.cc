// SPDX-License-Identifier: Apache-2.0
#include "kube/crd/names.h"

#include "base/rfc3339.h"
#include "kube/crd/approval.h"
#include "kube/crd/validate_conversion.h"
#include "kube/errors/field_error.h"
#include "kube/go/text.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

// Empty when the name may be used.
std::string name_conflict(std::string_view wanted, std::string_view held,
                          const std::set<std::string, std::less<>>& used) {
  if (wanted == held || !used.contains(wanted)) return {};
  return fmt::format("{} is already in use", shown(wanted));
}

bool contains(json::View list, std::string_view text) {
  return std::ranges::any_of(list.elements(),
                             [&](json::View each) { return each.as_string() == text; });
}

class Naming {
 public:
  Naming(json::View wanted, json::View held, const NamesInUse& used)
      : wanted_(wanted), held_(held), used_(used), granted_(held) {}

  void run() {
    single("plural", "PluralConflict", used_.resources);
    single("singular", "SingularConflict", used_.resources);
    short_names();
    single("kind", "KindConflict", used_.kinds);
    single("listKind", "ListKindConflict", used_.kinds);
    grant("categories");
  }

  json::Draft granted() && { return std::move(granted_); }
  CrdCondition condition() const {
    if (reason_.empty()) return {"NamesAccepted", "True", "NoConflicts", "no conflicts found"};
    return {"NamesAccepted", "False", reason_, message_};
  }

 private:
  void grant(std::string_view field) {
    if (const auto value = wanted_.find(field); value && !value->is_null()) {
      granted_[field] = json::Draft{*value};
    } else {
      granted_.erase(field);
    }
  }

  void refuse(std::string_view reason, std::string message) {
    reason_ = reason;
    message_ = std::move(message);
  }

  void single(std::string_view field, std::string_view reason,
              const std::set<std::string, std::less<>>& used) {
    auto problem =
        name_conflict(wanted_.get(field).as_string(), held_.get(field).as_string(), used);
    if (problem.empty()) {
      grant(field);
    } else {
      refuse(reason, std::move(problem));
    }
  }

  void short_names() {
    std::vector<std::string> problems;
    for (const auto name : wanted_.get("shortNames").elements()) {
      if (contains(held_.get("shortNames"), name.as_string())) continue;
      auto problem = name_conflict(name.as_string(), "", used_.resources);
      if (!problem.empty()) problems.push_back(std::move(problem));
    }
    if (problems.empty()) {
      grant("shortNames");
    } else {
      refuse("ShortNamesConflict", go_aggregate(problems));
    }
  }

  json::View wanted_;
  json::View held_;
  const NamesInUse& used_;
  json::Draft granted_;
  std::string reason_;
  std::string message_;
};

bool equivalent(json::View old, const CrdCondition& condition) {
  return old.get("status").as_string() == condition.status &&
         old.get("reason").as_string() == condition.reason &&
         old.get("message").as_string() == condition.message;
}

}  // namespace

void NamesInUse::add(json::View crd) {
  const auto names = crd.get("status", "acceptedNames");
  for (const std::string_view field : {"plural", "singular"}) {
    resources.emplace(names.get(field).as_string());
  }
  for (const auto name : names.get("shortNames").elements()) resources.emplace(name.as_string());
  for (const std::string_view field : {"kind", "listKind"}) {
    kinds.emplace(names.get(field).as_string());
  }
}

void set_crd_condition(json::Draft& crd, const CrdCondition& condition, Instant now) {
  auto& conditions = crd.object_at("status").array_at("conditions");
  json::Draft* found = nullptr;
  for (auto& each : conditions.elements()) {
    const auto* type = each.find("type");
    if (type != nullptr && type->as_string() == condition.type) found = &each;
  }
  const bool fresh = found == nullptr;
  if (fresh)
    found = &conditions.push_back(json::Draft::object({
        {"type", condition.type}
    }));
  if (fresh || found->find("status") == nullptr ||
      found->find("status")->as_string() != condition.status) {
    (*found)["lastTransitionTime"] = format_seconds(now);
  }
  (*found)["status"] = condition.status;
  (*found)["reason"] = condition.reason;
  (*found)["message"] = condition.message;
}

bool consider_names(json::Draft& crd, const NamesInUse& used, Instant now) {
  const auto frozen = crd.freeze();
  const auto wanted = frozen.get("spec", "names");
  const auto held = frozen.get("status", "acceptedNames");
  if (wanted == held) return false;
  Naming naming{wanted, held, used};
  naming.run();
  const auto accepted = naming.condition();
  auto granted = std::move(naming).granted().freeze();
  if (granted.view() == held && equivalent(condition_of(frozen, "NamesAccepted"), accepted)) {
    return false;
  }
  crd.object_at("status")["acceptedNames"] = json::Draft{granted};
  set_crd_condition(crd, accepted, now);
  const auto established = condition_of(frozen, "Established");
  if (established.get("status").as_string() == "True") return true;
  if (accepted.status == "True") {
    set_crd_condition(
        crd, {"Established", "False", "Installing", "the initial names have been accepted"}, now);
  } else if (established.is_null()) {
    set_crd_condition(crd, {"Established", "False", "NotAccepted", "not all names are accepted"},
                      now);
  }
  return true;
}

bool establish(json::Draft& crd, Instant now) {
  const auto frozen = crd.freeze();
  if (condition_of(frozen, "NamesAccepted").get("status").as_string() != "True") return false;
  const auto established = condition_of(frozen, "Established");
  if (established.get("status").as_string() == "True") return false;
  CrdCondition condition{"Established", "True", "InitialNamesAccepted",
                         "the initial names have been accepted"};
  const auto bundle = frozen.get("spec", "conversion", "webhook", "clientConfig", "caBundle");
  if (!ca_bundle_problem(bundle).empty()) {
    condition.status = "False";
    condition.reason = "InvalidCABundle";
    condition.message = "The conversion webhook CABundle is invalid";
  }
  if (equivalent(established, condition)) return false;
  set_crd_condition(crd, condition, now);
  return true;
}

bool consider_approval(json::Draft& crd, Instant now) {
  const auto frozen = crd.freeze();
  if (!protected_group(frozen.get("spec", "group").as_string())) return false;
  const auto approval = approval_of(frozen);
  CrdCondition condition{"KubernetesAPIApprovalPolicyConformant", "False", "", approval.reason};
  switch (approval.state) {
    case Approval::Approved:
      condition.status = "True";
      condition.reason = "ApprovedAnnotation";
      break;
    case Approval::Bypassed: condition.reason = "UnapprovedAnnotation"; break;
    case Approval::Missing: condition.reason = "MissingAnnotation"; break;
    case Approval::Invalid: condition.reason = "InvalidAnnotation"; break;
  }
  if (equivalent(condition_of(frozen, condition.type), condition)) return false;
  set_crd_condition(crd, condition, now);
  return true;
}

}  // namespace fixpoint::kube
