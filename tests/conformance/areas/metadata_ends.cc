// SPDX-License-Identifier: Apache-2.0
//
// How objects of every kind end: finalizers, preconditions, grace, propagation, collections.
#include "base/error.h"
#include "json/parsing/parse.h"
#include "tests/conformance/areas/story.h"

namespace fixpoint::conformance {
namespace {

std::string finalizers(Gen& gen) {
  if (gen.chance(60)) {
    return gen.pick({R"(["example.com/a"])", R"(["example.com/a","example.com/b"])", "[]", "null",
                     R"(["example.com/b"])"});
  }
  if (gen.chance(10))
    return R"(["example.com/)" + times(static_cast<std::size_t>(gen.between(62, 64))) + R"("])";
  return gen.pick({R"(["plain"])", R"(["kubernetes"])", R"(["orphan"])",
                   R"(["foregroundDeletion"])", R"(["orphan","foregroundDeletion"])",
                   R"(["Example.com/a"])", R"([""])", R"(["a/b/c"])",
                   R"(["example.com/a","example.com/a"])", R"(["example.com/é"])", R"(["/a"])",
                   R"(["example.com/"])"});
}

std::string uid_of(const Sort& sort, std::string_view name) {
  return "<<uid " + item(sort, name) + ">>";
}

std::string precondition(Gen& gen, const Sort& sort) {
  const auto path = item(sort, "a");
  switch (gen.between(0, 6)) {
    case 0: return R"("uid":")" + uid_of(sort, "a") + "\"";
    case 1: return R"("uid":"99999999-2222-3333-4444-555555555555")";
    case 2: return R"("resourceVersion":"<<rv )" + path + ">>\"";
    case 3: return R"("resourceVersion":"<<old )" + path + ">>\"";
    case 4:
      return R"("uid":")" + uid_of(sort, "a") + R"(","resourceVersion":"<<rv )" + path + ">>\"";
    case 5: return R"("uid":)" + gen.pick({R"("")", "null", R"("x")"});
    default: return R"("resourceVersion":)" + gen.pick({R"("")", R"("abc")", R"("0")", R"("1")"});
  }
}

// The body of a DELETE; mostly something that a server takes.
std::string delete_options(Gen& gen, const Sort& sort) {
  std::string fields = R"("kind":"DeleteOptions","apiVersion":"v1")";
  switch (gen.between(0, 11)) {
    case 0: return "";
    case 1:
      return "{" + fields + R"(,"gracePeriodSeconds":)" + gen.pick({"0", "1", "30", "-1", "null"}) +
             "}";
    case 2:
    case 3:
      return "{" + fields + R"(,"propagationPolicy":)" +
             gen.pick({R"("Foreground")", R"("Background")", R"("Orphan")", R"("Bogus")", R"("")",
                       "null"}) +
             "}";
    case 4: return "{" + fields + R"(,"orphanDependents":)" + gen.pick({"true", "false"}) + "}";
    case 5: return "{" + fields + R"(,"orphanDependents":true,"propagationPolicy":"Orphan"})";
    case 6:
    case 7: return "{" + fields + R"(,"preconditions":{)" + precondition(gen, sort) + "}}";
    case 8:
      return "{" + fields + R"(,"dryRun":)" +
             gen.pick({R"(["All"])", R"(["Some"])", "[]", R"(["All","All"])"}) + "}";
    case 9:
      return gen.pick(
          {"{}", R"({"kind":"DeleteOptions"})",
           R"({"kind":"DeleteOptions","apiVersion":"apps/v1"})",
           R"({"kind":"DeleteOptions","apiVersion":"meta.k8s.io/v1"})",
           R"({"kind":"Pod","apiVersion":"v1"})", R"({"kind":"DeleteOptions","apiVersion":"v9"})",
           R"({"apiVersion":"v1","kind":"DeleteOptions","bogus":1})", "[]", "null", "nonsense",
           R"({"apiVersion":"v1","kind":"DeleteOptions","gracePeriodSeconds":"1"})"});
    case 10: {
      const auto options = json::parse(
          "{" + fields +
          R"(,"dryRun":["All"],"gracePeriodSeconds":0,"preconditions":{"uid":"x"},"propagationPolicy":"Orphan"})");
      FP_CHECK(options.has_value());
      return mutated(gen, *options);
    }
    default: return "{" + fields + "}";
  }
}

std::string delete_query(Gen& gen) {
  if (!gen.chance(25)) return "";
  return gen.pick({"gracePeriodSeconds=0", "gracePeriodSeconds=5", "gracePeriodSeconds=x",
                   "propagationPolicy=Foreground", "propagationPolicy=Orphan",
                   "propagationPolicy=Background", "propagationPolicy=None",
                   "orphanDependents=true", "orphanDependents=maybe", "dryRun=All", "dryRun=Some",
                   "dryRun=", "orphanDependents=true&propagationPolicy=Orphan"});
}

Step deletion(Gen& gen, const Sort& sort) {
  auto step = remove(sort, "a", delete_options(gen, sort));
  const auto query = delete_query(gen);
  return query.empty() ? step : with(std::move(step), query);
}

}  // namespace

