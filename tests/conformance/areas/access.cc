// SPDX-License-Identifier: Apache-2.0
//
// Who may do what: decisions for impersonated users, escalation, impersonation itself, reviews and
// tokens. Users have a number of their own so that no other sequence's binding speaks of them; each
// right is granted once, since of two grants a real server names either as the reason.
#include "tests/conformance/area.h"
#include "tests/conformance/areas/access_subjects.h"

#include <utility>

namespace fixpoint::conformance {
namespace {

constexpr std::string_view kRbac = "/apis/rbac.authorization.k8s.io/v1";
constexpr std::string_view kInside = "/api/v1/namespaces/<<ns>>";

Step request(std::string method, std::string path, std::string body = {}, std::string query = {}) {
  Step step;
  step.method = std::move(method);
  step.path = std::move(path);
  step.body = std::move(body);
  step.query = std::move(query);
  if (step.method == "PATCH") step.content_type = "application/merge-patch+json";
  return step;
}

Step as(Step step, const std::string& user) {
  step.headers.add("Impersonate-User", user);
  return step;
}

Step heard(Step step) {
  step.settle = kHeard;
  return step;
}

std::string own_name(Gen& gen, std::string_view name) {
  return std::string{name} + "-" + std::to_string(gen.next() % 1'000'000'000'000);
}

Step role_step(std::string_view name, const std::string& rules) {
  return heard(
      request("POST", std::string{kRbac} + "/namespaces/<<ns>>/roles",
              R"({"metadata":{"name":")" + std::string{name} + R"("},"rules":)" + rules + "}"));
}

Step cluster_role_step(std::string_view name, const std::string& rules) {
  return heard(request(
      "POST", std::string{kRbac} + "/clusterroles",
      R"({"metadata":{"name":"<<id>>-)" + std::string{name} + R"("},"rules":)" + rules + "}"));
}

std::string binding_body(std::string_view name, std::string_view role_kind, std::string_view role,
                         const std::string& subject) {
  return R"({"metadata":{"name":")" + std::string{name} +
         R"("},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":")" +
         std::string{role_kind} + R"(","name":")" + std::string{role} + R"("},"subjects":[)" +
         subject + "]}";
}

std::string user_subject(const std::string& user) {
  return R"({"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":")" + user + R"("})";
}
std::string group_subject(const std::string& group) {
  return R"({"kind":"Group","apiGroup":"rbac.authorization.k8s.io","name":")" + group + R"("})";
}

Step binding_step(std::string_view role_kind, std::string_view role, const std::string& subject) {
  return heard(request("POST", std::string{kRbac} + "/namespaces/<<ns>>/rolebindings",
                       binding_body("b", role_kind, role, subject)));
}

Step cluster_binding_step(std::string_view role, const std::string& subject) {
  return heard(request("POST", std::string{kRbac} + "/clusterrolebindings",
                       binding_body("<<id>>-b", "ClusterRole", role, subject)));
}

std::string random_rules(Gen& gen) {
  return gen.pick(
      {R"([{"apiGroups":[""],"resources":["configmaps"],"verbs":["get","list","create"]}])",
       R"([{"apiGroups":[""],"resources":["configmaps"],"verbs":["*"]}])",
       R"([{"apiGroups":[""],"resources":["configmaps"],"resourceNames":["a"],"verbs":["get","update","patch","delete","list","watch","create"]}])",
       R"([{"apiGroups":["*"],"resources":["*"],"verbs":["get"]}])",
       R"([{"apiGroups":[""],"resources":["*/status"],"verbs":["patch","get"]}])",
       R"([{"apiGroups":[""],"resources":["pods/log","pods/status","pods/eviction"],"verbs":["get","create","patch"]}])",
       R"([{"apiGroups":["apps"],"resources":["deployments","deployments/scale"],"verbs":["get","patch","create"]}])",
       R"([{"apiGroups":[""],"resources":["configmaps"],"verbs":["deletecollection","watch"]}])",
       R"([{"apiGroups":[""],"resources":["configmaps","secrets"],"verbs":["create","update"]}])",
       R"([{"apiGroups":[""],"resources":["configmaps"],"verbs":["patch"]}])",
       R"([{"apiGroups":["none"],"resources":["configmaps"],"verbs":["*"]}])",
       R"([{"apiGroups":[""],"resources":["serviceaccounts/token","serviceaccounts"],"verbs":["create"]}])"});
}

