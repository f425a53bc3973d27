// SPDX-License-Identifier: Apache-2.0
//
// Reflector: keeps one feed of Contents like the server's collection, by a list and a watch.
//
// It never ends by itself: whatever goes wrong is waited out, with growing pauses, and then the
// watch resumes where it stood or, when that version is forgotten (410), the list is taken again.
// Lists ask for the newest state and come page by page; a list or an event from the past is counted
// and not believed (contents.h). A server whose data were restored from a backup says the same
// thing again and again: then it is believed, and everything is taken from it anew. A watch from
// its future would be silent for ever, so whoever lost a connection first asks how late it is. A
// kind that is not served empties the feed and is looked for again. Invariant: at most one request
// or watch or timer of its own is under way. Read next: cache.h, which runs one for each followed
// collection and namespace.
#pragma once

#include "base/rng.h"
#include "client/client.h"
#include "json/shape/shape.h"
#include "runtime/cache/backoff.h"
#include "runtime/cache/contents.h"
#include "runtime/scheduler.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fixpoint::runtime {

enum class ListStage : std::uint8_t { Asked, Read };

struct ReflectorHandlers {
  // Never called from inside a call of the reflector's own functions.
  std::function<void(std::span<const Change>)> changed;
  // The first list is complete: after the start and whenever the kind has come back.
  std::function<void()> synced;
  // The kind is not served: its objects have been reported as gone.
  std::function<void()> not_served;
  // Something went wrong and will be tried again; for the log.
  std::function<void(std::string_view what)> trouble;
  // The server went back in time and is followed from there: nothing that was known holds.
  std::function<void(std::string_view what)> rewound;
  // Of every list, also of one that only asks for the time; for those who look after the memory it
  // takes.
  std::function<void(ListStage stage)> listing = {};
};

struct ReflectorStatistics {
  std::uint64_t lists = 0;  // complete ones; the first is no relist
  std::uint64_t pages = 0;
  std::uint64_t watches = 0;
  std::uint64_t events = 0;
  std::uint64_t bookmarks = 0;
  std::uint64_t failures = 0;
  std::uint64_t rewinds = 0;     // of the server's time
  std::uint64_t wire_bytes = 0;  // of lists
  std::string last_trouble;
  std::optional<MonotonicInstant> troubled_since;  // nothing while all is well
};

class Reflector {
 public:
  struct Setup {
    client::Collection collection;  // with the feed's namespace
    std::shared_ptr<const json::Shape> shape;
    std::uint32_t page_items = client::kPageItems;
    // Of a later list, whose pages come on top of what is cached.
    std::uint32_t relist_page_items = client::kPageItems;
    // Take the first list as a stream of events. Cheaper for some servers, dearer for others.
    client::Streaming first_list = client::Streaming::No;
    FeedId feed = 0;
  };
  enum class Phase : std::uint8_t {
    Idle,
    Listing,
    Watching,
    Checking,   // whether the server has gone back in time
    Asking,     // whether the kind is served at all
    NotServed,  // and waiting to ask again
    Pausing,    // after trouble
  };

  // `contents` outlives this.
  Reflector(Setup setup, Contents& contents, client::Client& client, Scheduler& scheduler, Rng rng,
            ReflectorHandlers handlers);
  // Ends what is under way. Not from inside a handler.
  ~Reflector();
  Reflector(const Reflector&) = delete;
  Reflector& operator=(const Reflector&) = delete;

  void start();
  // Nothing more happens and nobody is told; good inside a handler, where destroying is not.
  void stop();
  // A kind that is not served may be served by now.
  void look_again();

  Phase phase() const { return phase_; }
  bool served() const { return served_; }
  const ReflectorStatistics& statistics() const { return statistics_; }
  const client::Collection& collection() const { return setup_.collection; }

 private:
  using Step = void (Reflector::*)();

  void list();
  void list_page(std::string token);
  void on_page(client::PageReply reply);
  void on_list_error(const client::CallError& error);
  void end_list();

  void on_past(std::string_view version, const Error& why);

  void check_time();
  void on_time(client::PageReply reply);

  void stream();
  void on_streamed(const client::WatchEvent& event);
  void expect_stream_to_go_on();

  void watch();
  void begin_watch(client::WatchCall call, void (Reflector::*handler)(const client::WatchEvent&));
  void expect_watch_to_end();
  void on_event(const client::WatchEvent& event);
  void on_watch_end(std::optional<client::CallError> error);
  void go_on_after_watch();

  void on_not_found();
  void ask();
  void on_asked(std::expected<client::Resource, client::CallError> answer);
  void on_not_served();

  // Says what went wrong and goes on with `next` after a while.
  void pause(std::string what, Duration wait, Step next);
  void fail(std::string_view doing, const client::CallError& error, Step next);
  // Gives up what is under way.
  void after(Duration wait, Step next);
  void all_is_well() { statistics_.troubled_since.reset(); }
  void tell(std::span<const Change> changes);
  // Wraps the handler of an answer: answers to what was given up meanwhile are dropped.
  template <class Answer>
  auto current(void (Reflector::*handler)(Answer));

  Setup setup_;
  Contents& contents_;
  client::Client& client_;
  Scheduler& scheduler_;
  Rng rng_;
  ReflectorHandlers handlers_;
  Backoff backoff_;
  ReflectorStatistics statistics_;

  Phase phase_ = Phase::Idle;
  bool served_ = true;
  bool streams_ = true;      // until the server refuses
  bool denied_ = false;      // a list or watch was answered 404
  bool later_page_ = false;  // the page under way is not the first of its list
  int expired_lists_ = 0;    // in a row
  int refused_watches_ = 0;  // in a row
  int past_lists_ = 0;       // in a row
  std::string past_version_;
  MonotonicInstant watch_began_{};
  MonotonicInstant heard_{};  // of the watch, an event or a bookmark
  Duration watch_timeout_{};
  std::string watched_from_;
  std::unique_ptr<client::Watching> watching_;
  std::optional<client::CallError> watch_error_;
  TimerSerial timer_ = 0;
  std::shared_ptr<std::uint64_t> attempt_;  // dies with this; counts what was begun
};

}  // namespace fixpoint::runtime
