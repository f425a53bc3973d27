// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/spdy_frames.h"

#include "base/error.h"
#include "net/protocol/spdy_dictionary.h"

#include <algorithm>
#include <array>

#include <zlib.h>

namespace fixpoint::net {
namespace {

constexpr std::uint32_t kVersion = 3;
constexpr std::uint32_t kControl = 0x80000000U;
constexpr std::uint32_t kNumberMask = 0x7fffffffU;
constexpr std::uint32_t kLastFlag = 0x01;
constexpr std::size_t kHeadBytes = 8;
// More than any client of ours has reason to send with a stream.
constexpr std::uint32_t kHeadersMax = 64;

enum class Type : std::uint32_t {
  SynStream = 1,
  SynReply = 2,
  Reset = 3,
  Ping = 6,
  GoAway = 7,
  Headers = 8,
};

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value = (value << 8U) | static_cast<std::uint8_t>(bytes[at + i]);
  return value;
}

void put(std::string& out, std::uint32_t value) {
  for (const unsigned shift : {24U, 16U, 8U, 0U}) {
    out += static_cast<char>((value >> shift) & 0xffU);
  }
}

Bytef* zlib_bytes_of(std::string_view text) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
}

std::string control(Type type, std::string_view payload) {
  std::string out;
  put(out, kControl | (kVersion << 16U) | static_cast<std::uint32_t>(type));
  put(out, static_cast<std::uint32_t>(payload.size()));
  return out.append(payload);
}

}  // namespace

struct SpdyDecoder::Inflater {
  z_stream stream{};
  std::string plain;

  Inflater() { FP_CHECK(inflateInit(&stream) == Z_OK); }
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // False when the bytes are no packed headers, or too many.
  bool unpack(std::string_view packed) {
    plain.clear();
    stream.next_in = zlib_bytes_of(packed);
    stream.avail_in = static_cast<uInt>(packed.size());
    std::array<char, 4096> buffer{};
    while (true) {
      stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
      stream.avail_out = static_cast<uInt>(buffer.size());
      int outcome = inflate(&stream, Z_SYNC_FLUSH);
      if (outcome == Z_NEED_DICT) {
        const auto& known = spdy_dictionary();
        outcome =
            inflateSetDictionary(&stream, zlib_bytes_of(known), static_cast<uInt>(known.size()));
        if (outcome != Z_OK) return false;
        continue;
      }
      if (outcome != Z_OK && outcome != Z_BUF_ERROR) return false;
      plain.append(buffer.data(), buffer.size() - stream.avail_out);
      if (plain.size() > kControlBytesMax) return false;
      if (stream.avail_out > 0) return stream.avail_in == 0;
    }
  }
};

SpdyDecoder::SpdyDecoder() : inflater_(std::make_unique<Inflater>()) {}
SpdyDecoder::~SpdyDecoder() = default;

SpdyDecoder::Event SpdyDecoder::refuse(std::string_view why) {
  fault_ = why;
  state_ = State::Failed;
  return Event::Fault;
}

SpdyDecoder::Event SpdyDecoder::next(std::string_view& input) {
  while (true) {
    if (state_ == State::Failed) return Event::Fault;
    if (state_ == State::Data) return read_data(input);
    const std::size_t wanted = state_ == State::Head ? kHeadBytes : remaining_;
    const auto taken = std::min(wanted - held_.size(), input.size());
    held_.append(input.substr(0, taken));
    input.remove_prefix(taken);
    if (held_.size() < wanted) return Event::NeedMore;
    if (state_ == State::Control) return read_control();
    if (begin() == Event::Fault) return Event::Fault;
  }
}

// A head is complete.
SpdyDecoder::Event SpdyDecoder::begin() {
  const auto first = number_at(held_, 0);
  const auto second = number_at(held_, 4);
  held_.clear();
  flags_ = second >> 24U;
  remaining_ = second & 0xffffffU;
  if ((first & kControl) == 0) {
    stream_ = first;
    if (stream_ == 0) return refuse("data without a stream");
    state_ = State::Data;
    return Event::Data;
  }
  if (((first >> 16U) & 0x7fffU) != kVersion) return refuse("not version 3 of SPDY");
  if (remaining_ > kControlBytesMax) return refuse("a control frame is too large");
  type_ = first & 0xffffU;
  state_ = State::Control;
  return Event::Ignored;
}

SpdyDecoder::Event SpdyDecoder::read_data(std::string_view& input) {
  if (input.empty() && remaining_ > 0) return Event::NeedMore;
  bytes_ = input.substr(0, remaining_);
  input.remove_prefix(bytes_.size());
  remaining_ -= bytes_.size();
  last_ = remaining_ == 0 && (flags_ & kLastFlag) != 0;
  if (remaining_ == 0) state_ = State::Head;
  return Event::Data;
}

