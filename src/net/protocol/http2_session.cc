// SPDX-License-Identifier: Apache-2.0
//
// The server's side of an HTTP/2 connection, on nghttp2's codec.
//
// A stream lives from its first header to nghttp2's on_stream_close; its exchange may be held
// longer and then knows that its stream is gone. nghttp2 allows submitting from inside its
// callbacks but not sending, receiving or deleting the session: sending happens in `pull` only,
// and the session is deleted with this object, which the connection keeps alive during callbacks.
#include "net/protocol/http2_session.h"

#include "net/protocol/http1.h"

#include <charconv>

namespace fixpoint::net {
namespace {

// What one header costs beyond its text, as HPACK and SETTINGS_MAX_HEADER_LIST_SIZE count it.
constexpr std::size_t kHeaderOverhead = 32;
// Of the connection's backlog bound, what a single stream may use before it is reset.
constexpr std::size_t kStreamShareOfBacklog = 4;

}  // namespace

Http2Session::Http2Session(SessionHost& host)
    : host_(&host), nuisances_(host.options().nuisance_burst, host.options().nuisance_per_second) {
  const auto callbacks = new_http2_callbacks();
  const auto option = new_http2_option();
  install(callbacks.get());
  nghttp2_session* session = nullptr;
  FP_CHECK(nghttp2_session_server_new2(&session, callbacks.get(), this, option.get()) == 0);
  session_.reset(session);
  const auto& options = host.options();
  const nghttp2_settings_entry settings[] = {
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, options.streams_max                                 },
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE,    kStreamWindowBytes                                  },
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE,   static_cast<std::uint32_t>(options.header_bytes_max)},
  };
  FP_CHECK(nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings, std::size(settings)) == 0);
  FP_CHECK(nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0,
                                                 kConnectionWindowBytes) == 0);
  idle_deadline_ = host.now() + options.header_timeout;
}

void Http2Session::install(nghttp2_session_callbacks* callbacks) {
  nghttp2_session_callbacks_set_on_begin_headers_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
        return static_cast<Http2Session*>(self)->begin_headers(*frame);
      });
  nghttp2_session_callbacks_set_on_header_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                    std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                    std::uint8_t, void* self) {
        return static_cast<Http2Session*>(self)->header(*frame, text_of(name, name_size),
                                                        text_of(value, value_size));
      });
  nghttp2_session_callbacks_set_on_frame_recv_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
        return static_cast<Http2Session*>(self)->frame_received(*frame);
      });
  nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame*, int, void* self) {
        return static_cast<Http2Session*>(self)->frame_refused();
      });
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
      callbacks, [](nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* data,
                    std::size_t size, void* self) {
        return static_cast<Http2Session*>(self)->data_received(id, text_of(data, size));
      });
  nghttp2_session_callbacks_set_on_stream_close_callback(
      callbacks, [](nghttp2_session*, std::int32_t id, std::uint32_t, void* self) {
        return static_cast<Http2Session*>(self)->stream_closed(id);
      });
  nghttp2_session_callbacks_set_on_frame_send_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
        return static_cast<Http2Session*>(self)->frame_sent(*frame);
      });
}

Http2Session::Stream* Http2Session::find(std::int32_t id) {
  const auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : found->second.get();
}

