// SPDX-License-Identifier: Apache-2.0
#include "client/config/child.h"

#include "net/transport/socket.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <map>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;  // NOLINT: POSIX has it so

namespace fixpoint::client {
namespace {

using net::Fd;
using SteadyClock = std::chrono::steady_clock;

struct Pipe {
  Fd read;
  Fd write;
};
Result<Pipe> make_pipe() {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) {
    return fail(ErrorKind::Unavailable, std::string("pipe: ") + std::strerror(errno));
  }
  return Pipe{Fd{fds[0]}, Fd{fds[1]}};
}

std::vector<std::string> environment_of(const ChildRun& run) {
  std::map<std::string, std::string> all;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view entry{*at};
    const auto mark = std::min(entry.find('='), entry.size());
    if (mark < entry.size()) all[std::string{entry.substr(0, mark)}] = entry.substr(mark + 1);
  }
  for (const auto& [name, value] : run.environment) all[name] = value;
  std::vector<std::string> lines;
  for (const auto& [name, value] : all) lines.push_back(name + "=" + value);
  return lines;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (auto& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

struct SpawnActions {
  posix_spawn_file_actions_t raw{};
  SpawnActions() { FP_CHECK(posix_spawn_file_actions_init(&raw) == 0); }
  ~SpawnActions() { posix_spawn_file_actions_destroy(&raw); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
};

Result<pid_t> spawn(const ChildRun& run, int output, int errors) {
  SpawnActions actions;
  posix_spawn_file_actions_addopen(&actions.raw, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions.raw, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions.raw, errors, STDERR_FILENO);
  std::vector<std::string> words{run.command};
  words.insert(words.end(), run.arguments.begin(), run.arguments.end());
  auto lines = environment_of(run);
  const auto argv = pointers(words);
  const auto envp = pointers(lines);
  pid_t pid = 0;
  const int outcome =
      posix_spawnp(&pid, run.command.c_str(), &actions.raw, nullptr, argv.data(), envp.data());
  if (outcome == 0) return pid;
  return fail(outcome == ENOENT ? ErrorKind::NotFound : ErrorKind::Unavailable,
              "run " + run.command + ": " + std::strerror(outcome));
}

// Reads both ends until they close; false when time or room ran out.
bool collect(const Fd& output, const Fd& errors, SteadyClock::time_point until, ChildEnd& end) {
  std::array<pollfd, 2> polled{
      {{.fd = output.get(), .events = POLLIN, .revents = 0},
       {.fd = errors.get(), .events = POLLIN, .revents = 0}}
  };
  const std::array<std::string*, 2> into{&end.output, &end.errors};
  while (polled[0].fd >= 0 || polled[1].fd >= 0) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - SteadyClock::now()).count();
    if (left <= 0) return false;
    if (::poll(polled.data(), polled.size(), static_cast<int>(std::min<long>(left, 1000))) < 0 &&
        errno != EINTR) {
      return false;
    }
    for (std::size_t i = 0; i < polled.size(); ++i) {
      if (polled[i].fd < 0 || polled[i].revents == 0) continue;
      char buffer[16384];
      const auto count = ::read(polled[i].fd, buffer, sizeof buffer);
      if (count <= 0) {
        polled[i].fd = -1;
      } else if (into[i]->size() + static_cast<std::size_t>(count) > kChildOutputBytesMax) {
        return false;
      } else {
        into[i]->append(buffer, static_cast<std::size_t>(count));
      }
    }
  }
  return true;
}

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Result<ChildEnd> run_child(const ChildRun& run) {
  FP_TRY(output, make_pipe());
  FP_TRY(errors, make_pipe());
  FP_TRY(pid, spawn(run, output.write.get(), errors.write.get()));
  output.write.reset();
  errors.write.reset();
  ChildEnd end;
  const bool whole = collect(output.read, errors.read, SteadyClock::now() + run.deadline, end);
  if (!whole) ::kill(pid, SIGKILL);
  end.code = wait_for(pid);
  if (whole) return end;
  return fail(
      ErrorKind::Unavailable,
      run.command + " did not end within " +
          std::to_string(std::chrono::duration_cast<std::chrono::seconds>(run.deadline).count()) +
          " s, or printed more than a credential");
}

}  // namespace fixpoint::client
