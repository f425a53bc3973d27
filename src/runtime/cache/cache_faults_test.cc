// SPDX-License-Identifier: Apache-2.0
//
// The cache against the API-server core that ships, with everything between them failing at random.
// Others write, we write, answers are lost and late, the server forgets its history: every state
// that is cached existed, no object goes back, changes tell the whole story, and when the trouble
// is over the cache is what the server has, with hardly a request more.
#include "apiserver/core.h"
#include "base/rng.h"
#include "json/draft.h"
#include "json/parse.h"
#include "json/print.h"
#include "kube/metadata.h"
#include "runtime/cache/cache.h"
#include "runtime/cache/faulty_client.h"
#include "runtime/virtual_scheduler.h"
#include "store/store.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace fixpoint::runtime {
namespace {

using namespace std::chrono_literals;

const client::Resource kMaps{
    {"", "v1", "ConfigMap"},
    "configmaps", client::Scope::Namespaced
};
const json::Shape kShape = json::Shape::all().without({"metadata", "managedFields"});

// The core in process, answering in the next moment.
class CoreClient final : public client::Client {
 public:
  explicit CoreClient(VirtualScheduler& time) : time_(time) {
    for (const std::string ns : {"one", "two"}) {
      create(
          {
              {"", "v1", "Namespace"},
              "namespaces", client::Scope::Cluster
      },
          "", R"({"metadata":{"name":")" + ns + R"("}})");
    }
  }

  void create(const client::Resource& resource, const std::string& ns, const std::string& body) {
    auto request = request_for(resource, ns, apiserver::Verb::Create);
    request.body = body;
    EXPECT_TRUE(run(request).ok());
  }

  void call(client::Call call, Done done) override {
    auto verb = apiserver::Verb::Get;
    if (call.verb == client::Verb::Create) verb = apiserver::Verb::Create;
    if (call.verb == client::Verb::Patch) verb = apiserver::Verb::Patch;
    if (call.verb == client::Verb::Delete) verb = apiserver::Verb::Delete;
    auto request = request_for(call.resource, call.key.ns, verb);
    request.name = call.key.name;
    request.content_type = verb == apiserver::Verb::Patch ? "application/merge-patch+json" : "";
    request.body = call.body.is_null() ? "" : json::to_text(call.body);
    const auto response = run(request);
    client::Reply reply;
    if (response.ok()) {
      reply->code = response.code;
      reply->body = response.body;
    } else {
      reply = std::unexpected(error_of(response));
    }
    time_.after(0s, [reply, done = std::move(done)]() mutable { done(reply); });
  }

  void list(client::ListCall call, PageDone done) override {
    auto request = request_for(call.collection.resource, call.collection.ns, apiserver::Verb::List);
    request.query = {
        {"limit",         std::to_string(call.limit)     },
        {"continue",      call.continue_token            },
        {"labelSelector", call.collection.selector.labels}
    };
    const auto response = run(request);
    client::PageReply reply;
    if (!response.ok()) {
      reply = std::unexpected(error_of(response));
    } else {
      reply->resource_version = std::to_string(response.list->revision.value);
      reply->continue_token = response.list->continue_token;
      for (const auto& item : response.list->items) {
        reply->items.push_back(shown(item->body, call.shape.get()));
      }
    }
    time_.after(0s, [reply = std::move(reply), done = std::move(done)]() mutable {
      done(std::move(reply));
    });
  }

  std::unique_ptr<client::Watching> watch(client::WatchCall call,
                                          client::WatchHandlers handlers) override {
    auto request =
        request_for(call.collection.resource, call.collection.ns, apiserver::Verb::Watch);
    request.query = {
        {"watch",               "1"                            },
        {"allowWatchBookmarks", "true"                         },
        {"resourceVersion",     call.resource_version          },
        {"labelSelector",       call.collection.selector.labels}
    };
    auto opened = core.open_watch(request, store, {.now = time_.wall(), .rng = rng_});
    auto stream = std::make_shared<Stream>();
    stream->handlers = std::move(handlers);
    stream->shape = call.shape;
    if (opened && opened->ends) {
      time_.after(0s, [weak = std::weak_ptr(stream)] { end(weak, gone()); });
    } else if (opened) {
      stream->watch = *std::move(opened);
      streams_.push_back(stream);
      time_.after(call.timeout, [weak = std::weak_ptr(stream)] { end(weak, std::nullopt); });
    } else {
      client::CallError error;
      error.fate = client::Fate::Refused;
      error.status = opened.error();
      time_.after(0s, [weak = std::weak_ptr(stream), error] { end(weak, error); });
    }
    return std::make_unique<Handle>(stream);
  }

  void resolve(kube::GroupVersionKind, Resolved done) override {
    time_.after(0s, [done = std::move(done)]() mutable { done(kMaps); });
  }

