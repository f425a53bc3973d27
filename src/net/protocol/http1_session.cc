// SPDX-License-Identifier: Apache-2.0
//
// The server's side of an HTTP/1.1 connection: one request at a time, answers in order.
//
// Bytes that arrive while a request is being answered (pipelining) wait in pending_, and reading
// stops when they are many, so a client cannot make us queue more than one answer ahead.
#include "net/protocol/http1.h"
#include "net/protocol/output_queue.h"
#include "net/protocol/server_session.h"

#include <charconv>
#include <string>
#include <utility>

namespace fixpoint::net {
namespace {

// Pipelined bytes held while an answer is being made; then reading stops.
constexpr std::size_t kPipelinedBytesMax = 64 * 1024;
// With more output than this waiting, the next pipelined request waits too.
constexpr std::size_t kOutputBeforeNextRequest = 1024 * 1024;

Http1Limits limits_of(const ServerOptions& options) {
  return {.header_bytes = options.header_bytes_max,
          .header_count = options.header_count_max,
          .target_bytes = options.target_bytes_max,
          .body_bytes = options.body_bytes_max};
}

bool may_have_body(int status) {
  return status >= 200 && status != 204 && status != 304;
}

class Http1Exchange;

class Http1Session final : public ServerSession, public std::enable_shared_from_this<Http1Session> {
 public:
  explicit Http1Session(SessionHost& host)
      : host_(&host), decoder_(Http1Decoder::Side::Request, limits_of(host.options())) {
    enter(Phase::Idle, host.options().header_timeout);
  }

  void received(std::string_view bytes) override;
  std::size_t pull(std::span<char> into) override;
  void flushed() override;
  void peer_ended() override;
  void detach() override;
  void shutdown() override;
  std::optional<MonotonicInstant> deadline() const override { return deadline_; }
  void overdue() override;

 private:
  friend class Http1Exchange;
  enum class Phase : std::uint8_t { Idle, Head, Body, Busy, Closing };

  void enter(Phase phase, Duration limit);
  void process(std::string_view input);
  bool step(std::string_view& input);
  void begin_body();
  void gather(std::string_view bytes);
  void dispatch();
  void refuse(int status, const std::string& message);
  void answered();
  void go_on();
  void close_politely();
  void cut_later();
  void write_head(int status, const Headers& headers, std::string_view framing);

  SessionHost* host_;  // null once the connection is gone
  Http1Decoder decoder_;
  OutputQueue queue_;
  std::string pending_;
  Request request_;
  std::size_t reserved_ = 0;
  Http1Exchange* current_ = nullptr;  // the exchange in Phase::Busy, unless dropped
  Phase phase_ = Phase::Closing;
  std::optional<MonotonicInstant> deadline_;
  bool keep_alive_ = true;
  bool minor_zero_ = false;  // the client speaks HTTP/1.0
  bool processing_ = false;
  bool drained_ = false;  // bytes went out since the last flushed()
  bool shutting_down_ = false;
  bool cutting_ = false;
};

class Http1Exchange final : public Exchange, public std::enable_shared_from_this<Http1Exchange> {
 public:
  Http1Exchange(std::shared_ptr<Http1Session> session, bool head_only)
      : session_(std::move(session)), head_only_(head_only) {}
  ~Http1Exchange() override;

  using Exchange::respond;
  void respond(int status, Headers headers, Chunk body) override;
  void start(int status, Headers headers, StreamKind kind) override;
  void write(Chunk chunk) override;
  void end() override;
  void abort() override;
  std::size_t backlog_bytes() const override { return open() ? session_->queue_.bytes() : 0; }
  bool is_open() const override { return open(); }
  void on_drain(std::function<void()> callback) override;
  void on_closed(std::function<void()> callback) override;

 private:
  friend class Http1Session;
  bool open() const { return !done_ && session_->host_ != nullptr && !session_->cutting_; }
  void finish();
  void drain();

