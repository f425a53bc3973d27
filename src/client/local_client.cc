// SPDX-License-Identifier: Apache-2.0
#include "client/local_client.h"

#include "apiserver/access/rbac.h"
#include "client/http/answer.h"
#include "client/http/outgoing.h"
#include "client/local_answer.h"

#include <algorithm>
#include <chrono>
#include <list>
#include <utility>

namespace fixpoint::client {
namespace {

// As a server sees somebody who is acted as.
apiserver::User impersonated(const Call& call) {
  apiserver::User user{.name = call.as_user, .uid = {}, .groups = call.as_groups, .extra = {}};
  constexpr std::string_view kAccount = "system:serviceaccount:";
  if (user.groups.empty() && user.name.starts_with(kAccount)) {
    const auto rest = std::string_view{user.name}.substr(kAccount.size());
    user.groups = {"system:serviceaccounts",
                   "system:serviceaccounts:" + std::string{rest.substr(0, rest.find(':'))}};
  }
  user.groups.emplace_back("system:authenticated");
  return user;
}

EventType type_of(apiserver::WatchEventType type) {
  switch (type) {
    case apiserver::WatchEventType::Added: return EventType::Added;
    case apiserver::WatchEventType::Modified: return EventType::Modified;
    case apiserver::WatchEventType::Deleted: return EventType::Deleted;
    case apiserver::WatchEventType::Bookmark:
    case apiserver::WatchEventType::Error: break;
  }
  return EventType::Bookmark;
}

struct Watcher {
  apiserver::Watch watch;
  WatchCall call;
  WatchHandlers handlers;
  store::Revision seen;
  std::optional<MonotonicInstant> ends;
  bool last_word = false;  // the bookmark before its end was sent
  bool ready = false;      // what it begins with is durable
  bool over = false;

  bool emit(const apiserver::WatchEvent& event) {
    if (event.type == apiserver::WatchEventType::Error) {
      end(refused(event.object));
      return false;
    }
    const bool bookmark = event.type == apiserver::WatchEventType::Bookmark;
    WatchEvent told{
        .type = type_of(event.type),
        .object = bookmark ? event.object : cut(event.object, call.collection, call.shape),
        .initial_events_end =
            bookmark &&
            event.object.get("metadata", "annotations", "k8s.io/initial-events-end").as_string() ==
                "true"};
    handlers.on_event(std::move(told));
    return !over;
  }
  void end(std::optional<CallError> error) {
    if (std::exchange(over, true)) return;
    const auto told = std::exchange(handlers, {});
    if (told.on_end) told.on_end(std::move(error));
  }
};
using WatcherRef = std::shared_ptr<Watcher>;

class LocalWatch final : public Watching {
 public:
  explicit LocalWatch(WatcherRef watcher) : watcher_(std::move(watcher)) {}
  ~LocalWatch() override { watcher_->over = true; }

 private:
  WatcherRef watcher_;
};

}  // namespace

struct LocalClient::State : std::enable_shared_from_this<State> {
  State(LocalApi& local, Post poster, apiserver::User acting)
      : api(local), post(std::move(poster)), user(std::move(acting)) {}

  // Runs later, if there is still a client.
  void later(std::move_only_function<void()> task) {
    post([weak = weak_from_this(), task = std::move(task)]() mutable {
      const auto self = weak.lock();
      if (self && !self->over) task();
    });
  }

  std::optional<CallError> forbidden(const apiserver::Request& request) const {
    const auto attempt = apiserver::attempt_of(request);
    const auto decision = apiserver::authorize(api.store().latest(), request.user, attempt);
    if (decision.allowed) return std::nullopt;
    return refused(apiserver::refusal(request.user, attempt, decision));
  }

