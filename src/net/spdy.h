// SPDX-License-Identifier: Apache-2.0
//
// SpdySession: the server's side of a SPDY/3.1 connection, whatever carries its bytes.
//
// The peer opens streams; each is a pipe of its own with an end for either direction. A stream
// lives until both directions ended or one side reset it. What cannot be taken is not buffered
// here: pause() holds up the whole connection, as with every speaker of this protocol that
// Kubernetes has. Everything belongs to the loop's thread.
#pragma once

#include "net/protocol/spdy_frames.h"
#include "net/upgrade.h"

#include <functional>
#include <map>
#include <memory>
#include <string_view>

namespace fixpoint::net {

class SpdySession : public std::enable_shared_from_this<SpdySession> {
 public:
  // Open at the same time; one forwarded connection takes two.
  static constexpr std::size_t kStreamsMax = 2'000;

  struct Handlers {
    // False refuses it.
    std::function<bool(SpdyStreamId, const Headers&)> opened;
    std::function<void(SpdyStreamId, std::string_view)> received;
    // The peer sends nothing more on it, and still reads.
    std::function<void(SpdyStreamId)> finished;
    std::function<void(SpdyStreamId)> reset;
    std::function<void()> drained;
    std::function<void()> ended;  // once: the connection is gone
  };

  explicit SpdySession(Handlers handlers);

  // For whoever upgrades a connection; then `use` it.
  UpgradeHandlers below();
  void use(UpgradedStreamRef stream) { stream_ = std::move(stream); }

  // To a stream that is over these do nothing.
  void write(SpdyStreamId stream, std::string_view bytes);
  void finish(SpdyStreamId stream);
  void reset(SpdyStreamId stream, SpdyReset why = SpdyReset::Cancel);
  // Ends the connection after what is queued; no handler is called any more.
  void close();

  void pause() { stream_->pause(); }
  void resume() { stream_->resume(); }
  std::size_t backlog_bytes() const { return stream_->backlog_bytes(); }
  std::size_t stream_count() const { return streams_.size(); }

 private:
  struct Directions {
    bool peer_done = false;
    bool we_are_done = false;
  };

  void received(std::string_view bytes);
  void on_event(SpdyDecoder::Event event);
  void on_opened();
  void on_data();
  void peer_finished(SpdyStreamId stream);
  void forget_if_done(SpdyStreamId stream);
  void ended();

  std::shared_ptr<const Handlers> handlers_;  // shared with the call that may end this
  UpgradedStreamRef stream_;
  SpdyDecoder decoder_;
  SpdyEncoder encoder_;
  std::map<SpdyStreamId, Directions> streams_;
  SpdyStreamId last_opened_ = 0;
};

}  // namespace fixpoint::net
