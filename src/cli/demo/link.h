// SPDX-License-Identifier: Apache-2.0
//
// Link: the line between an operator and its API server, in the demo's hands. Bytes go through it
// as they are (TLS stays between the two ends); it can be made slow, or cut.
#pragma once

#include "base/error.h"
#include "net/loop.h"
#include "net/transport/socket.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace fixpoint::cli::demo {

class Link final : net::Pollable {
 public:
  enum class State : std::uint8_t {
    Open,
    Slow,  // what the server says arrives late, so that a piece of work takes a while
    Cut,   // open connections break, new ones end at once
  };

  // Listens on a free port of loopback.
  static Result<std::unique_ptr<Link>> open(net::Loop& loop, std::uint16_t server_port);
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  ~Link() override;

  std::uint16_t port() const { return port_; }
  void set(State state);
  // Connections that ended in a cut line, or were tried on one.
  std::size_t broken() const { return broken_; }

 private:
  class Pipe;
  Link(net::Loop& loop, net::Fd listener, std::uint16_t port, std::uint16_t server_port);
  void ready(std::uint32_t events) override;

  net::Loop& loop_;
  net::Fd listener_;
  std::uint16_t port_;
  std::uint16_t server_port_;
  State state_ = State::Open;
  std::size_t broken_ = 0;
  std::vector<std::unique_ptr<Pipe>> pipes_;
};

}  // namespace fixpoint::cli::demo