  // Hands `result` on once what it shows is durable.
  template <class Result, class DoneFunction>
  void settle(store::Revision visible, Result result, DoneFunction done) {
    auto held =
        std::make_shared<std::pair<Result, DoneFunction>>(std::move(result), std::move(done));
    api.when_durable(visible, [weak = weak_from_this(), held](std::optional<Error> lost) {
      const auto self = weak.lock();
      if (!self || self->over) return;
      // It was taken back: nobody has seen it, and nobody will.
      if (lost) held->first = std::unexpected(not_sent(lost->message));
      self->later([held] { held->second(std::move(held->first)); });
    });
    changed();
  }

  // It may begin with what is not yet durable, or in the future.
  void begin(const WatcherRef& watcher) {
    const auto from = std::min(watcher->seen, api.store().revision());
    api.when_durable(from, [weak = weak_from_this(), watcher](std::optional<Error> lost) {
      const auto self = weak.lock();
      if (!self || self->over || watcher->over) return;
      if (lost) {
        return self->later([watcher, message = lost->message] { watcher->end(unknown(message)); });
      }
      watcher->ready = true;
      self->changed();
    });
  }

  void changed() {
    if (watchers.empty() || std::exchange(pumping, true)) return;
    later([this] {
      pumping = false;
      pump();
    });
  }

  void pump() {
    const auto guard = shared_from_this();
    std::erase_if(watchers, [](const WatcherRef& watcher) { return watcher->over; });
    for (const auto& watcher : std::vector<WatcherRef>(watchers.begin(), watchers.end())) {
      tell(*watcher);
      if (over) return;
    }
  }

  void tell(Watcher& watcher) const {
    if (!watcher.ready) return;
    for (const auto& event : std::exchange(watcher.watch.initial, {})) {
      if (watcher.over || !watcher.emit(event)) return;
    }
    if (watcher.over) return;
    if (watcher.watch.ends) return watcher.end(std::nullopt);
    if (watcher.seen >= api.store().revision()) return;
    const auto events = api.store().events_after(watcher.seen);
    if (!events) {
      return watcher.end(refused(kube::expired("too old resource version: list again")));
    }
    for (const auto& event : *events) {
      if (event.revision > api.durable()) return;
      watcher.seen = event.revision;
      const auto told = watcher.watch.next(event);
      if (told && !watcher.emit(*told)) return;
      if (watcher.watch.outlived_by(event)) return watcher.end(std::nullopt);
    }
  }

  // The next moment at which a watch has to be told something though nothing changed.
  std::optional<MonotonicInstant> next_tick() const {
    std::optional<MonotonicInstant> next;
    const auto at_latest = [&](MonotonicInstant at) { next = next ? std::min(*next, at) : at; };
    for (const auto& watcher : watchers) {
      if (watcher->over) continue;
      if (watcher->watch.bookmarks) at_latest(bookmarks_at);
      if (!watcher->ends) continue;
      const bool speaks = watcher->watch.bookmarks && !watcher->last_word;
      at_latest(speaks ? *watcher->ends - apiserver::kBookmarkBeforeEnd : *watcher->ends);
    }
    return next;
  }

  void arm() {
    if (clock == nullptr) return;
    const auto next = next_tick();
    if (!next || (armed && *armed <= *next)) return;
    armed = next;
    after(std::max(*next - clock->monotonic(), Duration::zero()), [weak = weak_from_this(), next] {
      const auto self = weak.lock();
      // An earlier one may have been armed since, and then this one was armed again by it.
      if (!self || self->over || self->armed != next) return;
      self->armed.reset();
      self->tick();
    });
  }

  void tick() {
    const auto guard = shared_from_this();
    pump();
    if (over) return;
    const auto now = clock->monotonic();
    const bool bookmarks = now >= bookmarks_at;
    if (bookmarks) bookmarks_at = now + apiserver::kBookmarkInterval;
    for (const auto& watcher : std::vector<WatcherRef>(watchers.begin(), watchers.end())) {
      if (watcher->over) continue;
      remind(*watcher, now, bookmarks);
      if (over) return;
    }
    arm();
  }

