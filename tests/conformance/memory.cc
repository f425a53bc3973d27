// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/memory.h"

#include "json/parsing/parse.h"
#include "tests/conformance/text.h"

#include <algorithm>
#include <array>

namespace fixpoint::conformance {
namespace {

constexpr std::string_view kNoUid = "00000000-0000-4000-8000-000000000000";

// Subresources that answer with the whole object.
constexpr std::array<std::string_view, 5> kWholeObject{"/status", "/finalize", "/approval",
                                                       "/resize", "/ephemeralcontainers"};

std::string item_path(const Call& call, json::View object) {
  std::string path = call.path;
  for (const auto ending : kWholeObject) {
    if (path.ends_with(ending)) path.resize(path.size() - ending.size());
  }
  if (call.method == "POST") path += "/" + std::string{object.get("metadata", "name").as_string()};
  return path;
}

}  // namespace

void Memory::learn(const Call& call, const Answer& answer) {
  if (answer.code < 200 || answer.code > 299 || call.query.contains("dryRun")) return;
  const auto body = json::parse(answer.body);
  if (!body || !body->is_object()) return;
  const json::View metadata = body->get("metadata");
  if (body->get("items").is_array()) {
    listed_ = metadata.get("resourceVersion").as_string(listed_);
    continue_ = metadata.get("continue").as_string("unknown");
    for (const auto entry : body->get("items").elements()) {
      learn_object(call.path + "/" + std::string{entry.get("metadata", "name").as_string()}, entry);
    }
    return;
  }
  if (metadata.get("uid").is_string()) learn_object(item_path(call, *body), *body);
}

void Memory::learn_object(const std::string& path, json::View object) {
  auto& seen = seen_[path];
  // The items of a typed list have no kind, and somebody may write this one back.
  if (object.get("kind").is_string() || seen.object.is_null()) seen.object = json::Value(object);
  seen.uid = object.get("metadata", "uid").as_string();
  const auto version = object.get("metadata", "resourceVersion").as_string();
  if (!version.empty() && (seen.versions.empty() || seen.versions.back() != version)) {
    seen.versions.emplace_back(version);
  }
}

std::string Memory::fill(std::string_view text) const {
  auto filled = replaced(replaced(std::string{text}, "<<ns>>", ns_), "<<id>>", id_);
  for (std::size_t at = 0; (at = filled.find("<<", at)) != std::string::npos;) {
    const auto end = filled.find(">>", at);
    if (end == std::string::npos) break;
    const auto value = value_of(std::string_view{filled}.substr(at + 2, end - at - 2));
    filled.replace(at, end + 2 - at, value);
    at += value.size();
  }
  return filled;
}

std::string Memory::value_of(std::string_view placeholder) const {
  const auto space = placeholder.find(' ');
  const auto word = placeholder.substr(0, space);
  if (word == "continue") return continue_;
  if (word == "listed" && !listed_.empty()) return listed_;
  const Seen* seen = find(space == std::string_view::npos ? std::string_view{namespace_path()}
                                                          : placeholder.substr(space + 1));
  if (word == "uid") return seen == nullptr ? std::string{kNoUid} : seen->uid;
  // Of what was never seen: where the sequence began, which no server has forgotten yet.
  if (seen == nullptr || seen->versions.empty()) seen = find(namespace_path());
  if (seen == nullptr || seen->versions.empty()) return "1";
  const auto& versions = seen->versions;
  if (space == std::string_view::npos) return versions.front();
  if (word == "old") return versions[versions.size() - std::min<std::size_t>(2, versions.size())];
  return versions.back();
}

const Memory::Seen* Memory::find(std::string_view path) const {
  const auto at = seen_.find(path);
  return at == seen_.end() ? nullptr : &at->second;
}

json::Value Memory::newest(std::string_view path) const {
  const Seen* seen = find(fill(path));
  return seen == nullptr ? json::Value{} : seen->object;
}

}  // namespace fixpoint::conformance
