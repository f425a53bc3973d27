// SPDX-License-Identifier: Apache-2.0
//
// Http1Decoder: the HTTP/1.1 grammar, without any I/O. Bytes in any split, events out.
//
// Strict where leniency lets two parsers disagree on where a request ends (RFC 9112 section 11.2):
// both Content-Length and Transfer-Encoding, repeated lengths, folded lines, bare line feeds,
// blanks before a colon, odd chunk sizes. The first fault is final.
#pragma once

#include "net/http.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::net {

struct Http1Limits {
  std::size_t header_bytes;
  std::size_t header_count;
  std::size_t target_bytes;
  std::uint64_t body_bytes;
};

// What to answer; the connection must close after it.
struct Http1Fault {
  int status = 400;
  std::string message;
};

struct Http1Head {
  std::string method;  // requests
  std::string target;
  int status = 0;  // responses
  int minor_version = 1;
  Headers headers;
};

class Http1Decoder {
 public:
  enum class Side : std::uint8_t { Request, Response };
  enum class Event : std::uint8_t {
    NeedMore,  // the input is used up
    Head,      // head() is complete
    Body,      // body() is the next piece
    End,       // the message is complete; the next call begins another
    Fault,     // fault() says why; nothing more is decoded
  };

  Http1Decoder(Side side, const Http1Limits& limits) : side_(side), limits_(limits) {}

  // Consumes from the front of `input` and reports one event.
  Event next(std::string_view& input);
  // The peer closed: End if that ends the message, Fault if it was cut short.
  Event finish();

  Http1Head& head() { return head_; }
  std::string_view body() const { return body_; }
  const Http1Fault& fault() const { return fault_; }

  bool keep_alive() const { return keep_alive_; }
  bool expects_continue() const { return expects_continue_; }
  bool has_body() const { return state_ != State::Complete; }  // right after Head
  // Nothing of a next message has been seen.
  bool between_messages() const { return state_ == State::Head && buffer_.empty(); }
  // The response being awaited answers a HEAD request, so it has no body whatever it says.
  void answer_has_no_body() { no_body_ = true; }

 private:
  enum class State : std::uint8_t {
    Head,
    FixedBody,
    ChunkSize,
    ChunkData,
    ChunkEnd,
    Trailers,
    UntilClose,
    Complete,
    Failed
  };

  Event next_head(std::string_view& input);
  Event parse_head(std::string_view text);
  bool parse_request_line(std::string_view line);
  bool parse_status_line(std::string_view line);
  bool parse_header(std::string_view line);
  bool parse_version(std::string_view version);
  bool normalise_target(std::string_view target);
  bool interpret_headers();
  bool choose_framing(bool chunked, const std::string* length);
  Event next_fixed(std::string_view& input);
  Event next_chunk_size(std::string_view& input);
  Event next_chunk_data(std::string_view& input);
  Event next_chunk_end(std::string_view& input);
  Event next_trailer(std::string_view& input);
  Event complete();
  Event refuse(int status, std::string message);
  bool bad(int status, std::string message);

  Side side_;
  Http1Limits limits_;
  State state_ = State::Head;
  std::string buffer_;       // an incomplete head or line
  std::size_t scanned_ = 0;  // of buffer_, free of line-ending faults
  bool first_line_seen_ = false;
  std::size_t trailer_bytes_ = 0;
  std::uint64_t remaining_ = 0;   // of the body or chunk
  std::uint64_t body_total_ = 0;  // of a chunked body
  Http1Head head_;
  std::string_view body_;
  Http1Fault fault_;
  bool keep_alive_ = true;
  bool expects_continue_ = false;
  bool no_body_ = false;
};

// Strict decimal of a Content-Length; nothing on overflow or any other character.
std::optional<std::uint64_t> parse_content_length(std::string_view text);
// "limit is 3145728": Kubernetes puts "Request entity too large: " before it.
std::string body_limit_message(std::uint64_t bytes);
bool is_token(std::string_view text);
bool is_field_value(std::string_view text);

}  // namespace fixpoint::net