Step random_request(Gen& gen) {
  const auto inside = std::string{kInside};
  const auto name = gen.pick({"a", "b"});
  const auto map =
      R"({"metadata":{"name":")" + name + R"("},"data":{"k":")" + gen.pick({"1", "2"}) + R"("}})";
  switch (gen.between(0, 17)) {
    case 0: return request("GET", inside + "/configmaps/" + name);
    case 1:
      return request("GET", inside + "/configmaps", {},
                     gen.chance(40) ? "fieldSelector=metadata.name%3D" + name : "");
    case 2:
    case 3: return request("POST", inside + "/configmaps", map);
    case 4: return request("PUT", inside + "/configmaps/" + name, map);
    case 5: return request("PATCH", inside + "/configmaps/" + name, R"({"data":{"z":"1"}})");
    case 6: return request("DELETE", inside + "/configmaps/" + name);
    case 7: return request("DELETE", inside + "/configmaps");
    case 8: return request("GET", "/api/v1/configmaps", {}, "labelSelector=seq%3D<<id>>");
    case 9: {
      auto step = request("PATCH", inside + "/configmaps/" + name,
                          R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
                              R"("},"data":{"q":"1"}})",
                          "fieldManager=one");
      step.content_type = "application/apply-patch+yaml";
      return step;
    }
    case 10:
      return request("PATCH", inside + "/pods/" + name + "/status",
                     R"({"status":{"phase":"Running"}})");
    case 11: return request("GET", inside + "/pods/" + name + gen.pick({"/log", "/status", ""}));
    case 12:
      return request("POST", inside + "/pods/" + name + "/eviction",
                     R"({"metadata":{"name":")" + name + R"("}})");
    case 13:
      return request(gen.pick({"GET", "PATCH"}),
                     "/apis/apps/v1/namespaces/<<ns>>/deployments/" + name + "/scale",
                     R"({"spec":{"replicas":2}})");
    case 14:
      return request("GET", gen.pick({"/api/v1/nodes", "/api/v1/namespaces", "/api/v1/nodes/n",
                                      "/api/v1/namespaces/<<ns>>"}));
    case 15:
      return request("GET", gen.pick({"/healthz", "/logs/x", "/none", "/openapi/none",
                                      "/apis/none.example.com/v1/things"}));
    case 16: return request("WATCH", inside + "/configmaps", {}, "resourceVersion=<<rv>>");
    default:
      return request("POST", inside + "/secrets",
                     R"({"metadata":{"name":")" + name + R"("},"stringData":{"k":"v"}})");
  }
}

std::string attributes(Gen& gen) {
  return gen.pick(
      {R"("resourceAttributes":{"namespace":"<<ns>>","verb":"get","resource":"configmaps","name":"a"})",
       R"("resourceAttributes":{"namespace":"<<ns>>","verb":"list","resource":"configmaps"})",
       R"("resourceAttributes":{"namespace":"<<ns>>","verb":"create","resource":"configmaps"})",
       R"("resourceAttributes":{"namespace":"<<ns>>","verb":"patch","resource":"pods","subresource":"status"})",
       R"("resourceAttributes":{"namespace":"<<ns>>","verb":"get","group":"apps","resource":"deployments","subresource":"scale","name":"a"})",
       R"("resourceAttributes":{"verb":"list","resource":"nodes"})",
       R"("resourceAttributes":{"verb":"*","group":"*","resource":"*"})",
       R"("nonResourceAttributes":{"path":"/secret/door","verb":"get"})",
       R"("nonResourceAttributes":{"path":"/x","verb":"get"},"resourceAttributes":{"verb":"get","resource":"pods"})",
       R"("resourceAttributes":{"namespace":"<<ns>>","verb":"list","resource":"configmaps","labelSelector":{"requirements":[{"key":"a","operator":"In","values":["b"]}]}})",
       R"("resourceAttributes":{"namespace":"<<ns>>","verb":"list","resource":"configmaps","fieldSelector":{"rawSelector":"metadata.name=a"}})",
       R"("resourceAttributes":{"namespace":"other","verb":"get","resource":"configmaps"})", ""});
}

