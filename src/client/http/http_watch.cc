// SPDX-License-Identifier: Apache-2.0
#include "client/http/http_watch.h"

#include "client/http/page.h"
#include "client/http/watch_decoder.h"
#include "json/draft.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::client {
namespace {

// After the time the server was given, it has this long to end the watch itself.
constexpr Duration kTimeoutMargin = std::chrono::seconds(10);
// The body of a refusal.
constexpr std::size_t kRefusalBytesMax = std::size_t{1} << 20U;

class WatchRun : public std::enable_shared_from_this<WatchRun> {
 public:
  WatchRun(const std::shared_ptr<Requester>& requester, WatchCall call, WatchHandlers handlers,
           std::shared_ptr<bool> refused)
      : requester_(requester),
        loop_(requester->loop()),
        call_(std::move(call)),
        handlers_(std::move(handlers)),
        streaming_refused_(std::move(refused)) {}

  void start() {
    // Never from inside: the caller does not hold the Watching yet.
    loop_.post_end_of_tick([weak = weak_from_this()] {
      const auto self = weak.lock();
      if (self && !self->over_) self->begin();
    });
  }
  void cancel() {
    if (over_) return;
    over_ = true;
    stop();
  }

 private:
  void begin() {
    if (call_.streaming == Streaming::FromEmpty && *streaming_refused_) return list("");
    ask();
  }
  void ask();
  void send(const AccessRef& access);
  void received(std::string_view bytes);
  void ended(Result<void> outcome, bool unsent);
  void refused();
  void list(std::string token);
  void listed(PageReply page);
  bool emit(WatchEvent event);
  void stop();
  void end(std::optional<CallError> error);

  std::string what() const { return "watch " + outgoing_.target; }

