// SPDX-License-Identifier: Apache-2.0
#include "node/process/bind_guard.h"

#include "base/file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <optional>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace fixpoint::node {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;  // none that asks: everything is left alone
#endif

int install(sock_fprog& program) {
  return static_cast<int>(
      ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program));
}

// Closes what it holds.
class Held {
 public:
  explicit Held(long fd) : fd_(static_cast<int>(fd)) {}
  ~Held() {
    if (fd_ >= 0) ::close(fd_);
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

// The process that a thread belongs to.
std::optional<int> process_of(std::uint32_t thread) {
  constexpr std::string_view kName = "\nTgid:\t";
  const auto text = read_file(fmt::format("/proc/{}/status", thread));
  if (!text) return std::nullopt;
  const auto at = text->find(kName);
  if (at == std::string::npos) return std::nullopt;
  int pid = 0;
  const char* begin = text->data() + at + kName.size();
  const auto read = std::from_chars(begin, text->data() + text->size(), pid);
  return read.ec == std::errc{} ? std::optional{pid} : std::nullopt;
}

struct Wish {
  sockaddr_storage address{};
  socklen_t size = 0;
};

std::optional<Wish> wish_of(const seccomp_notif& question) {
  Wish wish;
  wish.size =
      static_cast<socklen_t>(std::min<std::uint64_t>(question.data.args[2], sizeof(wish.address)));
  const iovec here{.iov_base = &wish.address, .iov_len = wish.size};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): it is a place in another process
  const iovec there{.iov_base = reinterpret_cast<void*>(question.data.args[1]),
                    .iov_len = wish.size};
  const auto count = ::process_vm_readv(static_cast<pid_t>(question.pid), &here, 1, &there, 1, 0);
  if (count != static_cast<ssize_t>(wish.size)) return std::nullopt;
  return wish;
}

bool takes_only_version_six(int socket) {
  int only = 0;
  socklen_t size = sizeof(only);
  return ::getsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &only, &size) == 0 && only != 0;
}

// Nothing when the program is to do it itself; else 0 or the errno of having done it.
std::optional<int> done_for(const seccomp_notif& question, in_addr address) {
  auto wish = wish_of(question);
  if (!wish || !redirect(wish->address, wish->size, address)) return std::nullopt;
  const auto pid = process_of(question.pid);
  if (!pid) return std::nullopt;
  const Held process(::syscall(SYS_pidfd_open, *pid, 0));
  if (process.get() < 0) return std::nullopt;
  const Held socket(
      ::syscall(SYS_pidfd_getfd, process.get(), static_cast<int>(question.data.args[0]), 0));
  if (socket.get() < 0) return std::nullopt;
  // One of version six alone has no way to our addresses.
  if (wish->address.ss_family == AF_INET6 && takes_only_version_six(socket.get())) {
    return std::nullopt;
  }
  const auto* to = reinterpret_cast<const sockaddr*>(&wish->address);
  return ::bind(socket.get(), to, wish->size) == 0 ? 0 : errno;
}

}  // namespace

bool redirect(sockaddr_storage& wanted, socklen_t size, in_addr address) {
  if (wanted.ss_family == AF_INET && size >= sizeof(sockaddr_in)) {
    auto& four = reinterpret_cast<sockaddr_in&>(wanted);
    if (four.sin_addr.s_addr != htonl(INADDR_ANY) || four.sin_port == 0) return false;
    four.sin_addr = address;
    return true;
  }
  if (wanted.ss_family != AF_INET6 || size < sizeof(sockaddr_in6)) return false;
  auto& six = reinterpret_cast<sockaddr_in6&>(wanted);
  if (!IN6_IS_ADDR_UNSPECIFIED(&six.sin6_addr) || six.sin6_port == 0) return false;
  six.sin6_addr = {};
  six.sin6_addr.s6_addr[10] = 0xff;
  six.sin6_addr.s6_addr[11] = 0xff;
  std::memcpy(&six.sin6_addr.s6_addr[12], &address, sizeof(address));
  return true;
}

int watch_own_binds() {
  if (kArchitecture == 0) return -1;
  std::array<sock_filter, 6> code{
      sock_filter{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, arch)},
      sock_filter{BPF_JMP | BPF_JEQ | BPF_K, 0, 3, kArchitecture},
      sock_filter{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
      sock_filter{BPF_JMP | BPF_JEQ | BPF_K, 0, 1, __NR_bind},
      sock_filter{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_USER_NOTIF},
      sock_filter{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
  };
  sock_fprog program{.len = code.size(), .filter = code.data()};
  const int questions = install(program);
  if (questions >= 0 || errno != EACCES) return questions;
  // Whoever is not root may do so only once it can gain no rights any more.
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return install(program);
}

// A message of one byte with room for a descriptor beside it. It points into itself.
struct OneDescriptor {
  OneDescriptor() {
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
  }
  OneDescriptor(const OneDescriptor&) = delete;
  OneDescriptor& operator=(const OneDescriptor&) = delete;

  char byte = 0;
  iovec data{.iov_base = &byte, .iov_len = 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
};

bool send_descriptor(int socket, int descriptor) {
  OneDescriptor room;
  cmsghdr* header = CMSG_FIRSTHDR(&room.message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
  return ::sendmsg(socket, &room.message, MSG_NOSIGNAL) == 1;
}

int receive_descriptor(int socket) {
  OneDescriptor room;
  if (::recvmsg(socket, &room.message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != 1) return -1;
  const cmsghdr* header = CMSG_FIRSTHDR(&room.message);
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS) return -1;
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(header), sizeof(int));
  return descriptor;
}

BindGuard::BindGuard(int questions, const std::string& address) : questions_(questions) {
  // What is no address leaves everything alone: nothing is bound to 0.0.0.0 instead of 0.0.0.0.
  if (::inet_pton(AF_INET, address.c_str(), &address_) != 1) address_ = {};
}

BindGuard::~BindGuard() {
  if (questions_ >= 0) ::close(questions_);
}

void BindGuard::handle(short events) {
  if ((events & POLLIN) == 0) {
    ::close(questions_);  // whoever asked is gone
    questions_ = -1;
    return;
  }
  seccomp_notif question{};
  if (::ioctl(questions_, SECCOMP_IOCTL_NOTIF_RECV, &question) != 0) return;  // taken back
  seccomp_notif_resp answer{};
  answer.id = question.id;
  if (const auto done = done_for(question, address_)) {
    answer.error = -*done;
  } else {
    answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  }
  // One who is gone needs no answer.
  (void)::ioctl(questions_, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

}  // namespace fixpoint::node
