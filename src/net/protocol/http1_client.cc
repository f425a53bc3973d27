// SPDX-License-Identifier: Apache-2.0
//
// The client's side of HTTP/1.1: one request at a time, the next after the answer's end.
// Requests are not pipelined: after a break nobody could tell which ones were acted upon.
#include "net/protocol/client_session.h"
#include "net/protocol/http1.h"
#include "net/protocol/output_queue.h"
#include "net/protocol/server_session.h"

#include <deque>
#include <limits>
#include <utility>

namespace fixpoint::net {
namespace {

class Http1Client final : public ClientSession {
 public:
  explicit Http1Client(ClientHost& host)
      : host_(host),
        decoder_(Http1Decoder::Side::Response,
                 {.header_bytes = host.options().header_bytes_max,
                  .header_count = host.options().header_count_max,
                  .target_bytes = host.options().header_bytes_max,
                  .body_bytes = std::numeric_limits<std::uint64_t>::max()}) {}

  void submit(const CallRef& call) override {
    waiting_.push_back(call);
    send_next();
  }

  void cancel(const CallRef& call) override {
    if (call == current_) {
      broken_ = true;
      // Its answer would be taken for the next request's.
      return host_.broken({ErrorKind::Unavailable, "the request before this one was cancelled"});
    }
    std::erase(waiting_, call);
  }

  void received(std::string_view bytes) override;
  void peer_ended() override;
  std::size_t pull(std::span<char> into) override { return queue_.pull(into); }
  bool is_http2() const override { return false; }
  void ping() override {}
  std::size_t requests_at_once() const override { return 1; }

 private:
  void send_next();
  void write(const ClientRequest& request);
  void head_received();
  void answer_complete();

  ClientHost& host_;
  Http1Decoder decoder_;
  OutputQueue queue_;
  std::deque<CallRef> waiting_;
  CallRef current_;
  bool interim_ = false;  // the message being read is a 1xx
  bool broken_ = false;
};

void Http1Client::send_next() {
  if (current_ || waiting_.empty() || broken_) return;
  current_ = std::move(waiting_.front());
  waiting_.pop_front();
  current_->sent = true;
  if (current_->request.method == "HEAD") decoder_.answer_has_no_body();
  write(current_->request);
  host_.output_ready();
}

void Http1Client::write(const ClientRequest& request) {
  queue_.add_text(request.method);
  queue_.add_text(" ");
  queue_.add_text(request.target);
  queue_.add_text(" HTTP/1.1\r\n");
  if (!request.headers.contains("host")) {
    queue_.add_text("host: ");
    queue_.add_text(host_.authority());
    queue_.add_text("\r\n");
  }
  for (const auto& [name, value] : request.headers) {
    if (is_connection_header(name) || !is_token(name) || !is_field_value(value)) continue;
    queue_.add_text(name);
    queue_.add_text(": ");
    queue_.add_text(value);
    queue_.add_text("\r\n");
  }
  const bool has_body = !request.body.empty() || request.method == "POST" ||
                        request.method == "PUT" || request.method == "PATCH";
  if (has_body) queue_.add_text("content-length: " + std::to_string(request.body.size()) + "\r\n");
  queue_.add_text("\r\n");
  queue_.add_chunk(make_chunk(request.body));
}

void Http1Client::received(std::string_view bytes) {
  while (!broken_) {
    if (!current_ && !bytes.empty()) {
      broken_ = true;
      return host_.broken({ErrorKind::Unavailable, "the server sent an answer nobody asked for"});
    }
    switch (decoder_.next(bytes)) {
      case Http1Decoder::Event::NeedMore: return;
      case Http1Decoder::Event::Head: head_received(); break;
      case Http1Decoder::Event::Body:
        if (const auto call = current_; !call->over && call->handlers.on_body) {
          call->handlers.on_body(decoder_.body());
        }
        break;
      case Http1Decoder::Event::End: answer_complete(); break;
      case Http1Decoder::Event::Fault:
        broken_ = true;
        return host_.broken({ErrorKind::Unavailable,
                             "the server's answer is malformed: " + decoder_.fault().message});
    }
  }
}

void Http1Client::head_received() {
  const auto& head = decoder_.head();
  interim_ = head.status / 100 == 1;
  const auto call = current_;
  if (interim_ || call->over || !call->handlers.on_headers) return;
  call->handlers.on_headers(head.status, head.headers);
}

void Http1Client::answer_complete() {
  if (std::exchange(interim_, false)) {
    if (current_ && current_->request.method == "HEAD") decoder_.answer_has_no_body();
    return;
  }
  const auto call = std::exchange(current_, nullptr);
  const bool keep = decoder_.keep_alive();
  if (!keep) {
    broken_ = true;
    host_.closing();
  }
  host_.finished(call, {});
  if (!keep) {
    return host_.broken(
        {ErrorKind::Unavailable, "the server closed the connection after an answer"});
  }
  send_next();
}

void Http1Client::peer_ended() {
  if (broken_) return;
  if (current_ && decoder_.finish() == Http1Decoder::Event::End) return answer_complete();
  broken_ = true;
  host_.broken({ErrorKind::Unavailable, current_ ? "the server closed the connection in mid-answer"
                                                 : "the server closed the connection"});
}

}  // namespace

std::unique_ptr<ClientSession> make_http1_client(ClientHost& host) {
  return std::make_unique<Http1Client>(host);
}

}  // namespace fixpoint::net