  std::shared_ptr<Http1Session> session_;
  ExchangeCallbacks callbacks_;
  StreamKind kind_ = StreamKind::Endless;
  bool head_only_;
  bool started_ = false;
  bool chunked_ = false;
  bool bodiless_ = false;
  bool done_ = false;
};

void Http1Session::enter(Phase phase, Duration limit) {
  phase_ = phase;
  deadline_ = host_->now() + limit;
  if (phase == Phase::Busy || phase == Phase::Closing) deadline_.reset();
}

void Http1Session::received(std::string_view bytes) {
  if (phase_ == Phase::Closing) return;  // only waiting for the peer to see our end
  if (phase_ == Phase::Busy || !pending_.empty()) {
    pending_.append(bytes);
    if (pending_.size() >= kPipelinedBytesMax) host_->pause_input();
    return;
  }
  process(bytes);
}

void Http1Session::process(std::string_view input) {
  processing_ = true;
  while (host_ != nullptr && step(input)) {
  }
  processing_ = false;
  if (host_ != nullptr && phase_ != Phase::Closing && !input.empty()) pending_.append(input);
}

// One event of the decoder; false when it is somebody else's turn.
bool Http1Session::step(std::string_view& input) {
  if (phase_ == Phase::Busy || phase_ == Phase::Closing) return false;
  if (queue_.bytes() > kOutputBeforeNextRequest) return false;
  switch (decoder_.next(input)) {
    case Http1Decoder::Event::NeedMore:
      if (phase_ == Phase::Idle && !decoder_.between_messages()) {
        enter(Phase::Head, host_->options().header_timeout);
      }
      return false;
    case Http1Decoder::Event::Head: begin_body(); return true;
    case Http1Decoder::Event::Body: gather(decoder_.body()); return true;
    case Http1Decoder::Event::End: dispatch(); return true;
    case Http1Decoder::Event::Fault:
      refuse(decoder_.fault().status, decoder_.fault().message);
      return false;
  }
  std::unreachable();
}

void Http1Session::begin_body() {
  auto& head = decoder_.head();
  request_.method = std::move(head.method);
  request_.target = std::move(head.target);
  request_.headers = std::move(head.headers);
  request_.body.clear();
  request_.peer = host_->peer();
  keep_alive_ = decoder_.keep_alive() && !shutting_down_;
  minor_zero_ = head.minor_version == 0;
  if (!decoder_.has_body()) return;
  enter(Phase::Body, host_->options().body_timeout);
  if (decoder_.expects_continue()) {
    queue_.add_text("HTTP/1.1 100 Continue\r\n\r\n");
    host_->output_ready();
  }
}

void Http1Session::gather(std::string_view bytes) {
  if (!host_->reserve_body(bytes.size())) {
    return refuse(503, "too many request bodies are being received");
  }
  reserved_ += bytes.size();
  request_.body.append(bytes);
}

void Http1Session::dispatch() {
  host_->release_body(std::exchange(reserved_, 0));
  enter(Phase::Busy, {});
  auto exchange = std::make_shared<Http1Exchange>(shared_from_this(), request_.method == "HEAD");
  current_ = exchange.get();
  host_->handle(std::exchange(request_, {}), std::move(exchange));
}

void Http1Session::refuse(int status, const std::string& message) {
  const auto page = error_page(host_->options(), status, message);
  keep_alive_ = false;
  minor_zero_ = false;
  write_head(status, page.headers, "content-length: " + std::to_string(page.body.size()));
  if (request_.method != "HEAD") queue_.add_text(page.body);
  close_politely();
}

void Http1Session::close_politely() {
  enter(Phase::Closing, {});
  pending_.clear();
  host_->release_body(std::exchange(reserved_, 0));
  host_->resume_input();  // to notice the peer's end
  host_->finish();
}

// The exchange has queued all of its answer.
void Http1Session::answered() {
  current_ = nullptr;
  host_->output_ready();
  if (!keep_alive_) return close_politely();
  enter(Phase::Idle, host_->options().idle_timeout);
  if (!processing_ && !pending_.empty()) {
    host_->later([self = shared_from_this()] { self->go_on(); });
  }
}

// Turns to requests that came while we were busy.
void Http1Session::go_on() {
  if (host_ == nullptr || pending_.empty() || phase_ == Phase::Busy || phase_ == Phase::Closing)
    return;
  const auto held = std::exchange(pending_, {});
  process(held);
  if (host_ != nullptr && pending_.size() < kPipelinedBytesMax) host_->resume_input();
}

std::size_t Http1Session::pull(std::span<char> into) {
  const auto count = queue_.pull(into);
  drained_ = drained_ || count > 0;
  return count;
}

void Http1Session::flushed() {
  if (!std::exchange(drained_, false)) return;
  if (current_ != nullptr && queue_.bytes() < kDrainBytes) current_->drain();
  if (host_ != nullptr && !pending_.empty() && queue_.bytes() <= kOutputBeforeNextRequest) go_on();
}

void Http1Session::peer_ended() {
  keep_alive_ = false;
  if (phase_ == Phase::Closing) return;
  // A peer that only closed its sending half still gets the answer to a request it made; a
  // stream without end is over.
  const bool streaming = current_ != nullptr && current_->started_;
  if (phase_ == Phase::Busy && !streaming) return;
  if (phase_ != Phase::Busy && !queue_.empty()) return close_politely();
  host_->cut();
}

void Http1Session::detach() {
  if (host_ == nullptr) return;
  host_->release_body(std::exchange(reserved_, 0));
  host_ = nullptr;
  queue_.clear();
  pending_.clear();
  if (auto* exchange = std::exchange(current_, nullptr)) {
    const auto keep = exchange->shared_from_this();
    exchange->callbacks_.fire_closed();
  }
}

void Http1Session::shutdown() {
  shutting_down_ = true;
  keep_alive_ = false;
  if (phase_ == Phase::Idle) return close_politely();
  if (current_ == nullptr || !current_->started_ || current_->kind_ == StreamKind::Finite) return;
  const auto keep = current_->shared_from_this();
  auto callbacks = std::exchange(current_->callbacks_, {});
  keep->end();
  callbacks.fire_closed();
}

void Http1Session::overdue() {
  switch (phase_) {
    case Phase::Idle: return close_politely();
    case Phase::Head: return refuse(408, "the request's header did not arrive in time");
    case Phase::Body: return refuse(408, "the request's body did not arrive in time");
    case Phase::Busy:
    case Phase::Closing: return;
  }
}

// Not at once: the caller may be going through its watchers, and on_closed would disturb that.
void Http1Session::cut_later() {
  cutting_ = true;
  host_->later([self = shared_from_this()] {
    if (self->host_ != nullptr) self->host_->cut();
  });
}

void Http1Session::write_head(int status, const Headers& headers, std::string_view framing) {
  char code[16];
  const auto end = std::to_chars(code, code + sizeof code, status).ptr;
  queue_.add_text("HTTP/1.1 ");
  queue_.add_text({code, static_cast<std::size_t>(end - code)});
  queue_.add_text(" ");
  queue_.add_text(reason_phrase(status));
  queue_.add_text("\r\ndate: ");
  queue_.add_text(host_->date());
  for (const auto& [name, value] : headers) {
    // A value with a line break in it would become a header, or a whole answer, of its own.
    if (is_connection_header(name) || !is_token(name) || !is_field_value(value)) continue;
    queue_.add_text("\r\n");
    queue_.add_text(name);
    queue_.add_text(": ");
    queue_.add_text(value);
  }
  if (!framing.empty()) queue_.add_text("\r\n");
  queue_.add_text(framing);
  if (!keep_alive_) queue_.add_text("\r\nconnection: close");
  if (keep_alive_ && minor_zero_) queue_.add_text("\r\nconnection: keep-alive");
  queue_.add_text("\r\n\r\n");
}

Http1Exchange::~Http1Exchange() {
  if (open() && started_) {
    abort();
  } else if (open()) {
    auto page = error_page(session_->host_->options(), 500, "the request was not answered");
    respond(500, std::move(page.headers), make_chunk(std::move(page.body)));
  }
  if (session_->current_ == this) session_->current_ = nullptr;
}

void Http1Exchange::finish() {
  done_ = true;
  callbacks_.forget();
  session_->answered();
}

void Http1Exchange::respond(int status, Headers headers, Chunk body) {
  if (!open() || started_) return;
  const auto size = body ? body->size() : 0;
  std::string framing;
  if (may_have_body(status)) framing = "content-length: " + std::to_string(size);
  session_->write_head(status, headers, framing);
  if (!head_only_ && may_have_body(status)) session_->queue_.add_chunk(std::move(body));
  finish();
}

void Http1Exchange::start(int status, Headers headers, StreamKind kind) {
  if (!open() || started_) return;
  started_ = true;
  kind_ = kind;
  bodiless_ = head_only_ || !may_have_body(status);
  chunked_ = !session_->minor_zero_;
  if (!chunked_) session_->keep_alive_ = false;  // only the close can show the end
  const bool framed = chunked_ && may_have_body(status);
  session_->write_head(status, headers, framed ? "transfer-encoding: chunked" : "");
  session_->host_->output_ready();
}

void Http1Exchange::write(Chunk chunk) {
  if (!open() || !started_ || bodiless_ || !chunk || chunk->empty()) return;
  auto& queue = session_->queue_;
  if (chunked_) {
    char size[24];
    auto* end = std::to_chars(size, size + 16, chunk->size(), 16).ptr;
    *end++ = '\r';
    *end++ = '\n';
    queue.add_text({size, static_cast<std::size_t>(end - size)});
  }
  queue.add_chunk(std::move(chunk));
  if (chunked_) queue.add_text("\r\n");
  if (queue.bytes() > session_->host_->options().backlog_bytes_max) return session_->cut_later();
  session_->host_->output_ready();
}

void Http1Exchange::end() {
  if (!open() || !started_) return;
  if (chunked_ && !bodiless_) session_->queue_.add_text("0\r\n\r\n");
  finish();
}

void Http1Exchange::abort() {
  if (!open()) return;
  done_ = true;
  callbacks_.forget();
  session_->current_ = nullptr;
  session_->cut_later();
}

void Http1Exchange::on_drain(std::function<void()> callback) {
  if (!open()) return;
  callbacks_.drain = std::move(callback);
  session_->host_->later([self = shared_from_this()] { self->drain(); });
}

void Http1Exchange::drain() {
  if (!open() || !callbacks_.drain) return;
  const auto keep = shared_from_this();
  auto callback = std::exchange(callbacks_.drain, nullptr);
  callback();
  if (open() && !callbacks_.drain) callbacks_.drain = std::move(callback);
}

void Http1Exchange::on_closed(std::function<void()> callback) {
  if (done_) return;
  callbacks_.closed = std::move(callback);
  if (session_->host_ == nullptr) callbacks_.fire_closed();
}

}  // namespace

std::shared_ptr<ServerSession> make_http1_session(SessionHost& host) {
  return std::make_shared<Http1Session>(host);
}

}  // namespace fixpoint::net
