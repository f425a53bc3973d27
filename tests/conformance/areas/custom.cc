// SPDX-License-Identifier: Apache-2.0
//
// Custom resources in depth: each keyword of the schema met and broken by every way of writing,
// defaults, pruning, old bad values that a lax version let in, status, scale and both versions.
#include "base/error.h"
#include "json/parsing/parse.h"
#include "json/patch/merge_patch.h"
#include "json/print.h"
#include "tests/conformance/area.h"
#include "tests/conformance/custom_kinds.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::conformance {
namespace {

Step create_plain(const Sort& kind, std::string_view name) {
  const auto body = object(kind, name);
  return create(kind, body);
}

enum class Quality : std::uint8_t { Good, Bad };

struct FieldValue {
  std::string_view name;
  std::string_view text;
};

FieldValue some_field(Gen& gen, Quality quality) {
  for (;;) {
    const auto& field = gen.pick(gadget_fields());
    const auto& from = quality == Quality::Good ? field.good : field.bad;
    if (!from.empty()) return {field.name, gen.pick(from)};
  }
}

// {"spec": {"size": 3, …}} with a few good members.
json::Value good_spec(Gen& gen, int members) {
  auto body = *json::parse(R"({"spec":{"size":3}})");
  for (auto i = 0; i < members; ++i) {
    const auto field = some_field(gen, Quality::Good);
    const auto more = json::parse(fmt::format(R"({{"spec":{{"{}":{}}}}})", field.name, field.text));
    FP_CHECK(more.has_value());
    json::Draft merged{body};
    merged["spec"][field.name] = json::Draft{more->get("spec", field.name)};
    body = merged.freeze();
  }
  return body;
}

json::Value gadget(Gen& gen, std::string_view name, int members) {
  json::Draft made{object(sort("gadgets"), name)};
  const auto spec = good_spec(gen, members);
  made["spec"] = json::Draft{spec.get("spec")};
  return made.freeze();
}

std::string spec_of(FieldValue field) {
  return fmt::format(R"({{"spec":{{"{}":{}}}}})", field.name, field.text);
}

// The field written in one of the four ways.
Step write_field(Gen& gen, FieldValue field) {
  const auto& kind = sort("gadgets");
  switch (gen.between(0, 3)) {
    case 0: return update(kind, "g", spec_of(field));
    case 1: return merge_patch(kind, "g", spec_of(field));
    case 2:
      return json_patch(kind, "g",
                        fmt::format(R"([{{"op":"{}","path":"/spec/{}","value":{}}}])",
                                    gen.pick({"add", "replace"}), field.name, field.text));
    default:
      return apply(kind, "g",
                   fmt::format(R"({{"apiVersion":"conform.example.com/v1","kind":"Gadget",)"
                               R"("metadata":{{"name":"g"}},"spec":{{"size":3,"{}":{}}}}})",
                               field.name, field.text),
                   gen.pick({"one", "two"}), gen.chance(70));
  }
}

Step good_write(Gen& gen) {
  return write_field(gen, some_field(gen, Quality::Good));
}

Step bad_write(Gen& gen) {
  return write_field(gen, some_field(gen, Quality::Bad));
}

Step bad_create(Gen& gen) {
  const auto& kind = sort("gadgets");
  const auto field = some_field(gen, Quality::Bad);
  auto step = create_plain(kind, "other");
  if (field.name != "size") {
    step.body = fmt::format(R"({{"apiVersion":"conform.example.com/v1","kind":"Gadget",)"
                            R"("metadata":{{"name":"other"}},"spec":{{"size":3,"{}":{}}}}})",
                            field.name, field.text);
  } else {
    step.body = fmt::format(R"({{"apiVersion":"conform.example.com/v1","kind":"Gadget",)"
                            R"("metadata":{{"name":"other"}},"spec":{{"size":{}}}}})",
                            field.text);
  }
  return step;
}

Step drop_field(Gen& gen) {
  const auto& kind = sort("gadgets");
  const auto name = gen.pick(gadget_fields()).name;
  if (gen.chance(40))
    return merge_patch(kind, "g", fmt::format(R"({{"spec":{{"{}":null}}}})", name));
  if (gen.chance(50)) return update(kind, "g", fmt::format(R"({{"spec":{{"{}":null}}}})", name));
  return json_patch(kind, "g", fmt::format(R"([{{"op":"remove","path":"/spec/{}"}}])", name));
}

// Unknown members: dropped, warned of or refused.
Step unknown_field(Gen& gen) {
  const auto& kind = sort("gadgets");
  const auto where =
      gen.pick({R"({"spec":{"nope":1}})", R"({"extra":{"a":1}})", R"({"metadata":{"nope":"x"}})",
                R"({"spec":{"deep":{"nope":[]}}})", R"({"spec":{"half":{"known":1,"free":1}}})",
                R"({"spec":{"parts":[{"name":"a","nope":1}]}})",
                R"({"spec":{"boxes":{"a":{"w":1,"nope":2}}}})",
                R"({"spec":{"child":{"apiVersion":"v1","kind":"X","nope":1}}})",
                R"({"spec":{"template":{"apiVersion":"v1","kind":"X","metadata":{"nope":1}}}})"});
  auto step = gen.chance(50) ? update(kind, "g", where) : merge_patch(kind, "g", where);
  return gen.chance(60)
             ? with(std::move(step), "fieldValidation=" + gen.pick({"Strict", "Warn", "Ignore"}))
             : step;
}

Step status_write(Gen& gen) {
  const auto& kind = sort("gadgets");
  const auto change = gen.pick(
      {R"({"status":{"replicas":2,"selector":"a=b"}})", R"({"status":{"phase":"Old","seen":5}})",
       R"({"status":{"phase":"Other"}})", R"({"status":{"seen":101}})",
       R"({"status":{"seen":"5"}})",
       R"({"status":{"conditions":[{"type":"Ready","status":"True","reason":"Fine"}]}})",
       R"({"status":{"conditions":[{"type":"Ready"}]}})",
       R"({"status":{"conditions":[{"type":"A","status":"True"},{"type":"A","status":"False"}]}})",
       R"({"status":{"conditions":[{"type":"A","status":"Maybe"}]}})", R"({"status":{"nope":1}})",
       R"({"status":null})", R"({"status":{}})", R"({"status":"x"})",
       R"({"status":{"seen":1},"spec":{"size":9},"metadata":{"labels":{"a":"b"}}})",
       R"({"metadata":{"annotations":{"a":"b"},"finalizers":["x.example.com/f"]}})",
       R"({"spec":{"size":99}})", R"({"status":{"phase":null,"seen":null}})"});
  switch (gen.between(0, 4)) {
    case 0: return on(update(kind, "g", change), "status");
    case 1: return on(merge_patch(kind, "g", change), "status");
    case 2:
      return on(apply(kind, "g",
                      R"({"apiVersion":"conform.example.com/v1","kind":"Gadget","status":)" +
                          gen.pick({R"({"phase":"Old"})", R"({"seen":7})", R"({"seen":700})",
                                    R"({"conditions":[{"type":"B","status":"Unknown"}]})",
                                    R"({"conditions":[{"type":"B","status":"True"}],"seen":2})",
                                    R"({})"}) +
                          "}",
                      gen.pick({"one", "two"}), gen.chance(50)),
                "status");
    case 3:
      // The main resource leaves status alone.
      return gen.chance(50) ? update(kind, "g", change) : merge_patch(kind, "g", change);
    default: return on(get(kind, "g"), "status");
  }
}

Step scale_write(Gen& gen) {
  const auto& kind = sort("gadgets");
  const auto replicas = gen.pick({"0", "3", "5", "6", "-1", R"("2")", "1.5", "null"});
  const auto spec = fmt::format(R"({{"spec":{{"replicas":{}}}}})", replicas);
  switch (gen.between(0, 3)) {
    case 0: return on(get(kind, "g"), "scale");
    case 1: {
      auto step = on(get(kind, "g"), "scale");
      step.method = "PUT";
      step.body =
          fmt::format(R"({{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":)"
                      R"({{"name":"g","namespace":"<<ns>>"{}}},"spec":{{"replicas":{}}}}})",
                      gen.pick({"", R"(,"resourceVersion":"<<rv )" + item(kind, "g") + R"(>>")",
                                R"(,"resourceVersion":"1")"}),
                      replicas);
      return step;
    }
    case 2: return on(merge_patch(kind, "g", spec), "scale");
    default:
      return on(apply(kind, "g",
                      R"({"apiVersion":"autoscaling/v1","kind":"Scale","spec":{"replicas":2}})",
                      gen.pick({"one", "two"}), gen.chance(50)),
                "scale");
  }
}

