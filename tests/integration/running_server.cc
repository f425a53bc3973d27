// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/running_server.h"

#include "tests/patience.h"
#include "tests/shipped_program.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fixpoint {
namespace {

constexpr std::size_t kLogTail = 16 << 10;  // what a person reads of a crash

// "ready https://127.0.0.1:PORT kubeconfig=…" to PORT.
std::uint16_t port_in(const std::string& line) {
  const auto colon = line.find(':', line.find("://") + 3);
  return static_cast<std::uint16_t>(std::strtoul(line.c_str() + colon + 1, nullptr, 10));
}

// The first line of a pipe; empty when it closes before one is whole.
std::string first_line(int fd) {
  std::string line;
  char c = 0;
  while (::read(fd, &c, 1) == 1 && c != '\n') line += c;
  return line;
}

}  // namespace

void RunningServer::Log::add(std::string_view text) {
  const std::scoped_lock held(mutex_);
  text_ += text;
  if (text_.size() > kLogTail) text_.erase(0, text_.size() - kLogTail);
}

std::string RunningServer::Log::text() const {
  const std::scoped_lock held(mutex_);
  return text_;
}

Result<std::unique_ptr<RunningServer>> RunningServer::start(const std::filesystem::path& scratch,
                                                            std::vector<std::string> flags) {
  const std::string binary = shipped_program();
  std::vector<std::string> words{binary,        "up",           "--listen",
                                 "127.0.0.1:0", "--kubeconfig", (scratch / "kubeconfig").string()};
  // Pods that run are for tests of pods; the others ask for none.
  if (std::ranges::find(flags, "--nodes") == flags.end()) {
    words.insert(words.end(), {"--nodes", "none"});
  }
  words.insert(words.end(), flags.begin(), flags.end());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  int out[2];
  FP_CHECK(::pipe(out) == 0);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(out[1], STDOUT_FILENO);
    ::dup2(out[1], STDERR_FILENO);
    ::close(out[0]);
    ::close(out[1]);
    ::execv(binary.c_str(), argv.data());
    ::_exit(127);
  }
  ::close(out[1]);
  std::unique_ptr<RunningServer> server{new RunningServer};
  server->pid_ = pid;
  server->scratch_ = scratch;
  const std::string line = first_line(out[0]);
  // Read to the end, so that it never fills the pipe.
  std::thread([fd = out[0], log = server->log_] {
    char buffer[4096];
    for (ssize_t n = 0; (n = ::read(fd, buffer, sizeof buffer)) > 0;) {
      log->add({buffer, static_cast<std::size_t>(n)});
    }
    ::close(fd);
  }).detach();
  if (!line.starts_with("ready ")) {
    server->reap();
    return fail(ErrorKind::Unavailable, line);
  }
  server->port_ = port_in(line);
  FP_TRY(access, access_of(server->kubeconfig()));
  server->access_ = std::move(access);
  return server;
}

RunningServer::~RunningServer() {
  kill();
}

void RunningServer::kill() {
  if (pid_ < 0) return;
  const int status = reap();
  // It was to live until now: a crash is a failure, whatever the test asked.
  if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) {
    ADD_FAILURE() << "the server had ended with wait status " << status << ", saying\n"
                  << log_->text();
  }
}

int RunningServer::reap() {
  ::kill(pid_, SIGKILL);
  int status = 0;
  ::waitpid(std::exchange(pid_, -1), &status, 0);
  return status;
}

int RunningServer::stop() {
  ::kill(pid_, SIGTERM);
  int status = 0;
  if (!eventually([&] { return ::waitpid(pid_, &status, WNOHANG) != 0; })) return -1;
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace fixpoint
