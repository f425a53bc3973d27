// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/normal.h"

#include "json/draft.h"
#include "json/parsing/parse.h"
#include "json/print.h"
#include "json/yaml/yaml.h"
#include "tests/conformance/mask.h"
#include "tests/conformance/text.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace fixpoint::conformance {
namespace {

using json::Draft;
using json::View;

bool is_list(View object) {
  const View items = object.get("items");
  return (items.is_array() || (object.contains("items") && items.is_null())) &&
         !object.get("metadata", "name").is_string() &&
         object.get("kind").as_string().ends_with("List");
}

bool is_table(View object) {
  return object.get("kind").as_string() == "Table" && object.contains("rows");
}

std::vector<json::Value> lines_of(std::string_view text) {
  std::vector<json::Value> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    if (auto line = json::parse(text.substr(0, end))) lines.push_back(*std::move(line));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::uint64_t newest_item(View list) {
  std::uint64_t newest = 0;
  for (const auto entry : list.get("items").elements()) {
    newest = std::max(newest, number_of(entry.get("metadata", "resourceVersion").as_string()));
  }
  return newest;
}

// "12s", "3m4s": an age, or part of one.
bool is_age(std::string_view text) {
  return !text.empty() && text.front() >= '0' && text.front() <= '9' &&
         text.find_first_not_of("0123456789smh") == std::string_view::npos && text.back() >= 'h';
}

// Periodic bookmarks come or not; the one that ends the initial events is a promise.
bool is_passing_bookmark(View event) {
  return event.get("type").as_string() == "BOOKMARK" &&
         !event.get("object", "metadata", "annotations").contains("k8s.io/initial-events-end");
}

class Normaliser {
 public:
  explicit Normaliser(const Recording& recording) : mask_(recording.id) {}

  // Everything whose rank or order matters has to be known before the first answer is rewritten.
  void learn(View value, bool bookmark = false) {
    if (value.is_array()) {
      for (const auto element : value.elements()) learn(element);
      return;
    }
    if (!value.is_object()) return;
    const View metadata = value.get("metadata");
    if (metadata.is_object() && !is_list(value) && !is_table(value) && !bookmark) {
      if (const auto version = metadata.get("resourceVersion"); version.is_string()) {
        mask_.learn_version(version.as_string());
      }
      learn_generated(metadata);
    }
    learn_picked(value);
    const bool passing = value.get("type").as_string() == "BOOKMARK";
    for (const auto [key, member] : value.members()) learn(member, passing && key == "object");
  }

  // A refusal names the object by a name that was generated and never stored.
  void learn_asked(std::string_view body) {
    const auto asked = json::parse(body);
    if (!asked) return;
    const auto prefix = asked->get("metadata", "generateName").as_string();
    if (!prefix.empty()) mask_.learn_prefix(prefix);
  }

  Draft rewrite(View value, std::string_view key = {}) {
    if (value.is_string()) return string(value.as_string(), key);
    if (value.is_int() && value.as_int() >= 30'000 &&
        (key == "nodePort" || key == "healthCheckNodePort")) {
      return mask_.ordinal("port", std::to_string(value.as_int()));
    }
    if (value.is_array()) return array(value, key);
    if (value.is_object()) return object(value, key);
    return value;
  }

 private:
  void learn_picked(View value) {
    if (const auto ip = value.get("clusterIP").as_string(); ip.starts_with("10.")) {
      mask_.learn_picked("ip", ip);
    }
    for (const auto* key : {"nodePort", "healthCheckNodePort"}) {
      if (const auto port = value.get(key).as_int(); port >= 30'000) {
        mask_.learn_picked("port", std::to_string(port));
      }
    }
  }

  void learn_generated(View metadata) {
    const auto prefix = metadata.get("generateName").as_string();
    const auto name = metadata.get("name").as_string();
    constexpr std::size_t kSuffix = 5;
    if (!prefix.empty() && name.size() > kSuffix &&
        prefix.starts_with(name.substr(0, name.size() - kSuffix))) {
      mask_.learn_generated(name);
    }
  }

  Draft string(std::string_view text, std::string_view key) {
    if (key == "resourceVersion" && !text.empty() && text.size() < 20 &&
        text.find_first_not_of("0123456789") == std::string_view::npos) {
      return mask_.version(text);
    }
    if (key == "continue" && !text.empty()) return "<continue>";
    if (key == "token" && std::ranges::count(text, '.') == 2) return "<token>";
    if ((key == "clusterIP" || key == "clusterIPs") && text.starts_with("10.")) {
      return mask_.ordinal("ip", text);
    }
    if (key == "cells" && is_age(text)) return "<age>";
    return mask_.text(text);
  }

  Draft array(View value, std::string_view key) {
    Draft made = Draft::array();
    if (key == "managedFields") {
      auto entries = sorted_managers(value);
      for (const auto& entry : entries) made.push_back(rewrite(entry));
      return made;
    }
    if (key == "resourceRules" || key == "nonResourceRules") {
      for (const auto& rule : sorted_rules(value)) made.push_back(rewrite(rule));
      return made;
    }
    if (key == "causes") {
      for (const auto& cause : sorted_conflicts(value)) made.push_back(rewrite(cause));
      return made;
    }
    for (const auto element : value.elements()) made.push_back(rewrite(element, key));
    return made;
  }

  static std::vector<View> elements_of(View list) {
    return {list.elements().begin(), list.elements().end()};
  }
  template <class Order>
  static std::vector<View> sorted(std::vector<View> elements, Order order) {
    std::ranges::stable_sort(elements, {}, order);
    return elements;
  }

  // Conflicts of an apply are gathered from a map of managers; other causes have an order.
  static std::vector<View> sorted_conflicts(View causes) {
    auto all = elements_of(causes);
    const auto is_conflict = [](View cause) {
      return cause.get("reason").as_string() == "FieldManagerConflict";
    };
    if (!std::ranges::all_of(all, is_conflict)) return all;
    return sorted(std::move(all), [](View cause) {
      return std::tuple{cause.get("message").as_string(), cause.get("field").as_string()};
    });
  }

  // A real server gathers the resources of a custom group from a Go map: two definitions come in
  // either order, 37 times to 3 in one count. Kubernetes' own groups have theirs, which is
  // compared.
  static bool of_custom_group(View value) {
    return value.get("kind").as_string() == "APIResourceList" &&
           value.get("groupVersion").as_string().find(".example.com/") != std::string_view::npos;
  }
  static void sort_resources(Draft& list) {
    auto* resources = list.find("resources");
    if (resources == nullptr || !resources->is_array()) return;
    std::ranges::stable_sort(resources->elements(), {}, [](const Draft& each) {
      const auto* name = each.find("name");
      return name == nullptr ? std::string{} : std::string{name->as_string()};
    });
  }

  // A real server gathers a user's rules from bindings in random order.
  static std::vector<View> sorted_rules(View rules) {
    return sorted(elements_of(rules), [](View rule) { return json::to_text(rule); });
  }

  static std::vector<View> sorted_managers(View entries) {
    return sorted(elements_of(entries), [](View entry) {
      return std::tuple{entry.get("operation").as_string(), entry.get("manager").as_string(),
                        entry.get("subresource").as_string(), entry.get("apiVersion").as_string()};
    });
  }

  Draft object(View value, std::string_view key) {
    Draft made = Draft::object();
    const bool shared = is_list(value) || is_table(value);
    for (const auto [name, member] : value.members()) {
      const auto masked = mask_.text(name);
      made[masked] = shared && name == "metadata" ? list_metadata(value) : rewrite(member, name);
    }
    if (of_custom_group(value)) sort_resources(made);
    if (value.get("type").as_string() == "BOOKMARK") mask_bookmark(made);
    if (key == "columnDefinitions") mask_description(made);
    return made;
  }

  // What a built-in column means we say in our own words; a custom one's text is its definition's.
  static void mask_description(Draft& column) {
    const auto* text = column.find("description");
    const bool built_in = text != nullptr && !text->as_string().starts_with("Custom resource");
    if (built_in) column["description"] = "<description>";
  }

  Draft list_metadata(View list) {
    Draft made = rewrite(list.get("metadata"));
    if (!made.contains("resourceVersion")) return made;
    const auto version = number_of(list.get("metadata", "resourceVersion").as_string());
    made["resourceVersion"] =
        version >= newest_item(list) ? "<list>" : "<a list older than its items>";
    return made;
  }

  static void mask_bookmark(Draft& event) {
    Draft* metadata = event.find("object", "metadata");
    if (metadata != nullptr && metadata->contains("resourceVersion")) {
      (*metadata)["resourceVersion"] = "<bookmark>";
    }
  }

  Mask mask_;
};

bool is_watch(const Observation& observation) {
  return observation.call.query.contains("watch=") && observation.answer.code == 200;
}

json::Value observed_body(const Observation& observation) {
  if (is_watch(observation)) {
    Draft events = Draft::array();
    for (const auto& line : lines_of(observation.answer.body)) {
      if (!is_passing_bookmark(line)) events.push_back(line);
    }
    return events.freeze();
  }
  if (auto body = json::parse(observation.answer.body)) return *std::move(body);
  const auto* type = observation.answer.headers.find("content-type");
  if (type != nullptr && type->contains("yaml")) {
    if (auto body = json::parse_yaml(observation.answer.body)) return *std::move(body);
  }
  return json::Value::string(observation.answer.body);
}

json::Value answer_of(const Observation& observation, View body, Normaliser& normaliser) {
  Draft made = Draft::object();
  const auto& answer = observation.answer;
  made["code"] = answer.code;
  if (const auto* type = answer.headers.find("content-type")) made["type"] = *type;
  if (const auto* after = answer.headers.find("retry-after")) made["retryAfter"] = *after;
  for (const auto& header : answer.headers) {
    if (header.name != "warning") continue;
    const json::Value text = json::Value::string(header.value);
    made.array_at("warnings").push_back(normaliser.rewrite(text));
  }
  made["body"] = normaliser.rewrite(body);
  return made.freeze();
}

}  // namespace

Normal normalise(const Recording& recording) {
  Normaliser normaliser{recording};
  std::vector<json::Value> steps;
  std::vector<json::Value> watches;
  for (const auto& step : recording.steps) steps.push_back(observed_body(step));
  for (const auto& watch : recording.watches) watches.push_back(observed_body(watch));
  for (const auto& step : recording.steps) normaliser.learn_asked(step.call.body);
  for (const auto& body : steps) normaliser.learn(body);
  for (const auto& body : watches) normaliser.learn(body);

  Normal normal;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    normal.steps.push_back(answer_of(recording.steps[i], steps[i], normaliser));
  }
  for (std::size_t i = 0; i < watches.size(); ++i) {
    normal.watches.push_back(answer_of(recording.watches[i], watches[i], normaliser));
  }
  return normal;
}

}  // namespace fixpoint::conformance
