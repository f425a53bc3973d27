// SPDX-License-Identifier: Apache-2.0
//
// No expression but one that every server takes: a real one compiles them.
#include "tests/conformance/areas/device.h"

namespace fixpoint::conformance {
namespace {

// Aligned columns would be wider than any screen.
// clang-format off

Subject device_class() {
  return {
      .sort = {"resource.k8s.io/v1", "DeviceClass", "deviceclasses", false, R"({"spec":{}})", {}},
      .good = {R"(/spec/selectors [{"cel":{"expression":"true"}}])",
               R"(/spec/config [{"opaque":{"driver":"a.example.com","parameters":{"x":1}}}])",
               R"(/spec/config [])"},
      .bad = {R"(/spec/selectors [{}])", R"(/spec/config [{}])",
              R"(/spec/config [{"opaque":{"driver":"a b","parameters":7}}])",
              R"(/spec/config [{"opaque":{"driver":"","parameters":null}}])",
              R"(/spec/config [{"opaque":{"driver":"a.b"}}])",
              R"(/spec/config [{"opaque":{"driver":"a.b","parameters":[]}}])",
              R"(/spec/selectors [{"cel":null},{"cel":{"expression":"true"}}])"},
      .changes = joined({metadata_edits(),
                         {R"(/spec/config [{"opaque":{"driver":"b.example.com","parameters":{}}}])",
                          R"(/spec/config [{"opaque":{"driver":"x"}}])", R"(/spec/config null)",
                          R"(/spec/selectors [{}])"}}),
  };
}

Edits claim_edits() {
  return {
      R"(/devices/requests [{"name":"r","exactly":{"deviceClassName":"c","allocationMode":"All"}}])",
      R"(/devices/requests [{"name":"r","exactly":{"deviceClassName":"c","count":2}}])",
      R"(/devices/requests [{"name":"r","firstAvailable":[{"name":"s","deviceClassName":"c"},{"name":"t","deviceClassName":"d","count":3}]}]
/devices/constraints [{"requests":["r"],"matchAttribute":"a.b/c"}])",
      R"(/devices/constraints [{"matchAttribute":"a.b/c"}])",
      R"(/devices/config [{"requests":["r"],"opaque":{"driver":"a.b","parameters":{"k":[1]}}}])",
      R"(/devices/requests/0/exactly/selectors [{"cel":{"expression":"true"}}])",
  };
}

Edits bad_claim_edits() {
  return {
      R"(/devices/requests [{"name":"r"}])",
      R"(/devices/requests [{"name":"R!","exactly":{"deviceClassName":"c d","allocationMode":"Bogus","count":-1}}])",
      R"(/devices/requests [{"name":"r","exactly":{"deviceClassName":"c","allocationMode":"All","count":2}},{"name":"r","exactly":{}}])",
      R"(/devices/requests [{"name":"r","exactly":{"deviceClassName":"c"},"firstAvailable":[{"name":"s","deviceClassName":"c"}]}])",
      R"(/devices/requests [{"name":"r","firstAvailable":[{"name":"s","deviceClassName":"c"},{"name":"s","deviceClassName":""},{"name":"","deviceClassName":"c"}]}])",
      R"(/devices/requests [{"name":"r","exactly":{"deviceClassName":"c","count":-2}}])",
      R"(/devices/requests [{"name":"r","exactly":{"deviceClassName":"c","selectors":[{}]}}])",
      R"(/devices/constraints [{"requests":["x"],"matchAttribute":"a"}])",
      R"(/devices/constraints [{"requests":["r","r"],"matchAttribute":"a.b/c"},{}])",
      R"(/devices/constraints [{"requests":["r/s/t","r/s"],"matchAttribute":"A B/c d"}])",
      R"(/devices/config [{"requests":["x"],"opaque":{"driver":"a.b","parameters":{}}},{}])",
  };
}

Subject resource_claim() {
  return {
      .sort = {"resource.k8s.io/v1", "ResourceClaim", "resourceclaims", true,
               R"({"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"c"}}]}}})",
               {}, true},
      .good = under("/spec", joined({claim_edits(), {R"(/devices {})"}})),
      .bad = under("/spec", bad_claim_edits()),
      .changes = joined({metadata_edits(), under("/spec", claim_edits()), under("/spec", bad_claim_edits())}),
      .status = {R"(/status {"reservedFor":[{"resource":"pods","name":"p","uid":"u"}]})",
                 R"(/status {"allocation":{"devices":{"results":[{"request":"r","driver":"d.e","pool":"p","device":"x"}]}}})",
                 R"(/status {"allocation":{"devices":{"results":[{"request":"r","driver":"d.e","pool":"p/q","device":"y"}],"config":[{"source":"FromClaim","opaque":{"driver":"d.e","parameters":{}}}]}},"reservedFor":[{"resource":"pods","name":"p","uid":"u"}]})",
                 R"(/status/reservedFor [{"resource":"pods","name":"p","uid":"u"},{"resource":"pods","name":"p","uid":"u"},{}])",
                 R"(/status {"allocation":{"devices":{"results":[{"request":"z","driver":"D","pool":"P!","device":"X!"}],"config":[{"source":"Bogus"},{}]}}})",
                 R"(/status {"allocation":null,"reservedFor":null})"},
  };
}

