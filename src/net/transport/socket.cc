// SPDX-License-Identifier: Apache-2.0
#include "net/transport/socket.h"

#include <cerrno>
#include <cstring>
#include <memory>

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace fixpoint::net {
namespace {

constexpr int kListenBacklog = 1024;  // connections the kernel keeps while the loop is busy
// A peer that vanished without a word is noticed after 30 + 3 * 10 seconds.
constexpr int kKeepAliveIdleSeconds = 30;
constexpr int kKeepAliveIntervalSeconds = 10;
constexpr int kKeepAliveProbes = 3;

struct AddressList {
  addrinfo* head = nullptr;
  ~AddressList() {
    if (head != nullptr) freeaddrinfo(head);
  }
};

Result<std::unique_ptr<AddressList>> resolve(const Endpoint& endpoint, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  auto list = std::make_unique<AddressList>();
  // Not left to the resolver: "localhost" must be the loopback address the server binds.
  const std::string host = endpoint.host == "localhost" ? "127.0.0.1" : endpoint.host;
  const int outcome =
      getaddrinfo(host.c_str(), std::to_string(endpoint.port).c_str(), &hints, &list->head);
  if (outcome != 0) {
    const auto kind = (flags & AI_NUMERICHOST) != 0 ? ErrorKind::Invalid : ErrorKind::Unavailable;
    return fail(kind, "address " + to_string(endpoint) + ": " + gai_strerror(outcome));
  }
  return list;
}

std::unexpected<Error> system_error(std::string_view doing, const Endpoint& endpoint, int code) {
  const auto kind = code == EADDRINUSE ? ErrorKind::Conflict : ErrorKind::Unavailable;
  return fail(kind, std::string(doing) + " " + to_string(endpoint) + ": " + std::strerror(code));
}

void set_option(int fd, int level, int name, int value) {
  // These are wishes; a socket without them still works.
  setsockopt(fd, level, name, &value, sizeof value);
}

}  // namespace

Fd::~Fd() {
  reset();
}

void Fd::reset() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

std::string to_string(const Endpoint& endpoint) {
  const bool v6 = endpoint.host.find(':') != std::string::npos;
  return (v6 ? "[" + endpoint.host + "]" : endpoint.host) + ":" + std::to_string(endpoint.port);
}

std::string format_address(const sockaddr* address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address->sa_family == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(address);
    inet_ntop(AF_INET, &v4->sin_addr, text, sizeof text);
    return to_string({.host = text, .port = ntohs(v4->sin_port)});
  }
  if (address->sa_family == AF_INET6) {
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(address);
    inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof text);
    return to_string({.host = text, .port = ntohs(v6->sin6_port)});
  }
  return "unknown";
}

Result<Fd> listen_on(const Endpoint& endpoint) {
  FP_TRY(addresses, resolve(endpoint, AI_NUMERICHOST | AI_PASSIVE));
  const addrinfo& address = *addresses->head;
  Fd fd{socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (!fd) return system_error("socket for", endpoint, errno);
  set_option(fd.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  if (bind(fd.get(), address.ai_addr, address.ai_addrlen) != 0 ||
      listen(fd.get(), kListenBacklog) != 0) {
    return system_error("listen on", endpoint, errno);
  }
  return fd;
}

Result<std::uint16_t> local_port(const Fd& fd) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  if (getsockname(fd.get(), reinterpret_cast<sockaddr*>(&storage), &size) != 0) {
    return fail(ErrorKind::Internal, std::string("getsockname: ") + std::strerror(errno));
  }
  // The port lies at the same place in both families.
  return ntohs(reinterpret_cast<const sockaddr_in*>(&storage)->sin_port);
}

Result<Fd> start_connecting(const Endpoint& endpoint) {
  FP_TRY(addresses, resolve(endpoint, 0));
  const addrinfo& address = *addresses->head;
  Fd fd{socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (!fd) return system_error("socket for", endpoint, errno);
  tune(fd.get());
  if (connect(fd.get(), address.ai_addr, address.ai_addrlen) != 0 && errno != EINPROGRESS) {
    return system_error("connect to", endpoint, errno);
  }
  return fd;
}

Result<void> connect_outcome(const Fd& fd, const Endpoint& endpoint) {
  int code = 0;
  socklen_t size = sizeof code;
  if (getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &code, &size) != 0) code = errno;
  if (code != 0) return system_error("connect to", endpoint, code);
  return {};
}

void tune(int fd) {
  set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, kKeepAliveIdleSeconds);
  set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, kKeepAliveIntervalSeconds);
  set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, kKeepAliveProbes);
}

}  // namespace fixpoint::net