int Http2Session::begin_headers(const nghttp2_frame& frame) {
  if (frame.hd.type != NGHTTP2_HEADERS || frame.headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
  if (host_ == nullptr) return NGHTTP2_ERR_CALLBACK_FAILURE;  // detached by a handler
  auto stream = std::make_unique<Stream>();
  stream->id = frame.hd.stream_id;
  stream->request.peer = host_->peer();
  head_deadline_ = host_->now() + host_->options().header_timeout;
  streams_[frame.hd.stream_id] = std::move(stream);
  return 0;
}

int Http2Session::header(const nghttp2_frame& frame, std::string_view name,
                         std::string_view value) {
  if (frame.hd.type != NGHTTP2_HEADERS || frame.headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
  Stream* stream = find(frame.hd.stream_id);
  if (stream == nullptr || stream->refusal.status != 0) return 0;
  const auto& options = host_->options();
  stream->header_bytes += name.size() + value.size() + kHeaderOverhead;
  auto& request = stream->request;
  if (name == ":path") {
    if (value.size() > options.target_bytes_max) {
      stream->refusal = {414, "the request target is longer than " +
                                  std::to_string(options.target_bytes_max) + " bytes"};
    } else if (!value.starts_with('/') && value != "*") {
      stream->refusal = {400, "the request target is not a path"};
    }
    request.target = value;
  } else if (stream->header_bytes > options.header_bytes_max) {
    stream->refusal = {
        431, "the header is larger than " + std::to_string(options.header_bytes_max) + " bytes"};
  } else if (request.headers.size() >= options.header_count_max) {
    stream->refusal = {
        431, "there are more than " + std::to_string(options.header_count_max) + " headers"};
  } else if (name == ":method") {
    request.method = value;
  } else if (name == ":authority") {
    request.headers.set("host", std::string(value));
  } else if (!name.starts_with(':') && !(name == "host" && request.headers.contains("host"))) {
    request.headers.add(std::string(name), std::string(value));
  }
  return 0;
}

int Http2Session::frame_received(const nghttp2_frame& frame) {
  const bool ended = (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
  const bool ack = (frame.hd.flags & NGHTTP2_FLAG_ACK) != 0;
  head_deadline_.reset();
  switch (frame.hd.type) {
    case NGHTTP2_HEADERS:
      if (Stream* stream = find(frame.hd.stream_id)) {
        frame.headers.cat == NGHTTP2_HCAT_REQUEST ? head_complete(*stream, ended)
                                                  : trailers_complete(*stream, ended);
      }
      break;
    case NGHTTP2_DATA:
      if (Stream* stream = find(frame.hd.stream_id); stream != nullptr && ended) {
        if (stream->refusal.status == 0) dispatch(*stream);
      } else if (frame.hd.length == 0) {
        nuisance();
      }
      break;
    case NGHTTP2_PING:
    case NGHTTP2_SETTINGS:
      if (!ack) nuisance();
      break;
    case NGHTTP2_RST_STREAM:
    case NGHTTP2_PRIORITY: nuisance(); break;
    default: break;
  }
  return 0;
}

// A stream more than may run, a malformed request: nghttp2 queues a reset for each, which a peer
// that reads nothing would make us keep.
int Http2Session::frame_refused() {
  head_deadline_.reset();
  nuisance();
  return 0;
}

void Http2Session::head_complete(Stream& stream, bool ended) {
  const auto* length = stream.request.headers.find("content-length");
  if (length != nullptr && stream.refusal.status == 0) {
    const auto bound = host_->options().body_bytes_max;
    // nghttp2 has checked that it is a number; one too large to hold is too large to read.
    if (parse_content_length(*length).value_or(bound + 1) > bound) {
      stream.refusal = {413, body_limit_message(bound)};
    }
  }
  if (stream.request.target.empty() && stream.refusal.status == 0) {  // CONNECT has none
    stream.refusal = {400, "the request target is not a path"};
  }
  if (stream.refusal.status != 0) return answer_refusal(stream);
  if (ended) return dispatch(stream);
  stream.reading = true;
  stream.read_deadline = host_->now() + host_->options().body_timeout;
  if (reading_++ == 0) reading_deadline_ = stream.read_deadline;
  if (const auto* expect = stream.request.headers.find("expect");
      expect != nullptr && equals_ignoring_case(*expect, "100-continue")) {
    Http2HeaderBlock block;
    block.add(":status", "100");
    nghttp2_submit_headers(session_.get(), NGHTTP2_FLAG_NONE, stream.id, nullptr, block.data(),
                           block.size(), nullptr);
  }
}

void Http2Session::trailers_complete(Stream& stream, bool ended) {
  if (ended && stream.refusal.status == 0) dispatch(stream);
}

int Http2Session::data_received(std::int32_t id, std::string_view bytes) {
  Stream* stream = find(id);
  if (stream == nullptr || stream->refusal.status != 0) return 0;
  const auto& options = host_->options();
  if (stream->request.body.size() + bytes.size() > options.body_bytes_max) {
    stream->refusal = {413, body_limit_message(options.body_bytes_max)};
  } else if (!host_->reserve_body(bytes.size())) {
    stream->refusal = {503, "too many request bodies are being received"};
  } else {
    stream->reserved += bytes.size();
    stream->request.body.append(bytes);
    return 0;
  }
  answer_refusal(*stream);
  return 0;
}

void Http2Session::stop_reading(Stream& stream) {
  if (std::exchange(stream.reading, false)) --reading_;
  if (stream.reserved > 0) host_->release_body(std::exchange(stream.reserved, 0));
}

void Http2Session::dispatch(Stream& stream) {
  // What is asked for is paid for in memory until it is read.
  if (backlog_ > host_->options().backlog_bytes_max) {
    stream.refusal = {429, "too many answers to this connection wait to be read"};
    return answer_refusal(stream);
  }
  stop_reading(stream);
  auto exchange = make_exchange(stream);
  host_->handle(std::exchange(stream.request, {}), std::move(exchange));
}

void Http2Session::answer_refusal(Stream& stream) {
  stop_reading(stream);
  auto page = error_page(host_->options(), stream.refusal.status, stream.refusal.message);
  make_exchange(stream)->respond(stream.refusal.status, std::move(page.headers),
                                 make_chunk(std::move(page.body)));
  stream.request = {};
}

int Http2Session::frame_sent(const nghttp2_frame& frame) {
  const bool answered = (frame.hd.type == NGHTTP2_DATA || frame.hd.type == NGHTTP2_HEADERS) &&
                        (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
  // A refused upload need not arrive any more.
  if (const Stream* stream = find(frame.hd.stream_id);
      answered && stream != nullptr && stream->refusal.status != 0) {
    nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, frame.hd.stream_id,
                              NGHTTP2_NO_ERROR);
  }
  return 0;
}

int Http2Session::stream_closed(std::int32_t id) {
  const auto found = streams_.find(id);
  if (found == streams_.end()) return 0;
  const auto stream = std::move(found->second);
  streams_.erase(found);
  stop_reading(*stream);
  backlog_ -= stream->queue.bytes();
  if (streams_.empty()) idle_deadline_ = host_->now() + host_->options().idle_timeout;
  lose_exchange(*stream);
  return 0;
}

void Http2Session::nuisance() {
  if (host_ == nullptr || nuisances_.spend(host_->now())) return;
  nghttp2_session_terminate_session(session_.get(), NGHTTP2_ENHANCE_YOUR_CALM);
}

void Http2Session::received(std::string_view bytes) {
  if (finishing_) return;
  const auto outcome = nghttp2_session_mem_recv(
      session_.get(), reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  if (host_ == nullptr) return;
  if (outcome < 0) {
    // What nghttp2 could not make sense of ends the connection, with the reason it queued.
    nghttp2_session_terminate_session(session_.get(), NGHTTP2_PROTOCOL_ERROR);
  }
  host_->output_ready();
}

std::size_t Http2Session::pull(std::span<char> into) {
  const auto count = output_.pull(session_.get(), into.data(), into.size());
  if (count > 0) return static_cast<std::size_t>(count);
  if (host_ == nullptr) return 0;
  const bool over = nghttp2_session_want_read(session_.get()) == 0 &&
                    nghttp2_session_want_write(session_.get()) == 0;
  if ((count < 0 || over) && !std::exchange(finishing_, true)) {
    host_->finish();
  }
  return 0;
}

void Http2Session::flushed() {
  auto ids = std::exchange(drained_, {});
  for (const auto id : ids) {
    if (host_ == nullptr) return;
    Stream* stream = find(id);
    if (stream == nullptr) continue;
    stream->drained = false;
    if (stream->queue.bytes() < kDrainBytes) drain(*stream);
  }
}

// Bytes of a body for nghttp2, as many as the peer's windows allow.
ssize_t Http2Session::read_body(std::int32_t id, std::uint8_t* into, std::size_t size,
                                std::uint32_t* flags) {
  Stream* found = find(id);
  if (found == nullptr) return NGHTTP2_ERR_CALLBACK_FAILURE;  // detached in mid-send
  Stream& stream = *found;
  const auto count = stream.queue.pull({reinterpret_cast<char*>(into), size});
  backlog_ -= count;
  if (count > 0) {
    progress_ = host_->now();
    if (!std::exchange(stream.drained, true)) drained_.push_back(stream.id);
  }
  if (!stream.queue.empty()) return static_cast<ssize_t>(count);
  if (stream.ended) {
    *flags |= NGHTTP2_DATA_FLAG_EOF;
  } else if (count == 0) {
    stream.deferred = true;
    return NGHTTP2_ERR_DEFERRED;
  }
  return static_cast<ssize_t>(count);
}

void Http2Session::submit_head(Stream& stream, int status, const Headers& headers,
                               std::optional<std::size_t> length, bool has_body) {
  char code[16];
  char size[24];
  Http2HeaderBlock block;
  block.add(":status",
            {code, static_cast<std::size_t>(std::to_chars(code, code + 16, status).ptr - code)});
  block.add("date", host_->date());
  block.add_all(headers);
  if (length) {
    block.add("content-length",
              {size, static_cast<std::size_t>(std::to_chars(size, size + 24, *length).ptr - size)});
  }
  nghttp2_data_provider provider{};
  provider.read_callback = [](nghttp2_session*, std::int32_t id, std::uint8_t* into,
                              std::size_t room, std::uint32_t* flags, nghttp2_data_source*,
                              void* self) {
    return static_cast<Http2Session*>(self)->read_body(id, into, room, flags);
  };
  nghttp2_submit_response(session_.get(), stream.id, block.data(), block.size(),
                          has_body ? &provider : nullptr);
  host_->output_ready();
}

void Http2Session::queue_chunk(Stream& stream, Chunk chunk) {
  if (backlog_ == 0) progress_ = host_->now();
  backlog_ += chunk ? chunk->size() : 0;
  stream.queue.add_chunk(std::move(chunk));
}

void Http2Session::wake(Stream& stream) {
  if (std::exchange(stream.deferred, false)) {
    nghttp2_session_resume_data(session_.get(), stream.id);
  }
  host_->output_ready();
}

// A stream that does not keep up is reset; a connection full of them is cut. Both later, since
// the caller may be going through its watchers.
void Http2Session::check_backlog(Stream& stream) {
  const auto bound = host_->options().backlog_bytes_max;
  if (backlog_ > bound && !std::exchange(cutting_, true)) {
    host_->later([self = shared_from_this()] {
      if (self->host_ != nullptr) self->host_->cut();
    });
  } else if (stream.queue.bytes() > bound / kStreamShareOfBacklog &&
             !std::exchange(stream.resetting, true)) {
    reset(stream, NGHTTP2_ENHANCE_YOUR_CALM);
  }
}

void Http2Session::reset(Stream& stream, std::uint32_t code) {
  nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, stream.id, code);
  host_->output_ready();
}

void Http2Session::detach() {
  if (host_ == nullptr) return;
  for (auto& [id, stream] : streams_) stop_reading(*stream);
  host_ = nullptr;
  const auto streams = std::exchange(streams_, {});
  for (const auto& [id, stream] : streams) lose_exchange(*stream);
}

void Http2Session::shutdown() {
  nghttp2_submit_goaway(session_.get(), NGHTTP2_FLAG_NONE,
                        nghttp2_session_get_last_proc_stream_id(session_.get()), NGHTTP2_NO_ERROR,
                        nullptr, 0);
  std::vector<std::int32_t> ids;
  for (const auto& [id, stream] : streams_) ids.push_back(id);
  for (const auto id : ids) {
    if (host_ == nullptr) return;
    if (Stream* stream = find(id)) end_endless(*stream);
  }
}

std::optional<MonotonicInstant> Http2Session::deadline() const {
  if (finishing_) return std::nullopt;
  if (streams_.empty()) return idle_deadline_;
  auto next = head_deadline_;
  if (reading_ > 0 && (!next || reading_deadline_ < *next)) next = reading_deadline_;
  if (backlog_ > 0) {
    const auto stuck = progress_ + host_->options().write_timeout;
    if (!next || stuck < *next) next = stuck;
  }
  return next;
}

void Http2Session::overdue() {
  const auto now = host_->now();
  if (streams_.empty()) {
    nghttp2_session_terminate_session(session_.get(), NGHTTP2_NO_ERROR);
    return host_->output_ready();
  }
  if (backlog_ > 0 && progress_ + host_->options().write_timeout <= now) return host_->cut();
  if (head_deadline_ && *head_deadline_ <= now) {
    head_deadline_.reset();
    nghttp2_session_terminate_session(session_.get(), NGHTTP2_ENHANCE_YOUR_CALM);
    return host_->output_ready();
  }
  reading_deadline_ = MonotonicInstant::max();
  std::vector<Stream*> late;
  for (const auto& [id, stream] : streams_) {
    if (!stream->reading) continue;
    if (stream->read_deadline <= now) {
      late.push_back(stream.get());
    } else {
      reading_deadline_ = std::min(reading_deadline_, stream->read_deadline);
    }
  }
  for (Stream* stream : late) {
    stream->refusal = {408, "the request's body did not arrive in time"};
    answer_refusal(*stream);
  }
}

std::shared_ptr<ServerSession> make_http2_session(SessionHost& host) {
  return std::make_shared<Http2Session>(host);
}

}  // namespace fixpoint::net
