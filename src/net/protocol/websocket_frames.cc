// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/websocket_frames.h"

#include "base/base64.h"
#include "base/error.h"

#include <algorithm>

#include <openssl/evp.h>

namespace fixpoint::net {
namespace {

constexpr std::uint8_t kFinal = 0x80;
constexpr std::uint8_t kReserved = 0x70;
constexpr std::uint8_t kMasked = 0x80;
constexpr std::uint64_t kControlBytesMax = 125;
constexpr std::uint8_t kLength16 = 126;
constexpr std::uint8_t kLength64 = 127;
// How much is unmasked at once: a piece as large as what one read from a socket brings.
constexpr std::size_t kPieceBytes = 64 * 1024;

bool is_control(WebSocketOpcode opcode) {
  return opcode >= WebSocketOpcode::Close;
}

bool is_known(std::uint8_t opcode) {
  return opcode <= 2 || (opcode >= 8 && opcode <= 10);
}

}  // namespace

WebSocketDecoder::Event WebSocketDecoder::refuse(std::string_view why) {
  fault_ = why;
  state_ = State::Failed;
  return Event::Fault;
}

WebSocketDecoder::Event WebSocketDecoder::next(std::string_view& input) {
  while (true) {
    if (state_ == State::Failed) return Event::Fault;
    if (state_ == State::Payload) return read_payload(input);
    if (!gather_head(input)) return Event::NeedMore;
    if (const auto event = read_head()) return *event;
  }
}

// True once all of the head is there.
bool WebSocketDecoder::gather_head(std::string_view& input) {
  while (true) {
    std::size_t wanted = 2;
    if (head_size_ >= 2) {
      const auto length = head_[1] & 0x7fU;
      if (length == kLength16) wanted += 2;
      if (length == kLength64) wanted += 8;
      if ((head_[1] & kMasked) != 0) wanted += 4;
    }
    if (head_size_ == wanted) return true;
    if (input.empty()) return false;
    head_[head_size_++] = static_cast<std::uint8_t>(input.front());
    input.remove_prefix(1);
  }
}

// An event only where the frame is a fault, or complete with its head.
std::optional<WebSocketDecoder::Event> WebSocketDecoder::read_head() {
  const auto opcode = static_cast<std::uint8_t>(head_[0] & 0x0fU);
  const bool masked = (head_[1] & kMasked) != 0;
  if ((head_[0] & kReserved) != 0) return refuse("a reserved bit is set");
  if (!is_known(opcode)) return refuse("an unknown kind of frame");
  if (masked != (from_ == From::Client)) return refuse("a frame is masked the wrong way");
  opcode_ = static_cast<WebSocketOpcode>(opcode);
  final_ = (head_[0] & kFinal) != 0;

  std::size_t at = 2;
  remaining_ = head_[1] & 0x7fU;
  if (remaining_ >= kLength16) {
    const std::size_t bytes = remaining_ == kLength16 ? 2 : 8;
    remaining_ = 0;
    for (std::size_t i = 0; i < bytes; ++i) remaining_ = (remaining_ << 8U) | head_[at++];
  }
  if ((remaining_ >> 63U) != 0) return refuse("a frame's length is negative");
  if (masked) std::copy_n(head_.begin() + static_cast<std::ptrdiff_t>(at), 4, mask_.begin());
  mask_at_ = 0;
  head_size_ = 0;
  state_ = State::Payload;

  if (is_control(opcode_)) {
    if (!final_ || remaining_ > kControlBytesMax) return refuse("a control frame is too large");
    control_.clear();
    return std::nullopt;
  }
  if ((opcode_ == WebSocketOpcode::Continuation) != in_message_) {
    return refuse("a message begins or goes on where it cannot");
  }
  if (!in_message_) {
    in_message_ = true;
    fresh_ = true;
    text_ = opcode_ == WebSocketOpcode::Text;
  }
  return std::nullopt;
}

void WebSocketDecoder::take(std::string_view& input, std::string& into) {
  const auto count =
      static_cast<std::size_t>(std::min<std::uint64_t>({remaining_, input.size(), kPieceBytes}));
  const auto begin = into.size();
  into.append(input.substr(0, count));
  input.remove_prefix(count);
  remaining_ -= count;
  if (from_ == From::Server) return;
  for (auto i = begin; i < into.size(); ++i) {
    into[i] = static_cast<char>(static_cast<std::uint8_t>(into[i]) ^ mask_[mask_at_++ & 3U]);
  }
}

WebSocketDecoder::Event WebSocketDecoder::read_payload(std::string_view& input) {
  if (is_control(opcode_)) {
    take(input, control_);
    return remaining_ > 0 ? Event::NeedMore : control();
  }
  if (input.empty() && remaining_ > 0) return Event::NeedMore;
  scratch_.clear();
  take(input, scratch_);
  payload_ = scratch_;
  begins_ = fresh_;
  ends_ = final_ && remaining_ == 0;
  fresh_ = false;
  if (remaining_ == 0) state_ = State::Head;
  if (ends_) in_message_ = false;
  return Event::Data;
}

WebSocketDecoder::Event WebSocketDecoder::control() {
  state_ = State::Head;
  payload_ = control_;
  if (opcode_ == WebSocketOpcode::Ping) return Event::Ping;
  if (opcode_ == WebSocketOpcode::Pong) return Event::Pong;
  if (control_.size() == 1) return refuse("a reason to close is half a number");
  return Event::Close;
}

std::string websocket_frame(WebSocketOpcode opcode, std::string_view payload,
                            std::optional<std::array<std::uint8_t, 4>> mask) {
  std::string out;
  out.reserve(payload.size() + 14);
  const auto put = [&](std::uint64_t byte) { out += static_cast<char>(byte & 0xffU); };
  put(kFinal | static_cast<std::uint8_t>(opcode));
  const std::uint8_t masked = mask ? kMasked : 0;
  if (payload.size() <= kControlBytesMax) {
    put(masked | payload.size());
  } else if (payload.size() <= 0xffff) {
    put(masked | kLength16);
    for (const unsigned shift : {8U, 0U}) put(payload.size() >> shift);
  } else {
    put(masked | kLength64);
    for (unsigned shift = 64; shift > 0; shift -= 8) put(payload.size() >> (shift - 8));
  }
  if (!mask) return out.append(payload);
  for (const auto byte : *mask) put(byte);
  for (std::size_t i = 0; i < payload.size(); ++i) {
    put(static_cast<std::uint8_t>(payload[i]) ^ (*mask)[i & 3U]);
  }
  return out;
}

std::string websocket_close_payload(std::uint16_t code) {
  return {static_cast<char>(code >> 8U), static_cast<char>(code & 0xffU)};
}

std::string websocket_accept(std::string_view key) {
  // The number is RFC 6455's own.
  const std::string text = std::string(key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  FP_CHECK(EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr) == 1);
  return base64_encode({reinterpret_cast<const char*>(digest.data()), size});
}

}  // namespace fixpoint::net
