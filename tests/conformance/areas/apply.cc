// SPDX-License-Identifier: Apache-2.0
//
// Server-side apply with up to three managers: each sends, again and again, a body made of some of
// the fields that a kind has, so that fields are taken, shared, given up and fought over; between
// them plain updates, patches and writes to status and scale by others.
#include "json/parse.h"
#include "json/print.h"
#include "tests/conformance/area.h"
#include "tests/conformance/custom_kinds.h"

#include <fmt/format.h>

namespace fixpoint::conformance {
namespace {

// Bodies are merged from fragments, each a JSON text of members below the top; `fixed` is always
// in.
struct Subject {
  std::string_view resource;
  std::string_view fixed;
  std::vector<std::string_view> fragments;
  std::vector<std::string_view> bad;      // one error each
  std::vector<std::string_view> changes;  // merge patches by others
  bool scale = false;
};

const std::vector<Subject>& subjects() {
  // Aligned columns would be wider than any screen.
  // clang-format off
  static const std::vector<Subject> kSubjects{
      {"configmaps",
       "{}", {R"({"data":{"a":"1"}})", R"({"data":{"a":"2"}})", R"({"data":{"b":"1"}})",
        R"({"data":{"c":"3"}})", R"({"binaryData":{"bin":"AAAA"}})", R"({"data":{}})",
        R"({"metadata":{"labels":{"l":"1"}}})", R"({"metadata":{"labels":{"l":"2","m":"3"}}})",
        R"({"metadata":{"annotations":{"n":"1"}}})", R"({"data":null})",
        R"({"metadata":{"finalizers":["x.example.com/a"]}})",
        R"({"metadata":{"finalizers":["x.example.com/b"]}})", R"({"immutable":false})"},
       {R"({"spec":{}})", R"({"data":{"a":1}})", R"({"data":[]})", R"({"data":{"a b":"1"}})",
        R"({"metadata":{"nope":1}})", R"({"metadata":{"managedFields":[{}]}})",
        R"({"metadata":{"managedFields":[]}})", R"({"metadata":{"labels":{"l":null}}})",
        R"({"data":{"a":null}})", R"({"metadata":{"generateName":"x"}})",
        R"({"metadata":{"uid":"x"}})", R"({"metadata":{"resourceVersion":"1"}})",
        R"({"metadata":{"creationTimestamp":null}})"},
       {R"({"data":{"a":"9"}})", R"({"data":{"z":"9"}})", R"({"data":null})",
        R"({"data":{"a":null}})", R"({"metadata":{"labels":{"l":"9"}}})",
        R"({"metadata":{"labels":null}})", R"({"data":{"b":"1"}})"}},
      {"crates",
       "{}", {R"({"spec":{"count":1}})",
        R"({"spec":{"count":2}})",
        R"({"spec":{"word":"w"}})",
        R"({"spec":{"word":"v"}})",
        R"({"spec":{"free":null}})",
        R"({"spec":{"free":"f"}})",
        R"({"spec":{"set":["a"]}})",
        R"({"spec":{"set":["b","c"]}})",
        R"({"spec":{"set":["a","c"]}})",
        R"({"spec":{"set":[]}})",
        R"({"spec":{"plain":["a"]}})",
        R"({"spec":{"plain":["b","b"]}})",
        R"({"spec":{"map":{"x":"1"}}})",
        R"({"spec":{"map":{"x":"2","y":"1"}}})",
        R"({"spec":{"map":{}}})",
        R"({"spec":{"frozen":{"x":"1"}}})",
        R"({"spec":{"frozen":{"y":"2"}}})",
        R"({"spec":{"nest":{"left":"l"}}})",
        R"({"spec":{"nest":{"right":"r"}}})",
        R"({"spec":{"nest":{"left":"m","inner":{"a":1}}}})",
        R"({"spec":{"nest":{"inner":{}}}})",
        R"({"spec":{"nest":{}}})",
        R"({"spec":{"nest":null}})",
        R"({"spec":{"rows":[{"name":"a"}]}})",
        R"({"spec":{"rows":[{"name":"a","value":"1"}]}})",
        R"({"spec":{"rows":[{"name":"b","value":"2"},{"name":"a","value":"3"}]}})",
        R"({"spec":{"rows":[{"name":"c","tags":["t"]}]}})",
        R"({"spec":{"rows":[{"name":"c","tags":["u","t"]}]}})",
        R"({"spec":{"rows":[{"name":"a","cells":[{"x":1,"y":1}]}]}})",
        R"({"spec":{"rows":[{"name":"a","cells":[{"x":1,"y":2,"v":"q"},{"x":1,"y":1,"v":"p"}]}]}})",
        R"({"spec":{"rows":[]}})",
        R"({"spec":{"ports":[{"port":80}]}})",
        R"({"spec":{"ports":[{"port":80,"protocol":"UDP","name":"u"}]}})",
        R"({"spec":{"ports":[{"port":80,"protocol":"TCP","name":"t"},{"port":81}]}})",
        R"({"spec":{"open":{"a":{"b":1}}}})",
        R"({"spec":{"open":{"a":{"c":[1,2]}}}})",
        R"({"spec":{"open":{"a":1}}})",
        R"({"spec":{"open":{"l":[{"name":"x"}]}}})",
        R"({"spec":{"inline":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"}}}})",
        R"({"spec":{"inline":{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"b"}}}}})",
        R"({"metadata":{"labels":{"l":"1"}}})",
        R"({"metadata":{"finalizers":["x.example.com/a"]}})",
        R"({"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"o","uid":"u1"}]}})",
        R"({"status":{"note":"ignored"}})"},
       {R"({"spec":{"nope":1}})",
        R"({"spec":{"set":["a","a"]}})",
        R"({"spec":{"rows":[{}]}})",
        R"({"spec":{"rows":[{"name":"a"},{"name":"a"}]}})",
        R"({"spec":{"count":"1"}})",
        R"({"spec":{"count":10}})",
        R"({"spec":{"rows":[{"name":null}]}})",
        R"({"spec":{"rows":{"name":"a"}}})",
        R"({"spec":{"ports":[{"port":80},{"port":80}]}})",
        R"({"spec":{"ports":[{"protocol":"TCP"}]}})",
        R"({"spec":{"set":"a"}})",
        R"({"spec":{"nest":"x"}})",
        R"({"spec":{"set":[null]}})",
        R"({"spec":{"rows":[null]}})",
        R"({"spec":{"map":{"x":1}}})",
        R"({"spec":{"ports":[{"port":"80"}]}})",
        R"({"spec":[]})",
        R"({"nope":1})",
        R"({"spec":{"rows":["a"]}})",
        R"({"spec":{"word":["w"]}})"},
       {R"({"spec":{"count":5}})", R"({"spec":{"set":["z"]}})", R"({"spec":{"rows":null}})",
        R"({"spec":{"rows":[{"name":"a","value":"9"}]}})", R"({"spec":{"word":"w"}})",
        R"({"spec":{"nest":{"left":"9"}}})", R"({"spec":{"nest":null}})",
        R"({"spec":{"map":{"x":"9"}}})", R"({"spec":{"open":{"a":{"b":9}}}})",
        R"({"spec":{"ports":[{"port":80,"protocol":"TCP"},{"port":80,"protocol":"UDP"}]}})",
        R"({"spec":{"frozen":{"x":"9"}}})", R"({"spec":{"plain":["9"]}})",
        R"({"spec":{"set":null,"map":null}})"},
       true},
      {"deployments",
       R"({"spec":{"selector":{"matchLabels":{"app":"x"}},"template":{"metadata":{"labels":{"app":"x"}},"spec":{"containers":[{"name":"c","image":"i:1"}]}}}})",
       {R"({"spec":{"replicas":2}})",
        R"({"spec":{"replicas":3}})",
        R"({"spec":{"paused":true}})",
        R"({"spec":{"minReadySeconds":5}})",
        R"({"spec":{"strategy":{"type":"Recreate"}}})",
        R"({"spec":{"strategy":{"rollingUpdate":{"maxSurge":1}}}})",
        R"({"spec":{"template":{"metadata":{"annotations":{"a":"b"}}}}})",
        R"({"spec":{"template":{"metadata":{"labels":{"app":"x","b":"c"}}}}})",
        R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i:2"}]}}}})",
        R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i:1","env":[{"name":"A","value":"1"}]}]}}}})",
        R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i:1","env":[{"name":"B","value":"1"},{"name":"A","value":"2"}]}]}}}})",
        R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i:1","ports":[{"containerPort":80}]}]}}}})",
        R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i:1","ports":[{"containerPort":80,"protocol":"UDP","name":"u"},{"containerPort":80}]}]}}}})",
        R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i:1","args":["a","b"]}]}}}})",
        R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i:1","resources":{"limits":{"cpu":"1"}}}]}}}})",
        R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i:1","resources":{"limits":{"cpu":"1000m"},"requests":{"memory":"1Gi"}}}]}}}})",
        R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i:1"},{"name":"d","image":"j"}]}}}})",
        R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i:1","volumeMounts":[{"name":"v","mountPath":"/v"}]}],"volumes":[{"name":"v","emptyDir":{}}]}}}})",
        R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i:1"}],"nodeSelector":{"a":"b"},"tolerations":[{"key":"k","operator":"Exists"}]}}}})",
        R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i:1","readinessProbe":{"httpGet":{"path":"/","port":80}}}]}}}})",
        R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i:1","securityContext":{"runAsUser":1}}],"securityContext":{}}}}})",
        R"({"metadata":{"labels":{"l":"1"}}})",
        R"({"metadata":{"annotations":{"n":"1"}}})",
        R"({"spec":{"template":{"spec":{"hostAliases":[{"ip":"1.2.3.4","hostnames":["h"]}],"imagePullSecrets":[{"name":"s"}]}}}})"},
       {R"({"spec":{"nope":1}})", R"({"spec":{"replicas":"2"}})", R"({"spec":{"replicas":-1}})",
        R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i"},{"name":"c"}]}}}})",
        R"({"spec":{"template":{"spec":{"containers":[{"image":"i"}]}}}})",
        R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i","ports":[{"protocol":"TCP"}]}]}}}})",
        R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i","env":[{"name":"A"},{"name":"A","value":"1"}]}]}}}})",
        R"({"spec":{"selector":{"matchLabels":{"app":"y"}}}})",
        R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i","resources":{"limits":{"cpu":"x"}}}]}}}})",
        R"({"spec":{"template":{"spec":{"containers":"c"}}}})"},
       {R"({"spec":{"replicas":5}})", R"({"spec":{"paused":null}})",
        R"({"spec":{"template":{"metadata":{"annotations":{"a":"z"}}}}})",
        R"({"metadata":{"labels":{"l":"9"}}})", R"({"spec":{"minReadySeconds":0}})",
        R"({"spec":{"strategy":null}})"},
       true},
      {"services",
       R"({"spec":{"ports":[{"port":80}]}})", {R"({"spec":{"selector":{"a":"b"}}})", R"({"spec":{"selector":{"c":"d"}}})",
        R"({"spec":{"ports":[{"port":80,"targetPort":8080}]}})",
        R"({"spec":{"ports":[{"port":80,"name":"p"},{"port":81,"name":"q","protocol":"UDP"}]}})",
        R"({"spec":{"ports":[{"port":80,"name":"p","targetPort":"w"}]}})",
        R"({"spec":{"type":"ClusterIP"}})", R"({"spec":{"sessionAffinity":"ClientIP"}})",
        R"({"spec":{"externalIPs":["1.2.3.4"]}})", R"({"spec":{"publishNotReadyAddresses":true}})",
        R"({"metadata":{"labels":{"l":"1"}}})", R"({"spec":{"internalTrafficPolicy":"Local"}})",
        R"({"spec":{"type":"ExternalName","externalName":"a.b"}})"},
       {R"({"spec":{"nope":1}})", R"({"spec":{"ports":[{"port":80},{"port":80}]}})",
        R"({"spec":{"ports":[{"port":"80"}]}})", R"({"spec":{"ports":[{"name":"x"}]}})",
        R"({"spec":{"type":"Odd"}})", R"({"spec":{"sessionAffinity":"x"}})"},
       {R"({"spec":{"selector":{"a":"z"}}})", R"({"spec":{"selector":null}})",
        R"({"spec":{"ports":[{"port":90}]}})", R"({"metadata":{"labels":{"l":"9"}}})"}},
      {"pods",
       R"({"spec":{"containers":[{"name":"c","image":"i:1"}]}})", {R"({"spec":{"containers":[{"name":"c","image":"i:2"}]}})",
        R"({"metadata":{"labels":{"l":"1"}}})", R"({"metadata":{"labels":{"m":"1"}}})",
        R"({"spec":{"activeDeadlineSeconds":50}})",
        R"({"spec":{"tolerations":[{"key":"k","operator":"Exists"}]}})",
        R"({"spec":{"restartPolicy":"Always"}})",
        R"({"spec":{"terminationGracePeriodSeconds":30}})",
        R"({"metadata":{"annotations":{"n":"1"}}})",
        R"({"spec":{"containers":[{"name":"c","image":"i:1","imagePullPolicy":"IfNotPresent"}]}})"},
       {R"({"spec":{"nope":1}})", R"({"spec":{"restartPolicy":"Never"}})",
        R"({"spec":{"containers":[{"name":"c","image":"i:1"},{"name":"d","image":"j"}]}})",
        R"({"spec":{"hostNetwork":"yes"}})", R"({"spec":{"containers":[]}})"},
       {R"({"metadata":{"labels":{"l":"9"}}})", R"({"metadata":{"annotations":{"n":null}}})",
        R"({"spec":{"activeDeadlineSeconds":40}})"}},
      {"secrets",
       "{}", {R"({"data":{"a":"MQ=="}})", R"({"data":{"a":"Mg=="}})", R"({"stringData":{"a":"s"}})",
        R"({"stringData":{"b":"s"}})", R"({"type":"Opaque"})",
        R"({"metadata":{"labels":{"l":"1"}}})"},
       {R"({"data":{"a":"!"}})", R"({"type":"example.com/other"})", R"({"stringData":[]})"},
       {R"({"data":{"a":"OQ=="}})", R"({"stringData":{"a":"9"}})", R"({"data":null})"}},
      {"serviceaccounts",
       "{}", {R"({"secrets":[{"name":"a"}]})", R"({"secrets":[{"name":"b"},{"name":"a"}]})",
        R"({"imagePullSecrets":[{"name":"a"}]})", R"({"imagePullSecrets":[{"name":"b"}]})",
        R"({"automountServiceAccountToken":false})", R"({"metadata":{"labels":{"l":"1"}}})"},
       {R"({"secrets":"a"})", R"({"automountServiceAccountToken":"no"})"},
       {R"({"secrets":[{"name":"z"}]})", R"({"imagePullSecrets":null})",
        R"({"automountServiceAccountToken":true})"}},
  };
  // clang-format on
  return kSubjects;
}