SpdyDecoder::Event SpdyDecoder::read_control() {
  state_ = State::Head;
  const auto size = held_.size();
  const auto type = static_cast<Type>(type_);
  Event event = Event::Ignored;
  switch (type) {
    case Type::SynStream: event = read_headers(10, Event::SynStream); break;
    case Type::SynReply: event = read_headers(4, Event::SynReply); break;
    // Unpacked although nobody reads them: the next ones are packed with the help of these.
    case Type::Headers: event = read_headers(4, Event::Ignored); break;
    case Type::Reset:
      if (size != 8) return refuse("a reset has the wrong size");
      stream_ = number_at(held_, 0) & kNumberMask;
      event = Event::Reset;
      break;
    case Type::Ping:
      if (size != 4) return refuse("a ping has the wrong size");
      number_ = number_at(held_, 0);
      event = Event::Ping;
      break;
    case Type::GoAway: event = Event::GoAway; break;
  }
  held_.clear();
  return event;
}

SpdyDecoder::Event SpdyDecoder::read_headers(std::size_t at, Event event) {
  if (held_.size() < at) return refuse("a control frame is too small");
  stream_ = number_at(held_, 0) & kNumberMask;
  last_ = (flags_ & kLastFlag) != 0;
  if (stream_ == 0) return refuse("a control frame without a stream");
  if (!inflater_->unpack(std::string_view(held_).substr(at))) {
    return refuse("headers cannot be unpacked");
  }
  if (!parse_headers(inflater_->plain)) return refuse("headers make no sense");
  return event;
}

bool SpdyDecoder::parse_headers(std::string_view block) {
  headers_.clear();
  const auto number = [&block](std::uint32_t& value) {
    if (block.size() < 4) return false;
    value = number_at(block, 0);
    block.remove_prefix(4);
    return true;
  };
  const auto text = [&](std::string_view& value) {
    std::uint32_t size = 0;
    if (!number(size) || block.size() < size) return false;
    value = block.substr(0, size);
    block.remove_prefix(size);
    return true;
  };
  std::uint32_t count = 0;
  if (!number(count) || count > kHeadersMax) return false;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::string_view name;
    std::string_view value;
    if (!text(name) || name.empty() || !text(value)) return false;
    headers_.add(to_lower(name), std::string(value));
  }
  return block.empty();
}

struct SpdyEncoder::Deflater {
  z_stream stream{};
  Deflater() {
    const auto& known = spdy_dictionary();
    FP_CHECK(deflateInit(&stream, Z_BEST_SPEED) == Z_OK);
    FP_CHECK(deflateSetDictionary(&stream, zlib_bytes_of(known), static_cast<uInt>(known.size())) ==
             Z_OK);
  }
  ~Deflater() { deflateEnd(&stream); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
};

SpdyEncoder::SpdyEncoder() : deflater_(std::make_unique<Deflater>()) {}
SpdyEncoder::~SpdyEncoder() = default;

std::string SpdyEncoder::pack(const Headers& headers) {
  std::string plain;
  put(plain, static_cast<std::uint32_t>(headers.size()));
  for (const auto& [name, value] : headers) {
    put(plain, static_cast<std::uint32_t>(name.size()));
    plain += name;
    put(plain, static_cast<std::uint32_t>(value.size()));
    plain += value;
  }
  auto& stream = deflater_->stream;
  // zlib's bound, and room for the marks of a flush.
  std::string packed(deflateBound(&stream, plain.size()) + 64, '\0');
  stream.next_in = zlib_bytes_of(plain);
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = zlib_bytes_of(packed);
  stream.avail_out = static_cast<uInt>(packed.size());
  FP_CHECK(deflate(&stream, Z_SYNC_FLUSH) == Z_OK && stream.avail_out > 0);
  packed.resize(packed.size() - stream.avail_out);
  return packed;
}

std::string SpdyEncoder::syn_stream(SpdyStreamId stream, const Headers& headers) {
  std::string payload;
  put(payload, stream);
  payload.append(6, '\0');  // associated with none, no priority, no credentials
  return control(Type::SynStream, payload + pack(headers));
}

std::string SpdyEncoder::syn_reply(SpdyStreamId stream, const Headers& headers) {
  std::string payload;
  put(payload, stream);
  return control(Type::SynReply, payload + pack(headers));
}

std::string SpdyEncoder::data(SpdyStreamId stream, std::string_view bytes, Last last) {
  std::string out;
  do {
    const auto piece = bytes.substr(0, kDataBytesMax);
    bytes.remove_prefix(piece.size());
    const bool end = bytes.empty() && last == Last::Yes;
    put(out, stream);
    put(out, static_cast<std::uint32_t>(piece.size()) | (end ? kLastFlag << 24U : 0U));
    out += piece;
  } while (!bytes.empty());
  return out;
}

std::string SpdyEncoder::reset(SpdyStreamId stream, SpdyReset why) {
  std::string payload;
  put(payload, stream);
  put(payload, static_cast<std::uint32_t>(why));
  return control(Type::Reset, payload);
}

std::string SpdyEncoder::ping(std::uint32_t number) {
  std::string payload;
  put(payload, number);
  return control(Type::Ping, payload);
}

std::string SpdyEncoder::go_away(SpdyStreamId last_taken) {
  std::string payload;
  put(payload, last_taken);
  put(payload, 0);
  return control(Type::GoAway, payload);
}

}  // namespace fixpoint::net
