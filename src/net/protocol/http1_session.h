// SPDX-License-Identifier: Apache-2.0
//
// Http1Session and its exchange; see http1_session.cc for the rules. Internal to this folder.
#pragma once

#include "net/protocol/http1.h"
#include "net/protocol/output_queue.h"
#include "net/protocol/server_session.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fixpoint::net {

class Http1Exchange;
class Http1Upgraded;

class Http1Session final : public ServerSession, public std::enable_shared_from_this<Http1Session> {
 public:
  explicit Http1Session(SessionHost& host);

  void received(std::string_view bytes) override;
  std::size_t pull(std::span<char> into) override;
  void flushed() override;
  void peer_ended() override;
  void detach() override;
  void shutdown() override;
  std::optional<MonotonicInstant> deadline() const override { return deadline_; }
  void overdue() override;
  bool is_patient() const override { return phase_ == Phase::Upgraded; }

 private:
  friend class Http1Exchange;
  friend class Http1Upgraded;
  enum class Phase : std::uint8_t { Idle, Head, Body, Busy, Upgraded, Closing };

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
  void hand_over(std::string_view bytes);
  void end_upgraded();

  SessionHost* host_;  // null once the connection is gone
  Http1Decoder decoder_;
  OutputQueue queue_;
  std::string pending_;
  Request request_;
  std::size_t reserved_ = 0;
  Http1Exchange* current_ = nullptr;   // the exchange in Phase::Busy, unless dropped
  Http1Upgraded* upgraded_ = nullptr;  // in Phase::Upgraded, unless dropped
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
  UpgradedStreamRef upgrade(std::string_view protocol, const Headers& headers,
                            UpgradeHandlers&& handlers) override;

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

// What is left of the session once it speaks another protocol: a pipe.
class Http1Upgraded final : public UpgradedStream {
 public:
  Http1Upgraded(std::shared_ptr<Http1Session> session, UpgradeHandlers handlers)
      : session_(std::move(session)),
        handlers_(std::make_shared<const UpgradeHandlers>(std::move(handlers))) {}
  ~Http1Upgraded() override;

  using UpgradedStream::write;
  void write(Chunk chunk) override;
  void finish() override;
  void cut() override;
  void pause() override;
  void resume() override;
  std::size_t backlog_bytes() const override { return is_open() ? session_->queue_.bytes() : 0; }
  bool is_open() const override { return session_->upgraded_ == this && !session_->cutting_; }

 private:
  friend class Http1Session;
  std::shared_ptr<Http1Session> session_;
  // Shared with the call that runs one of them, which may be what ends this.
  std::shared_ptr<const UpgradeHandlers> handlers_;
  bool paused_ = false;
};

}  // namespace fixpoint::net
