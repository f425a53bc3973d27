// SPDX-License-Identifier: Apache-2.0
//
// Http2Session and its exchanges; see http2_session.cc for the rules. Internal to this folder.
#pragma once

#include "net/protocol/http1.h"
#include "net/protocol/http2.h"
#include "net/protocol/output_queue.h"
#include "net/protocol/server_session.h"

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace fixpoint::net {

class Http2Exchange;

class Http2Session final : public ServerSession, public std::enable_shared_from_this<Http2Session> {
 public:
  explicit Http2Session(SessionHost& host);

  void received(std::string_view bytes) override;
  std::size_t pull(std::span<char> into) override;
  void flushed() override;
  void peer_ended() override { host_->cut(); }
  void detach() override;
  void shutdown() override;
  std::optional<MonotonicInstant> deadline() const override;
  void overdue() override;

 private:
  friend class Http2Exchange;

  struct Stream {
    std::int32_t id = 0;
    Request request;
    std::size_t header_bytes = 0;
    Http1Fault refusal{0, {}};  // status 0: none
    std::size_t reserved = 0;   // of the server's bound on arriving bodies
    MonotonicInstant read_deadline{};
    OutputQueue queue;
    Http2Exchange* exchange = nullptr;
    bool reading = false;   // the body is still arriving
    bool ended = false;     // the application has queued everything
    bool deferred = false;  // nghttp2 waits for wake()
    bool drained = false;   // is in drained_
    bool resetting = false;
  };

  void install(nghttp2_session_callbacks* callbacks);
  Stream* find(std::int32_t id);
  int begin_headers(const nghttp2_frame& frame);
  int header(const nghttp2_frame& frame, std::string_view name, std::string_view value);
  int frame_received(const nghttp2_frame& frame);
  int frame_refused();
  void head_complete(Stream& stream, bool ended);
  void trailers_complete(Stream& stream, bool ended);
  int data_received(std::int32_t id, std::string_view bytes);
  int stream_closed(std::int32_t id);
  int frame_sent(const nghttp2_frame& frame);
  void stop_reading(Stream& stream);
  void dispatch(Stream& stream);
  void answer_refusal(Stream& stream);
  void nuisance();

  // http2_exchange.cc
  std::shared_ptr<Exchange> make_exchange(Stream& stream);
  void lose_exchange(Stream& stream);
  void end_endless(Stream& stream);
  void drain(Stream& stream);

  void submit_head(Stream& stream, int status, const Headers& headers,
                   std::optional<std::size_t> length, bool has_body);
  void queue_chunk(Stream& stream, Chunk chunk);
  void wake(Stream& stream);
  void check_backlog(Stream& stream);
  void reset(Stream& stream, std::uint32_t code);
  ssize_t read_body(std::int32_t id, std::uint8_t* into, std::size_t size, std::uint32_t* flags);

  SessionHost* host_;  // null once the connection is gone
  Http2SessionPtr session_;
  Http2Output output_;
  NuisanceBudget nuisances_;
  std::unordered_map<std::int32_t, std::unique_ptr<Stream>> streams_;
  std::vector<std::int32_t> drained_;
  std::size_t backlog_ = 0;  // bytes in all queues
  std::size_t reading_ = 0;  // streams whose body is arriving
  MonotonicInstant reading_deadline_{};
  // Until when the header that is arriving must be whole: nothing else may come in between.
  std::optional<MonotonicInstant> head_deadline_;
  MonotonicInstant idle_deadline_{};
  MonotonicInstant progress_{};  // when the peer last took a byte of a body
  bool finishing_ = false;
  bool cutting_ = false;
};

class Http2Exchange final : public Exchange, public std::enable_shared_from_this<Http2Exchange> {
 public:
  Http2Exchange(std::shared_ptr<Http2Session> session, Http2Session::Stream& stream, bool head_only)
      : session_(std::move(session)), stream_(&stream), head_only_(head_only) {}
  ~Http2Exchange() override;

  using Exchange::respond;
  void respond(int status, Headers headers, Chunk body) override;
  void start(int status, Headers headers, StreamKind kind) override;
  void write(Chunk chunk) override;
  void end() override;
  void abort() override;
  std::size_t backlog_bytes() const override { return stream_ ? stream_->queue.bytes() : 0; }
  bool is_open() const override { return open(); }
  void on_drain(std::function<void()> callback) override;
  void on_closed(std::function<void()> callback) override;

 private:
  friend class Http2Session;
  bool open() const { return !done_ && stream_ != nullptr && !stream_->resetting; }
  void drain();

  std::shared_ptr<Http2Session> session_;
  Http2Session::Stream* stream_;  // null once nghttp2 closed it or the connection is gone
  ExchangeCallbacks callbacks_;
  StreamKind kind_ = StreamKind::Endless;
  bool head_only_;
  bool started_ = false;
  bool bodiless_ = false;
  bool done_ = false;
};

}  // namespace fixpoint::net
