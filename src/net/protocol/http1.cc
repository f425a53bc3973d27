// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/http1.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

namespace fixpoint::net {
namespace {

constexpr std::size_t kChunkLineBytesMax = 256;  // sixteen digits, and extensions nobody sends
constexpr std::size_t kChunkDigitsMax = 15;      // fits 64 bits without an overflow check
constexpr std::size_t kMethodBytesMax = 32;
// What a request line has besides its target.
constexpr std::size_t kRequestLineRest = kMethodBytesMax + std::string_view("  HTTP/1.1\r").size();

constexpr auto kTokenCharacters = [] {
  std::array<bool, 256> table{};
  for (int c = '0'; c <= '9'; ++c) table[static_cast<std::size_t>(c)] = true;
  for (int c = 'a'; c <= 'z'; ++c) table[static_cast<std::size_t>(c)] = true;
  for (int c = 'A'; c <= 'Z'; ++c) table[static_cast<std::size_t>(c)] = true;
  for (const char c : std::string_view("!#$%&'*+-.^_`|~"))
    table[static_cast<std::uint8_t>(c)] = true;
  return table;
}();

// Cuts the first line, without its CRLF, off `text`; every line in there is known to have one.
std::string_view take_line(std::string_view& text) {
  const auto end = text.find('\n');
  const auto line = text.substr(0, end - 1);
  text.remove_prefix(end + 1);
  return line;
}

bool is_target(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return kTokenCharacters[static_cast<std::uint8_t>(c)];
  });
}

bool is_field_value(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    const auto byte = static_cast<std::uint8_t>(c);
    return (byte >= 0x20 && byte != 0x7f) || c == '\t';
  });
}

std::optional<std::uint64_t> parse_content_length(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string body_limit_message(std::uint64_t bytes) {
  return "limit is " + std::to_string(bytes);
}

Http1Decoder::Event Http1Decoder::refuse(int status, std::string message) {
  fault_ = {status, std::move(message)};
  state_ = State::Failed;
  return Event::Fault;
}

bool Http1Decoder::bad(int status, std::string message) {
  refuse(status, std::move(message));
  return false;
}

Http1Decoder::Event Http1Decoder::next(std::string_view& input) {
  switch (state_) {
    case State::Head: return next_head(input);
    case State::FixedBody:
    case State::UntilClose: return next_fixed(input);
    case State::ChunkSize: return next_chunk_size(input);
    case State::ChunkData: return next_chunk_data(input);
    case State::ChunkEnd: return next_chunk_end(input);
    case State::Trailers: return next_trailer(input);
    case State::Complete: return complete();
    case State::Failed: return Event::Fault;
  }
  std::unreachable();
}

Http1Decoder::Event Http1Decoder::complete() {
  state_ = State::Head;
  no_body_ = false;
  return Event::End;
}

Http1Decoder::Event Http1Decoder::finish() {
  if (state_ == State::UntilClose || state_ == State::Complete) return complete();
  if (state_ == State::Failed) return Event::Fault;
  return refuse(400, "the connection closed in the middle of a message");
}

// Looks for the empty line that ends the head. The bytes are copied only when they come in pieces.
Http1Decoder::Event Http1Decoder::next_head(std::string_view& input) {
  // RFC 9112 section 2.2: blank lines before a request are left over from sloppy clients.
  while (buffer_.empty() && input.starts_with("\r\n")) input.remove_prefix(2);
  if (input.empty()) return Event::NeedMore;
  const std::size_t held = buffer_.size();
  const auto room = limits_.header_bytes + 1 - held;
  if (held > 0) buffer_.append(input.substr(0, room));
  const std::string_view text = held > 0 ? std::string_view{buffer_} : input.substr(0, room);

  for (auto at = text.find('\n', scanned_); at != std::string_view::npos;
       at = text.find('\n', at + 1)) {
    // Before anything else is said about the line, so that it does not matter how it arrived.
    if (!first_line_seen_ && at > limits_.target_bytes + kRequestLineRest) break;
    if (at == 0 || text[at - 1] != '\r') return refuse(400, "a line does not end with CR LF");
    if (at == 1 && held == 1) {  // a blank line that came in two pieces
      buffer_.clear();
      scanned_ = 0;
      input.remove_prefix(1);
      return next_head(input);
    }
    first_line_seen_ = true;
    if (at < 3 || text[at - 2] != '\n') continue;
    if (at + 1 > limits_.header_bytes) break;
    input.remove_prefix(at + 1 - held);
    return parse_head(text.substr(0, at + 1));
  }
  if (!first_line_seen_ && text.size() > limits_.target_bytes + kRequestLineRest) {
    return refuse(414, "the request line is too long");
  }
  if (text.size() > limits_.header_bytes) {
    return refuse(431,
                  "the header is larger than " + std::to_string(limits_.header_bytes) + " bytes");
  }
  scanned_ = text.size();
  if (held == 0) buffer_.assign(text);
  input.remove_prefix(input.size());
  return Event::NeedMore;
}

Http1Decoder::Event Http1Decoder::parse_head(std::string_view text) {
  head_ = {};
  first_line_seen_ = false;
  scanned_ = 0;
  const auto first = take_line(text);
  bool good = side_ == Side::Request ? parse_request_line(first) : parse_status_line(first);
  while (good && text.size() > 2) good = parse_header(take_line(text));
  good = good && interpret_headers();
  buffer_.clear();
  if (buffer_.capacity() > 1024) buffer_.shrink_to_fit();  // heads in pieces are rare
  return good ? Event::Head : Event::Fault;
}

bool Http1Decoder::parse_request_line(std::string_view line) {
  const auto first = line.find(' ');
  const auto last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return bad(400, "malformed request line");
  const auto method = line.substr(0, first);
  const auto target = line.substr(first + 1, last - first - 1);
  if (method.size() > kMethodBytesMax || !is_token(method)) return bad(400, "malformed method");
  if (!is_target(target)) return bad(400, "malformed request target");
  if (target.size() > limits_.target_bytes) {
    return bad(414, "the request target is longer than " + std::to_string(limits_.target_bytes) +
                        " bytes");
  }
  if (!parse_version(line.substr(last + 1))) return false;
  head_.method = method;
  return normalise_target(target);
}

// Proxies' absolute form becomes the path; anything that is neither is refused.
bool Http1Decoder::normalise_target(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    target.remove_prefix(scheme.size());
    const auto path = target.find_first_of("/?");
    target = path == std::string_view::npos ? std::string_view{} : target.substr(path);
    head_.target = target.starts_with('/') ? "" : "/";
    head_.target += target;
    return true;
  }
  if (!target.starts_with('/') && !(target == "*" && head_.method == "OPTIONS")) {
    return bad(400, "the request target is not a path");
  }
  head_.target = target;
  return true;
}

