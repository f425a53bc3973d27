// SPDX-License-Identifier: Apache-2.0
//
// The answers of an HTTP/2 session: each a stream's half, queued and pulled by nghttp2 as the
// peer's windows allow.
#include "net/protocol/http2_session.h"

namespace fixpoint::net {

std::shared_ptr<Exchange> Http2Session::make_exchange(Stream& stream) {
  auto exchange =
      std::make_shared<Http2Exchange>(shared_from_this(), stream, stream.request.method == "HEAD");
  stream.exchange = exchange.get();
  return exchange;
}

// The stream is gone; its exchange learns it unless it had ended.
void Http2Session::lose_exchange(Stream& stream) {
  auto* exchange = std::exchange(stream.exchange, nullptr);
  if (exchange == nullptr) return;
  exchange->stream_ = nullptr;
  if (exchange->done_) return;
  const auto keep = exchange->shared_from_this();
  exchange->callbacks_.fire_closed();
}

void Http2Session::end_endless(Stream& stream) {
  if (stream.exchange == nullptr || !stream.exchange->started_) return;
  if (stream.exchange->kind_ == StreamKind::Finite || !stream.exchange->open()) return;
  const auto keep = stream.exchange->shared_from_this();
  auto callbacks = std::exchange(keep->callbacks_, {});
  keep->end();
  callbacks.fire_closed();
}

void Http2Session::drain(Stream& stream) {
  if (stream.exchange != nullptr) stream.exchange->drain();
}

Http2Exchange::~Http2Exchange() {
  if (open() && started_) {
    abort();
  } else if (open()) {
    auto page = error_page(session_->host_->options(), 500, "the request was not answered");
    respond(500, std::move(page.headers), make_chunk(std::move(page.body)));
  }
  if (stream_ != nullptr) stream_->exchange = nullptr;
}

void Http2Exchange::respond(int status, Headers headers, Chunk body) {
  if (!open() || started_) return;
  done_ = true;
  callbacks_.forget();
  const auto size = body ? body->size() : 0;
  const bool has_body = size > 0 && !head_only_ && may_have_body(status);
  stream_->ended = true;
  if (has_body) session_->queue_chunk(*stream_, std::move(body));
  session_->submit_head(*stream_, status, headers,
                        may_have_body(status) ? std::optional(size) : std::nullopt, has_body);
}

void Http2Exchange::start(int status, Headers headers, StreamKind kind) {
  if (!open() || started_) return;
  started_ = true;
  kind_ = kind;
  bodiless_ = head_only_ || !may_have_body(status);
  session_->submit_head(*stream_, status, headers, std::nullopt, !bodiless_);
}

void Http2Exchange::write(Chunk chunk) {
  if (!open() || !started_ || bodiless_ || !chunk || chunk->empty()) return;
  session_->queue_chunk(*stream_, std::move(chunk));
  session_->wake(*stream_);
  session_->check_backlog(*stream_);
}

void Http2Exchange::end() {
  if (!open() || !started_) return;
  done_ = true;
  callbacks_.forget();
  stream_->ended = true;
  session_->wake(*stream_);
}

void Http2Exchange::abort() {
  if (!open()) return;
  done_ = true;
  callbacks_.forget();
  session_->reset(*stream_, NGHTTP2_INTERNAL_ERROR);
}

void Http2Exchange::on_drain(std::function<void()> callback) {
  if (!open()) return;
  callbacks_.drain = std::move(callback);
  session_->host_->later([self = shared_from_this()] { self->drain(); });
}

void Http2Exchange::drain() {
  if (!open() || !callbacks_.drain) return;
  const auto keep = shared_from_this();
  auto callback = std::exchange(callbacks_.drain, nullptr);
  callback();
  if (open() && !callbacks_.drain) callbacks_.drain = std::move(callback);
}

void Http2Exchange::on_closed(std::function<void()> callback) {
  if (done_) return;
  callbacks_.closed = std::move(callback);
  if (stream_ == nullptr) callbacks_.fire_closed();
}

}  // namespace fixpoint::net