// Through the lax version; what it lets in may be bad for v1.
Step old_version(Gen& gen) {
  const auto& old = old_gadget();
  const auto lax = gen.pick(
      {R"({"size":50})", R"({"title":"far too long"})", R"({"mode":"Odd"})", R"({"level":9})",
       R"({"numbers":[1,2,3,4,5,6]})", R"({"labels":{"a":"too long"}})", R"({"any":"abc"})",
       R"({"all":5})", R"({"none":"bad"})", R"({"choice":{"a":1,"b":2}})", R"({"when":"soon"})",
       R"({"colors":["pink"]})", R"({"ratio":2})", R"({"step":1})", R"({"code":"A"})",
       R"({"old":"still"})", R"({"size":"5"})", R"({"replicas":4})"});
  const auto change = fmt::format(R"({{"spec":{}}})", lax);
  switch (gen.between(0, 4)) {
    case 0: return get(old, "g");
    case 1: return update(old, "g", change);
    case 2:
      return apply(old, "g",
                   fmt::format(R"({{"apiVersion":"conform.example.com/v1beta1","kind":"Gadget",)"
                               R"("metadata":{{"name":"g"}},"spec":{}}})",
                               lax),
                   gen.pick({"one", "old"}), gen.chance(50));
    case 3: return list(old);
    default: return merge_patch(old, "g", change);
  }
}

