// SPDX-License-Identifier: Apache-2.0
//
// The server's side of an HTTP/1.1 connection: one request at a time, answers in order.
//
// Bytes that arrive while a request is being answered (pipelining) wait in pending_, and reading
// stops when they are many, so a client cannot make us queue more than one answer ahead.
#include "net/protocol/http1_session.h"

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

}  // namespace

Http1Session::Http1Session(SessionHost& host)
    : host_(&host), decoder_(Http1Decoder::Side::Request, limits_of(host.options())) {
  enter(Phase::Idle, host.options().header_timeout);
}

void Http1Session::enter(Phase phase, Duration limit) {
  phase_ = phase;
  deadline_ = host_->now() + limit;
  if (phase >= Phase::Busy) deadline_.reset();
}

void Http1Session::received(std::string_view bytes) {
  if (phase_ == Phase::Closing) return;  // only waiting for the peer to see our end
  if (phase_ == Phase::Upgraded && pending_.empty()) return hand_over(bytes);
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
  if (phase_ >= Phase::Busy) return false;
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
  if (host_ == nullptr || pending_.empty()) return;
  if (phase_ == Phase::Busy || phase_ == Phase::Closing) return;
  const auto held = std::exchange(pending_, {});
  if (phase_ == Phase::Upgraded) {
    hand_over(held);
  } else {
    process(held);
  }
  if (upgraded_ != nullptr && upgraded_->paused_) return;
  if (host_ != nullptr && pending_.size() < kPipelinedBytesMax) host_->resume_input();
}

std::size_t Http1Session::pull(std::span<char> into) {
  const auto count = queue_.pull(into);
  drained_ = drained_ || count > 0;
  return count;
}

void Http1Session::flushed() {
  if (!std::exchange(drained_, false)) return;
  if (upgraded_ != nullptr) {
    const auto handlers = upgraded_->handlers_;
    if (queue_.bytes() < kDrainBytes && handlers->drained) handlers->drained();
    return;
  }
  if (current_ != nullptr && queue_.bytes() < kDrainBytes) current_->drain();
  if (host_ != nullptr && !pending_.empty() && queue_.bytes() <= kOutputBeforeNextRequest) go_on();
}

void Http1Session::peer_ended() {
  keep_alive_ = false;
  if (phase_ == Phase::Closing) return;
  if (phase_ == Phase::Upgraded) return host_->cut();
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
  end_upgraded();
}

void Http1Session::hand_over(std::string_view bytes) {
  if (upgraded_ == nullptr) return;
  const auto handlers = upgraded_->handlers_;
  if (handlers->received) handlers->received(bytes);
}

void Http1Session::end_upgraded() {
  auto* upgraded = std::exchange(upgraded_, nullptr);
  if (upgraded == nullptr) return;
  const auto handlers = std::exchange(upgraded->handlers_, nullptr);
  if (handlers->ended) handlers->ended();
}

void Http1Session::shutdown() {
  shutting_down_ = true;
  keep_alive_ = false;
  if (phase_ == Phase::Upgraded) {
    close_politely();
    return end_upgraded();
  }
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
    case Phase::Upgraded:
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

std::shared_ptr<ServerSession> make_http1_session(SessionHost& host) {
  return std::make_shared<Http1Session>(host);
}

}  // namespace fixpoint::net