  std::weak_ptr<Requester> requester_;
  net::Loop& loop_;
  WatchCall call_;
  WatchHandlers handlers_;
  std::shared_ptr<bool> streaming_refused_;
  Outgoing outgoing_;
  AccessRef access_;
  std::optional<WatchDecoder> decoder_;
  HttpAnswer answer_;  // its head, and the body of a refusal
  MonotonicInstant since_{};
  Pool::Ticket ticket_ = 0;
  net::TimerId timer_;
  bool refreshed_ = false;
  bool over_ = false;
};

void WatchRun::ask() {
  const auto requester = requester_.lock();
  if (!requester) return;
  outgoing_ = outgoing(call_);
  answer_ = {};
  since_ = loop_.now();
  requester->access().get([weak = weak_from_this()](Result<AccessRef> access) {
    const auto self = weak.lock();
    if (!self || self->over_) return;
    if (!access) return self->end(not_sent(self->what() + ": " + access.error().message));
    self->send(*access);
  });
}

void WatchRun::send(const AccessRef& access) {
  const auto requester = requester_.lock();
  if (!requester) return;
  access_ = access;
  decoder_.emplace(call_.shape, [this](WatchEvent event) { return emit(std::move(event)); });
  auto request = requester->request_for(outgoing_, *access);
  request.headers.remove("accept-encoding");  // events must not wait for a packer's block
  const std::weak_ptr<WatchRun> weak = weak_from_this();
  const auto unsent = std::make_shared<bool>(false);
  net::ResponseHandlers handlers;
  handlers.on_headers = [weak](int status, const net::Headers& headers) {
    const auto self = weak.lock();
    if (!self || self->over_) return;
    self->answer_.code = status;
    self->answer_.headers = headers;
  };
  handlers.on_body = [weak](std::string_view bytes) {
    const auto self = weak.lock();
    if (self && !self->over_) self->received(bytes);
  };
  handlers.on_unsent = [unsent] { *unsent = true; };
  handlers.on_end = [weak, unsent](Result<void> outcome) {
    const auto self = weak.lock();
    if (self && !self->over_) self->ended(std::move(outcome), *unsent);
  };
  ticket_ =
      requester->pool().send(access->tls, std::move(request), std::move(handlers), call_.silence);
  loop_.cancel(timer_);
  timer_ = loop_.after(call_.timeout + kTimeoutMargin, [weak] {
    const auto self = weak.lock();
    if (!self || self->over_) return;
    self->timer_ = {};
    // A server that never even answered is another matter than one that forgot to hang up.
    if (self->answer_.code != 0) return self->end(std::nullopt);
    self->end(unknown(self->what() + ": no answer"));
  });
}

void WatchRun::received(std::string_view bytes) {
  if (answer_.code != 200) {
    if (answer_.body.size() + bytes.size() <= kRefusalBytesMax) answer_.body.append(bytes);
    return;
  }
  const auto guard = shared_from_this();  // an event's receiver may cancel the watch
  if (auto error = decoder_->feed(bytes)) end(std::move(error));
}

void WatchRun::ended(Result<void> outcome, bool unsent) {
  ticket_ = 0;
  const auto guard = shared_from_this();
  if (const auto requester = requester_.lock()) requester->note(outgoing_, answer_, since_);
  if (!outcome) {
    auto message = what() + ": " + outcome.error().message;
    return end(unsent ? not_sent(std::move(message)) : unknown(std::move(message)));
  }
  if (answer_.code != 200) return refused();
  end(decoder_->finish());
}

void WatchRun::refused() {
  const auto requester = requester_.lock();
  if (!requester) return;
  if (answer_.code == 401 && !refreshed_ && requester->access().reject(access_)) {
    refreshed_ = true;
    return ask();
  }
  // 422 from servers that have streaming lists switched off, or do not know of them.
  const bool unwilling = answer_.code == 400 || answer_.code == 422;
  if (call_.streaming == Streaming::FromEmpty && unwilling) {
    *streaming_refused_ = true;
    return list("");
  }
  end(refusal(answer_, true));
}

void WatchRun::list(std::string token) {
  const auto requester = requester_.lock();
  if (!requester) return;
  ListCall page{
      .collection = call_.collection, .continue_token = std::move(token), .shape = call_.shape};
  auto request = outgoing(page);
  const auto deadline = page.deadline;
  requester->run({.outgoing = std::move(request), .deadline = deadline, .caller = "list"},
                 [weak = weak_from_this(),
                  page = std::move(page)](std::expected<HttpAnswer, CallError> answer) {
                   const auto self = weak.lock();
                   if (!self || self->over_) return;
                   if (!answer) return self->end(std::move(answer).error());
                   self->listed(page_of(page, *std::move(answer)));
                 });
}

void WatchRun::listed(PageReply page) {
  const auto guard = shared_from_this();
  if (!page) return end(std::move(page).error());
  for (auto& item : page->items) {
    if (!emit({.type = EventType::Added, .object = std::move(item)})) return;
  }
  if (!page->continue_token.empty()) return list(std::move(page->continue_token));
  const auto& kind = call_.collection.resource.kind;
  const auto bookmark = json::Draft::object({
      {"kind",       kind.kind                                                             },
      {"apiVersion", kind.group_version().api_version()                                    },
      {"metadata",
       json::Draft::object(
           {{"resourceVersion", page->resource_version},
            {"annotations", json::Draft::object({{"k8s.io/initial-events-end", "true"}})}})},
  });
  call_.streaming = Streaming::No;
  call_.resource_version = page->resource_version;
  if (!emit(
          {.type = EventType::Bookmark, .object = bookmark.freeze(), .initial_events_end = true})) {
    return;
  }
  ask();
}

// False once nobody listens any more.
bool WatchRun::emit(WatchEvent event) {
  if (over_) return false;
  handlers_.on_event(std::move(event));
  if (requester_.expired()) over_ = true;  // the client ended in there
  return !over_;
}

void WatchRun::stop() {
  loop_.cancel(timer_);
  const auto requester = requester_.lock();
  if (const auto ticket = std::exchange(ticket_, 0); ticket != 0 && requester) {
    requester->pool().cancel(ticket);
  }
}

void WatchRun::end(std::optional<CallError> error) {
  if (std::exchange(over_, true)) return;
  stop();
  if (requester_.expired()) return;  // nobody is called after the client's end
  const auto handlers = std::exchange(handlers_, {});
  if (handlers.on_end) handlers.on_end(std::move(error));
}

class HttpWatch final : public Watching {
 public:
  explicit HttpWatch(std::shared_ptr<WatchRun> run) : run_(std::move(run)) { run_->start(); }
  ~HttpWatch() override { run_->cancel(); }

 private:
  std::shared_ptr<WatchRun> run_;
};

}  // namespace

std::unique_ptr<Watching> start_watch(const std::shared_ptr<Requester>& requester, WatchCall call,
                                      WatchHandlers handlers,
                                      std::shared_ptr<bool> streaming_refused) {
  return std::make_unique<HttpWatch>(std::make_shared<WatchRun>(
      requester, std::move(call), std::move(handlers), std::move(streaming_refused)));
}

}  // namespace fixpoint::client
