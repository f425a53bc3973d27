// SPDX-License-Identifier: Apache-2.0
//
// HTTP/1.1 from the network. The first byte says in which pieces the rest arrives. Checked: the
// decoder says the same however the bytes are cut, and the server's session survives anything.
#include "base/error.h"
#include "net/protocol/http1.h"
#include "pieces.h"
#include "session_host.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace {

using fixpoint::net::Http1Decoder;
using Event = Http1Decoder::Event;

constexpr fixpoint::net::Http1Limits kLimits{
    .header_bytes = 1024, .header_count = 16, .target_bytes = 128, .body_bytes = 1000};

// What the decoder says about the bytes, cut into pieces of that size.
std::string transcript(Http1Decoder::Side side, std::string_view bytes, std::size_t piece) {
  Http1Decoder decoder(side, kLimits);
  std::string said;
  fixpoint::fuzz::decode_in_pieces(decoder, bytes, piece, [&](Event event) {
    if (event == Event::Body) said += decoder.body();
    if (event == Event::End) said += decoder.keep_alive() ? "\nend\n" : "\nclose\n";
    if (event == Event::Head) {
      said += decoder.head().method + decoder.head().target;
      for (const auto& [name, value] : decoder.head().headers) {
        said.append(name).append("=").append(value).append(";");
      }
    }
    if (event == Event::Fault) said += std::to_string(decoder.fault().status);
    return event != Event::Fault;
  });
  return said;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto [piece, bytes] = fixpoint::fuzz::Arriving(data, size);
  for (const auto side : {Http1Decoder::Side::Request, Http1Decoder::Side::Response}) {
    FP_CHECK(transcript(side, bytes, bytes.size() + 1) == transcript(side, bytes, piece));
  }
  fixpoint::fuzz::FuzzHost host;
  host.run(fixpoint::net::make_http1_session(host), bytes, piece);
  return 0;
}
