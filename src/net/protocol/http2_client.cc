// SPDX-License-Identifier: Apache-2.0
//
// The client's side of HTTP/2, on nghttp2's codec: each request a stream, as many at once as the
// server allows; nghttp2 holds back the rest.
#include "net/protocol/client_session.h"
#include "net/protocol/http2.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <unordered_map>

namespace fixpoint::net {
namespace {

// Until the server said how many streams it takes; what RFC 9113 asks servers not to go below.
constexpr std::size_t kStreamsAssumed = 100;
// However many it takes: beyond this a second connection is better than a longer queue.
constexpr std::size_t kStreamsMax = 1000;

class Http2Client final : public ClientSession {
 public:
  explicit Http2Client(ClientHost& host);

  void submit(const CallRef& call) override;
  void cancel(const CallRef& call) override;
  void received(std::string_view bytes) override;
  void peer_ended() override;
  std::size_t pull(std::span<char> into) override;
  bool is_http2() const override { return true; }
  void ping() override;
  std::size_t requests_at_once() const override;

 private:
  struct Stream {
    CallRef call;
    int status = 0;
    Headers headers;
    std::size_t header_bytes = 0;
    std::size_t body_sent = 0;
    bool complete = false;  // the server sent END_STREAM
  };

  void install(nghttp2_session_callbacks* callbacks);
  Stream* find(std::int32_t id);
  int header(const nghttp2_frame& frame, std::string_view name, std::string_view value);
  int frame_received(const nghttp2_frame& frame);
  int data_received(std::int32_t id, std::string_view bytes);
  int stream_closed(std::int32_t id, std::uint32_t code);
  int frame_leaves(const nghttp2_frame& frame);
  ssize_t read_body(std::int32_t id, std::uint8_t* into, std::size_t size, std::uint32_t* flags);

  ClientHost& host_;
  Http2SessionPtr session_;
  Http2Output output_;
  std::unordered_map<std::int32_t, Stream> streams_;
  bool settled_ = false;  // the server's settings are known
};

Http2Client::Http2Client(ClientHost& host) : host_(host) {
  const auto callbacks = new_http2_callbacks();
  const auto option = new_http2_option();
  install(callbacks.get());
  nghttp2_session* session = nullptr;
  FP_CHECK(nghttp2_session_client_new2(&session, callbacks.get(), this, option.get()) == 0);
  session_.reset(session);
  const nghttp2_settings_entry settings[] = {
      {NGHTTP2_SETTINGS_ENABLE_PUSH,          0                   },
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE,  kStreamWindowBytes  },
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE,
       static_cast<std::uint32_t>(host.options().header_bytes_max)},
  };
  FP_CHECK(nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings, std::size(settings)) == 0);
  FP_CHECK(nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0,
                                                 kConnectionWindowBytes) == 0);
}

void Http2Client::install(nghttp2_session_callbacks* callbacks) {
  nghttp2_session_callbacks_set_on_header_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                    std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                    std::uint8_t, void* self) {
        return static_cast<Http2Client*>(self)->header(*frame, text_of(name, name_size),
                                                       text_of(value, value_size));
      });
  nghttp2_session_callbacks_set_on_frame_recv_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
        return static_cast<Http2Client*>(self)->frame_received(*frame);
      });
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
      callbacks, [](nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* data,
                    std::size_t size, void* self) {
        return static_cast<Http2Client*>(self)->data_received(id, text_of(data, size));
      });
  nghttp2_session_callbacks_set_before_frame_send_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
        return static_cast<Http2Client*>(self)->frame_leaves(*frame);
      });
  nghttp2_session_callbacks_set_on_stream_close_callback(
      callbacks, [](nghttp2_session*, std::int32_t id, std::uint32_t code, void* self) {
        return static_cast<Http2Client*>(self)->stream_closed(id, code);
      });
}

Http2Client::Stream* Http2Client::find(std::int32_t id) {
  const auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : &found->second;
}

void Http2Client::submit(const CallRef& call) {
  const auto& request = call->request;
  char size[24];
  Http2HeaderBlock block;
  block.add(":method", request.method);
  block.add(":scheme", host_.options().tls ? "https" : "http");
  const auto* authority = request.headers.find("host");
  block.add(":authority", authority != nullptr ? *authority : host_.authority());
  block.add(":path", request.target);
  Headers others;
  for (const auto& [name, value] : request.headers) {
    if (!equals_ignoring_case(name, "host")) others.add(name, value);
  }
  block.add_all(others);
  if (!request.body.empty()) {
    const auto* end = std::to_chars(size, size + sizeof size, request.body.size()).ptr;
    block.add("content-length", {size, static_cast<std::size_t>(end - size)});
  }
  nghttp2_data_provider provider{};
  provider.read_callback = [](nghttp2_session*, std::int32_t id, std::uint8_t* into,
                              std::size_t room, std::uint32_t* flags, nghttp2_data_source*,
                              void* self) {
    return static_cast<Http2Client*>(self)->read_body(id, into, room, flags);
  };
  const auto id = nghttp2_submit_request(session_.get(), nullptr, block.data(), block.size(),
                                         request.body.empty() ? nullptr : &provider, nullptr);
  if (id < 0) {
    host_.closing();
    return host_.finished(call, fail(ErrorKind::Unavailable, nghttp2_strerror(id)));
  }
  call->stream = id;
  streams_[id].call = call;
  host_.output_ready();
}

