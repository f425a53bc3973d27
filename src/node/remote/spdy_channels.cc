// SPDX-License-Identifier: Apache-2.0
#include "net/spdy.h"
#include "node/remote/channels.h"
#include "node/remote/spdy_upgrade.h"

#include <array>
#include <chrono>
#include <utility>

namespace fixpoint::node {
namespace {

constexpr std::array<std::string_view, 4> kSpdyProtocols{"v4.channel.k8s.io", "v3.channel.k8s.io",
                                                         "v2.channel.k8s.io", "channel.k8s.io"};

class SpdyChannels final : public Channels, public std::enable_shared_from_this<SpdyChannels> {
 public:
  SpdyChannels(net::Loop& loop, std::string_view protocol, StreamSet set, Handlers handlers)
      : loop_(loop),
        has_status_(protocol == kSpdyProtocols[0]),
        // One for how it ended, and a terminal's size where the protocol has it.
        expected_(1 + set.count() +
                  (set.terminal && (has_status_ || protocol == kSpdyProtocols[1]) ? 1 : 0)),
        handlers_(std::make_shared<const Handlers>(std::move(handlers))) {}
  ~SpdyChannels() override { loop_.cancel(timer_); }

  bool accept(const StreamAsk& ask, std::string_view protocol) {
    const auto self = shared_from_this();
    net::SpdySession::Handlers below;
    below.opened = [self](net::SpdyStreamId id, const net::Headers& headers) {
      return self->opened(id, headers);
    };
    below.received = [self](net::SpdyStreamId id, std::string_view bytes) {
      self->received(id, bytes);
    };
    below.finished = [self](net::SpdyStreamId id) { self->finished(id); };
    below.reset = [self](net::SpdyStreamId id) { self->finished(id); };
    below.drained = [self] {
      if (const auto handlers = self->handlers_) handlers->drained();
    };
    below.ended = [self] { self->give_up(); };
    session_ = upgrade_to_spdy(ask, protocol, std::move(below));
    if (!session_) return false;
    timer_ = loop_.after(kStreamCreationTime, [self] {
      self->session_->close();
      self->give_up();
    });
    return true;
  }

  void write(Output output, std::string_view bytes) override {
    session_->write(output == Output::Out ? out_ : err_, bytes);
  }
  void end(const Outcome& outcome) override {
    if (!std::exchange(handlers_, nullptr)) return;
    session_->write(status_, has_status_ ? outcome.to_status() : outcome.to_words());
    for (const auto id : {out_, err_, status_}) session_->finish(id);
    session_->close();
  }
  void pause() override { session_->pause(); }
  void resume() override { session_->resume(); }
  std::size_t backlog_bytes() const override { return session_->backlog_bytes(); }

 private:
  void give_up() {
    loop_.cancel(timer_);
    const auto handlers = std::exchange(handlers_, nullptr);
    // A client that never opened its streams is not one that left.
    if (handlers && complete_) handlers->gone();
  }

  bool opened(net::SpdyStreamId id, const net::Headers& headers) {
    const auto* type = headers.find("streamtype");
    auto* place = type == nullptr ? nullptr : place_of(*type);
    if (place == nullptr || *place != 0) return false;
    *place = id;
    if (++count_ < expected_ || std::exchange(complete_, true)) return true;
    loop_.cancel(timer_);
    // After the answer to this stream, which goes out once this returns.
    loop_.post([self = shared_from_this()] {
      if (const auto handlers = self->handlers_) handlers->opened();
    });
    return true;
  }

  net::SpdyStreamId* place_of(std::string_view type) {
    if (type == "stdin") return &in_;
    if (type == "stdout") return &out_;
    if (type == "stderr") return &err_;
    if (type == "error") return &status_;
    if (type == "resize") return &resize_;
    return nullptr;
  }

  void received(net::SpdyStreamId id, std::string_view bytes) {
    const auto handlers = handlers_;
    if (!handlers) return;
    if (id == in_) return handlers->input(bytes);
    if (id != resize_) return;
    // One text of JSON after the other, each ended by its brace.
    constexpr std::size_t kSizeBytesMax = 256;
    for (const char c : bytes) {
      if (sizes_.size() < kSizeBytesMax) sizes_ += c;
      if (c != '}') continue;
      TerminalSize size;
      if (parse_size(std::exchange(sizes_, {}), size)) handlers->resized(size);
    }
  }

  void finished(net::SpdyStreamId id) {
    if (id != in_ || std::exchange(input_ended_, true)) return;
    if (const auto handlers = handlers_) handlers->input_ended();
  }

  net::Loop& loop_;
  bool has_status_;
  std::size_t expected_;
  std::shared_ptr<const Handlers> handlers_;  // shared with the call that may end this
  std::shared_ptr<net::SpdySession> session_;
  net::TimerId timer_;
  std::size_t count_ = 0;
  bool complete_ = false;
  bool input_ended_ = false;
  net::SpdyStreamId in_ = 0;
  net::SpdyStreamId out_ = 0;
  net::SpdyStreamId err_ = 0;
  net::SpdyStreamId status_ = 0;
  net::SpdyStreamId resize_ = 0;
  std::string sizes_;
};

}  // namespace

std::shared_ptr<Channels> open_spdy_channels(net::Loop& loop, const StreamAsk& ask, StreamSet set,
                                             Channels::Handlers handlers) {
  const auto protocol = choose_spdy_protocol(ask, kSpdyProtocols);
  if (protocol.empty()) return nullptr;
  auto channels = std::make_shared<SpdyChannels>(loop, protocol, set, std::move(handlers));
  return channels->accept(ask, protocol) ? channels : nullptr;
}

}  // namespace fixpoint::node
