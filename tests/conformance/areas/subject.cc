// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/areas/subject.h"

#include "base/error.h"
#include "json/draft.h"
#include "json/parsing/parse.h"
#include "json/print.h"
#include "tests/conformance/areas/story.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace fixpoint::conformance {
namespace {

constexpr std::string_view kMergePatch = "application/merge-patch+json";
constexpr std::string_view kJsonPatch = "application/json-patch+json";
constexpr std::string_view kStrategicPatch = "application/strategic-merge-patch+json";
constexpr std::string_view kApplyPatch = "application/apply-patch+yaml";

struct Place {
  std::vector<std::string> path;
  std::string pointer;
  std::optional<json::Value> value;  // absent: removed
};

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  while (true) {
    const auto end = text.find(at);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string unescaped(std::string text) {
  for (std::size_t at = 0; (at = text.find('~', at)) != std::string::npos; ++at) {
    const char meant = text.compare(at, 2, "~1") == 0 ? '/' : '~';
    text.replace(at, 2, 1, meant);
  }
  return text;
}

Place place_of(std::string_view line) {
  Place made;
  const bool removes = line.starts_with("- ");
  if (removes) line.remove_prefix(2);
  const auto space = line.find(' ');
  made.pointer = line.substr(0, space);
  for (auto& part : split(std::string_view{made.pointer}.substr(1), '/')) {
    made.path.push_back(unescaped(std::move(part)));
  }
  if (removes) return made;
  FP_CHECK(space != std::string_view::npos);
  auto value = json::parse(line.substr(space + 1));
  FP_CHECK(value.has_value());
  made.value = *std::move(value);
  return made;
}

std::vector<Place> places_of(std::string_view edit) {
  std::vector<Place> places;
  for (const auto& line : split(edit, '\n')) {
    if (!line.empty()) places.push_back(place_of(line));
  }
  return places;
}

std::optional<std::size_t> index_of(const std::string& part) {
  std::size_t index = 0;
  const auto* end = part.data() + part.size();
  const auto read = std::from_chars(part.data(), end, index);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return index;
}

json::Draft& child_of(json::Draft& parent, const std::string& part) {
  const auto index = index_of(part);
  if (index && parent.is_null()) parent = json::Draft::array();
  if (!parent.is_array()) return parent[part];
  FP_CHECK(index.has_value());
  // An edit before this one may have shortened the list.
  const auto at = std::min(*index, parent.elements().size());
  if (at == parent.elements().size()) parent.push_back({});
  return parent.elements()[at];
}

void put_in_place(json::Draft& root, const Place& place) {
  auto* at = &root;
  for (std::size_t i = 0; i + 1 < place.path.size(); ++i) at = &child_of(*at, place.path[i]);
  const auto& last = place.path.back();
  if (place.value) {
    child_of(*at, last) = *place.value;
  } else if (const auto index = index_of(last); index && at->is_array()) {
    at->elements().erase(at->elements().begin() + static_cast<std::ptrdiff_t>(*index));
  } else if (at->is_object()) {
    at->erase(last);
  }
}

bool touches_lists(const std::vector<Place>& places) {
  return std::ranges::any_of(places, [](const Place& place) {
    return std::ranges::any_of(place.path,
                               [](const auto& part) { return index_of(part).has_value(); });
  });
}

std::string as_merge_patch(const std::vector<Place>& places) {
  auto made = json::Draft::object();
  for (auto place : places) {
    if (!place.value) place.value = json::Value{};
    put_in_place(made, place);
  }
  const auto whole = made.freeze();
  return json::to_text(whole, json::Escape::Plain);
}

std::string as_json_patch(const std::vector<Place>& places) {
  auto made = json::Draft::array();
  for (const auto& place : places) {
    auto operation = json::Draft::object();
    const bool in_list = index_of(place.path.back()).has_value();
    operation["op"] = !place.value ? "remove" : in_list ? "replace" : "add";
    operation["path"] = place.pointer;
    if (place.value) operation["value"] = *place.value;
    made.push_back(std::move(operation));
  }
  const auto whole = made.freeze();
  return json::to_text(whole, json::Escape::Plain);
}

json::Value body_of(const Subject& subject, std::string_view name, Gen& gen) {
  static const auto kLabels = json::parse(R"({"labels":{"seq":"<<id>>"}})").value();
  return object(subject.sort, name, gen.chance(50) ? kLabels : json::Value{});
}

json::Value good_body(Gen& gen, const Subject& subject, std::string_view name) {
  auto body = body_of(subject, name, gen);
  if (subject.good.empty()) return body;
  for (auto count = gen.between(0, 3); count > 0; --count) {
    body = edited(body, gen.pick(subject.good));
  }
  return body;
}

Step varied(Gen& gen, Step step) {
  if (gen.chance(6)) return with(std::move(step), "dryRun=All");
  if (gen.chance(4) && !step.query.contains("fieldManager")) {
    return with(std::move(step), "fieldManager=tester");
  }
  if (gen.chance(4)) return with(std::move(step), "fieldValidation=Strict");
  return step;
}

Step whole_apply(Gen& gen, const Subject& subject, std::string_view name, const json::Value& body) {
  auto step = patch_of_type(subject.sort, name, json_text(body), kApplyPatch);
  step.query = "fieldManager=" + gen.pick({"one", "two"});
  return gen.chance(40) ? with(std::move(step), "force=true") : step;
}

Step status_step(Gen& gen, const Subject& subject, std::string_view name) {
  const auto places = places_of(gen.pick(subject.status));
  if (gen.chance(30)) return on(update(subject.sort, name, as_merge_patch(places)), "status");
  return on(merge_patch(subject.sort, name, as_merge_patch(places)), "status");
}

Step scale_step(Gen& gen, const Subject& subject, std::string_view name) {
  const auto wanted = gen.pick({"0", "1", "3", "-1", "\"2\"", "null"});
  switch (gen.between(0, 2)) {
    case 0: return on(get(subject.sort, name), "scale");
    case 1:
      return on(merge_patch(subject.sort, name, R"({"spec":{"replicas":)" + wanted + "}}"),
                "scale");
    default: {
      auto step = on(update(subject.sort, name, {}), "scale");
      step.base.clear();
      step.body = R"({"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":")" +
                  name_in(subject.sort, name) + R"(","namespace":"<<ns>>"},"spec":{"replicas":)" +
                  wanted + "}}";
      return step;
    }
  }
}