void Http2Client::cancel(const CallRef& call) {
  nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, call->stream, NGHTTP2_CANCEL);
  host_.output_ready();
}

ssize_t Http2Client::read_body(std::int32_t id, std::uint8_t* into, std::size_t size,
                               std::uint32_t* flags) {
  Stream* stream = find(id);
  if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  const auto& body = stream->call->request.body;
  const auto count = std::min(size, body.size() - stream->body_sent);
  std::memcpy(into, body.data() + stream->body_sent, count);
  stream->body_sent += count;
  if (stream->body_sent == body.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
  return static_cast<ssize_t>(count);
}

int Http2Client::header(const nghttp2_frame& frame, std::string_view name, std::string_view value) {
  Stream* stream = find(frame.hd.stream_id);
  if (stream == nullptr || frame.hd.type != NGHTTP2_HEADERS) return 0;
  stream->header_bytes += name.size() + value.size();
  if (stream->header_bytes > host_.options().header_bytes_max ||
      stream->headers.size() >= host_.options().header_count_max) {
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // resets the stream
  }
  if (name == ":status") {
    stream->status = 0;
    std::from_chars(value.data(), value.data() + value.size(), stream->status);
    if (stream->status < 100) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  } else if (!name.starts_with(':')) {
    stream->headers.add(std::string(name), std::string(value));
  }
  return 0;
}

int Http2Client::frame_received(const nghttp2_frame& frame) {
  if (frame.hd.type == NGHTTP2_GOAWAY) host_.closing();
  if (frame.hd.type == NGHTTP2_SETTINGS) settled_ = true;
  Stream* stream = find(frame.hd.stream_id);
  if (stream == nullptr) return 0;
  if (frame.hd.type != NGHTTP2_HEADERS && frame.hd.type != NGHTTP2_DATA) return 0;
  if ((frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) stream->complete = true;
  if (frame.hd.type != NGHTTP2_HEADERS || stream->status == 0) return 0;
  const auto headers = std::exchange(stream->headers, {});
  const int status = std::exchange(stream->status, 0);  // trailers have none
  const auto call = stream->call;
  if (status / 100 != 1 && !call->over && call->handlers.on_headers) {
    call->handlers.on_headers(status, headers);
  }
  return 0;
}

int Http2Client::data_received(std::int32_t id, std::string_view bytes) {
  Stream* stream = find(id);
  if (stream == nullptr) return 0;
  const auto call = stream->call;
  if (!call->over && call->handlers.on_body) call->handlers.on_body(bytes);
  return 0;
}

// nghttp2 holds requests back while the server allows no more streams: only now one goes out.
int Http2Client::frame_leaves(const nghttp2_frame& frame) {
  if (frame.hd.type != NGHTTP2_HEADERS) return 0;
  if (Stream* stream = find(frame.hd.stream_id)) stream->call->sent = true;
  return 0;
}

std::size_t Http2Client::requests_at_once() const {
  if (!settled_) return kStreamsAssumed;
  const std::size_t allowed =
      nghttp2_session_get_remote_settings(session_.get(), NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
  return std::clamp<std::size_t>(allowed, 1, kStreamsMax);
}

void Http2Client::ping() {
  nghttp2_submit_ping(session_.get(), NGHTTP2_FLAG_NONE, nullptr);
  host_.output_ready();
}

int Http2Client::stream_closed(std::int32_t id, std::uint32_t code) {
  const auto found = streams_.find(id);
  if (found == streams_.end()) return 0;
  const auto stream = std::move(found->second);
  streams_.erase(found);
  if (stream.complete) {
    host_.finished(stream.call, {});
  } else {
    // Also the code of streams beyond the last one that a GOAWAY says was looked at.
    if (code == NGHTTP2_REFUSED_STREAM) stream.call->sent = false;
    host_.finished(stream.call,
                   fail(ErrorKind::Unavailable, std::string("the server reset the stream: ") +
                                                    nghttp2_http2_strerror(code)));
  }
  return 0;
}

void Http2Client::received(std::string_view bytes) {
  const auto outcome = nghttp2_session_mem_recv(
      session_.get(), reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  if (outcome < 0) {
    return host_.broken({ErrorKind::Unavailable, std::string("the server's HTTP/2 is malformed: ") +
                                                     nghttp2_strerror(static_cast<int>(outcome))});
  }
  host_.output_ready();
}

void Http2Client::peer_ended() {
  host_.broken({ErrorKind::Unavailable, "the server closed the connection"});
}

std::size_t Http2Client::pull(std::span<char> into) {
  const auto count = output_.pull(session_.get(), into.data(), into.size());
  if (count > 0) return static_cast<std::size_t>(count);
  const bool over = nghttp2_session_want_read(session_.get()) == 0 &&
                    nghttp2_session_want_write(session_.get()) == 0;
  if (count < 0 || over) host_.broken({ErrorKind::Unavailable, "the HTTP/2 connection ended"});
  return 0;
}

}  // namespace

std::unique_ptr<ClientSession> make_http2_client(ClientHost& host) {
  return std::make_unique<Http2Client>(host);
}

}  // namespace fixpoint::net
