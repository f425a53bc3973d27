// SPDX-License-Identifier: Apache-2.0
//
// JSON, merge and strategic patches, good and bad, on built-in kinds and custom ones: merge keys,
// directives, ordering, preconditions inside patches, subresources, patches that change nothing.
#include "base/error.h"
#include "json/parsing/parse.h"
#include "tests/conformance/area.h"
#include "tests/conformance/custom_kinds.h"

#include <fmt/format.h>

namespace fixpoint::conformance {
namespace {

// What is sent to an object "o" of this kind. Bodies of the sorts table are replaced where patches
// need more to work on.
struct PatchSubject {
  std::string_view resource;
  std::string_view body;  // merged into the object by the first step
  std::vector<std::string_view> json;
  std::vector<std::string_view> merge;
  std::vector<std::string_view> strategic;
};

const std::vector<std::string_view>& metadata_patches() {
  static const std::vector<std::string_view> kPatches{
      R"({"metadata":{"labels":{"a":"1"}}})",
      R"({"metadata":{"labels":{"a":null}}})",
      R"({"metadata":{"labels":null}})",
      R"({"metadata":{"labels":{}}})",
      R"({"metadata":{"labels":{"a":1}}})",
      R"({"metadata":{"labels":{"bad key!":"1"}}})",
      R"({"metadata":{"labels":[]}})",
      R"({"metadata":{"annotations":{"n":"1","m":""}}})",
      R"({"metadata":{"annotations":{"n":true}}})",
      R"({"metadata":{"annotations":null}})",
      R"({"metadata":{"name":"other"}})",
      R"({"metadata":{"name":null}})",
      R"({"metadata":{"namespace":"other"}})",
      R"({"metadata":{"namespace":null}})",
      R"({"metadata":{"uid":"other"}})",
      R"({"metadata":{"uid":null}})",
      R"({"metadata":{"generation":100}})",
      R"({"metadata":{"creationTimestamp":"2001-01-01T00:00:00Z"}})",
      R"({"metadata":{"creationTimestamp":null}})",
      R"({"metadata":{"creationTimestamp":"x"}})",
      R"({"metadata":{"deletionTimestamp":"2001-01-01T00:00:00Z"}})",
      R"({"metadata":{"deletionGracePeriodSeconds":5}})",
      R"({"metadata":{"selfLink":"/x"}})",
      R"({"metadata":{"generateName":"gen-"}})",
      R"({"metadata":{"resourceVersion":"1"}})",
      R"({"metadata":{"resourceVersion":"x"}})",
      R"({"metadata":{"resourceVersion":""}})",
      R"({"metadata":{"resourceVersion":null}})",
      R"({"metadata":{"resourceVersion":5}})",
      R"({"metadata":{"finalizers":["x.example.com/a"]}})",
      R"({"metadata":{"finalizers":["bad"]}})",
      R"({"metadata":{"finalizers":null}})",
      R"({"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"x","uid":"u"}]}})",
      R"({"metadata":{"ownerReferences":[{"kind":"ConfigMap","name":"x","uid":"u"}]}})",
      R"({"metadata":{"ownerReferences":null}})",
      R"({"metadata":{"managedFields":[]}})",
      R"({"metadata":{"managedFields":[{}]}})",
      R"({"metadata":{"nope":1}})",
      R"({"metadata":"x"})",
      R"({"metadata":null})",
      R"({"apiVersion":"v9"})",
      R"({"apiVersion":null})",
      R"({"kind":"Other"})",
      R"({"kind":null})",
      R"({"nope":{"a":1}})",
      "{}",
      "null",
      "[]",
      "3",
      R"("text")",
      "",
      "{",
      R"({"a":1}})",
      R"({"metadata":{"labels":{"a":"1","a":"2"}}})",
  };
  return kPatches;
}

