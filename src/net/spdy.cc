// SPDX-License-Identifier: Apache-2.0
#include "net/spdy.h"

#include <utility>

namespace fixpoint::net {

using SpdyEvent = SpdyDecoder::Event;

SpdySession::SpdySession(Handlers handlers)
    : handlers_(std::make_shared<const Handlers>(std::move(handlers))) {}

UpgradeHandlers SpdySession::below() {
  const auto self = shared_from_this();
  UpgradeHandlers handlers;
  handlers.received = [self](std::string_view bytes) { self->received(bytes); };
  handlers.drained = [self] {
    const auto keep = self->handlers_;
    if (keep && keep->drained) keep->drained();
  };
  handlers.ended = [self] { self->ended(); };
  return handlers;
}

void SpdySession::received(std::string_view bytes) {
  const auto self = shared_from_this();
  while (handlers_) {
    const auto event = decoder_.next(bytes);
    if (event == SpdyEvent::NeedMore) return;
    on_event(event);
  }
}

void SpdySession::on_event(SpdyEvent event) {
  const auto handlers = handlers_;
  switch (event) {
    case SpdyEvent::SynStream: return on_opened();
    case SpdyEvent::Data: return on_data();
    case SpdyEvent::Reset:
      if (streams_.erase(decoder_.stream()) > 0 && handlers->reset) {
        handlers->reset(decoder_.stream());
      }
      return;
    case SpdyEvent::Ping:
      // An odd one is the client's own; an even one would answer ours, and we send none.
      if ((decoder_.number() & 1U) != 0) stream_->write(encoder_.ping(decoder_.number()));
      return;
    case SpdyEvent::Fault: {
      stream_->write(encoder_.go_away(last_opened_));
      stream_->finish();
      return ended();
    }
    case SpdyEvent::GoAway:  // of us nobody wants streams
    case SpdyEvent::SynReply:
    case SpdyEvent::Ignored:
    case SpdyEvent::NeedMore: return;
  }
}

void SpdySession::on_opened() {
  const auto handlers = handlers_;
  const auto id = decoder_.stream();
  // Clients' streams are odd and grow; one that does not would be two streams of one number.
  const bool sound = (id & 1U) != 0 && id > last_opened_;
  if (!sound) {
    stream_->write(encoder_.reset(id, SpdyReset::ProtocolError));
    return;
  }
  last_opened_ = id;
  if (streams_.size() >= kStreamsMax) {
    stream_->write(encoder_.reset(id, SpdyReset::RefusedStream));
    return;
  }
  streams_[id] = {};
  const bool last = decoder_.is_last();
  if (!handlers->opened || !handlers->opened(id, decoder_.headers())) {
    return reset(id, SpdyReset::RefusedStream);
  }
  if (!handlers_) return;
  stream_->write(encoder_.syn_reply(id, {}));
  if (last) peer_finished(id);
}

void SpdySession::on_data() {
  const auto handlers = handlers_;
  const auto id = decoder_.stream();
  const auto found = streams_.find(id);
  // What was on its way when a stream ended is of no use to anybody.
  if (found == streams_.end() || found->second.peer_done) return;
  const bool last = decoder_.is_last();
  if (!decoder_.bytes().empty() && handlers->received) handlers->received(id, decoder_.bytes());
  if (last && handlers_) peer_finished(id);
}

void SpdySession::peer_finished(SpdyStreamId stream) {
  const auto handlers = handlers_;
  const auto found = streams_.find(stream);
  if (found == streams_.end() || std::exchange(found->second.peer_done, true)) return;
  forget_if_done(stream);
  if (handlers->finished) handlers->finished(stream);
}

void SpdySession::forget_if_done(SpdyStreamId stream) {
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return;
  if (found->second.peer_done && found->second.we_are_done) streams_.erase(found);
}

void SpdySession::write(SpdyStreamId stream, std::string_view bytes) {
  const auto found = streams_.find(stream);
  if (!handlers_ || bytes.empty() || found == streams_.end() || found->second.we_are_done) return;
  stream_->write(encoder_.data(stream, bytes));
}

void SpdySession::finish(SpdyStreamId stream) {
  const auto found = streams_.find(stream);
  if (!handlers_ || found == streams_.end()) return;
  if (std::exchange(found->second.we_are_done, true)) return;
  stream_->write(encoder_.data(stream, {}, SpdyEncoder::Last::Yes));
  forget_if_done(stream);
}

void SpdySession::reset(SpdyStreamId stream, SpdyReset why) {
  if (!handlers_ || streams_.erase(stream) == 0) return;
  stream_->write(encoder_.reset(stream, why));
}

void SpdySession::close() {
  if (!std::exchange(handlers_, nullptr)) return;
  stream_->finish();
}

void SpdySession::ended() {
  const auto handlers = std::exchange(handlers_, nullptr);
  if (handlers && handlers->ended) handlers->ended();
}

}  // namespace fixpoint::net
