// SPDX-License-Identifier: Apache-2.0
//
// CustomResourceDefinitions themselves. Most steps are dry runs of good and bad ones, which cost a
// real server little; a few sequences live through a definition's whole life, with pauses since a
// real server takes note of it in its own time.
#include "base/error.h"
#include "json/parsing/parse.h"
#include "json/patch/patch.h"
#include "json/print.h"
#include "tests/conformance/area.h"
#include "tests/conformance/custom_kinds.h"
#include "tests/conformance/definition_edits.h"

#include <chrono>
#include <vector>

#include <fmt/format.h>

namespace fixpoint::conformance {
namespace {

constexpr Duration kNoticed = std::chrono::milliseconds{1500};
// A real server looks every five seconds whether the instances of a definition are gone.
constexpr Duration kGone = std::chrono::milliseconds{6500};

constexpr Sort kDefinition{.group_version = "apiextensions.k8s.io/v1",
                           .kind = "CustomResourceDefinition",
                           .resource = "customresourcedefinitions",
                           .namespaced = false};
// The sequence's own kind, once its definition is there.
constexpr std::string_view kThings = "/apis/<<id>>.example.com/v1/namespaces/<<ns>>/things";

constexpr std::string_view kOneVersion = R"({
  "apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
  "metadata":{"name":"things.<<id>>.example.com"},
  "spec":{"group":"<<id>>.example.com","scope":"Namespaced",
    "names":{"plural":"things","singular":"thing","kind":"Thing","listKind":"ThingList"},
    "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",
      "properties":{"spec":{"type":"object","properties":{"a":{"type":"string"},"n":{"type":"integer"}}},
                    "status":{"type":"object","properties":{"n":{"type":"integer"}}}}}}}]}})";

std::string path_of(std::string_view name) {
  return fmt::format("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{}", name);
}

std::string own_path() {
  return path_of("things.<<id>>.example.com");
}

// `text` after one JSON patch; a patch that does not fit leaves it as it is.
json::Value after_patch(const json::Value& text, const std::string& patch) {
  const auto operations = json::parse(patch);
  FP_CHECK(operations.has_value());
  auto done = json::apply_patch(text, *operations);
  return done ? *std::move(done) : text;
}

std::string as_patch(const DefinitionEdit& edit) {
  if (edit.value.empty()) return fmt::format(R"([{{"op":"remove","path":"{}"}}])", edit.path);
  return fmt::format(R"([{{"op":"add","path":"{}","value":{}}}])", edit.path, edit.value);
}

json::Value base(Gen& gen) {
  auto whole = *json::parse(kOneVersion);
  if (gen.chance(40)) {
    whole =
        after_patch(whole, R"([{"op":"copy","from":"/spec/versions/0","path":"/spec/versions/1"},)"
                           R"({"op":"add","path":"/spec/versions/1/name","value":"v1alpha1"},)"
                           R"({"op":"add","path":"/spec/versions/1/storage","value":false}])");
  }
  return whole;
}

// One thing changed: a field of the definition or a schema below spec.
json::Value changed(Gen& gen, const json::Value& whole) {
  if (gen.chance(45)) return after_patch(whole, as_patch(gen.pick(definition_edits())));
  const std::string schema = gen.chance(20)   ? gen.pick(definition_rules())
                             : gen.chance(20) ? malformed_rule(gen)
                                              : std::string{gen.pick(definition_schemas())};
  return after_patch(whole,
                     fmt::format(R"([{{"op":"add","path":"/spec/versions/0/schema/openAPIV3Schema)"
                                 R"(/properties/spec/properties/x","value":{}}}])",
                                 schema));
}

Step create_definition(const json::Value& whole) {
  auto step = create(kDefinition, whole);
  return step;
}

Step try_create(Gen& gen) {
  auto step = with(create_definition(changed(gen, base(gen))), "dryRun=All");
  if (gen.chance(15)) {
    step = with(std::move(step), "fieldValidation=" + gen.pick({"Strict", "Warn", "Ignore"}));
  }
  return step;
}

// A real server falls over its own feet where a definition with selectable fields gets a schema
// that it cannot read, and breaks the connection off; there is nothing to compare then.
bool hides_the_schema(const DefinitionEdit& edit) {
  return edit.path.ends_with("/$ref") || edit.path.ends_with("/id") ||
         edit.path.ends_with("/definitions");
}

const std::vector<std::string_view>& merge_changes() {
  static const std::vector<std::string_view> kChanges{
      R"({"spec":{"scope":"Cluster"}})",
      R"({"spec":{"group":"other.example.com"}})",
      R"({"spec":{"names":{"plural":"others"}}})",
      R"({"spec":{"names":{"kind":"Other"}}})",
      R"({"spec":{"versions":[]}})",
      R"({"spec":{"names":{"shortNames":["a","b"]}}})",
      R"({"metadata":{"labels":{"a":"b"}}})",
      R"({"spec":null})",
      R"({"spec":{"preserveUnknownFields":true}})",
      R"({"status":{"storedVersions":[]}})",
      R"({"spec":{"conversion":{"strategy":"Webhook"}}})",
      R"({"spec":{"conversion":null}})",
      R"({"spec":{"names":{"categories":["Bad Cat"]}}})",
  };
  return kChanges;
}