const std::vector<std::string_view>& json_patches() {
  static const std::vector<std::string_view> kPatches{
      R"([{"op":"add","path":"/metadata/labels","value":{"a":"1"}}])",
      R"([{"op":"add","path":"/metadata/labels/a","value":"1"}])",
      R"([{"op":"replace","path":"/metadata/labels/a","value":"2"}])",
      R"([{"op":"remove","path":"/metadata/labels/a"}])",
      R"([{"op":"remove","path":"/metadata/labels"}])",
      R"([{"op":"test","path":"/metadata/name","value":"o"}])",
      R"([{"op":"test","path":"/metadata/name","value":"p"}])",
      R"([{"op":"test","path":"/metadata/labels/a","value":null}])",
      R"([{"op":"test","path":"/nope","value":1}])",
      R"([{"op":"copy","from":"/metadata/name","path":"/metadata/annotations"}])",
      R"([{"op":"add","path":"/metadata/annotations","value":{}},{"op":"copy","from":"/metadata/name","path":"/metadata/annotations/name"}])",
      R"([{"op":"add","path":"/metadata/annotations","value":{"x/y":"1","a~b":"2"}},{"op":"move","from":"/metadata/annotations/x~1y","path":"/metadata/annotations/z"}])",
      R"([{"op":"remove","path":"/metadata/annotations/a~0b"}])",
      R"([{"op":"move","from":"/nope","path":"/metadata/labels"}])",
      R"([{"op":"odd","path":"/metadata/labels"}])",
      R"([{"path":"/metadata/labels"}])",
      R"([{"op":"add","value":1}])",
      R"([{"op":"add","path":"metadata/labels","value":{}}])",
      R"([{"op":"add","path":"","value":{}}])",
      R"([{"op":"replace","path":"","value":{}}])",
      R"([{"op":"remove","path":""}])",
      R"([{"op":"add","path":"/metadata/finalizers","value":["x.example.com/a"]},{"op":"add","path":"/metadata/finalizers/-","value":"x.example.com/b"}])",
      R"([{"op":"add","path":"/metadata/finalizers/0","value":"x.example.com/c"}])",
      R"([{"op":"add","path":"/metadata/finalizers/9","value":"x.example.com/d"}])",
      R"([{"op":"remove","path":"/metadata/finalizers/0"}])",
      R"([{"op":"remove","path":"/metadata/finalizers/-1"}])",
      R"([{"op":"remove","path":"/metadata/finalizers"}])",
      R"([{"op":"replace","path":"/metadata/resourceVersion","value":"1"}])",
      R"([{"op":"replace","path":"/metadata/name","value":"other"}])",
      R"([{"op":"remove","path":"/metadata"}])",
      R"([{"op":"remove","path":"/kind"}])",
      R"([{"op":"replace","path":"/apiVersion","value":"v9"}])",
      R"([{"op":"add","path":"/metadata/labels","value":"text"}])",
      R"([{"op":"add","path":"/nope","value":1}])",
      R"([{"op":"add","path":"/metadata/labels/a"}])",
      R"([{"op":"add","path":"/metadata/labels","value":null}])",
      "[]",
      "{}",
      "null",
      "[{}]",
      "[1]",
      R"("x")",
      "",
      "[",
      R"([{"op":"add","path":"/metadata/labels","value":{"a":"1"},"extra":true}])",
      R"([{"op":1,"path":"/metadata/labels"}])",
  };
  return kPatches;
}

