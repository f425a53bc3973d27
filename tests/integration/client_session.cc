// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/client_session.h"

#include "client/local_client.h"
#include "json/draft.h"
#include "json/parsed_for_tests.h"
#include "json/print.h"
#include "json/shape/shape.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <regex>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace fixpoint {
namespace {

using namespace client;  // NOLINT: a test
using json::parsed;

constexpr auto kLabels = R"("labels":{"suite":"client-session"})";
constexpr auto kSelector = "suite=client-session";
constexpr auto kDefinition = R"({"apiVersion":"apiextensions.k8s.io/v1",
  "kind":"CustomResourceDefinition","metadata":{"name":"kites.client-session.example"},
  "spec":{"group":"client-session.example","scope":"Namespaced",
  "names":{"plural":"kites","kind":"Kite"},"versions":[{"name":"v1","served":true,
  "storage":true,"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object",
  "properties":{"spec":{"type":"object","properties":{"size":{"type":"integer","maximum":9}}},
  "status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}]}})";

const Resource kMaps{
    .kind = {"", "v1", "ConfigMap"},
      .plural = "configmaps"
};
const Resource kKites{
    .kind = {"client-session.example", "v1", "Kite"},
      .plural = "kites"
};
const Resource kDefinitionKind{
    .kind = {"apiextensions.k8s.io", "v1", "CustomResourceDefinition"},
    .plural = "customresourcedefinitions",
    .scope = Scope::Cluster
};

std::string masked(std::string text) {
  static const std::regex uid("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");
  return std::regex_replace(text, uid, "UID");
}

std::string shown(json::View object) {
  json::Draft draft{object};
  if (auto* metadata = draft.find("metadata")) {
    for (const auto* field : {"uid", "resourceVersion", "creationTimestamp", "managedFields"}) {
      metadata->erase(field);
    }
  }
  // A deletion's Status says what was deleted, by uid.
  const auto frozen = draft.freeze();
  return masked(json::to_text(frozen));
}

std::string shown(const CallError& error) {
  return masked(fmt::format("{} {} {}: {}", to_string(error.fate), error.status.code,
                            error.status.reason, error.status.message));
}

class Session {
 public:
  Session(Client& client, const Wait& wait) : client_(client), wait_(wait) {}

  std::vector<std::string> run() {
    clean();
    writes();
    patches();
    options();
    lists();
    watches();
    deletes();
    custom();
    clean();
    return std::move(lines_);
  }

 private:
  Reply ask(Call call) {
    std::optional<Reply> reply;
    client_.call(std::move(call), [&](Reply got) { reply = std::move(got); });
    if (!wait_([&] { return reply.has_value(); })) note("no answer");
    return reply ? *std::move(reply) : Reply{};
  }
  void note(std::string line) { lines_.push_back(std::move(line)); }
  json::Value tell(std::string_view what, Call call) {
    const auto reply = ask(std::move(call));
    if (!reply) {
      note(fmt::format("{}: {}", what, shown(reply.error())));
      return {};
    }
    note(fmt::format("{}: {} {}", what, reply->code, shown(reply->body)));
    for (const auto& warning : reply->warnings) note("  warned: " + warning);
    return reply->body;
  }

  static Call on(Verb verb, const Resource& resource, std::string name) {
    return {
        .verb = verb,
        .resource = resource,
        .key = {resource.scope == Scope::Cluster ? "" : "default", std::move(name)}
    };
  }
  static Call with(Call call, std::string_view body) {
    call.body = parsed(body);
    return call;
  }
  static std::string map(const std::string& name, const std::string& value) {
    return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name + "\"," +
           kLabels + R"(},"data":{"k":")" + value + "\"}}";
  }

  void clean() {
    auto all = on(Verb::DeleteCollection, kMaps, "");
    all.selector.labels = kSelector;
    static_cast<void>(ask(all));
    static_cast<void>(ask(on(Verb::Delete, kDefinitionKind, "kites.client-session.example")));
  }

  void writes() {
    const auto made = tell("create", with(on(Verb::Create, kMaps, ""), map("cs-a", "1")));
    tell("create again", with(on(Verb::Create, kMaps, ""), map("cs-a", "1")));
    tell("get", on(Verb::Get, kMaps, "cs-a"));
    tell("get what is not there", on(Verb::Get, kMaps, "cs-none"));
    json::Draft changed{made};
    changed["data"]["k"] = "2";
    auto update = on(Verb::Update, kMaps, "cs-a");
    update.body = changed.freeze();
    tell("update", update);
    tell("update what was read before", update);
    tell("create without a name", with(on(Verb::Create, kMaps, ""), R"({"data":{}})"));
  }

  void patches() {
    auto patch = with(on(Verb::Patch, kMaps, "cs-a"), R"({"data":{"m":"x","k":null}})");
    tell("merge patch", patch);
    patch.patch_type = PatchType::Json;
    patch.body = parsed(R"([{"op":"add","path":"/data/j","value":"y"}])");
    tell("JSON patch", patch);
    patch.body = parsed(R"([{"op":"test","path":"/data/j","value":"z"}])");
    tell("JSON patch whose test fails", patch);
    patch.patch_type = PatchType::Strategic;
    patch.body = parsed(R"({"data":{"s":"z"}})");
    tell("strategic patch", patch);
    auto apply = with(on(Verb::Apply, kMaps, "cs-b"), map("cs-b", "1"));
    apply.field_manager = "one";
    tell("apply", apply);
    apply.field_manager = "two";
    apply.body = parsed(map("cs-b", "2"));
    tell("apply against another", apply);
    apply.force = Force::Yes;
    tell("apply with force", apply);
  }

  void options() {
    auto dry = with(on(Verb::Create, kMaps, ""), map("cs-dry", "1"));
    dry.dry_run = DryRun::Yes;
    tell("dry run", dry);
    tell("nothing came of it", on(Verb::Get, kMaps, "cs-dry"));
    auto strict = with(on(Verb::Create, kMaps, ""), R"({"metadata":{"name":"cs-s"},"dota":{}})");
    strict.field_validation = FieldValidation::Strict;
    tell("an unknown field", strict);
    strict.field_validation = FieldValidation::Warn;
    strict.dry_run = DryRun::Yes;
    tell("an unknown field, warned of", strict);
    auto other = on(Verb::Get, kMaps, "cs-a");
    other.as_user = "jane";
    other.as_groups = {"dev"};
    tell("as somebody else", other);
  }

  std::optional<Page> page(ListCall call) {
    std::optional<PageReply> reply;
    client_.list(std::move(call), [&](PageReply got) { reply = std::move(got); });
    if (!wait_([&] { return reply.has_value(); })) return std::nullopt;
    if (*reply) return **std::move(reply);
    note("list: " + shown(reply->error()));
    return std::nullopt;
  }

  void lists() {
    ListCall call{
        .collection = {.resource = kMaps, .ns = "default", .selector = {.labels = kSelector}},
        .limit = 1
    };
    call.shape = std::make_shared<const json::Shape>(
        json::Shape::all().without({"metadata", "managedFields"}));
    for (int i = 0; i < 5; ++i) {  // other objects of the namespace may follow ours
      const auto got = page(call);
      if (!got) return;
      for (const auto& item : got->items) note("item: " + shown(item));
      version_ = got->resource_version;
      call.continue_token = got->continue_token;
      if (call.continue_token.empty()) break;
    }
    call = {.collection = call.collection};
    call.collection.metadata_only = true;
    if (const auto got = page(call)) {
      for (const auto& item : got->items) note("metadata: " + shown(item));
    }
    call.collection.selector.labels = "not a selector!";
    page(call);
    call.collection.selector.labels = "";
    call.continue_token = "garbage";
    page(call);
  }

  struct Told {
    std::vector<std::string> lines;
    bool bookmarked = false;
    std::optional<std::optional<CallError>> end;
  };
  std::unique_ptr<Watching> watch(WatchCall call, Told& told) {
    if (call.collection.resource.plural.empty()) {
      call.collection = {.resource = kMaps, .ns = "default", .selector = {.labels = kSelector}};
    }
    call.shape = std::make_shared<const json::Shape>(json::Shape::only({{"data"}}));
    return client_.watch(
        std::move(call),
        {.on_event =
             [&](const WatchEvent& event) {
               if (event.type == EventType::Bookmark) {
                 if (event.initial_events_end) {
                   told.lines.emplace_back("all is told");
                 } else {
                   told.bookmarked = true;
                 }
                 return;
               }
               told.lines.push_back(std::to_string(static_cast<int>(event.type)) + " " +
                                    shown(event.object));
             },
         .on_end = [&](std::optional<CallError> error) { told.end = std::move(error); }});
  }

  static std::string ended(const Told& told) {
    if (!told.end) return "goes on";
    return *told.end ? shown(**told.end) : "ended in good order";
  }

  void watches() {
    Told told;
    const auto watching = watch({.resource_version = version_}, told);
    static_cast<void>(ask(with(on(Verb::Create, kMaps, ""), map("cs-w", "1"))));
    static_cast<void>(ask(with(on(Verb::Patch, kMaps, "cs-w"), R"({"data":{"k":"2"}})")));
    // Leaves the selection: deleted, as far as this watch is concerned.
    static_cast<void>(
        ask(with(on(Verb::Patch, kMaps, "cs-w"), R"({"metadata":{"labels":{"suite":null}}})")));
    static_cast<void>(ask(on(Verb::Delete, kMaps, "cs-w")));
    wait_([&] { return told.lines.size() >= 3; });
    for (const auto& line : told.lines) note("watched " + line);

    Told streamed;
    const auto streaming = watch({.streaming = Streaming::FromEmpty}, streamed);
    wait_([&] { return !streamed.lines.empty() && streamed.lines.back() == "all is told"; });
    for (const auto& line : streamed.lines) note("streamed " + line);

    // The server ends a watch when it was asked to, and says shortly before how far it has come.
    Told timed;
    const auto brief =
        watch({.resource_version = version_, .timeout = std::chrono::seconds(5)}, timed);
    static_cast<void>(ask(with(on(Verb::Create, kMaps, ""), R"({"metadata":{"name":"cs-x"}})")));
    static_cast<void>(ask(on(Verb::Delete, kMaps, "cs-x")));
    wait_([&] { return timed.end.has_value(); });
    note(fmt::format("watch of five seconds: {}, {}", ended(timed),
                     timed.bookmarked ? "with a bookmark" : "without a bookmark"));

    Told refused;
    const auto wrong = watch({.resource_version = "nonsense"}, refused);
    wait_([&] { return refused.end.has_value(); });
    if (refused.end && *refused.end) note("watch from nonsense: " + shown(**refused.end));
  }

  void deletes() {
    const auto object = ask(on(Verb::Get, kMaps, "cs-a"));
    auto remove = on(Verb::Delete, kMaps, "cs-a");
    remove.preconditions.uid = "01234567-0123-0123-0123-0123456789ab";
    tell("delete another's", remove);
    remove.preconditions.uid = object->body.get("metadata", "uid").as_string();
    remove.propagation = Propagation::Background;
    remove.dry_run = DryRun::Yes;
    tell("delete, dry", remove);
    remove.dry_run = DryRun::No;
    tell("delete", remove);
    tell("delete again", remove);
    auto all = on(Verb::DeleteCollection, kMaps, "");
    all.selector.labels = kSelector;
    const auto removed = ask(all);
    for (const json::View item : removed->body.get("items").elements()) {
      note("one of all deleted: " + shown(item));
    }
    tell("gone", on(Verb::Get, kMaps, "cs-b"));
  }

  void resolve(kube::GroupVersionKind kind) {
    std::optional<std::expected<Resource, CallError>> found;
    client_.resolve(std::move(kind), [&](auto got) { found = std::move(got); });
    wait_([&] { return found.has_value(); });
    if (!found) return note("no answer");
    note(*found ? fmt::format("resolved {} {}", (*found)->kind.to_string(), (*found)->plural)
                : "not resolved: " + shown(found->error()));
  }

  void custom() {
    resolve({"apps", "", "Deployment"});
    resolve({"client-session.example", "v1", "Kite"});
    static_cast<void>(ask(with(on(Verb::Create, kDefinitionKind, ""), kDefinition)));
    const auto body = R"({"apiVersion":"client-session.example/v1","kind":"Kite",)"
                      R"("metadata":{"name":"k"},"spec":{"size":3}})";
    // A real server serves a new kind only after a while.
    constexpr int kTries = 300;
    for (int i = 0; i < kTries; ++i) {
      auto probe = with(on(Verb::Create, kKites, ""), body);
      probe.dry_run = DryRun::Yes;
      if (ask(probe)) break;
    }
    resolve({"client-session.example", "", "Kite"});
    tell("create a kite", with(on(Verb::Create, kKites, ""), body));
    auto status =
        with(on(Verb::Patch, kKites, "k"), R"({"status":{"phase":"Up"},"spec":{"size":5}})");
    status.subresource = "status";
    tell("patch its status", status);
    tell("a kite too large", with(on(Verb::Patch, kKites, "k"), R"({"spec":{"size":10}})"));
    auto strategic = with(on(Verb::Patch, kKites, "k"), "{}");
    strategic.patch_type = PatchType::Strategic;
    tell("strategic patch of a kite", strategic);
    tell("delete the kite", on(Verb::Delete, kKites, "k"));

    Told told;
    const auto watching = watch(
        {
            .collection = {.resource = kKites, .ns = "default"}
    },
        told);
    static_cast<void>(ask(on(Verb::Delete, kDefinitionKind, "kites.client-session.example")));
    // Where no controller looks after definitions, nobody else takes this off.
    static_cast<void>(ask(with(on(Verb::Patch, kDefinitionKind, "kites.client-session.example"),
                               R"({"metadata":{"finalizers":null}})")));
    wait_([&] { return told.end.has_value(); });
    note("watch of a kind that is gone: " + ended(told));
  }

  Client& client_;
  const Wait& wait_;
  std::vector<std::string> lines_;
  std::string version_;
};

}  // namespace

std::string client_session(client::Client& client, const Wait& wait) {
  std::string all;
  for (const auto& line : Session{client, wait}.run()) all += line + "\n";
  return all;
}

std::string client_session_in_process() {
  VirtualClock clock;
  client::MemoryApi api{clock};
  std::deque<std::move_only_function<void()>> posted;
  std::multimap<MonotonicInstant, std::move_only_function<void()>> timers;
  client::LocalClient local{
      api, [&](std::move_only_function<void()> task) { posted.push_back(std::move(task)); }};
  local.keep_time(clock, [&](Duration wait, std::move_only_function<void()> task) {
    timers.emplace(clock.monotonic() + wait, std::move(task));
  });
  // Time passes only while there is nothing else to do.
  const Wait wait = [&](const std::function<bool()>& done) {
    while (!done() && !(posted.empty() && timers.empty())) {
      if (posted.empty()) {
        auto due = timers.extract(timers.begin());
        clock.advance(std::max(due.key() - clock.monotonic(), Duration::zero()));
        posted.push_back(std::move(due.mapped()));
      }
      auto task = std::move(posted.front());
      posted.pop_front();
      task();
    }
    return done();
  };
  client::Call ns{
      .verb = client::Verb::Create,
      .resource = {.kind = {"", "v1", "Namespace"},
                   .plural = "namespaces",
                   .scope = client::Scope::Cluster},
      .body = parsed(R"({"metadata":{"name":"default"}})")
  };
  local.call(std::move(ns), [](client::Reply reply) { EXPECT_TRUE(reply); });
  return client_session(local, wait);
}

}  // namespace fixpoint
