// SPDX-License-Identifier: Apache-2.0
//
// The small kinds in depth: every field, good and bad, on create and on change, from any state that
// the steps before left. The pieces are in config_variants.cc; namespaces have a story of their
// own.
#include "base/error.h"
#include "json/parsing/parse.h"
#include "json/patch/merge_patch.h"
#include "tests/conformance/area.h"
#include "tests/conformance/areas/config_variants.h"
#include "tests/conformance/areas/story.h"
#include "tests/conformance/areas/tls_texts.h"

#include <algorithm>

namespace fixpoint::conformance {
namespace {

constexpr int kNamespaceWeight = 8;

std::string one_of(Gen& gen, std::span<const std::string_view> from) {
  return expanded(
      from[static_cast<std::size_t>(gen.between(0, static_cast<std::int64_t>(from.size()) - 1))]);
}

// One mistake at most.
std::string piece(Gen& gen, const Variants& variants) {
  return one_of(gen, gen.chance(60) ? variants.good : variants.bad);
}

json::Value parsed(const std::string& text) {
  auto value = json::parse(text);
  FP_CHECK(value.has_value());
  return *value;
}

void make_with(Story& story, std::string_view name, const std::string& merge) {
  const auto body = object(story.sort(), name);
  const auto patch = parsed(merge);
  const auto merged = json::apply_merge_patch(body, patch);
  story.then(create(story.sort(), merged));
}

std::string merged_pieces(Gen& gen, const Variants& variants) {
  auto first = parsed(one_of(gen, variants.good));
  const auto second = parsed(piece(gen, variants));
  return json_text(json::apply_merge_patch(first, second));
}

std::string big_data(Gen& gen, const Variants& variants) {
  const auto size = static_cast<std::size_t>(gen.between(1'048'570, 1'048'580));
  const auto field = variants.resource == "secrets" ? "stringData" : "data";
  return std::string{R"({")"} + field + R"(":{"a":")" + times(size) + "\"}}";
}

Step applied_piece(Story& story, std::string_view name, const std::string& merge) {
  const auto& sort = story.sort();
  json::Value minimal =
      parsed(R"({"apiVersion":")" + std::string{sort.group_version} + R"(","kind":")" +
             std::string{sort.kind} + R"(","metadata":{"name":")" + name_in(sort, name) + "\"}}");
  const auto patch = parsed(merge);
  const auto manager = story.gen().pick({"one", "two"});
  const auto body = json::apply_merge_patch(minimal, patch);
  return apply(sort, name, json_text(body), manager, story.gen().chance(50));
}

void one_step(Story& story, const Variants& variants) {
  auto& gen = story.gen();
  const auto& sort = story.sort();
  const auto part = piece(gen, variants);
  const auto merged = merged_pieces(gen, variants);
  switch (gen.between(0, 11)) {
    case 0: return make_with(story, gen.pick({"b", "c"}), merged);
    case 1: return make_with(story, gen.pick({"a", "b"}), part);
    case 2: return story.small_talk("a");
    case 3: return story.then(applied_piece(story, gen.pick({"a", "a", "d"}), part));
    case 4:
      return story.then(
          with(update(sort, "a", part),
               gen.pick({"dryRun=All", "fieldValidation=Strict", "fieldManager=me"})));
    case 5: story.then(remove(sort, "a")); return make_with(story, "a", part);
    default: return story.change("a", part);
  }
}

void tell_variants(Story& story, const Variants& variants) {
  auto& gen = story.gen();
  make_with(story, "a", gen.chance(70) ? one_of(gen, variants.good) : "{}");
  const auto steps = gen.between(5, 11);
  const bool sized = variants.resource == "configmaps" || variants.resource == "secrets";
  const auto big = sized && gen.chance(2) ? gen.between(0, steps - 1) : -1;
  for (std::int64_t i = 0; i < steps; ++i) {
    if (i == big) {
      story.then(merge_patch(story.sort(), "a", big_data(gen, variants)));
    } else {
      one_step(story, variants);
    }
  }
  if (gen.chance(40)) story.then(remove(story.sort(), "a"));
}

// Certificates and keys, in pairs and not.
void tell_tls(Story& story) {
  auto& gen = story.gen();
  const auto half = [&](std::string_view key, const auto& texts) {
    const auto at = static_cast<std::size_t>(gen.between(0, std::ssize(texts) - 1));
    return "\"" + std::string{key} + "\":\"" + std::string{texts[at]} + "\"";
  };
  const auto both = [&] {
    return half("tls.crt", tls::kCertificates) + "," + half("tls.key", tls::kKeys);
  };
  make_with(story, "a", R"({"type":"kubernetes.io/tls","data":{)" + both() + "}}");
  for (auto count = gen.between(2, 5); count > 0; --count) {
    const auto data = gen.chance(50)   ? both()
                      : gen.chance(50) ? half("tls.crt", tls::kCertificates)
                                       : half("tls.key", tls::kKeys);
    story.change("a", R"({"data":{)" + data + "}}");
    if (gen.chance(30)) story.change("a", R"({"metadata":{"labels":{"x":"y"}}})");
  }
}

// By one of two managers, to the namespace or its status.
Step apply_namespace(Gen& gen, const Sort& sort) {
  const auto part =
      gen.pick({R"("metadata":{"labels":{"x":"1"}})", R"("metadata":{"labels":{"x":"2","y":"3"}})",
                R"("spec":{"finalizers":["example.com/f"]})", R"("status":{"phase":"Active"})",
                R"("status":{"conditions":[{"type":"A","status":"True"}]})"});
  auto step = apply(sort, "a", R"({"apiVersion":"v1","kind":"Namespace",)" + part + "}",
                    gen.pick({"one", "two"}), gen.chance(50));
  return gen.chance(40) ? on(std::move(step), "status") : step;
}

// Namespaces: their two subresources, their phase, their finalizers, and what may be made in one
// that ends.
void tell_namespaces(Story& story) {
  auto& gen = story.gen();
  const auto& sort = story.sort();
  make_with(story, "a",
            gen.pick({"{}", R"({"metadata":{"labels":{"kubernetes.io/metadata.name":"other"}}})",
                      R"({"spec":{"finalizers":["example.com/f"]}})",
                      R"({"spec":{"finalizers":["kubernetes","example.com/f"]}})",
                      R"({"status":{"phase":"Terminating"}})",
                      R"({"metadata":{"finalizers":["example.com/m"]}})"}));
  const auto inside = [&](std::string_view resource) {
    const auto& other = conformance::sort(resource);
    const auto body = object(other, "in");
    auto step = create(other, body);
    step.path.replace(step.path.find("<<ns>>"), 6, name_in(sort, "a"));
    return step;
  };
  const auto finalize = [&](std::string change) {
    return on(update(sort, "a", std::move(change)), "finalize");
  };
  const auto steps = gen.between(4, 9);
  for (std::int64_t i = 0; i < steps; ++i) {
    switch (gen.between(0, 12)) {
      case 0:
        story.then(finalize(gen.pick({R"({"spec":{"finalizers":[]}})", R"({"spec":null})", "{}",
                                      R"({"spec":{"finalizers":["kubernetes"]}})"})));
        break;
      case 1:
        story.then(finalize(gen.pick(
            {R"({"spec":{"finalizers":["plain"]}})", R"({"spec":{"finalizers":["a/b"]}})",
             R"({"spec":{"finalizers":["kubernetes"]},"metadata":{"labels":{"x":"y"}}})",
             R"({"spec":{"finalizers":"x"}})", R"({"metadata":{"resourceVersion":"1"}})"})));
        break;
      case 2:
        story.then(
            on(gen.chance(50)
                   ? update(sort, "a", gen.pick({R"({"status":{"phase":"Terminating"}})", "{}"}))
                   : merge_patch(sort, "a",
                                 gen.pick({R"({"status":{"phase":"Active"}})",
                                           R"({"status":{"phase":"Bogus"}})",
                                           R"({"status":{"phase":null}})"})),
               "status"));
        break;
      case 3:
        story.then(on(
            merge_patch(
                sort, "a",
                R"({"status":{"conditions":[{"type":"NamespaceContentRemaining","status":"True","reason":"r","message":"m","lastTransitionTime":"2026-01-02T03:04:05Z"}]}})"),
            "status"));
        break;
      case 4:
        story.then(inside(gen.pick({"configmaps", "serviceaccounts", "pods", "secrets"})));
        break;
      case 5:
      case 6:
        story.then(remove(
            sort, "a",
            gen.pick({"", R"({"gracePeriodSeconds":0})", R"({"propagationPolicy":"Foreground"})",
                      R"({"propagationPolicy":"Orphan"})"})));
        break;
      case 7: make_with(story, "a", "{}"); break;
      case 8:
        story.change("a",
                     gen.pick({R"({"spec":{"finalizers":["example.com/g"]}})",
                               R"({"spec":{"finalizers":[]}})",
                               R"({"metadata":{"labels":{"kubernetes.io/metadata.name":null}}})",
                               R"({"metadata":{"labels":{"kubernetes.io/metadata.name":"x"}}})",
                               R"({"status":{"phase":"Terminating"}})",
                               R"({"metadata":{"finalizers":["example.com/m"]}})",
                               R"({"metadata":{"finalizers":null}})"}));
        break;
      case 9: story.then(get(sort, "a")); break;
      case 10:
        story.then(json_patch(
            sort, "a",
            gen.pick(
                {R"([{"op":"add","path":"/metadata/labels/x","value":"y"}])",
                 R"([{"op":"replace","path":"/spec/finalizers","value":["example.com/h"]}])",
                 R"([{"op":"remove","path":"/metadata/finalizers"}])",
                 R"([{"op":"test","path":"/status/phase","value":"Active"}])",
                 R"([{"op":"add","path":"/metadata/finalizers","value":["example.com/m"]}])"})));
        break;
      case 11: story.then(apply_namespace(gen, sort)); break;
      default: story.small_talk("a");
    }
  }
  if (gen.chance(50)) story.then(finalize(R"({"spec":{"finalizers":[]}})"));
  story.then(get(sort, "a"));
}

const Sort& sort_of(const Variants& variants) {
  const auto all = sorts();
  const auto at = std::ranges::find_if(all, [&](const Sort& one) {
    return one.resource == variants.resource && one.group_version == variants.group_version;
  });
  FP_CHECK(at != all.end());
  return *at;
}

}  // namespace

Sequence make_config(Gen& gen) {
  if (gen.chance(4)) {
    Story story{gen, sort("secrets")};
    tell_tls(story);
    return story.take();
  }
  int all = kNamespaceWeight;
  for (const auto& one : config_variants()) all += one.weight;
  for (const auto& one : config_variants_of_the_cluster()) all += one.weight;
  auto at = gen.between(0, all - 1);
  for (const auto part : {config_variants(), config_variants_of_the_cluster()}) {
    for (const auto& one : part) {
      if (at < one.weight) {
        Story story{gen, sort_of(one)};
        tell_variants(story, one);
        return story.take();
      }
      at -= one.weight;
    }
  }
  Story story{gen, sort("namespaces")};
  tell_namespaces(story);
  return story.take();
}

}  // namespace fixpoint::conformance