Step remove_step(Gen& gen, const Subject& subject, std::string_view name) {
  const auto options = gen.pick(
      {"", "", "", R"({"gracePeriodSeconds":0})", R"({"gracePeriodSeconds":7})",
       R"({"propagationPolicy":"Foreground"})", R"({"propagationPolicy":"Orphan"})",
       R"({"propagationPolicy":"Background"})", R"({"preconditions":{"resourceVersion":"1"}})"});
  auto step = remove(subject.sort, name, options);
  return gen.chance(10) ? with(std::move(step), "dryRun=All") : step;
}

Step read_step(Gen& gen, const Subject& subject, std::string_view name) {
  auto step =
      gen.chance(60) || !subject.sort.namespaced ? get(subject.sort, name) : list(subject.sort);
  if (gen.chance(40)) {
    const bool whole = !step.path.ends_with(name_in(subject.sort, name));
    step.accept = gen.chance(60) ? "application/json;as=Table;g=meta.k8s.io;v=v1"
                  : whole ? "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
                          : "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
  }
  return step;
}

Step create_step(Gen& gen, const Subject& subject, std::string_view name) {
  if (!subject.bad.empty() && gen.chance(35)) {
    const auto body = edited(body_of(subject, name, gen), gen.pick(subject.bad));
    return varied(gen, create(subject.sort, body));
  }
  const auto body = good_body(gen, subject, name);
  if (gen.chance(10)) return whole_apply(gen, subject, name, body);
  return varied(gen, create(subject.sort, body));
}

Step life_step(Gen& gen, const Subject& subject, std::string_view name) {
  if (subject.special != nullptr && gen.chance(25)) return subject.special(gen, subject, name);
  const auto roll = gen.between(0, 99);
  if (roll < 12) return read_step(gen, subject, name);
  if (roll < 24 && !subject.status.empty()) return status_step(gen, subject, name);
  if (roll < 34 && subject.scale) return scale_step(gen, subject, name);
  if (roll < 42) return remove_step(gen, subject, name);
  if (roll < 56) return create_step(gen, subject, name);
  if (roll < 60) return varied(gen, whole_apply(gen, subject, name, good_body(gen, subject, name)));
  if (roll < 66 || subject.changes.empty()) {
    auto step = update(subject.sort, name, {});
    step.base.clear();
    step.body = json_text(good_body(gen, subject, name));
    return varied(gen, std::move(step));
  }
  return varied(gen, change_step(gen, subject, name, gen.pick(subject.changes)));
}

}  // namespace

Edits under(std::string_view place, const Edits& edits) {
  Edits made;
  for (const auto& edit : edits) {
    std::string text;
    for (const auto& line : split(edit, '\n')) {
      if (line.empty()) continue;
      const bool removes = line.starts_with("- ");
      text += (removes ? "- " : "") + std::string{place} + line.substr(removes ? 2 : 0) + "\n";
    }
    made.push_back(std::move(text));
  }
  return made;
}

Edits joined(std::initializer_list<Edits> lists) {
  Edits made;
  for (const auto& list : lists) made.insert(made.end(), list.begin(), list.end());
  return made;
}

const Edits& metadata_edits() {
  static const Edits kEdits{
      R"(/metadata/labels {"a":"b"})",
      R"(/metadata/annotations {"example.com/note":"x"})",
      R"(/metadata/finalizers ["example.com/hold"])",
      R"(/metadata/finalizers [])",
  };
  return kEdits;
}

json::Value edited(const json::Value& body, std::string_view edit) {
  json::Draft draft{body};
  for (const auto& place : places_of(edit)) put_in_place(draft, place);
  return draft.freeze();
}

Step change_step(Gen& gen, const Subject& subject, std::string_view name, std::string_view edit) {
  const auto places = places_of(edit);
  const auto roll = gen.between(0, 9);
  if (roll < 2) return whole_apply(gen, subject, name, edited(body_of(subject, name, gen), edit));
  if (roll < 4) {
    auto step = update(subject.sort, name, {});
    step.base.clear();
    step.body = json_text(edited(body_of(subject, name, gen), edit));
    return step;
  }
  if (touches_lists(places) || roll < 5) {
    return patch_of_type(subject.sort, name, as_json_patch(places), kJsonPatch);
  }
  if (roll < 7) return update(subject.sort, name, as_merge_patch(places));
  return patch_of_type(subject.sort, name, as_merge_patch(places),
                       roll < 8 ? kStrategicPatch : kMergePatch);
}

Sequence subject_sequence(Gen& gen, const Subject& subject) {
  Sequence made;
  if (gen.chance(12)) {
    made.steps.push_back(create_step(gen, subject, "a"));
  } else {
    const auto body = good_body(gen, subject, "a");
    made.steps.push_back(create(subject.sort, body));
  }
  const auto count = gen.between(4, 13);
  while (std::ssize(made.steps) < count) {
    const auto name = gen.pick({"a", "a", "a", "a", "b"});
    made.steps.push_back(life_step(gen, subject, name));
  }
  return made;
}

}  // namespace fixpoint::conformance