// Whole, by a manager, or not changed at all: the other verbs.
Step try_other_verb(Gen& gen, std::string_view name) {
  Step step;
  step.path = path_of(name);
  step.query = "dryRun=All";
  const std::string change{gen.pick(merge_changes())};
  switch (gen.between(0, 5)) {
    case 0:
    case 1:
      step.method = "PUT";
      step.base = step.path;
      step.body = change;
      break;
    case 2:
      step.method = "PATCH";
      step.content_type = "application/apply-patch+yaml";
      step.query += "&fieldManager=" + gen.pick({"one", "two"}) + gen.pick({"", "&force=true"});
      step.body = fmt::format(
          R"({{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
          R"("metadata":{{"name":"{}"}},"spec":{}}})",
          name,
          gen.pick({R"({"names":{"shortNames":["a","b"]}})", R"({"names":{"kind":"Other"}})",
                    R"({"scope":"Cluster"})", "{}", R"({"versions":[{"name":"v1"}]})",
                    R"({"conversion":{"strategy":"None"}})"}));
      break;
    case 3:
      step.method = "PATCH";
      step.content_type = "application/strategic-merge-patch+json";
      step.body = change;
      break;
    case 4:
      step.method = "DELETE";
      if (gen.chance(50)) {
        step.path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        step.query += "&labelSelector=nobody%3D<<id>>";
      }
      break;
    default:
      step.path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
      step.query = gen.pick({"fieldSelector=metadata.name%3D",
                             "resourceVersion=0&fieldSelector=metadata.name%3D"}) +
                   std::string{name};
  }
  return step;
}

// Against the definitions that are always there: what may change and what may not.
Step try_change(Gen& gen) {
  const std::string name = gen.pick({"gadgets", "bags", "zones", "crates"});
  const auto at = [](std::string_view plural) {
    return path_of(std::string{plural} + ".conform.example.com");
  };
  if (gen.chance(30)) return try_other_verb(gen, name + ".conform.example.com");
  Step step;
  step.path = at(name);
  step.query = "dryRun=All";
  step.method = "PATCH";
  switch (gen.between(0, 3)) {
    case 0: {
      const auto& edit = gen.pick(definition_edits());
      if (name == "gadgets" && hides_the_schema(edit)) step.path = at("crates");
      step.content_type = "application/json-patch+json";
      step.body = as_patch(edit);
      break;
    }
    case 1:
      step.content_type = "application/json-patch+json";
      step.body = gen.pick(definition_changes());
      break;
    case 2:
      step.content_type = "application/merge-patch+json";
      step.body = gen.pick(merge_changes());
      break;
    default:
      step.path += "/status";
      step.content_type = "application/merge-patch+json";
      step.body = gen.pick(
          {R"({"status":{"storedVersions":[]}})", R"({"status":{"storedVersions":["v9"]}})",
           R"({"status":{"storedVersions":["v1","v9"]}})", R"({"status":null})",
           R"({"status":{"acceptedNames":{"plural":"x"}}})",
           R"({"status":{"conditions":[{"type":"Odd","status":"True"}]}})",
           R"({"spec":{"scope":"Cluster"}})", R"({"metadata":{"labels":{"a":"b"}}})"});
  }
  return step;
}

// The definition at `path` has come to rest.
Step settled(Step step, Duration after = kNoticed, std::string path = own_path()) {
  step.settle = after;
  step.rests_at = std::move(path);
  return step;
}

Step read(std::string path) {
  Step step;
  step.path = std::move(path);
  return step;
}

Step patched(std::string path, std::string body,
             std::string_view type = "application/merge-patch+json") {
  Step step;
  step.method = "PATCH";
  step.path = std::move(path);
  step.body = std::move(body);
  step.content_type = type;
  return step;
}

Step thing(std::string_view name, std::string_view rest) {
  Step step;
  step.method = "POST";
  step.path = kThings;
  step.body = fmt::format(R"({{"apiVersion":"<<id>>.example.com/v1","kind":"Thing","metadata":)"
                          R"({{"name":"{}"}}{}}})",
                          name, rest);
  return step;
}

Step remove_at(std::string path) {
  Step step;
  step.method = "DELETE";
  step.path = std::move(path);
  return step;
}

