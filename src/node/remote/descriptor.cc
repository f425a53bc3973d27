// SPDX-License-Identifier: Apache-2.0
#include "node/remote/descriptor.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace fixpoint::node {
namespace {

bool would_block(int code) {
  return code == EAGAIN || code == EWOULDBLOCK || code == EINTR;
}

std::unexpected<Error> exhausted(std::string_view doing) {
  return fail(ErrorKind::Exhausted, fmt::format("{}: {}", doing, std::strerror(errno)));
}

}  // namespace

DescriptorReader::DescriptorReader(net::Loop& loop, net::Fd fd, Handlers handlers)
    : loop_(loop), fd_(std::move(fd)), handlers_(std::move(handlers)) {
  resume();
}

DescriptorReader::~DescriptorReader() {
  pause();
}

// A hang-up is told whatever one waits for, so a paused one must not be watched at all.
void DescriptorReader::pause() {
  if (std::exchange(watched_, false)) loop_.unwatch(fd_.get(), *this);
}

void DescriptorReader::resume() {
  if (!fd_ || std::exchange(watched_, true)) return;
  loop_.watch(fd_.get(), EPOLLIN, *this);
}

void DescriptorReader::ready(std::uint32_t) {
  std::array<char, std::size_t{32} << 10U> buffer;
  const auto count = ::read(fd_.get(), buffer.data(), buffer.size());
  if (count < 0 && would_block(errno)) return;
  if (count > 0) return handlers_.more({buffer.data(), static_cast<std::size_t>(count)});
  // A terminal whose other side is closed says so with an error.
  pause();
  fd_.reset();
  const auto ended = std::move(handlers_.ended);  // may destroy this
  ended();
}

DescriptorWriter::DescriptorWriter(net::Loop& loop, net::Fd fd, Handlers handlers)
    : loop_(loop), fd_(std::move(fd)), handlers_(std::move(handlers)) {}

DescriptorWriter::~DescriptorWriter() {
  close();
}

void DescriptorWriter::close() {
  if (!fd_) return;
  if (std::exchange(watched_, false)) loop_.unwatch(fd_.get(), *this);
  // What else reads the same socket holds it open; of other kinds this is refused.
  ::shutdown(fd_.get(), SHUT_WR);
  fd_.reset();
  waiting_.clear();
}

void DescriptorWriter::write(std::string_view bytes) {
  if (!fd_ || finishing_ || bytes.empty()) return;
  const bool idle = waiting_.empty();
  waiting_.append(bytes);
  if (idle) flush();
}

void DescriptorWriter::finish() {
  finishing_ = true;
  if (waiting_.empty()) close();
}

bool DescriptorWriter::flush() {
  std::size_t done = 0;
  while (done < waiting_.size()) {
    const auto count = ::write(fd_.get(), waiting_.data() + done, waiting_.size() - done);
    if (count >= 0) {
      done += static_cast<std::size_t>(count);
    } else if (errno == EINTR) {
      continue;
    } else if (would_block(errno)) {
      break;
    } else {
      close();
      if (const auto broken = std::exchange(handlers_.broken, {})) broken();
      return false;
    }
  }
  waiting_.erase(0, done);
  const bool wanted = !waiting_.empty();
  if (wanted && !std::exchange(watched_, true)) loop_.watch(fd_.get(), EPOLLOUT, *this);
  if (!wanted && std::exchange(watched_, false)) loop_.unwatch(fd_.get(), *this);
  if (!wanted && finishing_) close();
  return true;
}

void DescriptorWriter::ready(std::uint32_t) {
  if (flush() && waiting_.empty() && handlers_.drained) handlers_.drained();
}

Result<PipeEnds> PipeEnds::make() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) return exhausted("pipe");
  return PipeEnds{.read = net::Fd(ends[0]), .write = net::Fd(ends[1])};
}

Result<net::Fd> duplicate(const net::Fd& fd) {
  net::Fd copy(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 0));
  if (!copy) return exhausted("duplicate a descriptor");
  return copy;
}

void set_blocking(const net::Fd& fd) {
  const int flags = ::fcntl(fd.get(), F_GETFL);
  ::fcntl(fd.get(), F_SETFL, flags & ~O_NONBLOCK);
}

}  // namespace fixpoint::node
