// SPDX-License-Identifier: Apache-2.0
//
// Bodies that are not quite right, of every kind, on create and update: how they are decoded, what
// field validation says, dry runs, YAML, content types, field managers.
#include "json/draft.h"
#include "json/parsing/parse.h"
#include "json/yaml/yaml.h"
#include "tests/conformance/area.h"
#include "tests/conformance/areas/story.h"

namespace fixpoint::conformance {
namespace {

// The kind's body, changed or not, with some metadata in it to spoil.
json::Value whole(Story& story, std::string_view name) {
  json::Draft metadata = json::Draft::object();
  if (story.gen().chance(40)) metadata.object_at("labels")["app"] = "x";
  if (story.gen().chance(20)) metadata.object_at("annotations")["note"] = "some";
  if (story.gen().chance(10)) metadata.array_at("finalizers").push_back("example.com/a");
  const auto fields = metadata.freeze();
  return object(story.sort(), name, fields);
}

std::string options(Gen& gen) {
  switch (gen.between(0, 9)) {
    case 0:
    case 1: return "fieldValidation=Strict";
    case 2: return "fieldValidation=Warn";
    case 3: return "fieldValidation=Ignore";
    case 4: return "dryRun=All";
    case 5:
      return gen.pick({"fieldValidation=strict", "fieldValidation=", "fieldValidation=Bogus",
                       "dryRun=Bogus", "dryRun=", "dryRun=All&dryRun=All", "dryRun=All&dryRun=None",
                       "pretty=true", "unknown=1", "fieldManager=", "fieldManager=a%20b",
                       "fieldManager=%01", "fieldManager=%C3%A9",
                       "fieldValidation=Strict&dryRun=All"});
    case 6:
      return gen.chance(20)
                 ? "fieldManager=" + times(static_cast<std::size_t>(gen.between(127, 129)))
                 : gen.pick({"fieldManager=me", "fieldManager=you"});
    default: return "";
  }
}

Step writing(Story& story, std::string_view name, std::string body) {
  auto& gen = story.gen();
  const auto& sort = story.sort();
  Step step;
  if (gen.chance(55)) {
    step.method = "POST";
    step.path = collection(sort);
  } else {
    step.method = "PUT";
    step.path = item(sort, name);
  }
  step.body = std::move(body);
  const auto query = options(gen);
  return query.empty() ? step : with(std::move(step), query);
}

// Other words for JSON, and words for something else.
void dress(Gen& gen, Step& step, const json::Value& body) {
  if (gen.chance(8)) {
    step.content_type = gen.pick(
        {"application/yaml", "application/json; charset=utf-8", "application/json;profile=x",
         "text/plain", "text/json", "application/xml", "APPLICATION/JSON", "application/*",
         "application/json, text/plain", "application/merge-patch+json", "nonsense", ";"});
  } else if (gen.chance(12)) {
    step.content_type = "application/yaml";
    if (gen.chance(80)) step.body = json::to_yaml(body);
    if (gen.chance(10))
      step.body += gen.pick({"bogus: 1\n", "kind: Twice\n", "---\na: 1\n", "\t\n", "? 1\n",
                             "# word\n", "a: *x\n", "y: !!binary aGk=\n"});
  }
}

json::Value renamed(const json::Value& body, std::string_view field, std::string_view value) {
  json::Draft made{body};
  if (value == "-") {
    made.erase(field);
  } else {
    made[field] = value;
  }
  return made.freeze();
}

json::Value mistyped(Gen& gen, const json::Value& body) {
  if (gen.chance(50)) {
    return renamed(body, "kind",
                   gen.pick({"-", "", "Pod", "ConfigMap", "configmap", "Bogus", "Status", "List",
                             "DeleteOptions", "Scale"}));
  }
  return renamed(body, "apiVersion",
                 gen.pick({"-", "", "v1", "apps/v1", "apps/v2", "example.com/v1", "a/b/c", "v9",
                           "/v1", "meta.k8s.io/v1", "autoscaling/v1", "/"}));
}

// Three things are kept as they are. A policy's expressions and a ControllerRevision's data differ:
// "expressions" and "revisions" in accepted.cc. And a name without the sequence's id would be
// shared with other sequences where there are no namespaces.
std::string spoilt(Gen& gen, const Sort& sort, const json::Value& body) {
  auto text = mutated(gen, body);
  const auto noted = json::parse_noting_duplicates(text);
  if (!noted) return text;
  const auto& parsed = noted->value;
  const auto name = parsed.get("metadata", "name").as_string();
  if (!sort.namespaced && !name.empty() && !name.starts_with("<<id>>")) return json_text(body);
  const auto expression = parsed.get("spec", "validations")[0].get("expression").as_string();
  if (sort.kind == "ValidatingAdmissionPolicy" && !expression.empty() &&
      expression.find_first_not_of(" \n\t") != std::string_view::npos &&
      expression != body.get("spec", "validations")[0].get("expression").as_string()) {
    return json_text(body);
  }
  if (sort.kind == "ControllerRevision" &&
      (parsed.get("data") != body.get("data") || !noted->duplicates.empty())) {
    return json_text(body);
  }
  return text;
}

void tell_bodies(Story& story) {
  auto& gen = story.gen();
  if (gen.chance(80)) story.make("a");
  const auto steps = gen.between(4, 9);
  for (std::int64_t i = 0; i < steps; ++i) {
    const auto name = gen.pick({"a", "a", "b", "c"});
    const auto body = whole(story, name);
    if (gen.chance(15)) {
      story.small_talk("a");
    } else if (gen.chance(10)) {
      const auto other = mistyped(gen, body);
      story.then(writing(story, name, json_text(other)));
    } else if (gen.chance(15)) {
      auto step = writing(story, name, json_text(body));
      dress(gen, step, body);
      story.then(std::move(step));
    } else {
      auto step = writing(story, name, spoilt(gen, story.sort(), body));
      if (gen.chance(15)) dress(gen, step, body);
      story.then(std::move(step));
    }
  }
  if (gen.chance(40)) story.then(get(story.sort(), "a"));
}

// A read object, spoilt and written back: the whole of metadata is there.
void tell_rewrites(Story& story) {
  auto& gen = story.gen();
  story.make("a", R"({"labels":{"app":"x"}})");
  const auto steps = gen.between(3, 7);
  for (std::int64_t i = 0; i < steps; ++i) {
    const auto change =
        gen.pick({R"({"bogus":1})",
                  R"({"metadata":{"bogus":1}})",
                  R"({"metadata":null})",
                  R"({"kind":null})",
                  R"({"apiVersion":null})",
                  R"({"metadata":{"labels":{"app":1}}})",
                  R"({"metadata":{"labels":[]}})",
                  R"({"metadata":{"creationTimestamp":"yesterday"}})",
                  R"({"metadata":{"name":1}})",
                  R"({"spec":null})",
                  R"({"spec":7})",
                  R"({"status":{"bogus":1}})",
                  R"({"metadata":{"generation":"1"}})",
                  R"({"metadata":{"managedFields":{}}})",
                  R"({"spec":{"bogus":{"deep":[1]}}})",
                  R"({"metadata":{"ownerReferences":[{"bogus":1}]}})",
                  R"({"data":null})",
                  R"({"metadata":{"annotations":{"a":null}}})",
                  R"({"metadata":{"deletionGracePeriodSeconds":"1"}})",
                  R"({"metadata":{"labels":{},"annotations":{}}})",
                  R"({"metadata":{"ownerReferences":[],"finalizers":[]}})",
                  R"({"spec":{}})",
                  R"({"data":{},"binaryData":{},"stringData":{}})",
                  R"({"rules":[],"subjects":[],"webhooks":[]})",
                  R"({"parameters":{},"allowedTopologies":[],"mountOptions":[]})",
                  R"({"subsets":[],"endpoints":[],"ports":[]})",
                  R"({"secrets":[],"imagePullSecrets":[]})",
                  R"({"spec":{"ingress":[],"egress":[],"policyTypes":[]}})",
                  R"({"spec":{"limits":[],"scopes":[],"hard":{}}})",
                  R"({"spec":{"selector":{},"ports":[],"accessModes":[]}})",
                  R"({"spec":{"template":{"metadata":{"labels":{}}}}})",
                  R"({"spec":{"template":{"spec":{"volumes":[],"tolerations":[]}}}})",
                  R"({"spec":{"drivers":[],"taints":[],"rules":[],"tls":[]}})",
                  R"({"spec":{"volumes":[],"tolerations":[],"hostAliases":[]}})",
                  R"({"status":{"conditions":[],"hard":{},"loadBalancer":{}}})",
                  "{}"});
    auto step =
        gen.chance(60) ? update(story.sort(), "a", change) : merge_patch(story.sort(), "a", change);
    if (gen.chance(10)) step.content_type = "application/yaml";
    const auto query = options(gen);
    story.then(query.empty() ? step : with(std::move(step), query));
    if (gen.chance(20)) story.small_talk("a");
  }
}

}  // namespace

Sequence make_body(Gen& gen) {
  Story story{gen, any_sort(gen)};
  if (gen.chance(75)) {
    tell_bodies(story);
  } else {
    tell_rewrites(story);
  }
  return story.take();
}

}  // namespace fixpoint::conformance