Step create_old(Gen& gen) {
  const auto& old = old_gadget();
  auto step = create_plain(old, gen.pick({"h", "i"}));
  return step;
}

Step metadata_write(Gen& gen) {
  return merge_patch(
      sort("gadgets"), "g",
      gen.pick({R"({"metadata":{"labels":{"a":"b"}}})", R"({"metadata":{"labels":{"a":"b c"}}})",
                R"({"metadata":{"annotations":{"x":"y"}}})", R"({"metadata":{"generation":17}})",
                R"({"metadata":{"labels":null,"annotations":{}}})",
                R"({"apiVersion":"conform.example.com/v1beta1"})", R"({"kind":"Other"})",
                R"({"metadata":null})", R"({"spec":null})", R"({"spec":[]})", "{}"}));
}

Step any_read(Gen& gen) {
  const auto& kind = sort("gadgets");
  switch (gen.between(0, 4)) {
    case 0: {
      auto step = gen.chance(50) ? get(kind, "g") : list(kind);
      step.accept = "application/json;as=Table;g=meta.k8s.io;v=v1";
      return step;
    }
    case 1:
      return list(kind, "fieldSelector=" +
                            gen.pick({"spec.mode%3DFast", "spec.size%3D3", "spec.flag%3Dtrue",
                                      "spec.step%3D3", "metadata.name%3Dg", "spec.size%21%3D3"}));
    case 2: return list(kind);
    default: return get(kind, "g");
  }
}