const std::vector<PatchSubject>& subjects() {
  // Aligned columns would be wider than any screen.
  // clang-format off
  static const std::vector<PatchSubject> kSubjects{
      {"configmaps",
       R"({"data":{"a":"1","b":"2"}})", {R"([{"op":"replace","path":"/data/a","value":"x"}])",
        R"([{"op":"replace","path":"/data/zzz","value":"x"}])",
        R"([{"op":"remove","path":"/data/a"}])", R"([{"op":"remove","path":"/data"}])",
        R"([{"op":"add","path":"/data/n","value":5}])",
        R"([{"op":"move","from":"/data/a","path":"/data/c"}])",
        R"([{"op":"copy","from":"/data","path":"/binaryData"}])",
        R"([{"op":"add","path":"/data/-","value":"dash"}])",
        R"([{"op":"add","path":"/data/x/y","value":"1"}])"},
       {R"({"data":{"a":"x"}})", R"({"data":{"a":null}})", R"({"data":null})",
        R"({"data":{"a":1}})", R"({"data":"x"})", R"({"data":{"c":"é\u0000"}})",
        R"({"data":{"bad key":"x"}})", R"({"binaryData":{"a":"AAAA"}})", R"({"immutable":true})",
        R"({"data":{"a":"1"}})"},
       {R"({"data":{"a":"x"}})", R"({"data":{"$patch":"replace","z":"1"}})",
        R"({"data":{"$patch":"delete"}})", R"({"data":{"$patch":"merge","y":"1"}})",
        R"({"data":{"$patch":"odd"}})", R"({"data":{"a":null,"q":"1"}})", R"({"$patch":"replace"})",
        R"({"$patch":"delete"})", R"({"data":{"$retainKeys":["a"],"a":"k"}})",
        R"({"data":["a"]})"}},
      {"deployments",
       R"({"spec":{"replicas":2,"selector":{"matchLabels":{"app":"x"}},"template":{"metadata":{"labels":{"app":"x"}},"spec":{"containers":[{"name":"c","image":"i:1","env":[{"name":"A","value":"1"},{"name":"B","value":"2"}],"ports":[{"containerPort":80},{"containerPort":81,"name":"m"}],"args":["x","y"]},{"name":"d","image":"j:1"}],"tolerations":[{"key":"k","operator":"Exists"}],"volumes":[{"name":"v","emptyDir":{}}]}}}})",
       {R"([{"op":"replace","path":"/spec/replicas","value":3}])",
        R"([{"op":"add","path":"/spec/template/spec/containers/-","value":{"name":"e","image":"e"}}])",
        R"([{"op":"add","path":"/spec/template/spec/containers/0","value":{"name":"z","image":"e"}}])",
        R"([{"op":"remove","path":"/spec/template/spec/containers/1"}])",
        R"([{"op":"replace","path":"/spec/template/spec/containers/0/image","value":"i:2"}])",
        R"([{"op":"remove","path":"/spec/template/spec/containers/5"}])",
        R"([{"op":"add","path":"/spec/template/spec/containers/x","value":{}}])",
        R"([{"op":"replace","path":"/spec/selector/matchLabels/app","value":"y"}])",
        R"([{"op":"remove","path":"/spec/strategy"}])",
        R"([{"op":"replace","path":"/spec/replicas","value":"3"}])",
        R"([{"op":"test","path":"/spec/replicas","value":2},{"op":"replace","path":"/spec/replicas","value":4}])",
        R"([{"op":"test","path":"/spec/template/spec/containers/0/args","value":["x","y"]}])"},
       {R"({"spec":{"replicas":4}})", R"({"spec":{"replicas":null}})",
        R"({"spec":{"replicas":"4"}})",
        R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i:3"}]}}}})",
        R"({"spec":{"template":{"spec":{"containers":[{"image":"i:3"}]}}}})",
        R"({"spec":{"template":{"spec":{"containers":null}}}})",
        R"({"spec":{"strategy":{"type":"Recreate"}}})",
        R"({"spec":{"strategy":{"type":"Recreate","rollingUpdate":null}}})",
        R"({"spec":{"template":{"spec":{"volumes":null,"tolerations":[]}}}})",
        R"({"spec":{"nope":1}})", R"({"spec":null})", R"({"status":{"replicas":7}})",
        R"({"spec":{"replicas":2}})", R"({"spec":{"replicas":3000000000}})"},
       {R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i:4"}]}}}})",
        R"({"spec":{"template":{"spec":{"containers":[{"name":"n","image":"new"}]}}}})",
        R"({"spec":{"template":{"spec":{"containers":[{"image":"i:4"}]}}}})",
        R"({"spec":{"template":{"spec":{"containers":[{"name":"d","$patch":"delete"}]}}}})",
        R"({"spec":{"template":{"spec":{"containers":[{"name":"zz","$patch":"delete"}]}}}})",
        R"({"spec":{"template":{"spec":{"containers":[{"$patch":"replace"},{"name":"only","image":"o"}]}}}})",
        R"({"spec":{"template":{"spec":{"containers":[{"name":"c","$patch":"replace","image":"r"}]}}}})",
        R"({"spec":{"template":{"spec":{"$setElementOrder/containers":[{"name":"d"},{"name":"c"}]}}}})",
        R"({"spec":{"template":{"spec":{"$setElementOrder/containers":[{"name":"d"},{"name":"c"}],"containers":[{"name":"c","image":"i:5"}]}}}})",
        R"({"spec":{"template":{"spec":{"$setElementOrder/containers":[{"name":"d"}],"containers":[{"name":"c","image":"i:5"}]}}}})",
        R"({"spec":{"template":{"spec":{"$setElementOrder/containers":[{"name":"c"},{"name":"n"},{"name":"d"}],"containers":[{"name":"n","image":"n"}]}}}})",
        R"({"spec":{"template":{"spec":{"containers":[{"name":"c","env":[{"name":"A","value":"9"}]}]}}}})",
        R"({"spec":{"template":{"spec":{"containers":[{"name":"c","env":[{"name":"A","$patch":"delete"},{"name":"C","value":"3"}]}]}}}})",
        R"({"spec":{"template":{"spec":{"containers":[{"name":"c","$setElementOrder/env":[{"name":"B"},{"name":"A"}],"env":[{"name":"A","value":"8"}]}]}}}})",
        R"({"spec":{"template":{"spec":{"containers":[{"name":"c","env":null}]}}}})",
        R"({"spec":{"template":{"spec":{"containers":[{"name":"c","ports":[{"containerPort":80,"name":"w"}]}]}}}})",
        R"({"spec":{"template":{"spec":{"containers":[{"name":"c","args":["z"]}]}}}})",
        R"({"spec":{"template":{"spec":{"tolerations":[{"key":"l","operator":"Exists"}]}}}})",
        R"({"spec":{"template":{"spec":{"volumes":[{"name":"v","$retainKeys":["name","hostPath"],"hostPath":{"path":"/h"}}]}}}})",
        R"({"spec":{"template":{"spec":{"volumes":[{"name":"v","hostPath":{"path":"/h"}}]}}}})",
        R"({"spec":{"template":{"spec":{"volumes":[{"name":"w","configMap":{"name":"m"}}]}}}})",
        R"({"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}})",
        R"({"spec":{"strategy":{"$retainKeys":["type","rollingUpdate"],"type":"RollingUpdate","rollingUpdate":{"maxSurge":"50%"}}}})",
        R"({"spec":{"strategy":{"$patch":"replace","type":"Recreate"}}})",
        R"({"spec":{"selector":{"$patch":"replace","matchLabels":{"app":"x"}}}})",
        R"({"spec":{"template":{"spec":{"containers":"x"}}}})",
        R"({"spec":{"template":{"spec":{"containers":["x"]}}}})",
        R"({"spec":{"template":{"spec":{"containers":[{"name":7}]}}}})",
        R"({"spec":{"template":{"spec":{"imagePullSecrets":[{"name":"s"}]}}}})",
        R"({"spec":{"template":{"metadata":{"$deleteFromPrimitiveList/finalizers":["x"]}}}})",
        R"({"spec":{"replicas":5}})",
        R"({"spec":{"nope":1}})",
        R"({"spec":{"template":{"spec":{"containers":[{"name":"c","$patch":"odd"}]}}}})",
        R"({"spec":{"template":{"spec":{"nodeSelector":{"a":"b"},"hostAliases":[{"ip":"1.1.1.1","hostnames":["h"]}]}}}})",
        R"({"spec":{"template":{"spec":{"hostAliases":[{"ip":"1.1.1.1","hostnames":["i"]},{"ip":"2.2.2.2"}]}}}})",
        R"({"spec":{"template":{"spec":{"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"z","whenUnsatisfiable":"DoNotSchedule"}]}}}})"}},
      {"services",
       R"({"spec":{"selector":{"a":"b"},"ports":[{"name":"p","port":80},{"name":"q","port":81}]}})", {R"([{"op":"replace","path":"/spec/ports/0/port","value":90}])",
        R"([{"op":"remove","path":"/spec/ports"}])",
        R"([{"op":"remove","path":"/spec/clusterIP"}])",
        R"([{"op":"add","path":"/spec/ports/-","value":{"name":"r","port":82}}])"},
       {R"({"spec":{"ports":[{"port":80}]}})", R"({"spec":{"selector":null}})",
        R"({"spec":{"clusterIP":"10.0.0.250"}})", R"({"spec":{"type":"NodePort"}})",
        R"({"spec":{"type":"ExternalName","externalName":"x.y"}})", R"({"spec":{"ports":null}})"},
       {R"({"spec":{"ports":[{"port":80,"targetPort":8080}]}})",
        R"({"spec":{"ports":[{"port":80,"$patch":"delete"}]}})",
        R"({"spec":{"ports":[{"port":85,"name":"n"}]}})", R"({"spec":{"ports":[{"name":"p"}]}})",
        R"({"spec":{"$setElementOrder/ports":[{"port":81},{"port":80}],"ports":[{"port":80,"name":"pp"}]}})",
        R"({"spec":{"selector":{"$patch":"replace","c":"d"}}})",
        R"({"spec":{"selector":{"a":null,"c":"d"}}})", R"({"spec":{"externalIPs":["1.2.3.4"]}})"}},
      {"pods",
       R"({"spec":{"containers":[{"name":"c","image":"i:1"}],"tolerations":[{"key":"k","operator":"Exists"}]}})",
       {R"([{"op":"replace","path":"/spec/containers/0/image","value":"i:2"}])",
        R"([{"op":"add","path":"/spec/tolerations/-","value":{"key":"n","operator":"Exists"}}])",
        R"([{"op":"replace","path":"/spec/restartPolicy","value":"Never"}])"},
       {R"({"spec":{"activeDeadlineSeconds":9}})", R"({"spec":{"nodeName":"n"}})",
        R"({"spec":{"tolerations":[]}})", R"({"status":{"phase":"Running"}})"},
       {R"({"spec":{"containers":[{"name":"c","image":"i:3"}]}})",
        R"({"spec":{"containers":[{"name":"x","image":"i:3"}]}})",
        R"({"spec":{"tolerations":[{"key":"n","operator":"Exists"}]}})",
        R"({"metadata":{"labels":{"a":"1"},"$deleteFromPrimitiveList/finalizers":["x.example.com/a"]}})"}},
      {"serviceaccounts",
       R"({"secrets":[{"name":"a"},{"name":"b"}],"imagePullSecrets":[{"name":"a"}]})", {R"([{"op":"remove","path":"/secrets/0"}])",
        R"([{"op":"add","path":"/secrets/-","value":{"name":"c"}}])"},
       {R"({"secrets":[{"name":"z"}]})", R"({"secrets":null})",
        R"({"automountServiceAccountToken":"x"})"},
       {R"({"secrets":[{"name":"c"}]})", R"({"secrets":[{"name":"a","$patch":"delete"}]})",
        R"({"imagePullSecrets":[{"name":"b"}]})", R"({"imagePullSecrets":[{"$patch":"replace"}]})",
        R"({"$setElementOrder/secrets":[{"name":"b"},{"name":"a"}]})",
        R"({"secrets":[{"$patch":"delete"}]})"}},
      {"gadgets",
       R"({"spec":{"size":3,"numbers":[1,2],"tags":["a","b"],"bag":{"x":{"y":1}},"parts":[{"name":"a"}]}})",
       {R"([{"op":"add","path":"/spec/numbers/-","value":3}])",
        R"([{"op":"replace","path":"/spec/size","value":11}])",
        R"([{"op":"remove","path":"/spec/size"}])",
        R"([{"op":"add","path":"/spec/nope","value":1}])",
        R"([{"op":"test","path":"/spec/size","value":3.0}])",
        R"([{"op":"test","path":"/spec/bag/x","value":{"y":1}}])",
        R"([{"op":"copy","from":"/spec/bag/x","path":"/spec/bag/z"}])",
        R"([{"op":"move","from":"/spec/bag/x","path":"/spec/bag/x/w"}])",
        R"([{"op":"replace","path":"/spec/parts/0/kind","value":"k"}])",
        R"([{"op":"remove","path":"/spec"}])"},
       {R"({"spec":{"size":4}})", R"({"spec":{"bag":{"x":null,"n":[1]}}})",
        R"({"spec":{"nope":1}})", R"({"spec":{"tags":["c"]}})", R"({"spec":null})",
        R"({"spec":{"size":3}})", R"({"status":{"seen":3}})", R"({"spec":{"size":99}})"},
       {R"({"spec":{"size":4}})"}},
      {"bags",
       R"({"list":[1,2,3],"deep":{"a":{"b":{"c":1}}}})", {R"([{"op":"add","path":"/list/1","value":9}])", R"([{"op":"remove","path":"/list/2"}])",
        R"([{"op":"replace","path":"/list/-","value":9}])",
        R"([{"op":"move","from":"/list/0","path":"/list/2"}])",
        R"([{"op":"add","path":"/deep/a/b/d","value":[{}]}])",
        R"([{"op":"add","path":"/deep/x/y","value":1}])",
        R"([{"op":"test","path":"/list","value":[1,2,3]},{"op":"add","path":"/ok","value":true}])",
        R"([{"op":"copy","from":"/deep","path":"/deep2"}])",
        R"([{"op":"add","path":"/list/-1","value":0}])",
        R"([{"op":"add","path":"/list/01","value":0}])", R"([{"op":"add","path":"/","value":0}])"},
       {R"({"deep":{"a":{"b":null}}})", R"({"list":{"x":1}})", R"({"n":1.0,"m":1e2})",
        R"({"list":[1,null]})", R"({"e":{}})"},
       {R"({"x":1})"}},
  };
  // clang-format on
  return kSubjects;
}

