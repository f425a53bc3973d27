// SPDX-License-Identifier: Apache-2.0
//
// What holds for the metadata of every kind: names, labels, annotations, owners, what nobody may
// set. metadata_ends.cc has finalizers, preconditions and deletion.
//
// One rule is broken at a time: a real server gathers some errors from a map, in any order.
#include "tests/conformance/area.h"
#include "tests/conformance/areas/story.h"

namespace fixpoint::conformance {
namespace {

constexpr std::string_view kOwner = "11111111-2222-3333-4444-555555555555";

// Some are fine for some kinds.
std::string doubtful_name(Gen& gen) {
  switch (gen.between(0, 5)) {
    case 0: return times(static_cast<std::size_t>(gen.between(62, 65)));
    case 1: return times(static_cast<std::size_t>(gen.between(251, 255)));
    case 2: return times(static_cast<std::size_t>(gen.between(50, 54)));
    default:
      return gen.pick({"",
                       "A",
                       "a_b",
                       "-a",
                       "a-",
                       "a..b",
                       ".a",
                       "a.",
                       "a/b",
                       "a%b",
                       "..",
                       ".",
                       "é",
                       "1a",
                       "a.b",
                       "a b",
                       "a\n",
                       "a:b",
                       "system:a",
                       "0",
                       "a.-b",
                       "aB.c",
                       "\xf0\x9f\x98\x80"});
  }
}

// As part of a path; control characters and spaces too.
std::string path_part(std::string_view name) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                       (byte >= '0' && byte <= '9') || byte == '-' || byte == '.' || byte == '_';
    if (plain) {
      out += c;
    } else {
      out += '%';
      out += kHex[byte >> 4U];
      out += kHex[byte & 15U];
    }
  }
  return out;
}

// Where there are no namespaces a name that some kind takes is shared with all other sequences,
// unless it says whose it is: in front of it or behind, and no longer for that.
struct Named {
  std::string before;
  std::string name;
  std::string after;
};

Named named_for(Gen& gen, const Sort& sort, std::string name, bool reachable) {
  if (sort.namespaced || !reachable) return {"", std::move(name), ""};
  constexpr std::size_t kIdSize = 14;  // with its dash
  constexpr std::size_t kLong = 40;
  if (name.size() > kLong) name.resize(name.size() - kIdSize);
  if (gen.chance(50)) return {"<<id>>-", std::move(name), ""};
  return {"", std::move(name), "-<<id>>"};
}

void tell_names(Story& story) {
  auto& gen = story.gen();
  const auto steps = gen.between(3, 6);
  for (std::int64_t i = 0; i < steps; ++i) {
    auto doubtful = doubtful_name(gen);
    const bool reachable = !doubtful.empty() && !doubtful.contains('/') &&
                           !doubtful.contains('%') && doubtful != "." && doubtful != "..";
    const auto [before, name, after] = named_for(gen, story.sort(), std::move(doubtful), reachable);
    story.make("", R"({"name":)" + quoted(before + name + after) + "}");
    if (reachable && gen.chance(50)) {
      Step step = get(story.sort(), "");
      step.path = collection(story.sort()) + "/" + before + path_part(name) + after;
      story.then(std::move(step));
    }
    if (gen.chance(30)) story.make("a");
    if (gen.chance(20)) story.then(update(story.sort(), "a", in_metadata(R"("name":"other")")));
  }
  if (gen.chance(50)) story.small_talk("a");
}

