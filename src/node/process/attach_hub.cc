// SPDX-License-Identifier: Apache-2.0
#include "node/process/attach_hub.h"

#include "node/process/system_error.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace fixpoint::node {
namespace {

// A socket's name has room for a hundred letters, less than many a directory's: so by way of a
// descriptor for the directory.
struct Address {
  sockaddr_un name{};
  int directory = -1;

  explicit Address(const std::filesystem::path& where)
      : directory(::open(where.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {
    name.sun_family = AF_UNIX;
    const auto path = fmt::format("/proc/self/fd/{}/attach", directory);
    path.copy(static_cast<char*>(name.sun_path), sizeof(name.sun_path) - 1);
  }
  ~Address() {
    if (directory >= 0) ::close(directory);
  }
  Address(const Address&) = delete;
  Address& operator=(const Address&) = delete;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&name); }
};

}  // namespace

AttachHub::~AttachHub() {
  if (listener_ >= 0) ::close(listener_);
  for (const auto& client : clients_) ::close(client.fd);
}

Result<void> AttachHub::listen(const std::filesystem::path& directory) {
  const Address address(directory);
  std::error_code ignored;  // there is none, as a rule
  std::filesystem::remove(directory / "attach", ignored);
  listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener_ < 0) return trouble("attach socket");
  if (::bind(listener_, address.get(), sizeof(address.name)) != 0 || ::listen(listener_, 4) != 0) {
    return trouble("attach socket");
  }
  return {};
}

void AttachHub::send(AttachKind kind, std::string_view bytes) {
  if (clients_.empty()) return;
  const auto frame = attach_frame(kind, bytes);
  for (auto& client : clients_) {
    const bool idle = client.waiting.empty();
    client.waiting += frame;
    if (idle) client.since = {};
    flush(client);
  }
}

bool AttachHub::is_blocked() const {
  return std::ranges::any_of(
      clients_, [](const Client& client) { return !client.gone && !client.waiting.empty(); });
}

void AttachHub::add_to(std::vector<pollfd>& polls, bool takes_input) const {
  polls.push_back({listener_, POLLIN, 0});
  for (const auto& client : clients_) {
    const int events = (takes_input ? POLLIN : 0) | (client.waiting.empty() ? 0 : POLLOUT);
    polls.push_back({client.fd, static_cast<short>(events), 0});
  }
}

void AttachHub::handle(const pollfd* polls, MonotonicInstant now,
                       const std::function<void(const AttachFrame&)>& got) {
  const bool comes = polls->revents != 0;
  for (auto& client : clients_) {
    const auto found = (++polls)->revents;
    if ((found & POLLOUT) != 0) {
      flush(client);
      client.since = now;
    }
    if ((found & (POLLIN | POLLHUP | POLLERR)) != 0) read_from(client, got);
    if (client.waiting.empty()) continue;
    if (client.since == MonotonicInstant{}) client.since = now;
    if (now - client.since >= kPatience) client.gone = true;
  }
  std::erase_if(clients_, [](const Client& client) {
    if (client.gone) ::close(client.fd);
    return client.gone;
  });
  if (comes) accept_one();
}

void AttachHub::accept_one() {
  const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) return;
  if (clients_.size() >= kClientsMax) {
    ::close(fd);
    return;
  }
  clients_.emplace_back().fd = fd;
}

void AttachHub::flush(Client& client) {
  while (!client.gone && !client.waiting.empty()) {
    const auto count =
        ::send(client.fd, client.waiting.data(), client.waiting.size(), MSG_NOSIGNAL);
    if (count > 0) {
      client.waiting.erase(0, static_cast<std::size_t>(count));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return;
    } else if (errno != EINTR) {
      client.gone = true;
    }
  }
}

void AttachHub::read_from(Client& client, const std::function<void(const AttachFrame&)>& got) {
  std::array<char, std::size_t{16} << 10U> buffer;
  const auto count = ::recv(client.fd, buffer.data(), buffer.size(), 0);
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return;
  if (count <= 0) {
    client.gone = true;
    return;
  }
  client.decoder.feed({buffer.data(), static_cast<std::size_t>(count)});
  while (const auto frame = client.decoder.next()) got(*frame);
  if (client.decoder.is_broken()) client.gone = true;
}

Result<int> connect_to_hub(const std::filesystem::path& directory) {
  const Address address(directory);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return trouble("attach");
  if (::connect(fd, address.get(), sizeof(address.name)) != 0) {
    const auto why = trouble("attach");
    ::close(fd);
    return why;
  }
  return fd;
}

}  // namespace fixpoint::node
