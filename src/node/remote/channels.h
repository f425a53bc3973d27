// SPDX-License-Identifier: Apache-2.0
//
// Channels: the streams of one `kubectl exec` or `attach` as the client has them, whichever of the
// protocols carries them.
//
// WebSocket: one connection, a byte before each message says whose it is (v5 can end the input,
// v4 cannot, older ones say how it ended in words only; each also in base64). SPDY: a stream each.
#pragma once

#include "net/http.h"
#include "net/loop.h"
#include "net/server.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::node {

// What the client sent, and where it is answered.
struct StreamAsk {
  net::Headers request;
  net::Headers answer;  // that every answer carries
  std::shared_ptr<net::Exchange> exchange;
};

struct StreamSet {
  bool in = false;
  bool out = false;
  bool err = false;
  bool terminal = false;
  std::size_t count() const { return std::size_t{in} + std::size_t{out} + std::size_t{err}; }
};

struct TerminalSize {
  std::uint16_t width = 0;
  std::uint16_t height = 0;
};

// How a command ended, for the client.
struct Outcome {
  int code = 0;
  std::string error;  // not empty: it never ran, or nobody knows how it ended

  // A Status, as v4 and v5 send it.
  std::string to_status() const;
  // As protocols before them say it; nothing for a success.
  std::string to_words() const;
};

class Channels {
 public:
  // All are set. From the loop, never from inside `open`, and none after `end`.
  struct Handlers {
    std::function<void()> opened;  // all streams are there; first
    std::function<void(std::string_view)> input;
    std::function<void()> input_ended;
    std::function<void(TerminalSize)> resized;
    std::function<void()> drained;  // backlog_bytes() is small again
    std::function<void()> gone;     // once: the client is
  };
  // Agrees on a protocol and answers 101. Null when that failed: the client was told why.
  static std::shared_ptr<Channels> open(net::Loop& loop, const StreamAsk& ask, StreamSet set,
                                        Handlers handlers);
  // True where the client learns of trouble through its channels rather than from the answer: an
  // API server upgrades such a connection before it asks the node.
  static bool tell_trouble_inside(const net::Headers& request);

  virtual ~Channels() = default;
  enum class Output : std::uint8_t { Out, Err };
  virtual void write(Output output, std::string_view bytes) = 0;
  // Says how it ended, after all that was written, and closes.
  virtual void end(const Outcome& outcome) = 0;

  virtual void pause() = 0;
  virtual void resume() = 0;
  virtual std::size_t backlog_bytes() const = 0;
};

// In both protocols' words of refusal.
void answer_in_words(const StreamAsk& ask, int code, const std::string& words);
// The values of a comma-separated header that may occur more than once.
std::vector<std::string> header_list(const net::Headers& headers, std::string_view name);
// {"Width":80,"Height":24}; false when it is something else.
bool parse_size(std::string_view text, TerminalSize& size);

std::shared_ptr<Channels> open_websocket_channels(net::Loop& loop, const StreamAsk& ask,
                                                  StreamSet set, Channels::Handlers handlers);
std::shared_ptr<Channels> open_spdy_channels(net::Loop& loop, const StreamAsk& ask, StreamSet set,
                                             Channels::Handlers handlers);

}  // namespace fixpoint::node