std::string text_of(const json::Value& value) {
  return json::to_text(value, json::Escape::Plain);
}

json::Draft parsed(std::string_view text) {
  const auto value = json::parse(text);
  FP_CHECK(value.has_value());
  return json::Draft{value->view()};
}

class Story {
 public:
  Story(Gen& gen, const Subject& subject)
      : gen_(gen), subject_(subject), kind_(sort(subject.resource)) {}

  Sequence tell() {
    Sequence sequence;
    if (gen_.chance(35)) {
      auto first = create_whole();
      if (gen_.chance(60)) first = with(std::move(first), "fieldManager=" + manager());
      sequence.steps.push_back(std::move(first));
    }
    for (auto left = gen_.between(6, 13); left > 0; --left) sequence.steps.push_back(next());
    return sequence;
  }

 private:
  Step create_whole() {
    const auto whole = body(kind_, 2);
    return create(kind_, whole);
  }
  std::string manager() { return gen_.pick({"one", "two", "three"}); }

  json::Value body(const Sort& kind, int fragments) {
    json::Draft made = json::Draft::object();
    merge(made, subject_.fixed);
    for (auto i = 0; i < fragments; ++i) merge(made, gen_.pick(subject_.fragments));
    return finished(kind, std::move(made));
  }

  static json::Value finished(const Sort& kind, json::Draft made) {
    made["apiVersion"] = kind.group_version;
    made["kind"] = kind.kind;
    made.object_at("metadata")["name"] = "o";
    return made.freeze();
  }

