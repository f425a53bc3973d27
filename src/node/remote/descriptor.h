// SPDX-License-Identifier: Apache-2.0
//
// A descriptor read or written as the loop finds it ready: a pipe, a terminal, a socket. Each owns
// its descriptor; one that is both read and written is duplicated.
#pragma once

#include "base/error.h"
#include "net/loop.h"
#include "net/transport/socket.h"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace fixpoint::node {

class DescriptorReader final : private net::Pollable {
 public:
  struct Handlers {
    std::function<void(std::string_view)> more;
    std::function<void()> ended;  // once, after all that was in it
  };
  DescriptorReader(net::Loop& loop, net::Fd fd, Handlers handlers);
  ~DescriptorReader() override;
  DescriptorReader(const DescriptorReader&) = delete;
  DescriptorReader& operator=(const DescriptorReader&) = delete;

  void pause();
  void resume();
  bool is_open() const { return static_cast<bool>(fd_); }

 private:
  void ready(std::uint32_t events) override;

  net::Loop& loop_;
  net::Fd fd_;
  Handlers handlers_;
  bool watched_ = false;
};

class DescriptorWriter final : private net::Pollable {
 public:
  struct Handlers {
    std::function<void()> drained;  // nothing waits any more
    std::function<void()> broken;   // once: nobody reads it
  };
  DescriptorWriter(net::Loop& loop, net::Fd fd, Handlers handlers);
  ~DescriptorWriter() override;
  DescriptorWriter(const DescriptorWriter&) = delete;
  DescriptorWriter& operator=(const DescriptorWriter&) = delete;

  // What the kernel does not take waits here; whoever writes asks backlog_bytes() and stops.
  void write(std::string_view bytes);
  // Closes it, for a socket its sending half, after what waits.
  void finish();
  std::size_t backlog_bytes() const { return waiting_.size(); }

 private:
  void ready(std::uint32_t events) override;
  // False when it broke, and this may be gone.
  bool flush();
  void close();

  net::Loop& loop_;
  net::Fd fd_;
  Handlers handlers_;
  std::string waiting_;
  bool watched_ = false;
  bool finishing_ = false;
};

// Non-blocking ends, closed by exec.
struct PipeEnds {
  net::Fd read;
  net::Fd write;
  static Result<PipeEnds> make();
};
Result<net::Fd> duplicate(const net::Fd& fd);
void set_blocking(const net::Fd& fd);

}  // namespace fixpoint::node