Step patch_step(Gen& gen, const PatchSubject& subject) {
  const auto& kind = sort(subject.resource);
  const auto general = gen.chance(35);
  switch (gen.between(0, 2)) {
    case 0:
      return json_patch(kind, "o", std::string{gen.pick(general ? json_patches() : subject.json)});
    case 1:
      return merge_patch(kind, "o",
                         std::string{gen.pick(general ? metadata_patches() : subject.merge)});
    default:
      return strategic_patch(
          kind, "o", std::string{gen.pick(general ? metadata_patches() : subject.strategic)});
  }
}

// A precondition inside the patch: newest, old, another object's.
Step conditional(Gen& gen, const Sort& kind) {
  const auto version =
      gen.pick({"<<rv " + item(kind, "o") + ">>", "<<old " + item(kind, "o") + ">>"});
  const auto uid =
      gen.pick({"<<uid " + item(kind, "o") + ">>", "00000000-0000-0000-0000-000000000000"});
  const auto change = gen.pick({R"("labels":{"p":"1"})", R"("labels":{"p":"2"})"});
  const auto body =
      gen.chance(60)
          ? fmt::format(R"({{"metadata":{{"resourceVersion":"{}",{}}}}})", version, change)
          : fmt::format(R"({{"metadata":{{"uid":"{}",{}}}}})", uid, change);
  if (gen.chance(30)) {
    return json_patch(
        kind, "o",
        fmt::format(R"([{{"op":"test","path":"/metadata/resourceVersion","value":"{}"}},)"
                    R"({{"op":"add","path":"/metadata/labels","value":{{"t":"1"}}}}])",
                    version));
  }
  return gen.chance(50) ? merge_patch(kind, "o", body) : strategic_patch(kind, "o", body);
}