  // Later fragments add to objects and replace everything else.
  static void merge(json::Draft& into, std::string_view text) {
    const auto fragment = json::parse(text);
    FP_CHECK(fragment.has_value());
    merge_view(into, *fragment);
  }
  static void merge_view(json::Draft& into, json::View from) {
    for (const auto [key, value] : from.members()) {
      auto* child = into.find(key);
      if (child != nullptr && child->is_object() && value.is_object()) {
        merge_view(*child, value);
      } else {
        into[key] = json::Draft{value};
      }
    }
  }

  Step good_apply() {
    const auto made = body(kind_, static_cast<int>(gen_.between(0, 3)));
    auto step = apply(kind_, "o", text_of(made), manager(), gen_.chance(35));
    if (gen_.chance(4)) step = with(std::move(step), "dryRun=All");
    return step;
  }

  Step bad_apply() {
    json::Draft made = json::Draft::object();
    merge(made, subject_.fixed);
    merge(made, gen_.pick(subject_.bad));
    return apply(kind_, "o", text_of(finished(kind_, std::move(made))), manager(), gen_.chance(50));
  }

  // Things wrong with the request rather than with a field.
  Step odd_apply() {
    const auto made = text_of(body(kind_, 1));
    switch (gen_.between(0, 9)) {
      case 0: return apply(kind_, "o", made, "", gen_.chance(50));
      case 1:
        return with(apply(kind_, "o", made, "one"), "force=" + gen_.pick({"maybe", "false", ""}));
      case 2: return apply(kind_, "o", "[]", "one");
      case 3: return apply(kind_, "o", "{}", "one");
      case 4: {
        auto draft = parsed(made);
        draft["metadata"]["name"] = "other";
        return apply(kind_, "o", text_of(draft.freeze()), "one");
      }
      case 5: {
        auto draft = parsed(made);
        draft["kind"] = gen_.pick({"Other", "", "Scale"});
        return apply(kind_, "o", text_of(draft.freeze()), "one");
      }
      case 6: {
        auto draft = parsed(made);
        draft["apiVersion"] = gen_.pick({"v2", "", "example.com/v1", "a/b/c"});
        return apply(kind_, "o", text_of(draft.freeze()), "one");
      }
      case 7: return with(apply(kind_, "o", made, std::string(129, 'm')), "");
      case 8: {
        auto draft = parsed(made);
        draft["metadata"]["uid"] = "00000000-0000-0000-0000-000000000000";
        return apply(kind_, gen_.pick({"o", "p"}), text_of(draft.freeze()), "one");
      }
      default: {
        auto draft = parsed(made);
        draft["metadata"]["resourceVersion"] =
            gen_.pick({"<<rv " + item(kind_, "o") + ">>", "<<old " + item(kind_, "o") + ">>"});
        return apply(kind_, "o", text_of(draft.freeze()), manager(), true);
      }
    }
  }

