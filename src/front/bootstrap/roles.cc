// SPDX-License-Identifier: Apache-2.0
//
// Reads the tables of role_tables.h.
#include "front/bootstrap/roles.h"

#include "front/bootstrap/role_tables.h"
#include "json/draft.h"
#include "json/print.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::front {
namespace {

using json::Draft;

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";

using Words = std::vector<std::string_view>;

Words split(std::string_view text, char at) {
  Words words;
  while (true) {
    const auto end = text.find(at);
    words.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return words;
    text.remove_prefix(end + 1);
  }
}

// Lines as they are meant, long ones in one piece.
std::vector<std::string> whole_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    if (!line.starts_with("      ")) {
      lines.emplace_back(line);
      continue;
    }
    line.remove_prefix(line.find_first_not_of(' '));
    if (!lines.back().ends_with(',')) lines.back() += ' ';
    lines.back() += line;
  }
  return lines;
}

Draft list_of(std::string_view words) {
  auto items = Draft::array();
  for (const auto word : split(words, ',')) items.push_back(word == "-" ? "" : word);
  return items;
}

Draft rule_of(const Words& words) {
  if (words.size() == 2) {
    return Draft::object({
        {"verbs",           list_of(words[0])},
        {"nonResourceURLs", list_of(words[1])}
    });
  }
  auto rule = Draft::object({
      {"verbs",     list_of(words[0])},
      {"apiGroups", list_of(words[1])},
      {"resources", list_of(words[2])}
  });
  if (words.size() > 3) rule["resourceNames"] = list_of(words[3]);
  return rule;
}

// "User:name", "Group:name", "ServiceAccount:namespace/name".
Draft subject_of(std::string_view text) {
  const auto kind = text.substr(0, text.find(':'));
  const auto name = text.substr(kind.size() + 1);
  if (kind != "ServiceAccount") {
    return Draft::object({
        {"apiGroup", kGroup},
        {"kind",     kind  },
        {"name",     name  }
    });
  }
  const auto slash = name.find('/');
  return Draft::object({
      {"kind", kind},
      {"namespace", name.substr(0, slash)},
      {"name", name.substr(slash + 1)}
  });
}

std::string label_of(std::string_view role) {
  return fmt::format("{}/aggregate-to-{}", kGroup, role);
}

void take_role_word(Draft& role, std::string_view word) {
  const auto other = word.substr(word.find('=') + 1);
  if (word.starts_with("to=")) {
    role["metadata"]["labels"][label_of(other)] = "true";
    return;
  }
  const auto labels = Draft::object({
      {label_of(other), "true"}
  });
  role["aggregationRule"] = Draft::object({
      {"clusterRoleSelectors", Draft::array({Draft::object({{"matchLabels", labels}})})}
  });
}

// A role without its rules, or a binding.
Draft object_of(const Words& words) {
  const auto kind = words[0];
  const auto slash = words[1].find('/');
  auto object = Draft::object({
      {"apiVersion", fmt::format("{}/v1", kGroup)},
      {"kind", kind}
  });
  auto& metadata = object.object_at("metadata");
  if (slash != std::string_view::npos) metadata["namespace"] = words[1].substr(0, slash);
  metadata["name"] = words[1].substr(slash == std::string_view::npos ? 0 : slash + 1);
  metadata.object_at("annotations")["rbac.authorization.kubernetes.io/autoupdate"] = "true";
  metadata.object_at("labels")["kubernetes.io/bootstrapping"] = "rbac-defaults";
  if (!kind.ends_with("Binding")) {
    std::for_each(words.begin() + 2, words.end(), [&](auto word) { take_role_word(object, word); });
    return object;
  }
  object["roleRef"] = Draft::object({
      {"apiGroup", kGroup},
      {"kind", kind.substr(0, kind.size() - sizeof "Binding" + 1)},
      {"name", words[2]}
  });
  if (words.size() == 3) return object;
  auto& subjects = object["subjects"] = Draft::array();
  for (const auto subject : split(words[3], ',')) subjects.push_back(subject_of(subject));
  return object;
}

void take_line(std::vector<Draft>& objects, std::string_view line) {
  if (!line.starts_with("  ")) {
    objects.push_back(object_of(split(line, ' ')));
    return;
  }
  auto& rules = objects.back()["rules"];
  if (!rules.is_array()) rules = Draft::array();
  rules.push_back(rule_of(split(line.substr(2), ' ')));
}

// A controller's line of its own table, as two lines of the other one.
struct Controller {
  explicit Controller(std::string_view line) {
    const auto start = line.find('/') + 1;  // 0 without a namespace
    const auto account = line.substr(start);
    const auto name = fmt::format("system:controller:{}", account);
    const std::string_view kind = start == 0 ? "ClusterRole" : "Role";
    role = fmt::format("{} {}{}", kind, line.substr(0, start), name);
    binding = fmt::format("{}Binding {}{} {} ServiceAccount:kube-system/{}", kind,
                          line.substr(0, start), name, name, account);
  }
  std::string role;
  std::string binding;
};

void take_controllers(std::vector<Draft>& objects) {
  std::vector<std::string> bindings;
  for (const std::string& line : whole_lines(kControllerRoles)) {
    if (line.starts_with("  ")) {
      take_line(objects, line);
      continue;
    }
    Controller controller{line};
    take_line(objects, controller.role);
    bindings.push_back(std::move(controller.binding));
  }
  for (const std::string& binding : bindings) take_line(objects, binding);
}

}  // namespace

std::vector<std::string> default_roles() {
  std::vector<Draft> objects;
  for (const std::string& line : whole_lines(kRoles)) take_line(objects, line);
  take_controllers(objects);
  std::vector<std::string> texts;
  for (const Draft& object : objects) {
    const json::Value frozen = object.freeze();
    texts.push_back(json::to_text(frozen));
  }
  return texts;
}

}  // namespace fixpoint::front
