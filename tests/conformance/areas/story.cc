// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/areas/story.h"

#include "base/error.h"
#include "json/parsing/parse.h"
#include "json/print.h"
#include "json/yaml/yaml.h"

namespace fixpoint::conformance {

const Sort& any_sort(Gen& gen) {
  const auto all = sorts();
  for (;;) {
    const auto& one =
        all[static_cast<std::size_t>(gen.between(0, static_cast<std::int64_t>(all.size()) - 1))];
    if (!one.expensive || gen.chance(20)) return one;
  }
}

bool stalls_a_real_server(const Step& step) {
  const auto path = step.path.substr(0, step.path.find('?'));
  if (step.method != "POST" || !path.ends_with("/services")) return false;
  if ((step.path + step.query).contains("dryRun=All")) return false;
  const auto body = json::parse_yaml(step.body, json::Duplicates::KeepLast);
  if (!body || !body->is_object()) return false;
  const auto spec = body->get("spec");
  if (spec.get("clusterIP").as_string() == "None") return false;
  if (spec.get("type").as_string() == "ExternalName") return false;
  const auto metadata = body->get("metadata");
  const auto name = metadata.get("name").as_string();
  if (name.empty()) return metadata.get("generateName").as_string().empty();
  return name == "." || name == ".." || name.find_first_of("/%") != std::string_view::npos;
}

void Story::then(Step step) {
  if (!stalls_a_real_server(step)) sequence_.steps.push_back(std::move(step));
}

void Story::make(std::string_view name, std::string_view metadata) {
  const auto fields = json::parse(metadata);
  FP_CHECK(fields.has_value());
  const auto body = object(sort_, name, *fields);
  then(create(sort_, body));
}

void Story::change(std::string_view name, const std::string& merge) {
  switch (gen_.between(0, 3)) {
    case 0: return then(update(sort_, name, merge));
    case 1: return then(strategic_patch(sort_, name, merge));
    default: return then(merge_patch(sort_, name, merge));
  }
}

void Story::small_talk(std::string_view name) {
  switch (gen_.between(0, 7)) {
    case 0: return then(get(sort_, name));
    case 1:
      return then(list(sort_, sort_.namespaced ? "" : "fieldSelector=metadata.name%3D<<id>>-a"));
    case 2: return then(merge_patch(sort_, name, "{}"));
    case 3: return then(update(sort_, name, "{}"));
    case 4: return change(name, in_metadata(R"("labels":{"talk":"small"})"));
    case 5: return then(merge_patch(sort_, name, in_metadata(R"("annotations":{"talk":null})")));
    default: return change(name);
  }
}

std::string quoted(std::string_view text) {
  std::string out;
  json::print_string(text, out, json::Escape::Plain);
  return out;
}

std::string json_text(const json::Value& value) {
  return json::to_text(value, json::Escape::Plain);
}

std::string times(std::size_t count, std::string_view text) {
  std::string out;
  out.reserve(count * text.size());
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

std::string in_metadata(std::string_view fields) {
  return R"({"metadata":{)" + std::string{fields} + "}}";
}

}  // namespace fixpoint::conformance
