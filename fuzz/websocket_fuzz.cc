// SPDX-License-Identifier: Apache-2.0
//
// WebSocket frames from the network. The first byte says in which pieces the rest arrives. Checked:
// the decoder says the same however the bytes are cut, and control frames stay small.
#include "base/error.h"
#include "net/protocol/websocket_frames.h"
#include "pieces.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace {

using fixpoint::net::WebSocketDecoder;
using Event = WebSocketDecoder::Event;

std::string transcript(WebSocketDecoder::From from, std::string_view bytes, std::size_t piece) {
  WebSocketDecoder decoder(from);
  std::string said;
  fixpoint::fuzz::decode_in_pieces(decoder, bytes, piece, [&](Event event) {
    if (event == Event::Fault) said += "fault " + std::string(decoder.fault());
    if (event == Event::Fault) return false;
    if (event == Event::Data) {
      // Where pieces are cut is the reader's affair; where messages are is not.
      if (decoder.begins_message()) said += decoder.is_text() ? "<t:" : "<b:";
      said += decoder.payload();
      if (decoder.ends_message()) said += ">";
      return true;
    }
    FP_CHECK(decoder.payload().size() <= 125);
    said += "(" + std::to_string(static_cast<int>(event)) + std::string(decoder.payload()) + ")";
    return true;
  });
  return said;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto [piece, bytes] = fixpoint::fuzz::Arriving(data, size);
  for (const auto from : {WebSocketDecoder::From::Client, WebSocketDecoder::From::Server}) {
    FP_CHECK(transcript(from, bytes, bytes.size() + 1) == transcript(from, bytes, piece));
  }
  return 0;
}
