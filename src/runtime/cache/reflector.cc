// SPDX-License-Identifier: Apache-2.0
//
// The states and what leads from one to the next.
#include "runtime/cache/reflector.h"

#include "kube/meta/metadata.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::runtime {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

// A watch that ends sooner was not worth resuming at once: a server that ends every watch would be
// asked without pause.
constexpr Duration kShortWatch = seconds(5);
// The server refuses to go on from here in a way we do not know: the list can only be better.
constexpr int kRefusedWatchesMax = 5;
// A list so long that the server forgets it before its last page is asked for in one piece.
constexpr int kExpiredListsMax = 2;
// Lists always ask for the newest state, which a cluster answers with one voice. One that lags, or
// a balancer that leads to an old copy, is over within the half minute that so many pauses take.
constexpr int kPastListsMax = 5;
// A watch that the server ended so much before the time it was asked for was cut.
constexpr Duration kEndsEarly = seconds(2);
// A server that ignores the wish for a stream sends nothing and never says that it is complete.
constexpr Duration kStreamSilence = seconds(10);
// Watches of many kinds and many processes that began together should not end together.
constexpr Duration kWatchShortest = minutes(5);
constexpr Duration kWatchSpread = minutes(5);
// A bookmark comes every minute. A watch that is silent for longer, on a connection that is alive,
// may have been forgotten by the server, or by a balancer; asking anew is cheap.
constexpr Duration kWatchSilence = minutes(3);
// Server and client both end a watch in time. Should neither, it may be dead in a way nobody sees.
constexpr Duration kWatchOverdue = minutes(1);

// However long the server wants to be left alone, it is asked again within this time.
constexpr Duration kRetryAfterMax = minutes(2);

constexpr int kNotFound = 404;
constexpr int kGone = 410;
constexpr int kBadRequest = 400;
constexpr int kUnprocessable = 422;

bool refused_with(const client::CallError& error, int code) {
  return error.fate == client::Fate::Refused && error.status.code == code;
}

std::string text(const client::CallError& error) {
  if (error.fate != client::Fate::Refused) return error.status.message;
  return fmt::format("{} {}: {}", error.status.code, error.status.reason, error.status.message);
}

}  // namespace

Reflector::Reflector(Setup setup, Contents& contents, client::Client& client, Scheduler& scheduler,
                     Rng rng, ReflectorHandlers handlers)
    : setup_(std::move(setup)),
      contents_(contents),
      client_(client),
      scheduler_(scheduler),
      rng_(rng),
      handlers_(std::move(handlers)),
      backoff_(Rng{rng_.next()}),
      attempt_(std::make_shared<std::uint64_t>(0)) {}

Reflector::~Reflector() {
  scheduler_.cancel(timer_);
}

template <class Answer>
auto Reflector::current(void (Reflector::*handler)(Answer)) {
  return [this, handler, alive = std::weak_ptr(attempt_), mine = *attempt_](Answer answer) {
    const auto now = alive.lock();
    if (now && *now == mine) (this->*handler)(std::forward<Answer>(answer));
  };
}

void Reflector::start() {
  FP_CHECK(phase_ == Phase::Idle);
  const bool known = !setup_.collection.resource.plural.empty();
  after(Duration::zero(), known ? &Reflector::list : &Reflector::ask);
}

void Reflector::stop() {
  ++*attempt_;
  scheduler_.cancel(std::exchange(timer_, 0));
  phase_ = Phase::Idle;
}

void Reflector::look_again() {
  if (phase_ == Phase::NotServed) after(Duration::zero(), &Reflector::ask);
}

// Perhaps from inside the watch's own call: it must not be destroyed before that has returned, but
// then at once, not after a pause.
void Reflector::after(Duration wait, Step next) {
  ++*attempt_;
  scheduler_.cancel(timer_);
  timer_ = scheduler_.after(watching_ ? Duration::zero() : wait, [this, wait, next] {
    timer_ = 0;
    if (std::exchange(watching_, nullptr) && wait > Duration::zero()) return after(wait, next);
    (this->*next)();
  });
}

void Reflector::pause(std::string what, Duration wait, Step next) {
  phase_ = Phase::Pausing;
  ++statistics_.failures;
  if (!statistics_.troubled_since) statistics_.troubled_since = scheduler_.now();
  statistics_.last_trouble = std::move(what);
  after(wait, next);
  if (handlers_.trouble) handlers_.trouble(statistics_.last_trouble);
}

void Reflector::fail(std::string_view doing, const client::CallError& error, Step next) {
  const auto wait =
      std::max(backoff_.next(), std::min(error.retry_after.value_or(Duration{}), kRetryAfterMax));
  pause(fmt::format("{} {}: {}", doing, setup_.collection.resource.kind.to_string(), text(error)),
        wait, next);
}

void Reflector::tell(std::span<const Change> changes) {
  if (!changes.empty() && handlers_.changed) handlers_.changed(changes);
}

