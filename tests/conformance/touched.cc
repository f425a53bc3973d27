// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/touched.h"

#include <algorithm>
#include <array>

namespace fixpoint::conformance {
namespace {

// More would be seconds of a real server's time for one sequence.
constexpr std::size_t kWatchesMax = 2;

// Created, never stored.
bool is_watchable(std::string_view resource) {
  static constexpr std::array<std::string_view, 2> kNever{"bindings", "componentstatuses"};
  return !resource.empty() && !resource.ends_with("reviews") &&
         std::ranges::find(kNever, resource) == kNever.end();
}

std::string_view next_part(std::string_view& path) {
  if (path.starts_with('/')) path.remove_prefix(1);
  const auto end = std::min(path.find('/'), path.size());
  const auto part = path.substr(0, end);
  path.remove_prefix(end);
  return part;
}

std::string watch_of(const PathParts& parts) {
  std::string path{parts.root};
  if (parts.namespaced) return path + "/namespaces/<<ns>>/" + std::string{parts.resource};
  if (parts.name.empty()) return {};  // of a shared collection only what is named is ours
  return path + "/" + std::string{parts.resource} + "?fieldSelector=metadata.name%3D" +
         std::string{parts.name};
}

}  // namespace

PathParts parts_of(std::string_view path) {
  PathParts parts;
  auto rest = path;
  const bool core = next_part(rest) == "api";
  if (!core) next_part(rest);
  next_part(rest);
  parts.root = path.substr(0, path.size() - rest.size());
  parts.resource = next_part(rest);
  parts.name = next_part(rest);
  const auto more = next_part(rest);
  if (parts.resource == "namespaces" && !more.empty() && more != "status" && more != "finalize") {
    parts.namespaced = true;
    parts.resource = more;
    parts.name = next_part(rest);
    parts.subresource = next_part(rest);
  } else {
    parts.subresource = more;
  }
  return parts;
}

std::vector<std::string> touched_collections(const Sequence& sequence) {
  if (sequence.watches == std::vector<std::string>{"-"}) return {};
  if (!sequence.watches.empty()) return sequence.watches;
  std::vector<std::string> touched;
  for (const auto& step : sequence.steps) {
    if (step.method == "GET" || step.method == "WATCH") continue;
    const auto parts = parts_of(step.path);
    if (!is_watchable(parts.resource)) continue;
    const auto watch = watch_of(parts);
    if (watch.empty() || std::ranges::find(touched, watch) != touched.end()) continue;
    touched.push_back(watch);
    if (touched.size() == kWatchesMax) break;
  }
  return touched;
}

}  // namespace fixpoint::conformance