Subject claim_template() {
  return {
      .sort = {"resource.k8s.io/v1", "ResourceClaimTemplate", "resourceclaimtemplates", true,
               R"({"spec":{"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"c"}}]}}}})",
               {}},
      .good = joined({under("/spec/spec", claim_edits()),
                      {R"(/spec/metadata {"labels":{"a":"b"},"annotations":{"c":"d"}})"}}),
      .bad = joined({under("/spec/spec", bad_claim_edits()),
                     {R"(/spec/metadata {"labels":{"a b":"c"}})", R"(/spec/metadata {"name":"x"})"}}),
      .changes = joined({metadata_edits(), under("/spec/spec", claim_edits())}),
  };
}

Subject resource_slice() {
  return {
      .sort = {"resource.k8s.io/v1", "ResourceSlice", "resourceslices", false,
               R"({"spec":{"driver":"d.example.com","nodeName":"n","pool":{"name":"n","resourceSliceCount":1}}})",
               {}},
      .good = {R"(/spec/devices [{"name":"x","attributes":{"model":{"string":"s"},"d.e/n":{"int":1},"v":{"version":"1.2.3-a+b"}},"capacity":{"memory":{"value":"1Gi"}}}])",
               R"(- /spec/nodeName
/spec/allNodes true)",
               R"(- /spec/nodeName
/spec/nodeSelector {"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"Exists"}]}]})",
               R"(/spec/pool/generation 3)"},
      .bad = {R"(/spec/driver "D E")", R"(/spec/pool {"name":"P!","resourceSliceCount":0,"generation":-1})",
              R"(/spec/allNodes true)", R"(- /spec/nodeName)", R"(/spec/nodeName "")",
              R"(/spec/devices [{"name":"X!"}])", R"(/spec/devices [{"name":"y"},{"name":"y"}])",
              R"(/spec/devices [{"name":"z","attributes":{"a":{}}}])",
              R"(/spec/devices [{"name":"z","attributes":{"b":{"string":"s","int":1}}}])",
              R"(/spec/devices [{"name":"z","attributes":{"c d":{"bool":true}}}])",
              R"(/spec/devices [{"name":"z","attributes":{"/x":{"bool":true}}}])",
              R"(/spec/devices [{"name":"z","attributes":{"v":{"version":"1.2"}}}])",
              R"(/spec/devices [{"name":"z","nodeName":"n"}])", R"(/spec/pool {})"},
      .changes = joined({metadata_edits(),
                         {R"(/spec/driver "x.example.com")", R"(/spec/nodeName "m")", R"(/spec/pool/name "q")",
                          R"(/spec/devices [{"name":"k"}])", R"(/spec/pool/generation 5)"}}),
  };
}

