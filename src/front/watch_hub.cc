// SPDX-License-Identifier: Apache-2.0
#include "front/watch_hub.h"

#include "front/answers/answer.h"

#include <algorithm>

namespace fixpoint::front {

using apiserver::WatchEvent;
using apiserver::WatchEventType;
using store::Revision;

namespace {

// Of the past, written at a time.
constexpr std::size_t kPastBytes = std::size_t{256} << 10U;
// A watch that names no time lasts between this and twice as long.
constexpr std::int64_t kTimeoutSecondsMin = 1800;
// A century: more would overflow the clock.
constexpr std::int64_t kTimeoutSecondsMax = std::int64_t{100} * 365 * 24 * 3600;

}  // namespace

struct WatchHub::Group {
  apiserver::Watch watch;  // its selection is what all members share
  Wanted wanted;
  std::string query;
  EventPrinter printer;
  std::vector<Watcher*> members;
};

struct WatchHub::Watcher {
  std::shared_ptr<net::Exchange> exchange;
  Revision seen;  // told everything up to here
  bool bookmarks = false;
  EventPrinter first;  // until the first line was written: a Table names its columns once
  net::TimerId timeout;
  std::list<std::unique_ptr<Watcher>>::iterator place;
  // While it is told of the past, as fast as it reads: what is asked for and how far it got. After
  // that it is one of a group, and told of the present.
  std::unique_ptr<Stream> stream;
  std::size_t next_initial = 0;
  std::shared_ptr<Group> group;
};

WatchHub::WatchHub(Service& service) : service_(service) {
  service_.listen([this](const std::vector<store::Event>& events) { deliver(events); });
}

WatchHub::~WatchHub() {
  service_.loop().cancel(bookmark_timer_);
  for (auto& watcher : watchers_) service_.loop().cancel(watcher->timeout);
}

std::shared_ptr<WatchHub::Group> WatchHub::group_for(const Stream& stream) {
  for (const auto& group : groups_) {
    if (group->query == stream.query && group->wanted.form == stream.wanted.form &&
        group->wanted.meta == stream.wanted.meta &&
        group->watch.selection == stream.watch.selection) {
      return group;
    }
  }
  auto group = std::make_shared<Group>();
  group->watch = stream.watch;
  group->watch.initial.clear();
  group->wanted = stream.wanted;
  group->query = stream.query;
  group->printer = stream.rest;
  groups_.push_back(group);
  return group;
}

void WatchHub::open(Stream stream) {
  if (!stream.exchange->is_open()) return;  // left while it waited for the disk
  if (watchers_.size() >= kWatchersMax) {
    send_status(stream.exchange, std::move(stream.headers),
                kube::too_many_requests("this server holds the most watches it may; close some or "
                                        "try again later",
                                        1),
                Wanted{});
    return;
  }
  // No time, or none said, is the server's own choice; less than none is over before it begins.
  auto seconds = stream.watch.timeout_seconds.value_or(0);
  if (seconds < 0) {
    stream.exchange->start(200, stream.headers);
    stream.exchange->end();
    return;
  }
  if (seconds == 0) {
    seconds =
        kTimeoutSecondsMin + static_cast<std::int64_t>(service_.rng().below(kTimeoutSecondsMin));
  }
  seconds = std::min(seconds, kTimeoutSecondsMax);
  auto owned = std::make_unique<Watcher>();
  Watcher* watcher = owned.get();
  watcher->exchange = stream.exchange;
  watcher->seen = stream.watch.from;
  watcher->bookmarks = stream.watch.bookmarks;
  watcher->first = stream.first;
  watchers_.push_back(std::move(owned));
  watcher->place = std::prev(watchers_.end());
  const auto exchange = stream.exchange;
  end_after(watcher, std::chrono::seconds(seconds));
  exchange->start(200, stream.headers);
  watcher->stream = std::make_unique<Stream>(std::move(stream));
  if (watcher->bookmarks && !bookmark_timer_) {
    bookmark_timer_ =
        service_.loop().after(apiserver::kBookmarkInterval, [this] { send_bookmarks(); });
  }
  exchange->on_drain([this, watcher] { tell_past(watcher); });
  // Last, because a peer that is already gone is told of at once, and then nothing is left of this.
  exchange->on_closed([this, watcher] { remove(watcher); });
}

// A last bookmark comes before the end, and time enough for it to arrive.
void WatchHub::end_after(Watcher* watcher, Duration rest) {
  const bool last_word = watcher->bookmarks && rest > apiserver::kBookmarkBeforeEnd;
  const Duration wait = last_word ? rest - apiserver::kBookmarkBeforeEnd : rest;
  watcher->timeout = service_.loop().after(wait, [this, watcher, last_word] {
    watcher->timeout = {};
    if (last_word) {
      send_bookmark(*watcher);
      return end_after(watcher, apiserver::kBookmarkBeforeEnd);
    }
    watcher->exchange->end();
    remove(watcher);
  });
}

// The next part of what was there when the watch began and of what happened since; a client that
// reads slowly is waited for without being given memory.
void WatchHub::tell_past(Watcher* watcher) {
  if (!watcher->stream) return;
  const auto& stream = *watcher->stream;
  std::string text;
  bool unprintable = false;
  const auto print = [&](const WatchEvent& event) {
    const auto line =
        watcher->first ? std::exchange(watcher->first, nullptr)(event) : stream.rest(event);
    unprintable = unprintable || line.empty();
    text += line;
  };
  const auto& initial = stream.watch.initial;
  while (watcher->next_initial < initial.size() && text.size() < kPastBytes) {
    print(initial[watcher->next_initial++]);
  }
  bool caught_up = false;
  if (watcher->next_initial == initial.size() && stream.watch.ends) {
    watcher->exchange->write(net::make_chunk(std::move(text)));
    watcher->exchange->end();
    return remove(watcher);
  }
  if (watcher->seen > service_.store().revision()) {
    caught_up = true;  // it waits for the future
  } else if (watcher->next_initial == initial.size() && text.size() < kPastBytes) {
    const auto missed = service_.store().events_after(watcher->seen);
    if (!missed) {
      return close_with(watcher,
                        "too old resource version: the client did not keep up with the "
                        "watch; list again");
    }
    caught_up = true;
    for (const auto& event : *missed) {
      if (event.revision > service_.durable()) break;
      if (text.size() >= kPastBytes) {
        caught_up = false;
        break;
      }
      watcher->seen = event.revision;
      if (const auto told = stream.watch.next(event)) print(*told);
      if (stream.watch.outlived_by(event)) {
        watcher->exchange->write(net::make_chunk(std::move(text)));
        watcher->exchange->end();
        return remove(watcher);
      }
    }
  }
  const auto exchange = watcher->exchange;
  if (unprintable) {
    exchange->end();
    return remove(watcher);
  }
  if (caught_up) {
    watcher->group = group_for(stream);
    watcher->group->members.push_back(watcher);
    watcher->stream.reset();
  }
  if (!text.empty()) exchange->write(net::make_chunk(std::move(text)));
}

void WatchHub::close_with(Watcher* watcher, std::string message) {
  const auto gone = apiserver::expired_event(std::move(message));
  const auto& printer = watcher->stream ? watcher->stream->rest : watcher->group->printer;
  watcher->exchange->write(net::make_chunk(printer(gone)));
  watcher->exchange->end();
  remove(watcher);
}

void WatchHub::remove(Watcher* watcher) {
  service_.loop().cancel(watcher->timeout);
  if (const auto group = watcher->group) {
    std::erase(group->members, watcher);
    if (group->members.empty()) std::erase(groups_, group);
  }
  watchers_.erase(watcher->place);
}

void WatchHub::deliver(const std::vector<store::Event>& events) {
  std::vector<Watcher*> slow;
  std::vector<Watcher*> unprintable;
  std::vector<Watcher*> over;  // their kind is served no more
  const Revision last = events.back().revision;
  for (const auto& group : groups_) {
    struct Line {
      Revision revision;
      WatchEvent event;
      std::string text;
    };
    std::vector<Line> lines;
    std::string all;
    if (std::ranges::any_of(events, [&](const auto& e) { return group->watch.outlived_by(e); })) {
      over.insert(over.end(), group->members.begin(), group->members.end());
    }
    for (const auto& event : events) {
      if (auto told = group->watch.next(event)) {
        std::string text = group->printer(*told);
        all += text;
        lines.push_back({event.revision, *std::move(told), std::move(text)});
      }
    }
    if (std::ranges::any_of(lines, [](const Line& line) { return line.text.empty(); })) {
      for (Watcher* member : group->members) unprintable.push_back(member);
      continue;
    }
    if (lines.empty()) {
      for (Watcher* member : group->members) member->seen = std::max(member->seen, last);
      continue;
    }
    const auto shared = net::make_chunk(std::move(all));
    for (Watcher* member : group->members) {
      if (member->seen < lines.front().revision && !member->first) {
        member->exchange->write(shared);
      } else {  // opened in the middle of this batch, or still without its first line
        std::string rest;
        for (const auto& line : lines) {
          if (line.revision <= member->seen) continue;
          rest += member->first ? std::exchange(member->first, nullptr)(line.event) : line.text;
        }
        if (!rest.empty()) member->exchange->write(net::make_chunk(std::move(rest)));
      }
      member->seen = std::max(member->seen, last);
      if (member->exchange->backlog_bytes() > kWatchBacklogBytesMax) slow.push_back(member);
    }
  }
  for (Watcher* watcher : unprintable) {
    std::erase(over, watcher);
    std::erase(slow, watcher);
    watcher->exchange->end();
    remove(watcher);
  }
  for (Watcher* watcher : over) {
    std::erase(slow, watcher);
    watcher->exchange->end();
    remove(watcher);
  }
  for (Watcher* watcher : slow) {
    close_with(watcher,
               "too old resource version: the client did not keep up with the watch; list again");
  }
}

void WatchHub::send_bookmark(const Watcher& watcher) {
  if (!watcher.group || !watcher.bookmarks || watcher.seen > service_.durable()) return;
  // What it was told, not what is durable: an event may be on its way at the end of this tick.
  const auto bookmark = watcher.group->watch.bookmark(watcher.seen);
  auto line = watcher.group->printer(bookmark);
  if (!line.empty()) watcher.exchange->write(net::make_chunk(std::move(line)));
}

void WatchHub::send_bookmarks() {
  bookmark_timer_ = {};
  bool any = false;
  for (const auto& group : groups_) {
    for (Watcher* member : group->members) send_bookmark(*member);
  }
  for (const auto& watcher : watchers_) any = any || watcher->bookmarks;
  if (any) {
    bookmark_timer_ =
        service_.loop().after(apiserver::kBookmarkInterval, [this] { send_bookmarks(); });
  }
}

}  // namespace fixpoint::front