Step review_step(Gen& gen, const std::string& user, const std::string& group) {
  const std::string root = "/apis/authorization.k8s.io/v1/";
  const auto asked = attributes(gen);
  const auto comma = asked.empty() ? "" : ",";
  switch (gen.between(0, 5)) {
    case 0:
    case 1:
      return as(request("POST", root + "selfsubjectaccessreviews", R"({"spec":{)" + asked + "}}"),
                user);
    case 2:
      return request("POST", root + "subjectaccessreviews",
                     R"({"spec":{"user":")" + user + "\"" + comma + asked + "}}");
    case 3:
      return request("POST", root + "subjectaccessreviews",
                     R"({"spec":{"groups":[")" + group + "\"]" + comma + asked + "}}");
    case 4:
      return request("POST", root + "namespaces/<<ns>>/localsubjectaccessreviews",
                     R"({"metadata":{"namespace":"<<ns>>"},"spec":{"user":")" + user + "\"" +
                         comma + asked + "}}");
    default:
      return request(
          "POST",
          root + gen.pick({"subjectaccessreviews", "namespaces/<<ns>>/localsubjectaccessreviews"}),
          R"({"spec":{)" + asked + "}}");
  }
}

// One right, then the user tries everything.
Sequence decisions(Gen& gen) {
  Sequence made;
  const auto user = own_name(gen, "ada");
  const auto group = own_name(gen, "staff");
  const bool by_group = gen.chance(30);
  const auto subject = by_group ? group_subject(group) : user_subject(user);
  const auto rules = random_rules(gen);
  if (gen.chance(50))
    made.steps.push_back(request("POST", std::string{kInside} + "/configmaps",
                                 R"({"metadata":{"name":"a"},"data":{"k":"0"}})"));
  switch (gen.between(0, 3)) {
    case 0:
      made.steps.push_back(cluster_role_step("r", rules));
      made.steps.push_back(cluster_binding_step("<<id>>-r", subject));
      break;
    case 1:
      made.steps.push_back(cluster_role_step("r", rules));
      made.steps.push_back(binding_step("ClusterRole", "<<id>>-r", subject));
      break;
    default:
      made.steps.push_back(role_step("r", rules));
      made.steps.push_back(binding_step("Role", gen.chance(8) ? "gone" : "r", subject));
  }
  for (auto count = gen.between(4, 9); count > 0; --count) {
    if (gen.chance(30)) {
      made.steps.push_back(review_step(gen, user, group));
      continue;
    }
    auto step = as(random_request(gen), user);
    if (by_group) step.headers.add("Impersonate-Group", group);
    made.steps.push_back(std::move(step));
  }
  return made;
}

// Somebody who may write roles tries to get more than they have.
Sequence escalation(Gen& gen) {
  Sequence made;
  const auto user = own_name(gen, "eve");
  const auto extra = gen.pick(
      {"", "",
       R"(,{"apiGroups":["rbac.authorization.k8s.io"],"resources":["roles","clusterroles"],"verbs":["escalate"]})",
       R"(,{"apiGroups":["rbac.authorization.k8s.io"],"resources":["roles","clusterroles"],"verbs":["bind"]})",
       R"(,{"apiGroups":["rbac.authorization.k8s.io"],"resources":["roles"],"resourceNames":["wide"],"verbs":["bind"]})"});
  made.steps.push_back(role_step(
      "r",
      R"([{"apiGroups":["rbac.authorization.k8s.io"],"resources":["roles","rolebindings"],"verbs":["get","create","update","patch"]},{"apiGroups":[""],"resources":["configmaps"],"verbs":["get","list"]})" +
          extra + "]"));
  made.steps.push_back(
      role_step("wide", R"([{"apiGroups":[""],"resources":["secrets"],"verbs":["get","list"]}])"));
  made.steps.push_back(
      role_step("narrow", R"([{"apiGroups":[""],"resources":["configmaps"],"verbs":["get"]}])"));
  made.steps.push_back(binding_step("Role", "r", user_subject(user)));
  const auto rules = [&] {
    return gen.pick(
        {R"([{"apiGroups":[""],"resources":["configmaps"],"verbs":["get"]}])",
         R"([{"apiGroups":[""],"resources":["configmaps"],"resourceNames":["x"],"verbs":["list"]}])",
         R"([{"apiGroups":[""],"resources":["secrets"],"verbs":["get"]}])",
         R"([{"apiGroups":[""],"resources":["configmaps"],"verbs":["delete"]}])",
         R"([{"apiGroups":[""],"resources":["configmaps","secrets"],"verbs":["get","create"]}])",
         R"([{"apiGroups":["*"],"resources":["*"],"verbs":["*"]}])", "[]",
         R"([{"apiGroups":[""],"resources":["secrets"],"resourceNames":["s"],"verbs":["get"]}])",
         R"([{"apiGroups":["","apps"],"resources":["pods"],"verbs":["get"]}])"});
  };
  const std::string roles = std::string{kRbac} + "/namespaces/<<ns>>/roles";
  const std::string bindings = std::string{kRbac} + "/namespaces/<<ns>>/rolebindings";
  for (auto count = gen.between(3, 7); count > 0; --count) {
    switch (gen.between(0, 6)) {
      case 0:
      case 1:
        made.steps.push_back(as(request("POST", roles,
                                        R"({"metadata":{"name":")" + gen.pick({"x", "y"}) +
                                            R"("},"rules":)" + rules() + "}"),
                                user));
        break;
      case 2:
        made.steps.push_back(as(request("PATCH", roles + "/" + gen.pick({"x", "narrow", "wide"}),
                                        R"({"rules":)" + rules() + "}"),
                                user));
        break;
      case 3:
        made.steps.push_back(as(request("PATCH", roles + "/" + gen.pick({"x", "wide"}),
                                        R"({"metadata":{"labels":{"a":"b"}}})"),
                                user));
        break;
      case 4: {
        const auto role = gen.pick({"wide", "narrow", "r", "gone"});
        made.steps.push_back(
            as(request("POST", bindings,
                       binding_body(gen.pick({"p", "q"}), "Role", role, user_subject("somebody"))),
               user));
        break;
      }
      case 5:
        made.steps.push_back(as(
            request("POST", bindings,
                    binding_body("v", "ClusterRole", gen.pick({"view", "gone", "system:discovery"}),
                                 user_subject("somebody"))),
            user));
        break;
      default:
        made.steps.push_back(as(request("PATCH", bindings + "/" + gen.pick({"p", "b"}),
                                        R"({"subjects":[{"kind":"User","name":"third"}]})"),
                                user));
    }
  }
  return made;
}

