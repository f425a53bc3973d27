// SPDX-License-Identifier: Apache-2.0
//
// Rules 1 to 12: writes.
#include "tests/conformance/rules_steps.h"

#include <array>

namespace fixpoint::conformance {
namespace {

std::string stale(const Sort& sort, std::string_view name, std::string_view rest) {
  return R"({"metadata":{"resourceVersion":"<<old )" + item(sort, name) + R"(>>"},)" +
         std::string{rest} + "}";
}

constexpr std::string_view kOtherUid =
    R"({"metadata":{"uid":"11111111-2222-4333-8444-555555555555"}})";

Rule versions() {
  return {1,
          "Every committed change takes a new value from one store-wide counter; an object's "
          "resourceVersion is its last change.",
          {{"each change of any object is a new version, reads are none",
            steps({make(kConfigMaps, "a"), make(kSecrets, "b"),
                   merge_patch(kConfigMaps, "a", R"({"data":{"x":"1"}})"), get(kSecrets, "b"),
                   get(kConfigMaps, "a"), remove(kSecrets, "b"),
                   merge_patch(kConfigMaps, "a", R"({"data":{"x":"2"}})")})}}};
}

Rule stale_puts() {
  return {
      2,
      "PUT with another resourceVersion than the stored one is 409. Without one it is allowed for "
      "most built-in kinds, 422 for custom resources.",
      {{"a PUT with an old resourceVersion is a conflict",
        steps({make(kConfigMaps, "a"), merge_patch(kConfigMaps, "a", R"({"data":{"x":"1"}})"),
               update(kConfigMaps, "a", stale(kConfigMaps, "a", R"("data":{"x":"2"})")),
               get(kConfigMaps, "a"), update(kConfigMaps, "a", R"({"data":{"x":"3"}})")})},
        {"the same of a custom resource",
        steps({make(kBoats, "a"), merge_patch(kBoats, "a", R"({"spec":{"crew":4}})"),
               update(kBoats, "a", stale(kBoats, "a", R"("spec":{"crew":5})"))})},
        {"a PUT without one is the last write of a built-in kind",
        steps({make(kConfigMaps, "a"), put(kConfigMaps, "a", R"({"data":{"x":"1"}})"),
               make(kDeployments, "d"), put(kDeployments, "d", R"({"spec":{"replicas":2}})")})},
        {"and refused for a custom resource",
        steps({make(kBoats, "a"), put(kBoats, "a", R"({"spec":{"crew":5}})")})}}
  };
}

Rule other_uids() {
  return {
      3,
      "PUT or PATCH carrying another uid is refused: the uid is the only identity across delete "
      "and re-create.",
      {{"a PUT with another uid is a conflict",
        steps({make(kConfigMaps, "a"), update(kConfigMaps, "a", std::string{kOtherUid}),
               make(kBoats, "a"), update(kBoats, "a", std::string{kOtherUid})})},
        {"a PATCH cannot change the uid",
        steps(
            {make(kConfigMaps, "a"), merge_patch(kConfigMaps, "a", std::string{kOtherUid}),
             merge_patch(
                 kConfigMaps, "a",
                 R"({"metadata":{"uid":"<<uid /api/v1/namespaces/<<ns>>/configmaps/a>>"},"data":{"x":"1"}})")})},
        {"nor can a PATCH of a custom resource",
        steps({make(kBoats, "a"), merge_patch(kBoats, "a", std::string{kOtherUid})})}}
  };
}

Rule no_ops() {
  return {
      4,
      "A write that encodes to the stored bytes is none: 200, the same resourceVersion, no event.",
      {{"by PUT, PATCH and apply, and after some time",
        steps({make(kConfigMaps, "a", R"({"data":{"x":"1"}})"), update(kConfigMaps, "a", "{}"),
               merge_patch(kConfigMaps, "a", R"({"data":{"x":"1"}})"),
               json_patch(kConfigMaps, "a", "[]"),
               applied(kConfigMaps, "a", R"({"data":{"x":"1"}})", "one"),
               applied(kConfigMaps, "a", R"({"data":{"x":"1"}})", "one"), get(kConfigMaps, "a")})},
        {"and of a status",
        steps({make(kBoats, "a"),
               on(merge_patch(kBoats, "a", R"({"status":{"phase":"x"}})"), "status"),
               on(merge_patch(kBoats, "a", R"({"status":{"phase":"x"}})"), "status"),
               update(kBoats, "a", R"({"status":{"phase":"y"}})")})}}
  };
}

Rule patches() {
  return {
      5,
      "PATCH without a resourceVersion does not conflict; with one it behaves like PUT. A merge "
      "patch replaces lists whole; strategic merge does not exist for custom resources.",
      {{"a PATCH with an old resourceVersion is a conflict, without one it is none",
        steps({make(kConfigMaps, "a"), merge_patch(kConfigMaps, "a", R"({"data":{"x":"1"}})"),
               merge_patch(kConfigMaps, "a", stale(kConfigMaps, "a", R"("data":{"x":"2"})")),
               merge_patch(kConfigMaps, "a", R"({"data":{"x":"3"}})")})},
        {"a merge patch replaces lists, a strategic one merges them",
        steps(
            {make(kDeployments, "d"),
             merge_patch(
                 kDeployments, "d",
                 R"({"spec":{"template":{"spec":{"containers":[{"name":"e","image":"j"}]}}}})"),
             strategic_patch(
                 kDeployments, "d",
                 R"({"spec":{"template":{"spec":{"containers":[{"name":"f","image":"k"}]}}}})")})},
        {"a custom resource takes no strategic patch",
        steps({make(kBoats, "a", R"({"spec":{"parts":[{"name":"a"},{"name":"b"}]}})"),
               merge_patch(kBoats, "a", R"({"spec":{"parts":[{"name":"c"}]}})"),
               strategic_patch(kBoats, "a", R"({"spec":{"crew":7}})")})}},
      "The server's own repetition of a PATCH that lost a race: one server here works off its "
      "requests one by one, so there is no race to lose."
  };
}

Rule taken_names() {
  return {
      6,
      "POST: the resourceVersion must be empty; a taken name is 409 AlreadyExists, also while the "
      "old object is terminating.",
      {{"a POST brings no resourceVersion",
        steps({make(kConfigMaps, "a", R"({"metadata":{"resourceVersion":"1"}})"),
               make(kBoats, "a", R"({"metadata":{"resourceVersion":"1"}})"),
               get(kConfigMaps, "a")})},
        {"a taken name is refused",
        steps({make(kConfigMaps, "a", R"({"data":{"x":"1"}})"),
               make(kConfigMaps, "a", R"({"data":{"x":"2"}})"), get(kConfigMaps, "a")})},
        {"also while the object that has it is being deleted",
        steps({make(kConfigMaps, "a", R"({"metadata":{"finalizers":["example.com/x"]}})"),
               remove(kConfigMaps, "a"), make(kConfigMaps, "a"), get(kConfigMaps, "a")})}}
  };
}

Rule generated_names() {
  return {
      7,
      "generateName: a random suffix, so that a POST sent twice makes two objects; a taken name is "
      "tried again up to 8 times.",
      {{"each POST makes a new name",
        steps({make(kConfigMaps, "", R"({"metadata":{"generateName":"a-"}})"),
               make(kConfigMaps, "", R"({"metadata":{"generateName":"a-"}})"),
               make(kConfigMaps, "b", R"({"metadata":{"generateName":"a-"}})"),
               make(kConfigMaps, "")})}}};
}

Rule creations() {
  constexpr std::string_view kWishes =
      R"({"metadata":{"uid":"11111111-2222-4333-8444-555555555555","generation":9,
          "creationTimestamp":"2001-02-03T04:05:06Z","deletionTimestamp":"2001-02-03T04:05:06Z"},
          "status":{"phase":"Sailing"}})";
  return {
      8,
      "Create sets uid, creation time and generation, and wipes the status where it is a "
      "subresource.",
      {{"of a custom resource", steps({make(kBoats, "a", kWishes), make(kRafts, "a", kWishes)})},
        {"of built-in kinds",
        steps({make(kConfigMaps, "a",
                    R"({"metadata":{"uid":"11111111-2222-4333-8444-555555555555",
                            "generation":9,"creationTimestamp":"2001-02-03T04:05:06Z"}})"),
               make(kDeployments, "d",
                    R"({"metadata":{"generation":9},"status":{"replicas":3}})")})}}
  };
}