void tell_generated_names(Story& story) {
  auto& gen = story.gen();
  const std::string prefix = story.sort().namespaced ? "" : "<<id>>-";
  const auto steps = gen.between(3, 6);
  for (std::int64_t i = 0; i < steps; ++i) {
    const auto base =
        gen.chance(60) ? gen.pick({"g-", "g", "g.", "1-", "g-g-g-"})
                       :  // Long without letters of the suffixes, which are looked for in answers.
            (gen.chance(50) ? times(static_cast<std::size_t>(gen.between(40, 70)))
                            : gen.pick({"G_", "-", "g/", "é", ".", "g..", "_"}));
    const std::string with_name = gen.chance(15) ? R"("name":)" + quoted(prefix + "n") + "," : "";
    story.make("", "{" + with_name + R"("generateName":)" + quoted(prefix + base) + "}");
    if (gen.chance(15)) story.make("", R"({"generateName":""})");
    if (gen.chance(15)) story.make("", "{}");
  }
  if (gen.chance(30)) story.make("a", R"({"generateName":"kept-"})");
  // No list: its order is that of names nobody knows.
  story.change("a");
}

std::string doubtful_key(Gen& gen) {
  switch (gen.between(0, 4)) {
    case 0: return times(static_cast<std::size_t>(gen.between(62, 64)));
    case 1: return times(static_cast<std::size_t>(gen.between(252, 254))) + "/k";
    default:
      return gen.pick({"k",
                       "K",
                       "example.com/k",
                       "",
                       "/k",
                       "k/",
                       "a/b/c",
                       "-k",
                       "k-",
                       "é",
                       "k k",
                       "Example.com/k",
                       "a_b/k",
                       "a..b/k",
                       "k.",
                       ".k",
                       "k_k.k-k",
                       "1",
                       "kubernetes.io/k",
                       "app.kubernetes.io/name",
                       "a//b"});
  }
}

std::string doubtful_label_value(Gen& gen) {
  if (gen.chance(30)) return times(static_cast<std::size_t>(gen.between(62, 64)));
  return gen.pick(
      {"", "v", "V", "v v", "-v", "v-", "é", "v/v", "v_v.v-v", "1", ".", "v\n", "true"});
}

void tell_labels(Story& story) {
  auto& gen = story.gen();
  if (gen.chance(85))
    story.make("a", gen.pick({"{}", R"({"labels":{"app":"x"}})", R"({"annotations":{"note":"x"}})",
                              R"({"labels":{}})", R"({"labels":null})"}));
  const auto steps = gen.between(3, 7);
  for (std::int64_t i = 0; i < steps; ++i) {
    const bool label = gen.chance(60);
    // One mistake: either the key or the value is doubtful.
    const bool key = !label || gen.chance(50);
    const std::string fields = (label ? R"("labels":{)" : R"("annotations":{)") +
                               quoted(key ? doubtful_key(gen) : "k") + ":" +
                               quoted(key || !label ? "v" : doubtful_label_value(gen)) + "}";
    if (gen.chance(30)) {
      story.make(gen.pick({"a", "b", "c"}), "{" + fields + "}");
    } else {
      story.change("a", in_metadata(fields));
    }
    if (gen.chance(25)) story.small_talk("a");
  }
  if (gen.chance(4)) {
    const auto size = static_cast<std::size_t>(gen.between(262'140, 262'146));
    story.change("a", in_metadata(R"("annotations":{"big":")" + times(size) + "\"}"));
  }
  if (gen.chance(40)) story.change("a", in_metadata(R"("labels":null)"));
}

// Two of them at most, so that each mistake stands alone.
std::string any_owner(Gen& gen, bool controller) {
  std::string kind = "ConfigMap";
  std::string version = "v1";
  std::string name = "o";
  std::string uid{kOwner};
  switch (gen.between(0, 11)) {
    case 0: kind = ""; break;
    case 1: version = gen.pick({"", "a/b/c", "V1", "/", "v1/", "apps/v1"}); break;
    case 2: name = gen.pick({"", "A b", "é"}); break;
    case 3: uid = gen.pick({"", "no uuid", "1"}); break;
    case 4:
      kind = "Event";
      version = gen.pick({"v1", "events.k8s.io/v1"});
      break;
    default: break;
  }
  std::string out = R"({"apiVersion":)" + quoted(version) + R"(,"kind":)" + quoted(kind) +
                    R"(,"name":)" + quoted(name) + R"(,"uid":)" + quoted(uid);
  if (controller) out += R"(,"controller":true)";
  if (gen.chance(30)) out += R"(,"blockOwnerDeletion":)" + gen.pick({"true", "false"});
  return out + "}";
}