void add_masks(Gen& gen, Step& step) {
  if (gen.chance(90))
    step.headers.add("Impersonate-User",
                     gen.pick({"bob", "system:serviceaccount:<ns>:s", "system:anonymous", "bob",
                               "system:serviceaccount:default:s", ""}));
  if (gen.chance(35))
    step.headers.add(
        "Impersonate-Group",
        gen.pick({"staff", "system:masters", "system:authenticated", "system:unauthenticated"}));
  if (gen.chance(10)) step.headers.add("Impersonate-Group", "second");
  if (gen.chance(20)) step.headers.add("Impersonate-Uid", "77");
  if (gen.chance(20))
    step.headers.add(gen.pick({"Impersonate-Extra-scopes", "Impersonate-Extra-example.com%2fteam",
                               "Impersonate-Extra-Scopes"}),
                     gen.pick({"one", "two"}));
}

// Somebody who may, or may not, act as another.
Sequence masks(Gen& gen) {
  Sequence made;
  const std::string self = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  for (auto count = gen.between(3, 6); count > 0; --count) {
    auto step = request("POST", self, "{}");
    add_masks(gen, step);
    // Two servers' administrators have different names.
    const auto* user = step.headers.find("Impersonate-User");
    if (user == nullptr || user->empty() || gen.chance(30)) {
      step.method = "GET";
      step.path = std::string{kInside} + "/configmaps";
      step.body.clear();
    }
    made.steps.push_back(std::move(step));
  }
  return made;
}