void tell_finalizers(Story& story) {
  auto& gen = story.gen();
  const auto& sort = story.sort();
  if (gen.chance(30)) story.make("b", R"({"finalizers":)" + finalizers(gen) + "}");
  story.make("a", gen.chance(70) ? R"({"finalizers":["example.com/a"]})"
                                 : R"({"finalizers":)" + finalizers(gen) + "}");
  if (gen.chance(50)) story.change("a", in_metadata(R"("finalizers":)" + finalizers(gen)));
  story.then(gen.chance(60) ? remove(sort, "a") : deletion(gen, sort));
  const auto steps = gen.between(2, 6);
  for (std::int64_t i = 0; i < steps; ++i) {
    switch (gen.between(0, 8)) {
      case 0: story.make("a"); break;
      case 1: story.then(deletion(gen, sort)); break;
      case 2: story.small_talk("a"); break;
      case 3: story.change("a", in_metadata(R"("deletionTimestamp":null)")); break;
      case 4:
        story.change(
            "a", in_metadata(R"("deletionGracePeriodSeconds":)" + gen.pick({"null", "30", "0"})));
        break;
      case 5:
        story.then(json_patch(sort, "a", R"([{"op":"remove","path":"/metadata/finalizers/0"}])"));
        break;
      default: story.change("a", in_metadata(R"("finalizers":)" + finalizers(gen)));
    }
  }
  if (gen.chance(60)) story.change("a", in_metadata(R"("finalizers":)" + gen.pick({"null", "[]"})));
  if (gen.chance(60)) story.then(get(sort, "a"));
  if (gen.chance(30)) story.make("a");
}

void tell_preconditions(Story& story) {
  auto& gen = story.gen();
  const auto& sort = story.sort();
  const auto path = item(sort, "a");
  story.make("a");
  story.change("a");
  const auto steps = gen.between(4, 8);
  for (std::int64_t i = 0; i < steps; ++i) {
    const auto wanted = in_metadata(precondition(gen, sort));
    switch (gen.between(0, 6)) {
      case 0: story.then(merge_patch(sort, "a", wanted)); break;
      case 1: story.then(update(sort, "a", wanted)); break;
      case 2:
        story.then(update(sort, "a", in_metadata(R"("resourceVersion":null,"labels":{"w":"x"})")));
        break;
      case 3:
        story.then(update(
            sort, "a",
            in_metadata(R"("resourceVersion":"<<old )" + path + R"(>>","labels":{"w":"y"})")));
        break;
      case 4:
        story.then(apply(sort, "a",
                         R"({"apiVersion":")" + std::string{sort.group_version} + R"(","kind":")" +
                             std::string{sort.kind} + R"(","metadata":{)" +
                             precondition(gen, sort) + "}}",
                         "m"));
        break;
      case 5:
        story.then(remove(sort, "a",
                          R"({"kind":"DeleteOptions","apiVersion":"v1","preconditions":{)" +
                              precondition(gen, sort) + "}}"));
        if (gen.chance(50)) story.make("a");
        break;
      default: story.small_talk("a");
    }
  }
}

void tell_deletion(Story& story) {
  auto& gen = story.gen();
  const auto& sort = story.sort();
  const auto rounds = gen.between(2, 4);
  for (std::int64_t i = 0; i < rounds; ++i) {
    story.make("a", gen.chance(20) ? R"({"finalizers":["example.com/a"]})" : "{}");
    if (gen.chance(30)) story.small_talk("a");
    story.then(deletion(gen, sort));
    if (gen.chance(50)) story.then(gen.chance(70) ? get(sort, "a") : deletion(gen, sort));
    if (gen.chance(30)) story.change("a", in_metadata(R"("finalizers":null)"));
  }
}

void tell_collection(Story& story) {
  auto& gen = story.gen();
  const auto& sort = story.sort();
  for (const std::string_view name : {"a", "b", "c", "d"}) {
    if (!gen.chance(75)) continue;
    story.make(name, gen.pick({R"({"labels":{"of":"<<id>>"}})",
                               R"({"labels":{"of":"<<id>>","side":"left"}})",
                               R"({"labels":{"of":"<<id>>"},"finalizers":["example.com/a"]})"}));
  }
  const auto rounds = gen.between(1, 3);
  for (std::int64_t i = 0; i < rounds; ++i) {
    // Others' objects of kinds without a namespace stay.
    auto step = remove_collection(
        sort, "labelSelector=of%3D<<id>>" + gen.pick({"", "%2Cside%3Dleft", "%2Cside!%3Dleft"}));
    if (gen.chance(40)) step.body = delete_options(gen, sort);
    if (gen.chance(15)) {
      // Whether a page is the last depends on all objects of the kind, others' too.
      const auto page = sort.namespaced ? "limit=1" : "timeoutSeconds=5";
      step =
          with(std::move(step), gen.pick({page, "dryRun=All", "propagationPolicy=Orphan",
                                          "fieldSelector=metadata.name%3Da", "resourceVersion=0"}));
    }
    story.then(std::move(step));
    if (gen.chance(50)) story.then(list(sort, "labelSelector=of%3D<<id>>"));
    if (gen.chance(40)) story.make("b", R"({"labels":{"of":"<<id>>"}})");
  }
  story.then(list(sort, "labelSelector=of%3D<<id>>"));
}

}  // namespace fixpoint::conformance
