// SPDX-License-Identifier: Apache-2.0
//
// Rules 29 to 31: server-side apply.
#include "tests/conformance/rules_steps.h"

namespace fixpoint::conformance {
namespace {

Rule ownership() {
  return {
      29,
      "Apply creates if absent (409 if a uid was given). Ownership is per field and manager; "
      "changing another's field is 409 unless forced; the same value is shared.",
      {{"it creates", steps({applied(kConfigMaps, "a", R"({"data":{"x":"1"}})", "one"),
                             applied(kBoats, "a", "{}", "one")})},
        {"not with a uid",
        steps({applied(kConfigMaps, "a",
                       R"({"metadata":{"uid":"11111111-2222-4333-8444-555555555555"}})", "one")})},
        {"another's field is a conflict",
        steps({applied(kConfigMaps, "a", R"({"data":{"x":"1","y":"1"}})", "one"),
               applied(kConfigMaps, "a", R"({"data":{"x":"2","y":"2"}})", "two"),
               applied(kConfigMaps, "a", R"({"data":{"x":"1"}})", "two"),
               applied(kConfigMaps, "a", R"({"data":{"x":"3"}})", "one"), get(kConfigMaps, "a")})},
        {"unless forced", steps({applied(kConfigMaps, "a", R"({"data":{"x":"1"}})", "one"),
                                applied(kConfigMaps, "a", R"({"data":{"x":"2"}})", "two", true),
                                applied(kConfigMaps, "a", R"({"data":{"x":"1"}})", "one")})}}
  };
}

Rule omission() {
  return {
      30,
      "Fields applied before and now omitted are removed if nobody else owns them. PUT by others "
      "takes ownership without conflict.",
      {{"what is left out goes",
        steps({applied(kConfigMaps, "a", R"({"data":{"x":"1","y":"1"}})", "one"),
               applied(kConfigMaps, "a", R"({"data":{"x":"1"}})", "one")})},
        {"unless another owns it",
        steps({applied(kConfigMaps, "a", R"({"data":{"x":"1","y":"1"}})", "one"),
               applied(kConfigMaps, "a", R"({"data":{"y":"1"}})", "two"),
               applied(kConfigMaps, "a", R"({"data":{"x":"1"}})", "one")})},
        {"a PUT takes what it changes",
        steps({applied(kConfigMaps, "a", R"({"data":{"x":"1","y":"1"}})", "one"),
               with(update(kConfigMaps, "a", R"({"data":{"x":"2"}})"), "fieldManager=two"),
               applied(kConfigMaps, "a", R"({"data":{"x":"1","y":"1"}})", "one")})}}
  };
}

Rule lists() {
  return {
      31,
      "Lists merge by declared keys or are atomic. Apply on status is separate ownership. Fields "
      "that the server resets are never owned.",
      {{"lists with keys merge",
        steps({applied(kBoats, "a", R"({"spec":{"parts":[{"name":"mast","size":1}]}})", "one"),
               applied_only(kBoats, "a", R"({"spec":{"parts":[{"name":"keel","size":2}]}})", "two"),
               applied_only(kBoats, "a", R"({"spec":{"parts":[{"name":"rope"}]}})", "two")})},
        {"also of built-in kinds",
        steps({applied(kDeployments, "d", "{}", "one"),
               applied_only(
                   kDeployments, "d",
                   R"({"spec":{"template":{"spec":{"containers":[{"name":"e","image":"j"}]}}}})",
                   "two")})},
        {"others are atomic",
        steps({applied(kBoats, "a", R"({"spec":{"flags":["a","b"]}})", "one"),
               applied_only(kBoats, "a", R"({"spec":{"flags":["c"]}})", "two"),
               applied_only(kBoats, "a", R"({"spec":{"flags":["c"]}})", "two", true)})},
        {"status is owned apart",
        steps({applied(kBoats, "a", "{}", "one"),
               on(applied_only(kBoats, "a", R"({"status":{"phase":"x"}})", "one"), "status"),
               applied(kBoats, "a", R"({"spec":{"crew":4}})", "one")})},
        {"what the server resets is not owned",
        steps({applied(kBoats, "a", R"({"status":{"phase":"x"}})", "one"),
               on(applied(kBoats, "a", R"({"spec":{"crew":9},"status":{"phase":"x"}})", "two"),
                  "status"),
               applied(kDeployments, "d", R"({"status":{"replicas":3}})", "one")})}}
  };
}

}  // namespace

std::vector<Rule> apply_rules() {
  return {ownership(), omission(), lists()};
}

}  // namespace fixpoint::conformance
