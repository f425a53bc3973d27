// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/loops.h"

#include "json/draft.h"
#include "json/print.h"
#include "tests/conformance/campaign.h"
#include "tests/conformance/normal.h"
#include "tests/conformance/touched.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

namespace fixpoint::conformance {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A real loop hears of a change after milliseconds and retries after a second or some; longer
// silence than this means rest. The one of namespaces waits five seconds before it begins.
constexpr auto kQuiet = milliseconds(2500);
constexpr auto kQuietNamespace = seconds(8);
constexpr auto kLongest = seconds(60);

std::string body(std::string_view kind, std::string_view api, std::string_view name,
                 std::string_view metadata) {
  return fmt::format(R"({{"apiVersion":"{}","kind":"{}","metadata":{{"name":"{}"{}{}}}}})", api,
                     kind, name, metadata.empty() ? "" : ",", metadata);
}

Step make_map(std::string_view name, std::string_view metadata = {}) {
  Step step;
  step.method = "POST";
  step.path = kMaps;
  step.body = body("ConfigMap", "v1", name, metadata);
  return step;
}

Step patch_map(std::string_view name, std::string_view text) {
  Step step;
  step.method = "PATCH";
  step.path = fmt::format("{}/{}", kMaps, name);
  step.content_type = "application/merge-patch+json";
  step.body = text;
  return step;
}

// What the loops must have seen before the next step: a graph of owners is built from watches.
Step seen(Step step) {
  step.settle = seconds(1);
  return step;
}

Step end_map(std::string_view name, std::string_view policy) {
  Step step;
  step.method = "DELETE";
  step.path = fmt::format("{}/{}", kMaps, name);
  if (!policy.empty()) step.body = fmt::format(R"({{"propagationPolicy":"{}"}})", policy);
  return step;
}

std::string owner(std::string_view name, std::string_view more = {}) {
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"ConfigMap","name":"{0}","uid":"<<uid {1}/{0}>>"{2}}})", name,
      kMaps, more);
}

std::string owned_by(const std::string& owners, std::string_view more = {}) {
  return fmt::format(R"("ownerReferences":[{}]{})", owners, more);
}

constexpr auto kBlocks = R"(,"blockOwnerDeletion":true)";

Step end_namespace() {
  Step step;
  step.method = "DELETE";
  step.path = "/api/v1/namespaces/<<ns>>";
  return step;
}

// Long enough for the loop of namespaces to find out that it cannot end it.
Step stuck(Step step) {
  step.settle = seconds(9);
  return step;
}

Step secret(std::string_view name, std::string_view metadata) {
  Step step;
  step.method = "POST";
  step.path = "/api/v1/namespaces/<<ns>>/secrets";
  step.body = body("Secret", "v1", name, metadata);
  return step;
}

const std::vector<std::string> kWatchMaps{kMaps};
const std::vector<std::string> kWatchNamespace{
    kMaps, "/api/v1/namespaces/<<ns>>/secrets",
    "/api/v1/namespaces?fieldSelector=metadata.name%3D<<ns>>"};

std::vector<Situation> collected() {
  return {
      {"background",
       "the owner goes at once, what it owned follows", {make_map("a"), make_map("b", owned_by(owner("a"))),
        seen(make_map("c", owned_by(owner("a")))), end_map("a", "Background")},
       kWatchMaps, {{"configmaps/a", "configmaps/b"}, {"configmaps/a", "configmaps/c"}}},
      {"background-chain",
       "what is owned by what is owned goes too", {make_map("a"), make_map("b", owned_by(owner("a"))),
        seen(make_map("c", owned_by(owner("b")))), end_map("a", "Background")},
       kWatchMaps, {{"configmaps/a", "configmaps/b"}, {"configmaps/b", "configmaps/c"}}},
      {"foreground",
       "the owner waits for those that block it", {make_map("a"), seen(make_map("b", owned_by(owner("a", kBlocks)))),
        end_map("a", "Foreground")},
       kWatchMaps, {{"configmaps/b", "configmaps/a"}}},
      {"foreground-not-blocking",
       "one that does not block is not waited for", {make_map("a"), seen(make_map("b", owned_by(owner("a")))), end_map("a", "Foreground")},
       kWatchMaps},
      {"foreground-chain",
       "the last of a chain goes first", {make_map("a"), make_map("b", owned_by(owner("a", kBlocks))),
        seen(make_map("c", owned_by(owner("b", kBlocks)))), end_map("a", "Foreground")},
       kWatchMaps, {{"configmaps/b", "configmaps/a"}, {"configmaps/c", "configmaps/b"}}},
      {"foreground-held",
       "a finalizer of what is owned holds the owner too", {make_map("a"),
        seen(make_map("b", owned_by(owner("a", kBlocks), R"(,"finalizers":["example.com/held"])"))),
        seen(end_map("a", "Foreground")), patch_map("b", R"({"metadata":{"finalizers":null}})")},
       kWatchMaps, {{"configmaps/b", "configmaps/a"}}},
      {"orphan",
       "what was owned stays and forgets its owner", {make_map("a"), make_map("b", owned_by(owner("a"))),
        seen(make_map("c", owned_by(owner("a")))), end_map("a", "Orphan")},
       kWatchMaps},
      {"owner-of-two",
       "one of two owners goes: only the reference to it goes", {make_map("a"), make_map("b"), seen(make_map("c", owned_by(owner("a") + "," + owner("b")))),
        end_map("a", "Background")},
       kWatchMaps},
      {"both-owners",
       "both owners go, and then it goes", {make_map("a"), make_map("b"), seen(make_map("c", owned_by(owner("a") + "," + owner("b")))),
        seen(end_map("a", "Background")), end_map("b", "Background")},
       kWatchMaps, {{"configmaps/b", "configmaps/c"}}},
      {"absent-owner",
       "an owner that never was is an absent owner", {make_map("c", owned_by(owner("never")))},
       kWatchMaps},
      {"other-uid",
       "an owner of that name with another uid is an absent owner", {make_map("a"), make_map("c", owned_by(R"({"apiVersion":"v1","kind":"ConfigMap","name":"a",)"
                                              R"("uid":"11111111-1111-4111-8111-111111111111"})"))},
       kWatchMaps},
      {"held-dependent",
       "what is owned and held is stamped and waits", {make_map("a"),
        seen(make_map("b", owned_by(owner("a"), R"(,"finalizers":["example.com/held"])"))),
        seen(end_map("a", "Background")), patch_map("b", R"({"metadata":{"finalizers":null}})")},
       kWatchMaps, {{"configmaps/a", "configmaps/b"}}},
      {"circle",
       "two that own each other go together", {make_map("a"), make_map("b", owned_by(owner("a", kBlocks))),
        seen(patch_map("a", "{\"metadata\":{" + owned_by(owner("b", kBlocks)) + "}}")),
        end_map("a", "Foreground")},
       kWatchMaps},
      {"held-orphan",
       "a held owner lets go of what it owned and stays itself", {make_map("a", R"("finalizers":["example.com/held"])"),
        seen(make_map("b", owned_by(owner("a")))), seen(end_map("a", "Orphan")),
        patch_map("a", R"({"metadata":{"labels":{"x":"y"}}})"),
        patch_map("a", R"({"metadata":{"finalizers":null}})")},
       kWatchMaps},
  };
}

