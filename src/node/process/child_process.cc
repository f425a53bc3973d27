// SPDX-License-Identifier: Apache-2.0
#include "node/process/child_process.h"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace fixpoint::node {

Result<std::unique_ptr<ProcessWatch>> ProcessWatch::open(net::Loop& loop, int pid,
                                                         std::function<void(int)> ended) {
  const auto fd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (fd < 0) {
    return fail(errno == ESRCH ? ErrorKind::Gone : ErrorKind::Unavailable,
                fmt::format("watch process {}: {}", pid, std::strerror(errno)));
  }
  return std::unique_ptr<ProcessWatch>(new ProcessWatch(loop, fd, std::move(ended)));
}

ProcessWatch::ProcessWatch(net::Loop& loop, int fd, std::function<void(int)> ended)
    : loop_(loop), fd_(fd), ended_(std::move(ended)) {
  loop_.watch(fd_, EPOLLIN, *this);
}

ProcessWatch::~ProcessWatch() {
  if (fd_ < 0) return;
  loop_.unwatch(fd_, *this);
  ::close(fd_);
}

void ProcessWatch::ready(std::uint32_t) {
  siginfo_t info{};
  int status = 0;
  constexpr auto kPidfd = static_cast<idtype_t>(3);  // P_PIDFD
  if (::waitid(kPidfd, static_cast<id_t>(fd_), &info, WEXITED | WNOHANG) == 0 && info.si_pid != 0) {
    status = info.si_code == CLD_EXITED ? W_EXITCODE(info.si_status, 0) : info.si_status;
  }
  loop_.unwatch(fd_, *this);
  ::close(fd_);
  fd_ = -1;
  // May destroy this.
  const auto ended = std::move(ended_);
  ended(status);
}

Result<int> spawn(const SpawnCall& call) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  int target = 0;
  for (const int fd : {call.in, call.out, call.err}) {
    if (fd < 0) {
      posix_spawn_file_actions_addopen(&actions, target, "/dev/null", O_RDWR, 0);
    } else {
      posix_spawn_file_actions_adddup2(&actions, fd, target);
    }
    ++target;
  }
  if (call.extra >= 0) posix_spawn_file_actions_adddup2(&actions, call.extra, kExtraDescriptor);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(
      &attributes,
      static_cast<short>(POSIX_SPAWN_SETSIGMASK | (call.own_group ? POSIX_SPAWN_SETPGROUP : 0)));
  std::vector<std::string> words = call.arguments;
  words.insert(words.begin(), call.program);
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  int pid = -1;
  const int error =
      ::posix_spawn(&pid, call.program.c_str(), &actions, &attributes, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    return fail(ErrorKind::Unavailable,
                fmt::format("start {}: {}", call.program, std::strerror(error)));
  }
  return pid;
}

}  // namespace fixpoint::node