bool Http1Decoder::parse_version(std::string_view version) {
  if (version.size() != 8 || !version.starts_with("HTTP/") || version[6] != '.' ||
      hex_digit(version[5]) < 0 || hex_digit(version[7]) < 0) {
    return bad(400, "malformed HTTP version");
  }
  if (version[5] != '1') return bad(505, "only HTTP/1.1 and HTTP/2 are spoken here");
  head_.minor_version = version[7] == '0' ? 0 : 1;
  return true;
}

bool Http1Decoder::parse_status_line(std::string_view line) {
  if (line.size() < 12 || line[8] != ' ') return bad(400, "malformed status line");
  if (!parse_version(line.substr(0, 8))) return false;
  for (const char c : line.substr(9, 3)) {
    if (c < '0' || c > '9') return bad(400, "malformed status code");
    head_.status = head_.status * 10 + (c - '0');
  }
  const auto reason = line.substr(12);
  if (head_.status < 100 || (!reason.empty() && reason[0] != ' ') || !is_field_value(reason)) {
    return bad(400, "malformed status line");
  }
  return true;
}

bool Http1Decoder::parse_header(std::string_view line) {
  if (line.starts_with(' ') || line.starts_with('\t')) return bad(400, "a header is folded");
  if (head_.headers.size() >= limits_.header_count) {
    return bad(431, "there are more than " + std::to_string(limits_.header_count) + " headers");
  }
  const auto colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) {
    return bad(400, "malformed header name");
  }
  const auto value = without_blanks(line.substr(colon + 1));
  if (!is_field_value(value)) return bad(400, "malformed header value");
  head_.headers.add(to_lower(line.substr(0, colon)), std::string(value));
  return true;
}

bool Http1Decoder::interpret_headers() {
  const std::string* length = nullptr;
  int lengths = 0;
  int encodings = 0;
  int hosts = 0;
  bool chunked = false;
  bool close = false;
  bool keep = false;
  expects_continue_ = false;
  for (const auto& [name, value] : head_.headers) {
    if (name == "content-length") {
      length = &value;
      ++lengths;
    } else if (name == "transfer-encoding") {
      chunked = equals_ignoring_case(value, "chunked");
      if (!chunked) return bad(501, "the only transfer coding known here is chunked");
      ++encodings;
    } else if (name == "host") {
      ++hosts;
    } else if (name == "expect") {
      expects_continue_ = equals_ignoring_case(value, "100-continue");
      if (!expects_continue_) return bad(417, "the only expectation known here is 100-continue");
    } else if (name == "connection") {
      close = close || head_.headers.has_token(name, "close");
      keep = keep || head_.headers.has_token(name, "keep-alive");
    }
  }
  if (lengths > 1 || encodings > 1 || (lengths > 0 && encodings > 0)) {
    return bad(400, "the length of the body is stated more than once");
  }
  if (chunked && head_.minor_version == 0) return bad(400, "HTTP/1.0 knows no chunked bodies");
  if (side_ == Side::Request && (hosts > 1 || (hosts == 0 && head_.minor_version > 0))) {
    return bad(400, "a request needs exactly one Host header");
  }
  if (head_.minor_version == 0) expects_continue_ = false;
  keep_alive_ = !close && (head_.minor_version > 0 || keep);
  return choose_framing(chunked, length);
}

