// SPDX-License-Identifier: Apache-2.0
//
// WebSocket frames from the network. The first byte says in which pieces the rest arrives. Checked:
// the decoder says the same however the bytes are cut, and control frames stay small.
#include "base/error.h"
#include "net/protocol/websocket_frames.h"

#include <algorithm>
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
  while (!bytes.empty()) {
    auto part = bytes.substr(0, piece);
    bytes.remove_prefix(part.size());
    while (true) {
      const auto event = decoder.next(part);
      if (event == Event::NeedMore) break;
      if (event == Event::Fault) return said + "fault " + std::string(decoder.fault());
      if (event == Event::Data) {
        // Where pieces are cut is the reader's affair; where messages are is not.
        if (decoder.begins_message()) said += decoder.is_text() ? "<t:" : "<b:";
        said += decoder.payload();
        if (decoder.ends_message()) said += ">";
        continue;
      }
      FP_CHECK(decoder.payload().size() <= 125);
      said += "(" + std::to_string(static_cast<int>(event)) + std::string(decoder.payload()) + ")";
    }
    FP_CHECK(part.empty());
  }
  return said;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece = std::max<std::size_t>(1, data[0] % 64);
  const std::string_view bytes{reinterpret_cast<const char*>(data) + 1, size - 1};
  for (const auto from : {WebSocketDecoder::From::Client, WebSocketDecoder::From::Server}) {
    FP_CHECK(transcript(from, bytes, bytes.size() + 1) == transcript(from, bytes, piece));
  }
  return 0;
}
