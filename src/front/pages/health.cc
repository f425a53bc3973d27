// SPDX-License-Identifier: Apache-2.0
#include "front/pages/health.h"

#include "kube/errors/field_error.h"

#include <algorithm>
#include <array>
#include <set>

namespace fixpoint::front {
namespace {

constexpr std::array<std::string_view, 3> kRoots{"healthz", "livez", "readyz"};
constexpr std::string_view kDisk = "durable-log";

std::vector<HealthCheck> checks_of(std::string_view root,
                                   const std::function<std::optional<Error>()>& disk) {
  // That this runs at all is what the first three are about.
  const auto fine = [] { return std::optional<Error>{}; };
  std::vector<HealthCheck> checks{
      {"ping",  fine},
      {"log",   fine},
      {"store", fine}
  };
  if (root != "livez") checks.push_back({kDisk, disk});
  return checks;
}

struct Place {
  std::string_view root;
  std::string_view check;  // empty for all of them
  bool below = false;      // something stands after the root, if only a slash
};

std::optional<Place> place_of(std::string_view path) {
  if (path.starts_with('/')) path.remove_prefix(1);
  const auto slash = std::min(path.find('/'), path.size());
  const auto root = path.substr(0, slash);
  if (std::ranges::find(kRoots, root) == kRoots.end()) return std::nullopt;
  return Place{.root = root,
               .check = path.substr(std::min(slash + 1, path.size())),
               .below = slash != path.size()};
}

Health one_check(const HealthCheck& check) {
  if (const auto problem = check.problem()) {
    return {.code = 500, .text = "internal server error: " + problem->message + "\n"};
  }
  return {.code = 200, .text = "ok"};
}

Health all_checks(std::string_view root, const std::vector<HealthCheck>& checks,
                  const apiserver::Query& query) {
  std::set<std::string> excluded;
  bool verbose = false;
  for (const auto& [key, value] : query) {
    if (key == "exclude") excluded.insert(value);
    if (key == "verbose") verbose = true;
  }
  std::string text;
  bool failed = false;
  for (const auto& check : checks) {
    const std::string name{check.name};
    if (excluded.erase(name) > 0) {
      text += "[+]" + name + " excluded: ok\n";
    } else if (check.problem()) {
      // Anyone may ask, so the reason is for those who may read the check itself.
      text += "[-]" + name + " failed: reason withheld\n";
      failed = true;
    } else {
      text += "[+]" + name + " ok\n";
    }
  }
  if (!excluded.empty()) {
    std::string unknown;
    for (const auto& name : excluded) unknown += (unknown.empty() ? "" : ",") + kube::shown(name);
    text += "warn: some health checks cannot be excluded: no matches for " + unknown + "\n";
  }
  if (failed) return {.code = 500, .text = text + std::string{root} + " check failed\n"};
  if (!verbose) return {.code = 200, .text = "ok"};
  return {.code = 200, .text = text + std::string{root} + " check passed\n"};
}

}  // namespace

bool is_health(std::string_view path) {
  return place_of(path).has_value();
}

std::optional<Health> health_at(std::string_view path, const apiserver::Query& query,
                                const std::function<std::optional<Error>()>& disk) {
  const auto place = place_of(path);
  if (!place) return std::nullopt;
  const auto checks = checks_of(place->root, disk);
  if (!place->below) return all_checks(place->root, checks, query);
  const auto found = std::ranges::find(checks, place->check, &HealthCheck::name);
  if (found == checks.end()) return std::nullopt;
  return one_check(*found);
}

std::vector<std::string> health_paths() {
  std::vector<std::string> paths;
  for (const auto root : kRoots) {
    paths.push_back("/" + std::string{root});
    for (const auto& check : checks_of(root, {})) {
      paths.push_back("/" + std::string{root} + "/" + std::string{check.name});
    }
  }
  return paths;
}

}  // namespace fixpoint::front
