// SPDX-License-Identifier: Apache-2.0
//
// SPDY/3.1 frames, without any I/O: what kubectl, kube-apiserver and kubelets multiplex streams
// with. Bytes in any split, events out; and frames out of values.
//
// Data comes in pieces as it arrives. Control frames are held until they are complete and have a
// bound, compressed and not. Flow-control windows exist in the protocol and are used by nobody
// here: the peers of this ignore them too, and rely on TCP. The first fault is final.
// Read next: net/spdy.h.
#pragma once

#include "net/http.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace fixpoint::net {

using SpdyStreamId = std::uint32_t;

// Reasons to reset a stream.
enum class SpdyReset : std::uint32_t {
  ProtocolError = 1,
  InvalidStream = 2,
  RefusedStream = 3,
  Cancel = 5,
  InternalError = 6,
};

class SpdyDecoder {
 public:
  // Of a control frame, and of its headers after they were unpacked. A dozen short headers fit.
  static constexpr std::size_t kControlBytesMax = 64 * 1024;

  enum class Event : std::uint8_t {
    NeedMore,   // the input is used up
    SynStream,  // a stream begins: stream(), headers(), is_last()
    SynReply,   // one of ours was taken
    Reset,      // stream() is over, both ways
    Ping,       // number() is to be sent back
    GoAway,     // no further stream is taken by the peer
    Data,       // bytes() of stream(); is_last() with the last of it
    Ignored,    // something that changes nothing here
    Fault,      // fault() says why; nothing more is decoded
  };

  SpdyDecoder();
  ~SpdyDecoder();
  SpdyDecoder(const SpdyDecoder&) = delete;
  SpdyDecoder& operator=(const SpdyDecoder&) = delete;

  // Consumes from the front of `input` and reports one event.
  Event next(std::string_view& input);

  SpdyStreamId stream() const { return stream_; }
  const Headers& headers() const { return headers_; }
  std::uint32_t number() const { return number_; }
  std::string_view bytes() const { return bytes_; }
  bool is_last() const { return last_; }
  std::string_view fault() const { return fault_; }

 private:
  enum class State : std::uint8_t { Head, Data, Control, Failed };

  Event refuse(std::string_view why);
  Event begin();
  Event read_data(std::string_view& input);
  Event read_control();
  Event read_headers(std::size_t at, Event event);
  bool parse_headers(std::string_view block);

  struct Inflater;
  std::unique_ptr<Inflater> inflater_;
  State state_ = State::Head;
  std::string held_;  // an incomplete head or control frame
  std::uint32_t type_ = 0;
  std::uint32_t flags_ = 0;
  std::size_t remaining_ = 0;
  SpdyStreamId stream_ = 0;
  std::uint32_t number_ = 0;
  Headers headers_;
  std::string_view bytes_;
  bool last_ = false;
  std::string_view fault_;
};

// Makes frames. One for a connection: what it packs depends on what it packed before.
class SpdyEncoder {
 public:
  // Of one data frame; longer texts are cut.
  static constexpr std::size_t kDataBytesMax = 64 * 1024;

  SpdyEncoder();
  ~SpdyEncoder();
  SpdyEncoder(const SpdyEncoder&) = delete;
  SpdyEncoder& operator=(const SpdyEncoder&) = delete;

  enum class Last : std::uint8_t { No, Yes };
  std::string syn_stream(SpdyStreamId stream, const Headers& headers);
  std::string syn_reply(SpdyStreamId stream, const Headers& headers);
  std::string data(SpdyStreamId stream, std::string_view bytes, Last last = Last::No);
  std::string reset(SpdyStreamId stream, SpdyReset why);
  std::string ping(std::uint32_t number);
  std::string go_away(SpdyStreamId last_taken);

 private:
  std::string pack(const Headers& headers);

  struct Deflater;
  std::unique_ptr<Deflater> deflater_;
};

}  // namespace fixpoint::net
