// SPDX-License-Identifier: Apache-2.0
#include "node/process/bind_guard.h"

#include <array>
#include <string>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fixpoint::node {
namespace {

constexpr auto kPodAddress = "127.93.11.7";
constexpr int kPatienceMillis = 30'000;

sockaddr_storage four(const char* address, std::uint16_t port) {
  sockaddr_storage out{};
  auto& in = reinterpret_cast<sockaddr_in&>(out);
  in.sin_family = AF_INET;
  in.sin_port = htons(port);
  ::inet_pton(AF_INET, address, &in.sin_addr);
  return out;
}

std::string shown(const sockaddr_storage& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.ss_family == AF_INET) {
    ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(address).sin_addr, text.data(),
                text.size());
  } else {
    ::inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr, text.data(),
                text.size());
  }
  return text.data();
}

in_addr pod_address() {
  in_addr out{};
  ::inet_pton(AF_INET, kPodAddress, &out);
  return out;
}

TEST(BindGuard, LeadsPortsOfAllAddressesToThePods) {
  auto everywhere = four("0.0.0.0", 80);
  EXPECT_TRUE(redirect(everywhere, sizeof(sockaddr_in), pod_address()));
  EXPECT_EQ(shown(everywhere), kPodAddress);

  sockaddr_storage of_both{};
  auto& six = reinterpret_cast<sockaddr_in6&>(of_both);
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(80);
  EXPECT_TRUE(redirect(of_both, sizeof(sockaddr_in6), pod_address()));
  EXPECT_EQ(shown(of_both), "::ffff:127.93.11.7");
}

TEST(BindGuard, LeavesEverythingElseAlone) {
  auto own = four("127.0.0.1", 80);
  EXPECT_FALSE(redirect(own, sizeof(sockaddr_in), pod_address()));
  auto any_port = four("0.0.0.0", 0);
  EXPECT_FALSE(redirect(any_port, sizeof(sockaddr_in), pod_address()));
  auto cut = four("0.0.0.0", 80);
  EXPECT_FALSE(redirect(cut, 4, pod_address()));
  sockaddr_storage local{};
  local.ss_family = AF_UNIX;
  EXPECT_FALSE(redirect(local, sizeof(local), pod_address()));
}

// Binds to what it is given and writes where it is then; a process of its own, as a container is.
[[noreturn]] void be_program(int link, int out, const sockaddr_storage& wanted) {
  const int questions = watch_own_binds();
  if (questions < 0 || !send_descriptor(link, questions)) ::_exit(2);
  ::close(questions);
  const int socket = ::socket(wanted.ss_family, SOCK_STREAM, 0);
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  if (::bind(socket, reinterpret_cast<const sockaddr*>(&wanted), sizeof(sockaddr_in)) != 0) {
    ::_exit(3);
  }
  sockaddr_storage got{};
  socklen_t size = sizeof(got);
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&got), &size);
  (void)!::write(out, &got, sizeof(got));
  ::_exit(0);
}

// Where a guarded program that binds there is in the end; empty when it could not.
std::string bound_to(const sockaddr_storage& wanted) {
  std::array<int, 2> link{};
  std::array<int, 2> out{};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, link.data()), 0);
  EXPECT_EQ(::pipe(out.data()), 0);
  const int pid = ::fork();
  if (pid == 0) be_program(link[1], out[1], wanted);
  ::close(out[1]);
  pollfd sent{.fd = link[0], .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&sent, 1, kPatienceMillis), 1);
  BindGuard guard(receive_descriptor(link[0]), kPodAddress);
  while (guard.descriptor() >= 0) {
    pollfd asked{.fd = guard.descriptor(), .events = POLLIN, .revents = 0};
    if (::poll(&asked, 1, kPatienceMillis) != 1) break;
    guard.handle(asked.revents);
  }
  sockaddr_storage got{};
  const auto count = ::read(out[0], &got, sizeof(got));
  ::waitpid(pid, nullptr, 0);
  for (const int fd : {link[0], link[1], out[0]}) ::close(fd);
  return count == sizeof(got) ? shown(got) : "";
}

TEST(BindGuard, AnswersForAProgramThatListensEverywhere) {
  EXPECT_EQ(bound_to(four("0.0.0.0", 28123)), kPodAddress);
  EXPECT_EQ(bound_to(four("127.0.0.1", 28123)), "127.0.0.1");
  EXPECT_EQ(bound_to(four("0.0.0.0", 0)), "0.0.0.0");
}

}  // namespace
}  // namespace fixpoint::node