  void remind(Watcher& watcher, MonotonicInstant now, bool bookmark) const {
    if (watcher.ends && now >= *watcher.ends) return watcher.end(std::nullopt);
    if (watcher.ends && !watcher.last_word &&
        now >= *watcher.ends - apiserver::kBookmarkBeforeEnd) {
      watcher.last_word = bookmark = true;
    }
    const bool told_all = watcher.ready && watcher.watch.initial.empty();
    if (!bookmark || !told_all || !watcher.watch.bookmarks || watcher.seen > api.durable()) return;
    watcher.emit(watcher.watch.bookmark(watcher.seen));
  }

  LocalApi& api;
  Post post;
  apiserver::User user;
  const Clock* clock = nullptr;  // none: nothing happens by time alone
  After after;
  MonotonicInstant bookmarks_at{};
  std::optional<MonotonicInstant> armed;
  std::list<WatcherRef> watchers;
  bool pumping = false;
  bool over = false;
};

LocalClient::LocalClient(LocalApi& api, Post post, apiserver::User user)
    : state_(std::make_shared<State>(api, std::move(post), std::move(user))) {}

LocalClient::~LocalClient() {
  state_->over = true;
  for (const auto& watcher : state_->watchers) watcher->over = true;
}

void LocalClient::changed() {
  state_->changed();
}

void LocalClient::keep_time(const Clock& clock, After after) {
  state_->clock = &clock;
  state_->after = std::move(after);
  state_->bookmarks_at = clock.monotonic() + apiserver::kBookmarkInterval;
}

void LocalClient::call(Call call, Done done) {
  auto request = request_of(call);
  request.user = call.as_user.empty() ? state_->user : impersonated(call);
  request.user_agent = "fixpoint";
  if (!call.as_user.empty()) {
    if (auto error = state_->forbidden(request)) {
      return state_->later([error = *std::move(error), done = std::move(done)]() mutable {
        done(std::unexpected(std::move(error)));
      });
    }
  }
  auto response = state_->api.run(request);
  const auto visible = response.visible;
  state_->settle(
      visible,
      reply_of(std::move(response), request, state_->api.kinds(), state_->api.store().latest()),
      std::move(done));
}

void LocalClient::list(ListCall call, PageDone done) {
  auto request = request_of(call);
  request.user = state_->user;
  auto response = state_->api.run(request);
  const auto visible = response.visible;
  state_->settle(visible,
                 page_of(std::move(response), request, call, state_->api.kinds(),
                         state_->api.store().latest()),
                 std::move(done));
}

std::unique_ptr<Watching> LocalClient::watch(WatchCall call, WatchHandlers handlers) {
  auto request = request_of(call);
  request.user = state_->user;
  auto watcher = std::make_shared<Watcher>();
  watcher->call = std::move(call);
  watcher->handlers = std::move(handlers);
  auto opened = state_->api.open_watch(request);
  if (!opened) {
    state_->later(
        [watcher, error = refused(opened.error())]() mutable { watcher->end(std::move(error)); });
  } else {
    watcher->watch = *std::move(opened);
    watcher->seen = watcher->watch.from;
    const auto seconds = watcher->watch.timeout_seconds.value_or(0);
    if (state_->clock != nullptr && seconds > 0) {
      watcher->ends = state_->clock->monotonic() + std::chrono::seconds(seconds);
      watcher->last_word = std::chrono::seconds(seconds) <= apiserver::kBookmarkBeforeEnd;
    }
    state_->watchers.push_back(watcher);
    state_->begin(watcher);
    state_->arm();
  }
  return std::make_unique<LocalWatch>(watcher);
}

void LocalClient::resolve(kube::GroupVersionKind kind, Resolved done) {
  auto found = client::resolve(kind, state_->api.kinds(), state_->api.store().latest());
  state_->later(
      [found = std::move(found), done = std::move(done)]() mutable { done(std::move(found)); });
}

}  // namespace fixpoint::client