  Step other_write() {
    const auto change = std::string{gen_.pick(subject_.changes)};
    auto step = gen_.chance(50) ? update(kind_, "o", change) : merge_patch(kind_, "o", change);
    return gen_.chance(60) ? with(std::move(step), "fieldManager=" + manager()) : step;
  }

  Step managed_fields_write() {
    const auto change = gen_.pick(
        {R"({"metadata":{"managedFields":[{}]}})", R"({"metadata":{"managedFields":[]}})",
         R"({"metadata":{"managedFields":null}})",
         R"({"metadata":{"managedFields":[{"manager":"x"}]}})",
         R"({"metadata":{"managedFields":[{"manager":"x","operation":"Odd"}]}})",
         R"({"metadata":{"managedFields":[{"manager":"x","operation":"Apply","apiVersion":")" +
             std::string{kind_.group_version} +
             R"(","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{"f:l":{}}}}}]}})",
         R"({"metadata":{"managedFields":[{"manager":"x","operation":"Update","apiVersion":"v1","fieldsType":"Odd"}]}})"});
    return gen_.chance(50) ? update(kind_, "o", change) : merge_patch(kind_, "o", change);
  }

  Step subresource_write() {
    if (subject_.scale && gen_.chance(40)) {
      const auto replicas = gen_.pick({"1", "2", "4"});
      if (gen_.chance(50)) {
        return on(
            with(merge_patch(kind_, "o", fmt::format(R"({{"spec":{{"replicas":{}}}}})", replicas)),
                 "fieldManager=" + manager()),
            "scale");
      }
      return on(apply(kind_, "o",
                      fmt::format(R"({{"apiVersion":"autoscaling/v1","kind":"Scale",)"
                                  R"("metadata":{{"name":"o"}},"spec":{{"replicas":{}}}}})",
                                  replicas),
                      manager(), gen_.chance(40)),
                "scale");
    }
    return status_write();
  }

  Step status_write() {
    if (!kind_.has_status) return other_write();
    const auto fields =
        kind_.resource == "crates"
            ? gen_.pick({R"({"note":"n"})", R"({"count":3})",
                         R"({"conditions":[{"type":"A","status":"True"}]})",
                         R"({"conditions":[{"type":"B"},{"type":"A"}],"note":"m"})"})
            : gen_.pick({R"({"conditions":[{"type":"A","status":"True"}]})",
                         R"({"conditions":[{"type":"B","status":"False"}]})", "{}"});
    const auto made = fmt::format(
        R"({{"apiVersion":"{}","kind":"{}","metadata":{{"name":"o"{}}},"status":{}}})",
        kind_.group_version, kind_.kind, gen_.pick({"", "", R"(,"labels":{"l":"s"})"}), fields);
    return on(apply(kind_, "o", made, manager(), gen_.chance(40)), "status");
  }

  // What kubectl does when it moves from client-side to server-side apply: the annotation's
  // manager.
  Step last_applied() {
    const auto made = text_of(body(kind_, 1));
    std::string quoted;
    json::print_string(made, quoted, json::Escape::Plain);
    const auto annotation =
        R"({"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":)" +
        quoted + "}}}";
    return with(merge_patch(kind_, "o", annotation), "fieldManager=kubectl-client-side-apply");
  }

  Step next() {
    const auto roll = gen_.between(0, 99);
    if (roll < 55) return good_apply();
    if (roll < 63) return bad_apply();
    if (roll < 68) return odd_apply();
    if (roll < 80) return other_write();
    if (roll < 83) return managed_fields_write();
    if (roll < 90) return subresource_write();
    if (roll < 93) return last_applied();
    if (roll < 95) return remove(kind_, "o");
    if (roll < 97) {
      return apply(kind_, "o", text_of(body(kind_, 1)), "kubectl", gen_.chance(50));
    }
    return get(kind_, "o");
  }

  Gen& gen_;
  const Subject& subject_;
  const Sort& kind_;
};

}  // namespace

Sequence make_apply(Gen& gen) {
  // Half of it is about the kind that was made for it.
  const auto& all = subjects();
  const auto& subject = gen.chance(35) ? all[1] : gen.pick(all);
  return Story{gen, subject}.tell();
}

}  // namespace fixpoint::conformance