void Reflector::list() {
  phase_ = Phase::Listing;
  contents_.begin_relist(setup_.feed);
  if (handlers_.listing) handlers_.listing(ListStage::Asked);
  // Later lists have a past to be compared with, and a stream says its version only at its end.
  const bool first = statistics_.lists == 0;
  if (first && streams_ && setup_.first_list != client::Streaming::No) return stream();
  list_page({});
}

void Reflector::list_page(std::string token) {
  later_page_ = !token.empty();
  client::ListCall call;
  call.collection = setup_.collection;
  const auto items = statistics_.lists == 0 ? setup_.page_items : setup_.relist_page_items;
  call.limit = expired_lists_ < kExpiredListsMax ? items : 0;
  call.shape = setup_.shape;
  call.continue_token = std::move(token);
  client_.list(std::move(call), current(&Reflector::on_page));
}

void Reflector::on_page(client::PageReply reply) {
  if (!reply) return on_list_error(reply.error());
  ++statistics_.pages;
  statistics_.wire_bytes += reply->wire_bytes;
  const auto changes =
      contents_.put_page(std::move(reply->items), reply->resource_version, setup_.feed);
  if (!changes) return on_past(reply->resource_version, changes.error());
  past_lists_ = 0;
  tell(*changes);
  if (!reply->continue_token.empty()) return list_page(std::move(reply->continue_token));
  end_list();
  after(Duration::zero(), &Reflector::watch);
}

void Reflector::on_past(std::string_view version, const Error& why) {
  // A past that goes back itself is not one server's.
  if (older(version, past_version_)) past_lists_ = 0;
  past_version_ = version;
  if (++past_lists_ < kPastListsMax) {
    return pause(why.message, backoff_.next(), &Reflector::list);
  }
  past_lists_ = 0;
  ++statistics_.rewinds;
  contents_.start_anew(setup_.feed);
  if (handlers_.rewound) {
    handlers_.rewound(
        fmt::format("the server went back in time (restored from a backup?): {}, {} "
                    "times in a row; everything is taken from it anew",
                    why.message, kPastListsMax));
  }
  after(Duration::zero(), &Reflector::list);
}

// One object's worth of a list says how late it is.
void Reflector::check_time() {
  phase_ = Phase::Checking;
  if (handlers_.listing) handlers_.listing(ListStage::Asked);
  client::ListCall call;
  call.collection = setup_.collection;
  call.collection.metadata_only = true;
  call.limit = 1;
  call.shape = std::make_shared<const json::Shape>(json::Shape::only({}));
  client_.list(std::move(call), current(&Reflector::on_time));
}

void Reflector::on_time(client::PageReply reply) {
  if (!reply && refused_with(reply.error(), kNotFound)) return on_not_found();
  if (!reply) return fail("list", reply.error(), &Reflector::check_time);
  if (handlers_.listing) handlers_.listing(ListStage::Read);
  after(Duration::zero(), contents_.is_past(reply->resource_version, setup_.feed)
                              ? &Reflector::list
                              : &Reflector::watch);
}

void Reflector::on_list_error(const client::CallError& error) {
  if (refused_with(error, kNotFound)) return on_not_found();
  if (refused_with(error, kGone) && later_page_) ++expired_lists_;
  fail("list", error, &Reflector::list);
}

void Reflector::end_list() {
  expired_lists_ = 0;
  ++statistics_.lists;
  all_is_well();
  const bool first = !contents_.synced(setup_.feed);
  tell(contents_.end_relist(setup_.feed));
  served_ = true;
  if (handlers_.listing) handlers_.listing(ListStage::Read);
  if (first && handlers_.synced) handlers_.synced();
}

void Reflector::stream() {
  client::WatchCall call;
  call.streaming = client::Streaming::FromEmpty;
  begin_watch(std::move(call), &Reflector::on_streamed);
  expect_stream_to_go_on();
}

void Reflector::expect_stream_to_go_on() {
  scheduler_.cancel(timer_);
  timer_ = scheduler_.after(kStreamSilence, [this] {
    streams_ = false;
    after(Duration::zero(), &Reflector::list);
  });
}

void Reflector::on_streamed(const client::WatchEvent& event) {
  if (phase_ == Phase::Watching) return on_event(event);
  expect_stream_to_go_on();
  if (event.type != client::EventType::Bookmark) {
    std::vector<json::Value> page;
    page.push_back(event.object);
    // Without a version: nothing is known yet that it could be older than.
    return tell(contents_.put_page(std::move(page), {}, setup_.feed).value());
  }
  if (!event.initial_events_end) return;
  scheduler_.cancel(std::exchange(timer_, 0));
  const auto complete =
      contents_.put_page({}, kube::resource_version_of(event.object), setup_.feed);
  if (!complete) return on_past(kube::resource_version_of(event.object), complete.error());
  phase_ = Phase::Watching;
  expect_watch_to_end();
  end_list();
}

void Reflector::watch() {
  phase_ = Phase::Watching;
  client::WatchCall call;
  call.resource_version = contents_.resource_version(setup_.feed);
  begin_watch(std::move(call), &Reflector::on_event);
  expect_watch_to_end();
}

