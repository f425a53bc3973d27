// SPDX-License-Identifier: Apache-2.0
//
// UpgradedStream: a connection that left HTTP by way of 101, or something that carries bytes like
// one. Both ways, until either side ends.
//
// Whoever writes asks backlog_bytes() and stops; whoever cannot take what comes pauses. Read next:
// websocket.h and spdy.h, which are spoken on it.
#pragma once

#include "net/http.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace fixpoint::net {

class UpgradedStream {
 public:
  // One that is dropped is cut.
  virtual ~UpgradedStream() = default;

  virtual void write(Chunk chunk) = 0;
  void write(std::string bytes) { write(make_chunk(std::move(bytes))); }
  // Sends what is queued and then closes. No handler is called any more.
  virtual void finish() = 0;
  // Closes now, losing what is queued. No handler is called any more.
  virtual void cut() = 0;

  // Stops `received`; up to one buffer may still come.
  virtual void pause() = 0;
  virtual void resume() = 0;
  // Bytes queued and not yet handed to the kernel.
  virtual std::size_t backlog_bytes() const = 0;
  virtual bool is_open() const = 0;
};
using UpgradedStreamRef = std::shared_ptr<UpgradedStream>;

// Called from the loop, never from inside the call that hands them over.
struct UpgradeHandlers {
  std::function<void(std::string_view)> received;
  std::function<void()> drained;  // bytes went out, and the backlog is small
  // Once: the peer ended or vanished, a limit or a shutdown cut it.
  std::function<void()> ended;
};

}  // namespace fixpoint::net