std::vector<Situation> ended_namespaces() {
  return {
      {"empty-namespace", "an empty namespace goes", {end_namespace()}, kWatchNamespace},
      {"full-namespace",
       "its content goes, then the namespace", {make_map("a"), make_map("b"), seen(secret("s", {})), end_namespace()},
       kWatchNamespace, {{"configmaps/a", "namespaces/<id>"}, {"secrets/s", "namespaces/<id>"}}},
      {"held-namespace",
       "a held object holds its namespace, which says so", {make_map("a", R"("finalizers":["example.com/held"])"), stuck(end_namespace()),
        patch_map("a", R"({"metadata":{"finalizers":null}})")},
       kWatchNamespace, {{"configmaps/a", "namespaces/<id>"}}},
      {"owned-in-namespace",
       "owners do not matter at the end of a namespace", {make_map("a"), seen(make_map("b", owned_by(owner("a", kBlocks)))), end_namespace()},
       kWatchNamespace},
  };
}

json::Value without_version(json::View object) {
  json::Draft made{object};
  if (auto* metadata = made.find("metadata")) metadata->erase("resourceVersion");
  return made.freeze();
}

// Every namespace has it, and what is in it differs.
constexpr std::string_view kPublished = "kube-root-ca.crt";

// "<rv 12>" to 12.
int rank_of(json::View object) {
  const auto text = object.get("metadata", "resourceVersion").as_string();
  return std::atoi(std::string{text.substr(std::min<std::size_t>(4, text.size()))}.c_str());
}

void add_events(json::View events, std::string_view resource, Lives& lives,
                std::map<int, std::string>& ended) {
  for (const auto event : events.elements()) {
    const json::View object = event.get("object");
    if (object.get("metadata", "name").as_string() == kPublished) continue;
    const auto key = fmt::format("{}/{}", resource, object.get("metadata", "name").as_string());
    auto& life = lives.objects[key];
    if (event.get("type").as_string() == "DELETED") {
      life.push_back(json::Value::string("gone"));
      ended[rank_of(object)] = key;
    } else {
      life.push_back(without_version(object));
    }
  }
}

}  // namespace

std::vector<Situation> situations() {
  auto all = collected();
  for (auto& each : ended_namespaces()) all.push_back(std::move(each));
  return all;
}

Lives live_through(Server& server, const Situation& situation) {
  Sequence sequence;
  sequence.steps = situation.steps;
  for (const auto& collection : situation.watches) {
    const auto question = collection.find('?');
    Step watch;
    watch.method = "WATCH";
    watch.path = collection.substr(0, question);
    if (question != std::string::npos) watch.query = collection.substr(question + 1) + "&";
    watch.query += "resourceVersion=<<rv>>";
    sequence.steps.push_back(watch);
  }
  sequence.watches = {"-"};
  Session session(server, sequence, fresh_id());
  session.run();
  const bool waits = !server.in_process() && situation.watches.size() > 1;
  session.listen(waits ? Duration{kQuietNamespace} : Duration{kQuiet}, kLongest);
  const auto normal = normalise(session.take());

  Lives lives;
  std::map<int, std::string> ended;  // watches are apart, revisions are one order
  for (std::size_t i = 0; i < situation.watches.size(); ++i) {
    const auto at = situation.steps.size() + i;
    const auto& step = sequence.steps[at];
    add_events(normal.steps[at].get("body"), parts_of(step.path).resource, lives, ended);
  }
  for (const auto& [rank, key] : ended) lives.ended.push_back(key);
  return lives;
}

std::string to_text(const Life& life) {
  std::string text;
  for (const auto& state : life) {
    if (!text.empty()) text += " → ";
    if (state.is_string()) {
      text += state.as_string();
      continue;
    }
    const json::View metadata = state.get("metadata");
    text += metadata.contains("deletionTimestamp") ? "deleting" : "there";
    if (const auto held = metadata.get("finalizers"); !held.empty()) {
      text += " " + json::to_text(held);
    }
    if (const auto owners = metadata.get("ownerReferences"); !owners.empty()) {
      text += fmt::format(" ({} owners)", owners.size());
    }
  }
  return text;
}

}  // namespace fixpoint::conformance
