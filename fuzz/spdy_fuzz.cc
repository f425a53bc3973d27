// SPDX-License-Identifier: Apache-2.0
//
// SPDY frames from the network. The first byte says in which pieces the rest arrives. Checked: the
// decoder says the same however the bytes are cut, and headers that were read can be sent again.
#include "base/error.h"
#include "net/protocol/spdy_frames.h"
#include "pieces.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace {

using fixpoint::net::Headers;
using fixpoint::net::SpdyDecoder;
using fixpoint::net::SpdyEncoder;
using Event = SpdyDecoder::Event;

void check_again(const Headers& headers) {
  SpdyEncoder encoder;
  SpdyDecoder decoder;
  const std::string frame = encoder.syn_stream(1, headers);
  std::string_view bytes = frame;
  FP_CHECK(decoder.next(bytes) == Event::SynStream);
  FP_CHECK(decoder.headers() == headers);
}

std::string transcript(std::string_view bytes, std::size_t piece) {
  SpdyDecoder decoder;
  std::string said;
  fixpoint::fuzz::decode_in_pieces(decoder, bytes, piece, [&](Event event) {
    if (event == Event::Fault) said += "fault " + std::string(decoder.fault());
    if (event == Event::Fault) return false;
    if (event == Event::Data) {
      said += decoder.bytes();
      if (decoder.is_last()) said += "|";
      return true;
    }
    said += "(" + std::to_string(static_cast<int>(event)) + ":" + std::to_string(decoder.stream()) +
            ")";
    if (event == Event::SynStream) check_again(decoder.headers());
    return true;
  });
  return said;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto [piece, bytes] = fixpoint::fuzz::Arriving(data, size);
  FP_CHECK(transcript(bytes, bytes.size() + 1) == transcript(bytes, piece));
  return 0;
}