std::string any_owners(Gen& gen) {
  if (gen.chance(8)) return gen.pick({"[]", "null", R"([{}])", R"([{"uid":"x"}])"});
  if (gen.chance(75)) return "[" + any_owner(gen, gen.chance(40)) + "]";
  const auto second = [&](std::string_view uid, std::string_view flag) {
    return R"({"apiVersion":"v1","kind":"Secret","name":"p","uid":)" + quoted(uid) +
           std::string{flag} + "}";
  };
  const auto flag = gen.pick({"", R"(,"controller":true)", R"(,"controller":false)"});
  const auto uid = gen.chance(30) ? kOwner : "99999999-2222-3333-4444-555555555555";
  return R"([{"apiVersion":"v1","kind":"ConfigMap","name":"o","controller":true,"uid":")" +
         std::string{kOwner} + "\"}," + second(uid, flag) + "]";
}

void tell_owners(Story& story) {
  auto& gen = story.gen();
  if (gen.chance(80)) story.make("a", R"({"ownerReferences":)" + any_owners(gen) + "}");
  story.make("a");
  const auto steps = gen.between(3, 6);
  for (std::int64_t i = 0; i < steps; ++i) {
    if (gen.chance(20)) {
      story.make(gen.pick({"b", "c"}), R"({"ownerReferences":)" + any_owners(gen) + "}");
    } else {
      story.change("a", in_metadata(R"("ownerReferences":)" + any_owners(gen)));
    }
    if (gen.chance(25)) story.small_talk("a");
  }
  if (gen.chance(50)) story.then(remove(story.sort(), "a"));
}

std::string unsettable(Gen& gen) {
  switch (gen.between(0, 7)) {
    case 0:
      return R"("creationTimestamp":)" +
             gen.pick({R"("2020-01-02T03:04:05Z")", "null", R"("2020-01-02T03:04:05+01:00")"});
    case 1: return R"("generation":)" + gen.pick({"7", "0", "-1", "null"});
    case 2: return R"("deletionTimestamp":)" + gen.pick({R"("2020-01-02T03:04:05Z")", "null"});
    case 3: return R"("deletionGracePeriodSeconds":)" + gen.pick({"0", "30", "null", "-1"});
    case 4: return R"("selfLink":"/x")";
    case 5: return R"("uid":)" + gen.pick({R"("x")", R"("")", "null"});
    case 6:
      return R"("managedFields":)" +
             gen.pick(
                 {"[]", "[{}]", "null",
                  R"([{"manager":"m","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{"f:x":{}}}}}])",
                  R"([{"manager":"m","operation":"Bogus","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{}}])",
                  R"([{"manager":"m","operation":"Update","apiVersion":"v1","fieldsType":"Other","fieldsV1":{}}])",
                  R"([{"manager":"m","operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1"}])"});
    default:
      return R"("resourceVersion":)" + gen.pick({R"("7")", R"("")", "null", R"("0")", R"("abc")"});
  }
}

void tell_unsettable(Story& story) {
  auto& gen = story.gen();
  if (gen.chance(60)) story.make("b", "{" + unsettable(gen) + "}");
  story.make("a", gen.chance(40) ? "{" + unsettable(gen) + "}" : "{}");
  const auto steps = gen.between(3, 7);
  for (std::int64_t i = 0; i < steps; ++i) {
    story.change("a", in_metadata(unsettable(gen)));
    if (gen.chance(30)) story.small_talk("a");
  }
  story.then(get(story.sort(), "a"));
}