  // Sends what has happened to whoever watches; sometimes only how far things are.
  void pump(bool bookmark) {
    for (const auto& weak : std::vector{streams_}) {
      const auto stream = weak.lock();
      if (!stream || !stream->open) continue;
      for (const auto& event : std::exchange(stream->watch->initial, {})) send(*stream, event);
      const auto events = store.events_after(stream->watch->from);
      if (!events) {
        time_.after(0s, [weak] { end(weak, gone()); });
        continue;
      }
      for (const auto& event : *events) {
        stream->watch->from = event.revision;
        if (const auto told = stream->watch->next(event)) send(*stream, *told);
      }
      if (bookmark && stream->open) send(*stream, stream->watch->bookmark(store.revision()));
    }
  }

  store::Store store;
  apiserver::Core core;

 private:
  struct Stream {
    std::optional<apiserver::Watch> watch;
    client::WatchHandlers handlers;
    std::shared_ptr<const json::Shape> shape;
    bool open = true;
  };
  class Handle final : public client::Watching {
   public:
    explicit Handle(std::shared_ptr<Stream> stream) : stream_(std::move(stream)) {}
    ~Handle() override { stream_->open = false; }

   private:
    std::shared_ptr<Stream> stream_;
  };

  static void end(const std::weak_ptr<Stream>& weak, std::optional<client::CallError> why) {
    const auto stream = weak.lock();
    if (!stream || !stream->open) return;
    stream->open = false;
    stream->handlers.on_end(std::move(why));
  }
  static client::CallError gone() {
    client::CallError error;
    error.fate = client::Fate::Refused;
    error.status = kube::expired("too old resource version");
    return error;
  }
  static void send(Stream& stream, const apiserver::WatchEvent& event) {
    const auto type =
        event.type == apiserver::WatchEventType::Added      ? client::EventType::Added
        : event.type == apiserver::WatchEventType::Modified ? client::EventType::Modified
        : event.type == apiserver::WatchEventType::Deleted  ? client::EventType::Deleted
                                                            : client::EventType::Bookmark;
    stream.handlers.on_event({type, shown(event.object, stream.shape.get())});
  }
  static json::Value shown(const json::Value& object, const json::Shape* shape) {
    json::Draft draft{object};
    draft["apiVersion"] = "v1";
    draft["kind"] = "ConfigMap";
    const auto whole = draft.freeze();
    return shape == nullptr ? whole : shape->cut(whole);
  }
  static client::CallError error_of(const apiserver::Response& response) {
    client::CallError error;
    error.fate = client::Fate::Refused;
    error.status.code = response.code;
    error.status.reason = response.body.get("reason").as_string();
    return error;
  }
  static apiserver::Request request_for(const client::Resource& resource, const std::string& ns,
                                        apiserver::Verb verb) {
    apiserver::Request request;
    request.verb = verb;
    request.resource = {resource.kind.group, resource.kind.version, resource.plural};
    request.ns = ns;
    request.user = apiserver::system_user();
    return request;
  }
  apiserver::Response run(const apiserver::Request& request) {
    return core.handle(request, store, {.now = time_.wall(), .rng = rng_});
  }

  VirtualScheduler& time_;
  Rng rng_{5};
  std::vector<std::weak_ptr<Stream>> streams_;
};

class Trial {
 public:
  Trial(std::uint64_t seed, client::Selector selector, std::set<std::string> namespaces)
      : rng_(seed),
        server_(time_),
        faulty_(server_, time_, Rng{seed + 1}),
        cache_({.client = &faulty_,
                .scheduler = &time_,
                .rng = Rng{seed + 2},
                .namespaces = std::move(namespaces),
                .page_items = 3}),
        session_(cache_.open(
            {.changed = [this](FollowId, const Change& c) { told(c); }, .synced = {}})) {
    watched_.role = WatchRole::Cached;
    watched_.collection = {.resource = kMaps, .selector = std::move(selector)};
    session_->follow(watched_);
  }

  void run() {
    for (int i = 0; i < 120 && !testing::Test::HasFailure(); ++i) {
      step();
      remember();
      check();
    }
    faulty_.calm();
    for (int i = 0; i < 20; ++i) {
      time_.advance(30s);
      server_.pump(true);
    }
    time_.run_due();
    check();
    EXPECT_EQ(cached(), wanted());
    EXPECT_EQ(mirrored(), wanted());
  }

  const FaultyClient::Counts& counts() const { return faulty_.counts; }
  std::uint64_t from_the_past() const {
    return session_->find(kMaps.kind)->oddities().from_the_past;
  }

 private:
  using State = std::map<std::string, std::string>;  // uid@version by key