Step any_step(Gen& gen, const PatchSubject& subject) {
  const auto& kind = sort(subject.resource);
  const auto roll = gen.between(0, 99);
  if (roll < 70) return patch_step(gen, subject);
  if (roll < 78) return conditional(gen, kind);
  if (roll < 84 && kind.has_status) return on(patch_step(gen, subject), "status");
  if (roll < 86) return on(patch_step(gen, subject), gen.pick({"scale", "nope", "status"}));
  if (roll < 88) {
    auto step = patch_step(gen, subject);
    step.content_type =
        gen.pick({"application/json", "text/plain", "application/xml",
                  "application/merge-patch+json; charset=utf-8", "application/yaml"});
    return step;
  }
  if (roll < 90) {
    auto step = patch_step(gen, subject);
    step.path = item(kind, "absent");
    return step;
  }
  if (roll < 92) return remove(kind, "o");
  return get(kind, "o");
}

}  // namespace

Sequence make_patch(Gen& gen) {
  const auto& all = subjects();
  // Deployments have most to merge.
  const auto& subject = gen.chance(30) ? all[1] : gen.pick(all);
  const auto& kind = sort(subject.resource);
  Sequence sequence;
  const auto plain = object(kind, "o");
  json::Draft whole{plain};
  const auto body = json::parse(subject.body);
  FP_CHECK(body.has_value());
  for (const auto [key, value] : body->members()) whole[key] = json::Draft{value};
  const auto first = whole.freeze();
  sequence.steps.push_back(create(kind, first));
  for (auto left = gen.between(5, 12); left > 0; --left) {
    auto step = any_step(gen, subject);
    if (step.method == "PATCH") {
      if (gen.chance(12)) step = with(std::move(step), "fieldManager=" + gen.pick({"one", "two"}));
      if (gen.chance(12)) {
        step = with(std::move(step),
                    "fieldValidation=" + gen.pick({"Strict", "Warn", "Ignore", "Odd"}));
      }
      if (gen.chance(6)) step = with(std::move(step), "dryRun=" + gen.pick({"All", "all"}));
      if (gen.chance(3)) step = with(std::move(step), "force=true");
    }
    sequence.steps.push_back(std::move(step));
  }
  return sequence;
}

}  // namespace fixpoint::conformance
