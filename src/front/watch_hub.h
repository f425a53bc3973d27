// SPDX-License-Identifier: Apache-2.0
//
// WatchHub: everybody who watches, and what each is told.
//
// An event is translated and printed once for all watchers with the same selection and form, and
// the bytes are shared between them. A watcher that takes no bytes is closed with 410 rather than
// given memory. Only durable events come here (service.h).
#pragma once

#include "apiserver/read/watch.h"
#include "front/answers/negotiate.h"
#include "front/service.h"
#include "net/server.h"

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fixpoint::front {

// Bytes one watcher may leave untaken; beyond it a client does better to list again.
inline constexpr std::size_t kWatchBacklogBytesMax = std::size_t{8} << 20U;
// Watches of all clients together.
inline constexpr std::size_t kWatchersMax = 20'000;

// Turns one event into the line a watcher reads; made by table.h and friends.
using EventPrinter = std::function<std::string(const apiserver::WatchEvent&)>;

class WatchHub {
 public:
  explicit WatchHub(Service& service);
  ~WatchHub();

  // Answers the exchange with the stream. `first` prints the initial events, `rest` all others (a
  // Table names its columns only once).
  struct Stream {
    apiserver::Watch watch;
    Wanted wanted;
    std::string query;  // what besides the selection shapes the output; equal streams share bytes
    EventPrinter first;
    EventPrinter rest;
    std::shared_ptr<net::Exchange> exchange;
    net::Headers headers;
  };
  void open(Stream stream);
  std::size_t size() const { return watchers_.size(); }

 private:
  struct Watcher;
  struct Group;  // watchers that read the same bytes
  void tell_past(Watcher* watcher);
  void close_with(Watcher* watcher, std::string message);
  void deliver(const std::vector<store::Event>& events);
  void send_bookmark(const Watcher& watcher);
  void send_bookmarks();
  void end_after(Watcher* watcher, Duration rest);
  void remove(Watcher* watcher);
  std::shared_ptr<Group> group_for(const Stream& stream);

  Service& service_;
  std::list<std::unique_ptr<Watcher>> watchers_;
  std::vector<std::shared_ptr<Group>> groups_;
  net::TimerId bookmark_timer_;
};

}  // namespace fixpoint::front