Rule status_and_main() {
  constexpr std::string_view kBoth =
      R"({"metadata":{"labels":{"l":"1"},"annotations":{"n":"1"}},"spec":{"replicas":7},"status":{"replicas":3}})";
  return {
      9,
      "A main write cannot change status, uid, creation time or deletion time. A status write of a "
      "custom resource changes only status; of some built-in kinds metadata edits pass.",
      {{"a main write keeps the status",
        steps({make(kBoats, "a"),
               on(merge_patch(kBoats, "a", R"({"status":{"phase":"x"}})"), "status"),
               merge_patch(kBoats, "a", R"({"spec":{"crew":4},"status":{"phase":"y"}})"),
               update(kBoats, "a", R"({"spec":{"crew":5},"status":null})")})},
        {"also of a built-in kind",
        steps({make(kDeployments, "d"), merge_patch(kDeployments, "d", std::string{kBoth})})},
        {"a write cannot change when an object was made",
        steps({make(kConfigMaps, "a"),
               merge_patch(kConfigMaps, "a",
                           R"({"metadata":{"creationTimestamp":"2001-02-03T04:05:06Z"}})"),
               update(kConfigMaps, "a",
                      R"({"metadata":{"creationTimestamp":null},"data":{"x":"1"}})"),
               merge_patch(kConfigMaps, "a",
                           R"({"metadata":{"deletionTimestamp":"2001-02-03T04:05:06Z"}})")})},
        {"a status write of a custom resource changes only status",
        steps(
            {make(kBoats, "a"),
             on(merge_patch(
                    kBoats, "a",
                    R"({"metadata":{"labels":{"a":"b"}},"spec":{"crew":9},"status":{"phase":"x"}})"),
                "status"),
             get(kBoats, "a")})},
        {"of a StatefulSet metadata passes, of a Deployment all but labels",
        steps({make(kStatefulSets, "s"),
               on(merge_patch(kStatefulSets, "s", std::string{kBoth}), "status"),
               make(kDeployments, "d"),
               on(merge_patch(kDeployments, "d", std::string{kBoth}), "status")})}}
  };
}