Step bag_step(Gen& gen) {
  const auto& bag = sort("bags");
  const auto change =
      gen.pick({R"({"spec":"text"})", R"({"spec":{"a":[1,2,{"b":null}]}})", R"({"status":{"x":1}})",
                R"({"more":null})", R"({"metadata":{"nope":1}})", R"({"a":1.0,"b":1e3,"c":2.0})",
                R"({"kind":"Other"})", R"({"spec":{"big":12345678901234567890}})"});
  switch (gen.between(0, 5)) {
    case 0: return create_plain(bag, gen.pick({"b", "c"}));
    case 1: return update(bag, "b", change);
    case 2:
      return apply(bag, "b",
                   R"({"apiVersion":"conform.example.com/v1","kind":"Bag","spec":)" +
                       gen.pick({R"({"a":{"b":1}})", R"({"a":[1,2]})", R"("x")", "null"}) + "}",
                   gen.pick({"one", "two"}), gen.chance(50));
    case 3: return get(bag, "b");
    case 4: return on(get(bag, "b"), gen.pick({"status", "scale"}));
    default: return merge_patch(bag, "b", change);
  }
}

Step zone_step(Gen& gen) {
  const auto& zone = sort("zones");
  const auto change =
      gen.pick({R"({"spec":{"region":"north"}})", R"({"spec":{"region":"east"}})",
                R"({"spec":{"weight":-1}})", R"({"spec":null})", R"({"status":{"note":"n"}})",
                R"({"status":{"ready":"yes"}})", R"({"status":{}})", R"({"spec":{"nope":1}})",
                R"({"metadata":{"namespace":"default"}})"});
  switch (gen.between(0, 5)) {
    case 0: return create_plain(zone, gen.pick({"z", "y"}));
    case 1: return update(zone, "z", change);
    case 2: return get(zone, "z");
    case 3: return on(merge_patch(zone, "z", change), "status");
    case 4: return remove(zone, gen.pick({"z", "y"}));
    default: return merge_patch(zone, "z", change);
  }
}

Step gadget_step(Gen& gen) {
  const auto roll = gen.between(0, 99);
  if (roll < 22) return bad_write(gen);
  if (roll < 40) return good_write(gen);
  if (roll < 48) return bad_create(gen);
  if (roll < 55) return drop_field(gen);
  if (roll < 62) return unknown_field(gen);
  if (roll < 72) return status_write(gen);
  if (roll < 78) return scale_write(gen);
  if (roll < 88) return old_version(gen);
  if (roll < 90) return create_old(gen);
  if (roll < 94) return metadata_write(gen);
  return any_read(gen);
}

Sequence small(Gen& gen, Step first, Step (*next)(Gen&)) {
  Sequence sequence;
  sequence.steps.push_back(std::move(first));
  for (auto left = gen.between(5, 11); left > 0; --left) sequence.steps.push_back(next(gen));
  return sequence;
}

}  // namespace

Sequence make_custom(Gen& gen) {
  if (gen.chance(6)) return small(gen, create_plain(sort("bags"), "b"), bag_step);
  if (gen.chance(6)) return small(gen, create_plain(sort("zones"), "z"), zone_step);
  Sequence sequence;
  const auto whole = gadget(gen, "g", static_cast<int>(gen.between(0, 6)));
  auto first = create(sort("gadgets"), whole);
  if (gen.chance(30)) first = with(std::move(first), "fieldManager=" + gen.pick({"one", "two"}));
  sequence.steps.push_back(std::move(first));
  for (auto left = gen.between(5, 13); left > 0; --left) {
    auto step = gadget_step(gen);
    if (step.method != "GET" && gen.chance(5)) step = with(std::move(step), "dryRun=All");
    sequence.steps.push_back(std::move(step));
  }
  if (gen.chance(30)) sequence.steps.push_back(remove(sort("gadgets"), "g"));
  return sequence;
}

}  // namespace fixpoint::conformance