Sequence paths(Gen& gen) {
  Sequence made;
  const auto user = own_name(gen, "pia");
  made.steps.push_back(cluster_role_step(
      "p", R"([{"nonResourceURLs":[)" +
               gen.pick({R"("/none")", R"("/none/*")", R"("*")", R"("/logs/","/none")"}) +
               R"(],"verbs":[)" + gen.pick({R"("get")", R"("*")", R"("get","post")"}) + "]}]"));
  made.steps.push_back(cluster_binding_step("<<id>>-p", user_subject(user)));
  for (auto count = gen.between(3, 7); count > 0; --count) {
    made.steps.push_back(as(request(gen.pick({"GET", "GET", "POST", "DELETE", "PUT"}),
                                    gen.pick({"/none", "/none/x", "/none/", "/logs/", "/healthz",
                                              "/livez", "/readyz", "/apis/none"})),
                            user));
  }
  made.watches = {"-"};
  return made;
}

Sequence tokens(Gen& gen) {
  Sequence made;
  const std::string account = std::string{kInside} + "/serviceaccounts/s";
  made.steps.push_back(
      request("POST", std::string{kInside} + "/serviceaccounts", R"({"metadata":{"name":"s"}})"));
  made.steps.push_back(request("POST", std::string{kInside} + "/secrets",
                               R"({"metadata":{"name":"k"},"stringData":{"a":"b"}})"));
  if (gen.chance(60)) {
    made.steps.push_back(
        request("POST", std::string{kInside} + "/pods",
                R"({"metadata":{"name":"p"},"spec":{"serviceAccountName":")" +
                    gen.pick({"s", "s", "default"}) + R"(",)" +
                    gen.pick({"", R"("nodeName":"<<id>>-n",)"}) +
                    R"("containers":[{"name":"c","image":"app.example/app:1"}]}})"));
  }
  if (gen.chance(40)) {
    made.steps.push_back(request("POST", "/api/v1/nodes", R"({"metadata":{"name":"<<id>>-n"}})"));
  }
  for (auto count = gen.between(3, 6); count > 0; --count) {
    switch (gen.between(0, 3)) {
      case 0:
      case 1:
        made.steps.push_back(request(
            "POST",
            gen.chance(90) ? account + "/token"
                           : std::string{kInside} + "/serviceaccounts/none/token",
            gen.pick(
                {R"({"spec":{}})",
                 "{}",
                 R"({"spec":{"audiences":["a"]}})",
                 R"({"spec":{"expirationSeconds":600}})",
                 R"({"spec":{"expirationSeconds":5}})",
                 R"({"spec":{"expirationSeconds":5000000000}})",
                 R"({"spec":{"audiences":["k"]}})",
                 R"({"spec":{"boundObjectRef":{"kind":"Secret","apiVersion":"v1","name":"gone"}}})",
                 R"({"spec":{"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"gone"}}})",
                 R"({"spec":{"boundObjectRef":{"kind":"ConfigMap","apiVersion":"v1","name":"x"}}})",
                 R"({"spec":{"boundObjectRef":{"kind":"Secret","apiVersion":"v1","name":"k"}}})",
                 R"({"spec":{"boundObjectRef":{"kind":"Secret","name":"k","uid":"<<uid /api/v1/namespaces/<<ns>>/secrets/k>>"}}})",
                 R"({"spec":{"boundObjectRef":{"kind":"Secret","apiVersion":"v1","name":"k","uid":"other"}}})",
                 R"({"spec":{"boundObjectRef":{"kind":"Secret","apiVersion":"v1"}}})",
                 R"({"spec":{"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"p"}}})",
                 R"({"spec":{"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"p","uid":"other"}}})",
                 R"({"spec":{"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"p"},"expirationSeconds":3607}})",
                 R"({"spec":{"boundObjectRef":{"kind":"Pod","apiVersion":"v9","name":"p"}}})",
                 R"({"spec":{"boundObjectRef":{"kind":"Node","apiVersion":"v1","name":"<<id>>-n"}}})",
                 R"({"spec":{"boundObjectRef":{"kind":"Node","apiVersion":"v1","name":"<<id>>-n","uid":"other"}}})",
                 R"({"spec":{"boundObjectRef":{"kind":"Deployment","apiVersion":"apps/v1","name":"p"}}})",
                 R"({"spec":{"boundObjectRef":{}}})",
                 R"({"spec":{"expirationSeconds":1200}})",
                 R"({"spec":{"audiences":["t"]}})",
                 R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{"audiences":["b","c"]}})"})));
        break;
      case 2:
        made.steps.push_back(request("POST", "/apis/authentication.k8s.io/v1/tokenreviews",
                                     gen.pick({R"({"spec":{"token":"nonsense"}})", R"({"spec":{}})",
                                               "{}", R"({"spec":{"token":"a.b.c"}})",
                                               R"({"spec":{"token":"x","audiences":["y"]}})"})));
        break;
      default:
        made.steps.push_back(request("POST",
                                     "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
                                     gen.pick({R"({"spec":{}})", "{}"})));
    }
  }
  return made;
}

Sequence rule_reviews(Gen& gen) {
  Sequence made;
  const auto user = own_name(gen, "rue");
  made.steps.push_back(role_step("r", random_rules(gen)));
  made.steps.push_back(binding_step("Role", "r", user_subject(user)));
  for (auto count = gen.between(1, 3); count > 0; --count) {
    made.steps.push_back(as(request("POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
                                    R"({"spec":{"namespace":"<<ns>>"}})"),
                            user));
  }
  return made;
}

}  // namespace

Sequence make_access(Gen& gen) {
  const auto roll = gen.between(0, 99);
  Sequence made = roll < 30   ? access_subject_sequence(gen)
                  : roll < 62 ? decisions(gen)
                  : roll < 76 ? escalation(gen)
                  : roll < 84 ? masks(gen)
                  : roll < 89 ? paths(gen)
                  : roll < 96 ? tokens(gen)
                              : rule_reviews(gen);
  made.http_only = true;
  return made;
}

}  // namespace fixpoint::conformance