Rule generations() {
  return {
      10,
      "The generation moves by one when anything but metadata and status changes; without the "
      "status subresource status counts. A Deployment counts annotations. The deletion stamp "
      "counts. No request sets it.",
      {{"it moves with the spec",
        steps({make(kBoats, "a"), merge_patch(kBoats, "a", R"({"spec":{"crew":4}})"),
               update(kBoats, "a", R"({"spec":{"crew":5}})")})},
        {"not with metadata",
        steps({make(kBoats, "a"), merge_patch(kBoats, "a", R"({"metadata":{"labels":{"a":"b"}}})"),
               merge_patch(kBoats, "a", R"({"metadata":{"annotations":{"a":"b"}}})")})},
        {"not with the status",
        steps({make(kBoats, "a"),
               on(merge_patch(kBoats, "a", R"({"status":{"phase":"x"}})"), "status")})},
        {"but with it where it is no subresource",
        steps({make(kRafts, "a"), merge_patch(kRafts, "a", R"({"status":{"phase":"x"}})")})},
        {"a Deployment counts annotations, not labels",
        steps({make(kDeployments, "d"),
               merge_patch(kDeployments, "d", R"({"metadata":{"annotations":{"a":"b"}}})"),
               merge_patch(kDeployments, "d", R"({"metadata":{"labels":{"a":"b"}}})"),
               merge_patch(kDeployments, "d", R"({"spec":{"replicas":2}})")})},
        {"the deletion stamp counts",
        steps({make(kBoats, "a", R"({"metadata":{"finalizers":["example.com/x"]}})"),
               remove(kBoats, "a"), remove(kBoats, "a")})},
        {"no request sets it",
        steps({make(kBoats, "a"), merge_patch(kBoats, "a", R"({"metadata":{"generation":40}})"),
               update(kBoats, "a", R"({"metadata":{"generation":40},"spec":{"crew":9}})")})}}
  };
}

Rule limits() {
  const std::string long_text(std::size_t{257} << 10U, 'x');
  const std::string too_large(std::size_t{1600} << 10U, 'x');
  const std::string too_long(std::size_t{3300} << 10U, 'x');
  return {
      12,
      "Limits: a body of about 3 MiB (413), a stored object of about 1.5 MiB (500), annotations of "
      "256 KiB in total (422).",
      {{"annotations are bounded",
        steps(
            {make(kConfigMaps, "a", R"({"metadata":{"annotations":{"k":")" + long_text + R"("}}})"),
             get(kConfigMaps, "a")})},
        {"objects are", steps({make(kBoats, "a", R"({"spec":{"flags":[")" + too_large + R"("]}})"),
                              make(kPods, "p",
                                   R"({"spec":{"containers":[{"name":"c","image":"i","args":[")" +
                                       too_large + R"("]}]}})"),
                              get(kBoats, "a")})},
        {"so are bodies",
        over_http(steps({make(kConfigMaps, "a", R"({"data":{"k":")" + too_long + R"("}})"),
                         get(kConfigMaps, "a")}))}}
  };
}

}  // namespace

std::vector<Rule> write_rules() {
  return {
      versions(),
      stale_puts(),
      other_uids(),
      no_ops(),
      patches(),
      taken_names(),
      generated_names(),
      creations(),
      status_and_main(),
      generations(),
      {11,
          "A response can be lost after the commit: the caller sees a timeout, the write stands. A "
       "request can be delayed past its caller's death and land later.", {},
          "src/apiserver/rules_write_test.cc; the faults themselves are the verifier's."},
      limits()
  };
}

}  // namespace fixpoint::conformance
