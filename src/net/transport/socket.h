// SPDX-License-Identifier: Apache-2.0
//
// TCP sockets: numeric addresses, listening, connecting. Everything is non-blocking and
// close-on-exec.
#pragma once

#include "base/error.h"

#include <cstdint>
#include <string>
#include <utility>

struct sockaddr;

namespace fixpoint::net {

// Owns a descriptor.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd();
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void reset();

 private:
  int fd_ = -1;
};

struct Endpoint {
  std::string host;
  std::uint16_t port = 0;
};
// "127.0.0.1:80", "[::1]:80"
std::string to_string(const Endpoint& endpoint);

// The host must be a numeric address or "localhost". Errors name the address.
Result<Fd> listen_on(const Endpoint& endpoint);
Result<std::uint16_t> local_port(const Fd& fd);
std::string format_address(const sockaddr* address);

// Starts connecting; the socket becomes writable when it is decided. Names are resolved by the
// system's resolver, which blocks: give numeric addresses where that matters.
Result<Fd> start_connecting(const Endpoint& endpoint);
// The outcome of a connect that has been decided.
Result<void> connect_outcome(const Fd& fd, const Endpoint& endpoint);

// No delay for small writes, and keep-alive so that vanished peers are noticed.
void tune(int fd);

}  // namespace fixpoint::net