void tell_places(Story& story) {
  auto& gen = story.gen();
  const auto& sort = story.sort();
  story.make("a", gen.pick({"{}", R"({"namespace":"other"})", R"({"namespace":""})",
                            R"({"namespace":"<<ns>>"})"}));
  const auto steps = gen.between(3, 6);
  for (std::int64_t i = 0; i < steps; ++i) {
    switch (gen.between(0, 5)) {
      case 0: story.make("b", R"({"namespace":"other"})"); break;
      case 1:
        story.change("a",
                     in_metadata(R"("namespace":)" + gen.pick({R"("other")", "null", R"("")"})));
        break;
      case 2:
        story.change("a", in_metadata(R"("name":)" + gen.pick({R"("other")", "null", R"("")"})));
        break;
      case 3: {
        const auto body = object(sort, "a");
        auto step = create(sort, body);
        if (sort.namespaced) step.path.replace(step.path.find("<<ns>>"), 6, "<<ns>>-missing");
        story.then(std::move(step));
        break;
      }
      case 4: {
        // Someone who writes without reading first.
        Step step = update(sort, gen.pick({"a", "c"}), "{}");
        step.base.clear();
        const auto name = step.path.ends_with('c') ? "c" : "a";
        step.body = json_text(object(sort, name));
        story.then(std::move(step));
        break;
      }
      default: story.small_talk("a");
    }
  }
  story.then(get(sort, "a"));
}

// Which writes move the resourceVersion and the generation.
void tell_generations(Story& story) {
  auto& gen = story.gen();
  const auto& sort = story.sort();
  story.make("a", gen.pick({"{}", R"({"generation":3})", R"({"labels":{"app":"x"}})"}));
  const auto steps = gen.between(5, 10);
  for (std::int64_t i = 0; i < steps; ++i) {
    switch (gen.between(0, 7)) {
      case 0: story.change("a"); break;
      case 1: story.then(with(update(sort, "a", std::string{sort.change}), "dryRun=All")); break;
      case 2: story.then(update(sort, "a", "{}")); break;
      case 3:
        story.change(
            "a", in_metadata(R"("labels":{"app":)" + gen.pick({"null", R"("x")", R"("y")"}) + "}"));
        break;
      case 4:
        story.then(json_patch(
            sort, "a", R"([{"op":"add","path":"/metadata/annotations","value":{"k":"v"}}])"));
        break;
      case 5:
        if (sort.has_status) {
          story.then(on(update(sort, "a",
                               gen.pick({"{}", R"({"metadata":{"labels":{"s":"t"}}})",
                                         R"({"metadata":{"finalizers":["example.com/s"]}})"})),
                        "status"));
        }
        break;
      case 6: {
        const auto manager = gen.pick({"one", "two"});
        story.then(apply(sort, "a", json_text(object(sort, "a")), manager, gen.chance(60)));
      } break;
      default: story.small_talk("a");
    }
  }
  story.then(get(sort, "a"));
}

struct Theme {
  void (*tell)(Story& story);
  int weight;
};

constexpr Theme kThemes[] = {
    {tell_names,           12},
    {tell_generated_names, 6 },
    {tell_labels,          16},
    {tell_owners,          10},
    {tell_unsettable,      12},
    {tell_places,          8 },
    {tell_generations,     12},
    {tell_finalizers,      14},
    {tell_preconditions,   12},
    {tell_deletion,        12},
    {tell_collection,      6 },
};

}  // namespace

Sequence make_metadata(Gen& gen) {
  const auto& sort = any_sort(gen);
  Story story{gen, sort};
  int all = 0;
  for (const auto& theme : kThemes) all += theme.weight;
  auto at = gen.between(0, all - 1);
  for (const auto& theme : kThemes) {
    if (at < theme.weight) {
      theme.tell(story);
      break;
    }
    at -= theme.weight;
  }
  return story.take();
}

}  // namespace fixpoint::conformance
