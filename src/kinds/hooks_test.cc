// SPDX-License-Identifier: Apache-2.0
//
// tests/testdata/kinds/*.json: objects and what a real server made of them (tools/record_kinds
// writes the answers). Our hooks must come to the same objects and the same refusals.
#include "kinds/hooks.h"

#include "json/print.h"
#include "kinds/services/addresses.h"
#include "kinds/services/ports.h"
#include "kinds/validation/metadata_checks.h"
#include "kube/meta/metadata.h"
#include "kube/meta/validate_metadata.h"
#include "kube/table_for_tests.h"
#include "kube/typed/typed.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace fixpoint::kinds {
namespace {

using json::Draft;
using json::View;

const HookContext kContext{VirtualClock{}.wall()};

Kind hooks_of(View object) {
  Kind kind;
  kind.gvk = kube::gvk_of(object);
  attach_hooks(kind);
  return kind;
}

// Empty things are typed decoding's business: it prints `resources: {}`, hooks do not.
Draft without_empty(View value, bool in_status) {
  if (value.is_array()) {
    Draft out = Draft::array();
    for (const View each : value.elements()) out.push_back(without_empty(each, in_status));
    return out;
  }
  if (!value.is_object()) return value;
  Draft out = Draft::object();
  for (const auto [key, member] : value.members()) {
    Draft kept = without_empty(member, in_status || key == "status");
    const bool empty = kept.is_null() || ((kept.is_object() || kept.is_array()) && kept.empty());
    const bool blank = kept.is_string() && kept.as_string().empty() &&
                       (in_status || key == "name" || key.starts_with("reporting"));
    if (blank || key == "lastPhaseTransitionTime") continue;
    const bool zero = in_status && kept.type() == json::Type::Int && kept.as_int() == 0;
    if (!empty && !zero) out[key] = std::move(kept);
  }
  return out;
}

// The finalizers that protect storage are put on by admission, which is the server's.
void drop_protection(Draft& object) {
  const Draft* finalizers = object.find("metadata", "finalizers");
  if (finalizers == nullptr || finalizers->elements().size() != 1) return;
  if (finalizers->elements()[0].as_string().ends_with("-protection")) {
    object.object_at("metadata").erase("finalizers");
  }
}

// Of an update's answer the status is not compared: it is the old object's, and controllers write
// it.
std::string comparable(View object, bool update) {
  Draft draft = without_empty(object, false);
  for (const auto* key : {"namespace", "uid"}) draft["metadata"].erase(key);
  if (update) draft.erase("status");
  drop_protection(draft);
  const auto kept = draft.freeze();
  return json::to_pretty_text(kept);
}

// What a server settles of a service before anything else.
kube::FieldErrors settle(const Kind& kind, Draft& object, View old_object) {
  if (kind.gvk.kind != "Service") return {};
  Draft& spec = object.object_at("spec");
  const auto before = ServiceAddresses::of(old_object.get("spec"));
  const auto* old = old_object.is_null() ? nullptr : &before;
  const json::Value given = spec.freeze();
  auto now = ServiceAddresses::of(given);
  follow_old_addresses(now, old);
  if (old != nullptr) keep_ports(spec, old_object.get("spec"));
  auto errors = settle_families(now, old);
  now.write_to(spec);
  return errors;
}

json::Value prepared(const Kind& kind, View input, View old_object) {
  Draft object{input};
  object["metadata"]["namespace"] = "cases";  // where the answers were recorded
  object["metadata"]["uid"] = "1";
  if (kind.set_defaults != nullptr) kind.set_defaults(object);
  settle(kind, object, old_object);
  if (kind.prepare != nullptr) kind.prepare(object, old_object, kContext);
  if (kind.as_read != nullptr) kind.as_read(object);
  return object.freeze();
}

// Metadata is validated by the server before the hooks, and tested in kube; taints live elsewhere
// and are only reported there.
bool hooks_own(std::string_view field) {
  return !field.starts_with("metadata.") || field.starts_with("metadata.taints") ||
         field.starts_with("metadata.finalizers[");
}

std::vector<std::string> expected_errors(View answer) {
  std::vector<std::string> errors;
  for (const View cause : answer.get("causes").elements()) {
    if (hooks_own(cause.as_string())) errors.emplace_back(cause.as_string());
  }
  return errors;
}

std::vector<std::string> errors_of(const Kind& kind, View object, View old_object) {
  Draft again{object};
  kube::FieldErrors errors = settle(kind, again, old_object);
  if (!errors.empty()) {
    // Nothing else is looked at.
  } else if (old_object.is_null()) {
    if (kind.validate != nullptr) errors = kind.validate(object);
  } else if (kind.validate_update != nullptr) {
    // Typed decoding makes the two alike in what is empty.
    const auto now = without_empty(object, false).freeze();
    const auto before = without_empty(old_object, false).freeze();
    for (const char one : metadata_checks(kind, "").order) {
      if (one == 'N') kube::append(errors, kind.validate(now));
    }
    kube::append(errors, kind.validate_update(now, before));
  }
  std::vector<std::string> texts;
  for (const auto& error : errors) {
    if (hooks_own(error.field)) texts.push_back(error.to_string());
  }
  return texts;
}

void check_table(const std::string& path) {
  const auto table = kube::read_table(path);
  for (const View row : table.view().elements()) {
    SCOPED_TRACE(row.get("about").as_string());
    const View input = row.get("input");
    const View stored = row.get("stored");
    const View answer = row.get("answer");
    const bool update = !stored.is_null();
    const Kind kind = hooks_of(input);
    const auto object = prepared(kind, input, stored);
    EXPECT_EQ(errors_of(kind, object, stored), expected_errors(answer));
    if (!answer.get("object").is_null()) {
      EXPECT_EQ(comparable(object, update), comparable(answer.get("object"), update));
    }
  }
}

// The whole way of a new object through a server: decoded, defaulted, prepared, and decoded again
// so that what the hooks left out or emptied looks as it does in a Go struct.
json::Value created(const Kind& kind, View input) {
  auto decoded = kube::decode_typed(*kind.schema(), input);
  EXPECT_TRUE(decoded.has_value()) << (decoded ? "" : decoded.error().message);
  if (!decoded) return {};
  Draft object{decoded->value};
  object["metadata"]["namespace"] = "cases";
  if (kind.set_defaults != nullptr) kind.set_defaults(object);
  if (kind.has_status && kind.gvk.kind != "Node") object.erase("status");
  settle(kind, object, {});
  if (kind.prepare != nullptr) kind.prepare(object, {}, kContext);
  if (kind.as_read != nullptr) kind.as_read(object);
  const auto whole = object.freeze();
  auto again = kube::decode_typed(*kind.schema(), whole);
  EXPECT_TRUE(again.has_value()) << (again ? "" : again.error().message);
  return again ? again->value : json::Value{};
}

std::string without_volatile(View object) {
  Draft draft{object};
  for (const auto* key : {"namespace", "creationTimestamp"}) draft.object_at("metadata").erase(key);
  if (Draft* status = draft.find("status")) status->erase("lastPhaseTransitionTime");
  drop_protection(draft);
  const auto kept = draft.freeze();
  return json::to_pretty_text(kept);
}

TEST(KindHooks, AnswerANewObjectByteForByteAsARealServerDoes) {
  const auto table = kube::read_table("kinds/defaults.json");
  for (const View row : table.view().elements()) {
    SCOPED_TRACE(row.get("about").as_string());
    const Kind* kind = find(kube::gvk_of(row.get("input")));
    ASSERT_NE(kind, nullptr);
    const auto object = created(*kind, row.get("input"));
    EXPECT_EQ(without_volatile(object), without_volatile(row.get("answer", "object")));
  }
}

TEST(KindHooks, WarnAsARealServerDoes) {
  const auto table = kube::read_table("kinds/warnings.json");
  for (const View row : table.view().elements()) {
    SCOPED_TRACE(row.get("about").as_string());
    const Kind kind = hooks_of(row.get("input"));
    const auto object = prepared(kind, row.get("input"), {});
    std::vector<std::string> warnings;
    if (kind.warnings != nullptr) warnings = kind.warnings(object);
    EXPECT_EQ(warnings, kube::texts_of(row.get("warnings")));
  }
}

TEST(KindHooks, TakeWhatTheyWarnOf) {
  check_table("kinds/warnings.json");
}

TEST(KindHooks, ADeploymentsAnnotationsMakeAGeneration) {
  const auto before =
      json::parse(R"({"kind":"Deployment","apiVersion":"apps/v1","spec":{"replicas":1}})");
  const auto annotated = json::parse(
      R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{"annotations":{"a":"b"}},"spec":{"replicas":1}})");
  const auto labelled = json::parse(
      R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{"labels":{"a":"b"}},"spec":{"replicas":1}})");
  const Kind kind = hooks_of(*before);
  ASSERT_NE(kind.generation_changes, nullptr);
  EXPECT_TRUE(kind.generation_changes(*annotated, *before));
  EXPECT_FALSE(kind.generation_changes(*labelled, *before));
}

TEST(KindHooks, SetTheDefaultsOfARealServer) {
  check_table("kinds/defaults.json");
}

TEST(KindHooks, RefuseConfigurationAsARealServerDoes) {
  check_table("kinds/config.json");
}

TEST(KindHooks, RefusePodsAndWorkloadsAsARealServerDoes) {
  check_table("kinds/pod.json");
}

TEST(KindHooks, RefuseNetworksAsARealServerDoes) {
  check_table("kinds/network.json");
}

TEST(KindHooks, RefuseStorageNodesAndPoliciesAsARealServerDoes) {
  check_table("kinds/cluster.json");
}

TEST(KindHooks, JudgeUpdatesAsARealServerDoes) {
  check_table("kinds/updates.json");
}

TEST(KindHooks, JudgeWhatControllersKeepAsARealServerDoes) {
  check_table("kinds/rest.json");
}

}  // namespace
}  // namespace fixpoint::kinds