Step some_life(Gen& gen) {
  const auto things = std::string{kThings};
  switch (gen.between(0, 12)) {
    case 0: return thing(gen.pick({"a", "b"}), R"(,"spec":{"a":"x","n":1,"zz":1})");
    case 1: return thing("c", R"(,"spec":{"n":"x"})");
    case 2:
      return patched(things + "/a", gen.pick({R"({"spec":{"n":5}})", R"({"status":{"n":5}})"}));
    case 3: return patched(things + "/a/status", R"({"status":{"n":7},"spec":{"n":8}})");
    case 4: return read(things + "/a");
    case 5: return read("/apis/<<id>>.example.com");
    case 6: return read("/apis/<<id>>.example.com/" + gen.pick({"v1", "v2"}));
    case 7:
      return settled(
          patched(own_path(),
                  R"([{"op":"add","path":"/spec/versions/0/subresources","value":{"status":{}}}])",
                  "application/json-patch+json"));
    case 8:
      return settled(
          patched(own_path(),
                  R"([{"op":"copy","from":"/spec/versions/0","path":"/spec/versions/1"},)"
                  R"({"op":"replace","path":"/spec/versions/1/name","value":"v2"},)"
                  R"({"op":"replace","path":"/spec/versions/1/storage","value":false}])",
                  "application/json-patch+json"));
    case 9:
      return settled(patched(own_path(), as_patch(gen.pick(definition_edits())),
                             "application/json-patch+json"));
    case 10:
      return settled(patched(own_path(),
                             R"([{"op":"replace","path":"/spec/versions/0/served","value":false}])",
                             "application/json-patch+json"));
    case 11: return patched(things + "/a", R"({"metadata":{"finalizers":["x.example.com/f"]}})");
    default: return read(own_path());
  }
}

Sequence life(Gen& gen) {
  Sequence sequence;
  sequence.http_only = true;
  sequence.watches = {"-"};
  auto whole = gen.chance(50) ? base(gen) : changed(gen, base(gen));
  if (gen.chance(40)) {
    whole = after_patch(
        whole, R"([{"op":"add","path":"/spec/versions/0/subresources","value":{"status":{}}}])");
  }
  auto& steps = sequence.steps;
  steps.push_back(settled(create_definition(whole)));
  steps.push_back(read(own_path()));
  steps.push_back(thing("a", R"(,"spec":{"a":"x"})"));
  for (auto left = gen.between(2, 6); left > 0; --left) steps.push_back(some_life(gen));
  steps.push_back(settled(remove_at(own_path()), kGone));
  steps.push_back(read(own_path()));
  if (gen.chance(50)) {
    steps.push_back(thing("late", ""));
    steps.push_back(read(std::string{kThings}));
  }
  // Whatever held it up lets go, so that no definition stays behind: a real server has few workers
  // for their ends, and each one that cannot end keeps one of them busy for a minute.
  steps.push_back(settled(
      patched(own_path(), R"([{"op":"replace","path":"/spec/versions/0/served","value":true}])",
              "application/json-patch+json")));
  steps.push_back(
      settled(patched(std::string{kThings} + "/a", R"({"metadata":{"finalizers":null}})"), kGone));
  steps.push_back(read(own_path()));
  return sequence;
}

// Two definitions that want the same names.
Sequence clash(Gen& gen) {
  Sequence sequence;
  sequence.http_only = true;
  sequence.watches = {"-"};
  const auto first = *json::parse(kOneVersion);
  auto second = after_patch(
      first, R"([{"op":"replace","path":"/metadata/name","value":"others.<<id>>.example.com"},)"
             R"({"op":"replace","path":"/spec/names/plural","value":"others"}])");
  if (gen.chance(70)) {
    second =
        after_patch(second, R"([{"op":"replace","path":"/spec/names/singular","value":"other"}])");
  }
  if (gen.chance(50)) {
    second = after_patch(second, R"([{"op":"replace","path":"/spec/names/kind","value":"Other"}])");
  }
  if (gen.chance(50)) {
    second = after_patch(second,
                         R"([{"op":"replace","path":"/spec/names/listKind","value":"OtherList"}])");
  }
  if (gen.chance(40)) {
    second =
        after_patch(second, R"([{"op":"add","path":"/spec/names/shortNames","value":["thing"]}])");
  }
  const auto other = path_of("others.<<id>>.example.com");
  sequence.steps = {settled(create_definition(first)),
                    settled(create_definition(second), kNoticed, other),
                    read(other),
                    read("/apis/<<id>>.example.com/v1"),
                    settled(remove_at(own_path()), kGone),
                    read(other),
                    settled(remove_at(other), kGone, other),
                    read(other)};
  return sequence;
}

}  // namespace

Sequence make_definition(Gen& gen) {
  if (gen.chance(6)) return life(gen);
  if (gen.chance(1)) return clash(gen);
  Sequence sequence;
  sequence.watches = {"-"};
  for (auto left = gen.between(8, 12); left > 0; --left) {
    sequence.steps.push_back(gen.chance(70) ? try_create(gen) : try_change(gen));
  }
  return sequence;
}

}  // namespace fixpoint::conformance