Subject flow_schema() {
  constexpr std::string_view kSubject = R"("subjects":[{"kind":"User","user":{"name":"u"}}])";
  const auto rule = [&](std::string_view rest) {
    return R"(/spec/rules [{)" + std::string{kSubject} + "," + std::string{rest} + "}]";
  };
  const auto subject = [](std::string_view one) {
    return R"(/spec/rules [{"subjects":[)" + std::string{one} +
           R"(],"nonResourceRules":[{"verbs":["*"],"nonResourceURLs":["*"]}]}])";
  };
  return {
      .sort = {"flowcontrol.apiserver.k8s.io/v1", "FlowSchema", "flowschemas", false,
               R"({"spec":{"priorityLevelConfiguration":{"name":"none"},"matchingPrecedence":9000}})", {}, true},
      .good = {R"(/spec/distinguisherMethod {"type":"ByUser"})", R"(/spec/matchingPrecedence 0)",
               rule(R"("resourceRules":[{"verbs":["get"],"apiGroups":["x"],"resources":["pods"],"namespaces":["n"]}])"),
               rule(R"("nonResourceRules":[{"verbs":["get"],"nonResourceURLs":["/none/*"]}])"),
               subject(R"({"kind":"ServiceAccount","serviceAccount":{"name":"*","namespace":"n"}})")},
      .bad = {R"(/spec/priorityLevelConfiguration {})", R"(/spec/priorityLevelConfiguration/name "A B")",
              R"(/spec/matchingPrecedence 10001)", R"(/spec/matchingPrecedence -1)", R"(/spec/matchingPrecedence 1)",
              R"(/spec/distinguisherMethod {"type":"Bogus"})", R"(/spec/rules [{"subjects":[]}])",
              subject(R"({"kind":"Bogus"})"), subject(R"({"kind":"User"},{"kind":"User","user":{"name":""}})"),
              subject(R"({"kind":"Group","group":{"name":""}},{"kind":"User","group":{"name":"x"}})"),
              subject(R"({"kind":"ServiceAccount","serviceAccount":{"name":"","namespace":""}})"),
              subject(R"({"kind":"ServiceAccount","serviceAccount":{"name":"A","namespace":"A B"},"user":{"name":"u"}})"),
              rule(R"("resourceRules":[{"verbs":["get","*"],"apiGroups":["*","x"],"resources":["*","A"],"namespaces":["*","n"]}])"),
              rule(R"("resourceRules":[{"verbs":["bogus"],"apiGroups":[],"resources":[],"namespaces":["A B"]}])"),
              rule(R"("resourceRules":[{}])"),
              rule(R"("nonResourceRules":[{"verbs":["bogus"],"nonResourceURLs":["x","/a*b","/a//b","","/a b"]},{}])"),
              rule(R"("nonResourceRules":[{"verbs":["get"],"nonResourceURLs":["*","/x"]}])")},
  };
}

Subject priority_level() {
  const auto queuing = [](std::string_view text) {
    return R"(/spec/limited/limitResponse {"type":"Queue","queuing":)" + std::string{text} + "}";
  };
  return {
      .sort = {"flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfiguration", "prioritylevelconfigurations", false,
               R"({"spec":{"type":"Limited","limited":{"nominalConcurrencyShares":1,"limitResponse":{"type":"Reject"}}}})", {}, true},
      .good = {R"(/spec/limited/lendablePercent 50)", R"(/spec/limited/borrowingLimitPercent 10)",
               queuing("{}"), queuing(R"({"queues":16,"handSize":4,"queueLengthLimit":50})"),
               R"(- /spec/limited/nominalConcurrencyShares)", R"(/spec/limited/nominalConcurrencyShares 0)"},
      .bad = {R"(- /spec/limited)", R"(/spec/limited {})", R"(/spec {"type":"Exempt"})", R"(/spec/type "Exempt")",
              R"(/spec {"type":"Bogus"})", R"(/spec {"type":"Exempt","exempt":{"nominalConcurrencyShares":-1,"lendablePercent":101}})",
              R"(/spec/limited {"nominalConcurrencyShares":-1,"lendablePercent":-1,"borrowingLimitPercent":-1,"limitResponse":{"type":"Bogus"}})",
              R"(/spec/limited/limitResponse {"type":"Queue"})", R"(/spec/limited/limitResponse {"type":"Reject","queuing":{}})",
              queuing(R"({"queues":-1,"handSize":-1,"queueLengthLimit":-1})"), queuing(R"({"queues":10000001,"handSize":3})"),
              queuing(R"({"queues":2,"handSize":3})"), queuing(R"({"queues":512,"handSize":9})"), R"(/spec/exempt {})"},
      .changes = joined({metadata_edits(),
                         {R"(/spec/limited/nominalConcurrencyShares 7)", R"(/spec/type "Exempt")",
                          R"(/spec/limited/lendablePercent 101)"}}),
      .status = {R"(/status/conditions [{"type":"a","status":"True"}])",
                 R"(/status/conditions [{"type":"a","status":"True"},{"type":"a"}])",
                 R"(/status/conditions [{"status":"True"}])"},
  };
}
// clang-format on

}  // namespace

const std::vector<Subject>& device_subjects() {
  static const std::vector<Subject> kSubjects{device_class(), resource_claim(), resource_claim(),
                                              claim_template(), resource_slice()};
  return kSubjects;
}

// Flow schemas are never stored: a real server writes their status on its own, at a moment of its
// choosing.
Sequence flow_sequence(Gen& gen) {
  static const Subject kSchema = flow_schema();
  static const Subject kLevel = priority_level();
  if (gen.chance(50)) return subject_sequence(gen, kLevel);
  Sequence made;
  for (auto count = gen.between(3, 7); count > 0; --count) {
    auto body = object(kSchema.sort, "a");
    body = edited(body, gen.pick(gen.chance(60) ? kSchema.bad : kSchema.good));
    made.steps.push_back(with(create(kSchema.sort, body), "dryRun=All"));
  }
  return made;
}

}  // namespace fixpoint::conformance
