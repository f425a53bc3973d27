// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/child.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <fstream>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fixpoint::cli::demo {
namespace {

// Enough for the story of a failure; a log line is some hundred bytes.
constexpr std::size_t kLogBytesMax = 256 * 1024;

std::unexpected<Error> system_error(std::string_view doing) {
  return fail(ErrorKind::Unavailable, fmt::format("{}: {}", doing, std::strerror(errno)));
}

// The child's side. Only calls that are safe between fork and exec.
[[noreturn]] void become_child(int output, char* const* argv) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);  // the demo's loop blocked the signals it handles
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ::execv("/proc/self/exe", argv);
  ::_exit(127);
}

}  // namespace

Result<std::unique_ptr<Child>> Child::start(net::Loop& loop, std::vector<std::string> words) {
  words.insert(words.begin(), "fixpoint");
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return system_error("pipe");
  const pid_t pid = ::fork();
  if (pid == 0) become_child(ends[1], argv.data());
  ::close(ends[1]);
  if (pid < 0) {
    ::close(ends[0]);
    return system_error("fork");
  }
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return std::unique_ptr<Child>(new Child(loop, pid, ends[0]));
}

Child::Child(net::Loop& loop, pid_t pid, int pipe) : loop_(loop), pid_(pid), pipe_(pipe) {
  loop_.watch(pipe_, EPOLLIN, *this);
}

Child::~Child() {
  kill();
}

void Child::ready(std::uint32_t /*events*/) {
  std::array<char, 4096> buffer;
  const auto size = ::read(pipe_, buffer.data(), buffer.size());
  if (size > 0) {
    const auto room = kLogBytesMax - std::min(kLogBytesMax, log_.size());
    log_.append(buffer.data(), std::min(static_cast<std::size_t>(size), room));
  } else if (size == 0 || (errno != EAGAIN && errno != EINTR)) {
    close_pipe();
  }
}

void Child::close_pipe() {
  if (pipe_ < 0) return;
  loop_.unwatch(pipe_, *this);
  ::close(std::exchange(pipe_, -1));
}

std::string_view Child::ready_line() const {
  const std::string_view log = log_;
  const auto end = log.find('\n');
  if (!log.starts_with("ready ") || end == std::string_view::npos) return {};
  return log.substr(0, end);
}

std::uint16_t Child::port() const {
  const auto line = ready_line();
  const auto colon = line.find(':', line.find("://") + 3);
  std::uint16_t port = 0;
  if (colon != std::string_view::npos) {
    std::from_chars(line.data() + colon + 1, line.data() + line.size(), port);
  }
  return port;
}

std::int64_t Child::peak_mebibytes() const {
  std::ifstream status(fmt::format("/proc/{}/status", pid_));
  for (std::string word; status >> word;) {
    std::int64_t kibibytes = 0;
    if (word == "VmHWM:" && status >> kibibytes) return kibibytes / 1024;
  }
  return 0;
}

void Child::kill() {
  if (pid_ >= 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(std::exchange(pid_, -1), nullptr, 0);
  }
  close_pipe();
}

void Child::terminate() const {
  ::kill(pid_, SIGTERM);
}

int Child::reap() {
  int status = 0;
  ::waitpid(std::exchange(pid_, -1), &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace fixpoint::cli::demo