void Reflector::expect_watch_to_end() {
  const auto end = std::min(watch_began_ + watch_timeout_ + kWatchOverdue, heard_ + kWatchSilence);
  scheduler_.cancel(timer_);
  timer_ = scheduler_.after(std::max(end - scheduler_.now(), Duration::zero()), [this, end] {
    const bool overdue = end == watch_began_ + watch_timeout_ + kWatchOverdue;
    if (overdue || scheduler_.now() - heard_ >= kWatchSilence) {
      return after(Duration::zero(), &Reflector::check_time);
    }
    expect_watch_to_end();
  });
}

void Reflector::begin_watch(client::WatchCall call,
                            void (Reflector::*handler)(const client::WatchEvent&)) {
  call.collection = setup_.collection;
  call.shape = setup_.shape;
  call.timeout = kWatchShortest + Duration{static_cast<Duration::rep>(rng_.below(
                                      static_cast<std::uint64_t>(kWatchSpread.count())))};
  watch_timeout_ = call.timeout;
  ++statistics_.watches;
  watch_began_ = heard_ = scheduler_.now();
  watched_from_ = call.resource_version;
  watching_ = client_.watch(std::move(call), {current(handler), current(&Reflector::on_watch_end)});
}

void Reflector::on_event(const client::WatchEvent& event) {
  std::optional<Change> change;
  switch (event.type) {
    case client::EventType::Added:
    case client::EventType::Modified: change = contents_.put(event.object, Origin::Watch); break;
    case client::EventType::Deleted: change = contents_.remove(event.object, Origin::Watch); break;
    case client::EventType::Bookmark: ++statistics_.bookmarks;
  }
  const bool bookmark = event.type == client::EventType::Bookmark;
  if (!bookmark) ++statistics_.events;
  // An event from the past has been counted already.
  const auto version = kube::resource_version_of(event.object);
  const bool past = older(version, contents_.resource_version(setup_.feed));
  if (!version.empty() && (bookmark || !past)) contents_.seen(version, setup_.feed);
  refused_watches_ = 0;
  heard_ = scheduler_.now();
  all_is_well();
  if (change) tell({&*change, 1});
}

void Reflector::on_watch_end(std::optional<client::CallError> error) {
  watch_error_ = std::move(error);
  after(Duration::zero(), &Reflector::go_on_after_watch);
}

void Reflector::go_on_after_watch() {
  const auto error = std::exchange(watch_error_, std::nullopt);
  const bool listing = phase_ == Phase::Listing;  // it was a stream, and it is not complete
  const auto now = scheduler_.now();
  if (error && refused_with(*error, kNotFound)) return on_not_found();
  if (listing && error &&
      (refused_with(*error, kBadRequest) || refused_with(*error, kUnprocessable))) {
    streams_ = false;
    return list();
  }
  const bool expired = error && refused_with(*error, kGone);
  if (error && error->fate == client::Fate::Refused) ++refused_watches_;
  const bool relist = listing || expired || refused_watches_ >= kRefusedWatchesMax;
  if (relist) refused_watches_ = 0;
  const bool in_time = !error && now - watch_began_ + kEndsEarly >= watch_timeout_;
  const bool refused = error && error->fate == client::Fate::Refused;
  const Step next = relist               ? &Reflector::list
                    : in_time || refused ? &Reflector::watch
                                         : &Reflector::check_time;
  // With progress, however it ended, there is no reason to get slower: a server that comes and goes
  // is followed as closely as one that stays.
  const bool lived = now - watch_began_ >= kShortWatch;
  if (lived || contents_.resource_version(setup_.feed) != watched_from_) backoff_.forgive();
  if (lived) {
    all_is_well();
    return (this->*next)();
  }
  if (error) return fail("watch", *error, next);
  pause(fmt::format("watch {}: ended at once", setup_.collection.resource.kind.to_string()),
        backoff_.next(), next);
}

// No such object, no such kind, or a server that is only starting: discovery knows.
void Reflector::on_not_found() {
  denied_ = true;
  ask();
}

void Reflector::ask() {
  phase_ = Phase::Asking;
  client_.resolve(setup_.collection.resource.kind, current(&Reflector::on_asked));
}

void Reflector::on_asked(std::expected<client::Resource, client::CallError> answer) {
  if (!answer && answer.error().not_found()) return on_not_served();
  if (!answer) return fail("discover", answer.error(), &Reflector::ask);
  setup_.collection.resource = *std::move(answer);
  if (!std::exchange(denied_, false)) return list();
  pause(
      fmt::format("list {}: announced, but not found", setup_.collection.resource.kind.to_string()),
      backoff_.next(), &Reflector::list);
}

void Reflector::on_not_served() {
  const bool news = std::exchange(served_, false);
  denied_ = false;
  all_is_well();
  const auto changes = contents_.clear(setup_.feed);
  after(backoff_.next(), &Reflector::ask);
  phase_ = Phase::NotServed;
  tell(changes);
  if (news && handlers_.not_served) handlers_.not_served();
}

}  // namespace fixpoint::runtime