  void step() {
    switch (rng_.below(8)) {
      case 0:
      case 1: return others_write();
      case 2: return own_write();
      case 3: server_.pump(rng_.below(3) == 0); return;
      case 4:
        if (rng_.below(6) == 0) server_.store.compact(server_.store.revision());
        return;
      default: time_.advance(std::chrono::milliseconds(rng_.below(3'000)));
    }
  }

  client::Call random_write() {
    client::Call call;
    call.resource = kMaps;
    call.key = {rng_.below(2) == 0 ? "one" : "two", "m" + std::to_string(rng_.below(6))};
    const auto app = rng_.below(2) == 0 ? "x" : "y";
    const auto body = R"({"metadata":{"name":")" + call.key.name + R"(","labels":{"app":")" + app +
                      R"("}},"data":{"n":")" + std::to_string(rng_.below(1'000)) + R"("}})";
    const auto what = rng_.below(3);
    call.verb = what == 0   ? client::Verb::Create
                : what == 1 ? client::Verb::Patch
                            : client::Verb::Delete;
    if (what != 2) call.body = json::parse(body).value();
    if (what == 0) call.key.name.clear();
    return call;
  }

  void others_write() {
    server_.call(random_write(), [](client::Reply) {});
  }

  void own_write() {
    auto call = random_write();
    const auto verb = call.verb;
    const auto key = call.key;
    faulty_.call(std::move(call), [this, verb, key](client::Reply reply) {
      if (!reply) return;
      remember();
      auto* contents = session_->find_to_change(kMaps.kind);
      if (verb != client::Verb::Delete) {
        contents->put(reply->body, Origin::OwnWrite);
        return;
      }
      // A Status with the uid of what was deleted.
      const auto uid = reply->body.get("details", "uid").as_string();
      EXPECT_FALSE(uid.empty());
      // Of what was never shown to it, a cache cannot tell the past from the present.
      if (contents->gone(key, uid)) gone_.insert(std::string{uid});
    });
    remember();
  }

  // Every state the server ever had.
  void remember() {
    for (const auto ns : {"one", "two"}) {
      server_.store.latest().scan(std::string{"configmaps/"} + ns + "/", "",
                                  [&](const store::RecordRef& record) {
                                    existed_.insert(text(record->body));
                                    return true;
                                  });
    }
  }

  static std::string key_text(json::View object) {
    return std::string{kube::namespace_of(object)} + "/" + std::string{kube::name_of(object)};
  }
  static std::string text(json::View object) {
    return std::string{kube::uid_of(object)} + "@" +
           std::string{kube::resource_version_of(object)} + " " + json::to_text(object.get("data"));
  }

  void told(const Change& change) {
    const auto object = change.after.is_null() ? change.before.view() : change.after.view();
    auto& known = mirror_[key_text(object)];
    EXPECT_EQ(known, change.before.is_null() ? "" : text(change.before));
    known = change.after.is_null() ? "" : text(change.after);
    if (known.empty()) mirror_.erase(key_text(object));
  }

  void check() {
    for (const auto object : session_->find(kMaps.kind)->list("")) {
      EXPECT_TRUE(existed_.contains(text(object))) << text(object) << " never was";
      EXPECT_FALSE(gone_.contains(std::string{kube::uid_of(object)})) << "it came back";
      auto& newest = newest_[key_text(object)];
      const auto version = std::stoull(std::string{kube::resource_version_of(object)});
      EXPECT_GE(version, newest) << "it went back";
      newest = version;
    }
  }

  State cached() const {
    State state;
    for (const auto object : session_->find(kMaps.kind)->list("")) {
      state[key_text(object)] = text(object);
    }
    return state;
  }
  State mirrored() const { return mirror_; }
  State wanted() const {
    State state;
    const bool selects = !watched_.collection.selector.labels.empty();
    for (const auto ns : {"one", "two"}) {
      server_.store.latest().scan(std::string{"configmaps/"} + ns + "/", "",
                                  [&](const store::RecordRef& record) {
                                    const json::View object = record->body;
                                    if (selects && kube::label_of(object, "app") != "x")
                                      return true;
                                    state[key_text(object)] = text(object);
                                    return true;
                                  });
    }
    return state;
  }

  Rng rng_;
  VirtualScheduler time_;
  CoreClient server_;
  FaultyClient faulty_;
  Cache cache_;
  Watch watched_;
  State mirror_;
  std::unique_ptr<CacheSession> session_;
  std::set<std::string> existed_;
  std::set<std::string> gone_;
  std::map<std::string, std::uint64_t> newest_;
};

constexpr std::uint64_t kTrials = 60;

void try_all(const client::Selector& selector, const std::set<std::string>& namespaces) {
  FaultyClient::Counts sum;
  std::uint64_t past = 0;
  for (std::uint64_t seed = 0; seed < kTrials && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Trial trial{seed, selector, namespaces};
    trial.run();
    const auto& counts = trial.counts();
    sum.lost_calls += counts.lost_calls;
    sum.lost_answers += counts.lost_answers;
    sum.past_lists += counts.past_lists;
    sum.expired += counts.expired;
    sum.cut_watches += counts.cut_watches;
    sum.repeated_events += counts.repeated_events;
    past += trial.from_the_past();
  }
  for (const auto count : {sum.lost_calls, sum.lost_answers, sum.past_lists, sum.expired,
                           sum.cut_watches, sum.repeated_events}) {
    EXPECT_GT(count, 5) << "a fault that never happens tests nothing";
  }
  EXPECT_GT(past, 0U);
}

TEST(CacheFaults, AreSurvivedAndForgotten) {
  try_all({}, {});
}

TEST(CacheFaults, AreSurvivedWithASelector) {
  try_all({.labels = "app=x", .fields = ""}, {});
}

TEST(CacheFaults, AreSurvivedNamespaceByNamespace) {
  try_all({}, {"one", "two"});
}

}  // namespace
}  // namespace fixpoint::runtime