bool Http1Decoder::choose_framing(bool chunked, const std::string* length) {
  remaining_ = 0;
  body_total_ = 0;
  trailer_bytes_ = 0;
  std::optional<std::uint64_t> size;
  if (length != nullptr) {
    size = parse_content_length(*length);
    if (!size) return bad(400, "malformed Content-Length");
  }
  const bool response = side_ == Side::Response;
  const bool bare = head_.status / 100 == 1 || head_.status == 204 || head_.status == 304;
  if (response && (no_body_ || bare)) {
    state_ = State::Complete;
    return true;
  }
  if (chunked) {
    state_ = State::ChunkSize;
  } else if (size) {
    if (*size > limits_.body_bytes) {
      return bad(413, body_limit_message(limits_.body_bytes));
    }
    remaining_ = *size;
    state_ = *size > 0 ? State::FixedBody : State::Complete;
  } else if (response) {
    remaining_ = std::numeric_limits<std::uint64_t>::max();
    keep_alive_ = false;
    state_ = State::UntilClose;
  } else {
    state_ = State::Complete;
  }
  return true;
}

Http1Decoder::Event Http1Decoder::next_fixed(std::string_view& input) {
  if (input.empty()) return Event::NeedMore;
  body_ =
      input.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(remaining_, input.size())));
  input.remove_prefix(body_.size());
  if (state_ == State::FixedBody) {
    remaining_ -= body_.size();
    if (remaining_ == 0) state_ = State::Complete;
  }
  return Event::Body;
}

Http1Decoder::Event Http1Decoder::next_chunk_size(std::string_view& input) {
  while (!input.empty()) {
    const char c = input.front();
    input.remove_prefix(1);
    if (c != '\n') {
      if (buffer_.size() >= kChunkLineBytesMax)
        return refuse(400, "a chunk's size line is too long");
      buffer_ += c;
      continue;
    }
    if (!buffer_.ends_with('\r')) return refuse(400, "a line does not end with CR LF");
    buffer_.pop_back();
    std::size_t digits = 0;
    remaining_ = 0;
    while (digits < buffer_.size() && hex_digit(buffer_[digits]) >= 0) {
      if (digits == kChunkDigitsMax) return refuse(400, "a chunk is too large");
      remaining_ = remaining_ * 16 + static_cast<std::uint64_t>(hex_digit(buffer_[digits++]));
    }
    const bool rest_good = digits == buffer_.size() ||
                           (buffer_[digits] == ';' && is_field_value(std::string_view(buffer_)));
    if (digits == 0 || !rest_good) return refuse(400, "malformed chunk size");
    buffer_.clear();
    body_total_ += remaining_;
    if (body_total_ > limits_.body_bytes) {
      return refuse(413, body_limit_message(limits_.body_bytes));
    }
    state_ = remaining_ > 0 ? State::ChunkData : State::Trailers;
    return next(input);
  }
  return Event::NeedMore;
}

Http1Decoder::Event Http1Decoder::next_chunk_data(std::string_view& input) {
  if (input.empty()) return Event::NeedMore;
  body_ =
      input.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(remaining_, input.size())));
  input.remove_prefix(body_.size());
  remaining_ -= body_.size();
  if (remaining_ == 0) {
    state_ = State::ChunkEnd;
    remaining_ = 2;
  }
  return Event::Body;
}

Http1Decoder::Event Http1Decoder::next_chunk_end(std::string_view& input) {
  while (remaining_ > 0) {
    if (input.empty()) return Event::NeedMore;
    if (input.front() != (remaining_ == 2 ? '\r' : '\n')) {
      return refuse(400, "a chunk is longer than its size says");
    }
    input.remove_prefix(1);
    --remaining_;
  }
  state_ = State::ChunkSize;
  return next(input);
}

// Trailers carry nothing we use; they are checked for shape and dropped.
Http1Decoder::Event Http1Decoder::next_trailer(std::string_view& input) {
  while (!input.empty()) {
    const char c = input.front();
    input.remove_prefix(1);
    if (++trailer_bytes_ > limits_.header_bytes) return refuse(431, "the trailers are too large");
    if (c != '\n') {
      buffer_ += c;
      continue;
    }
    if (!buffer_.ends_with('\r')) return refuse(400, "a line does not end with CR LF");
    buffer_.pop_back();
    const bool last = buffer_.empty();
    const auto colon = buffer_.find(':');
    const bool shaped = colon != std::string::npos &&
                        is_token(std::string_view(buffer_).substr(0, colon)) &&
                        is_field_value(std::string_view(buffer_).substr(colon));
    if (!last && !shaped) return refuse(400, "malformed trailer");
    buffer_.clear();
    if (last) return complete();
  }
  return Event::NeedMore;
}

}  // namespace fixpoint::net
