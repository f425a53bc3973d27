// SPDX-License-Identifier: Apache-2.0
//
// The answer to the one request that an HTTP/1.1 session works on: whole with its length, chunked,
// or, for HTTP/1.0, ended by the close.
#include "net/protocol/http1_session.h"

#include <charconv>
#include <string>
#include <utility>

namespace fixpoint::net {

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

}  // namespace fixpoint::net
