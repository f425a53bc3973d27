// SPDX-License-Identifier: Apache-2.0
#include "node/process/container_process.h"

#include "base/file.h"
#include "node/process/supervisor.h"
#include "node/volume/file_tree.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fixpoint::node {
namespace {

namespace fs = std::filesystem;

constexpr int kLostCode = 137;
// How often a supervisor that another agent called is asked whether its container has started.
constexpr auto kStartPoll = std::chrono::milliseconds(20);

Result<void> make_pipe(const fs::path& path) {
  ::unlink(path.c_str());  // of an earlier life; mkfifo says if it cannot be replaced
  if (::mkfifo(path.c_str(), 0600) == 0) return {};
  return fail(ErrorKind::Unavailable,
              fmt::format("create {}: {}", path.string(), std::strerror(errno)));
}

// Whoever wrote this file, if it lives.
std::optional<StartedFile> living(const fs::path& file) {
  const auto text = read_file(file);
  if (!text) return std::nullopt;
  const auto said = StartedFile::parse(*text);
  if (!said || birth_of(said->supervisor) != said->supervisor_birth) return std::nullopt;
  return *said;
}

Result<ExitFile> read_exit(const fs::path& directory) {
  FP_TRY(text, read_file(RunFiles(directory).exit));
  return ExitFile::parse(text);
}

}  // namespace

// The supervisor's one line about the start.
class ContainerProcess::Report final : private net::Pollable {
 public:
  Report(net::Loop& loop, int fd, std::function<void(const std::string&)> line)
      : loop_(loop), fd_(fd), line_(std::move(line)) {
    loop_.watch(fd_, EPOLLIN, *this);
  }
  ~Report() override {
    loop_.unwatch(fd_, *this);
    ::close(fd_);
  }

 private:
  void ready(std::uint32_t) override {
    std::array<char, 4096> buffer{};
    const auto count = ::read(fd_, buffer.data(), buffer.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (count > 0) {
      text_.append(buffer.data(), static_cast<std::size_t>(count));
      if (text_.find('\n') == std::string::npos) return;
    }
    // May destroy this.
    const auto line = std::move(line_);
    const auto text = std::move(text_);
    line(text.substr(0, text.find('\n')));
  }

  net::Loop& loop_;
  int fd_;
  std::function<void(const std::string&)> line_;
  std::string text_;
};

ContainerProcess::ContainerProcess(net::Loop& loop, fs::path directory, ContainerHandlers handlers)
    : loop_(loop), directory_(std::move(directory)), handlers_(std::move(handlers)) {}

ContainerProcess::~ContainerProcess() {
  *self_ = nullptr;
}

Result<std::unique_ptr<ContainerProcess>> ContainerProcess::start(net::Loop& loop,
                                                                  const std::string& program,
                                                                  const fs::path& directory,
                                                                  const RunSpec& spec,
                                                                  ContainerHandlers handlers) {
  const RunFiles files(directory);
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) return fail(ErrorKind::Unavailable, "create " + directory.string());
  FP_TRY_VOID(write_whole_file(files.spec, spec.to_text(), 0600));
  FP_TRY_VOID(make_pipe(files.control));
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    return fail(ErrorKind::Exhausted, fmt::format("pipe: {}", std::strerror(errno)));
  }
  SpawnCall call;
  call.program = program;
  call.arguments = {kSupervisorCommand, "run", directory.string(), std::to_string(::getpid()),
                    std::to_string(kExtraDescriptor)};
  call.extra = ends[1];
  const auto pid = spawn(call);
  ::close(ends[1]);
  if (!pid) {
    ::close(ends[0]);
    return std::unexpected(pid.error());
  }
  std::unique_ptr<ContainerProcess> process(
      new ContainerProcess(loop, directory, std::move(handlers)));
  process->report_ = std::make_unique<Report>(
      loop, ends[0], [raw = process.get()](const std::string& line) { raw->on_report(line); });
  FP_TRY_VOID(process->watch(*pid));
  return process;
}

Result<std::unique_ptr<ContainerProcess>> ContainerProcess::adopt(net::Loop& loop,
                                                                  const fs::path& directory,
                                                                  ContainerHandlers handlers) {
  std::unique_ptr<ContainerProcess> process(
      new ContainerProcess(loop, directory, std::move(handlers)));
  const RunFiles files(directory);
  auto supervisor = living(files.started);
  if (!supervisor) supervisor = living(files.claim);
  if (supervisor && process->watch(supervisor->supervisor)) {
    process->command(fmt::format("{}{}\n", kControlHello, ::getpid()));
    loop.post([self = process->self_] {
      if (*self != nullptr) (*self)->await_start();
    });
    return process;
  }
  if (auto exit = read_exit(directory); !exit) return fail(ErrorKind::NotFound, "no exit status");
  loop.post([self = process->self_] {
    if (*self != nullptr) (*self)->on_end();
  });
  return process;
}

Result<void> ContainerProcess::watch(int pid) {
  supervisor_ = pid;
  FP_TRY(watch, ProcessWatch::open(loop_, pid, [this](int) { on_end(); }));
  watch_ = std::move(watch);
  return {};
}

// Nobody reports to an agent that did not call the supervisor: its file says when.
void ContainerProcess::await_start() {
  if (supervisor_ < 0) return;
  const auto started = living(RunFiles(directory_).started);
  if (!started) {
    loop_.after(kStartPoll, [self = self_] {
      if (*self != nullptr) (*self)->await_start();
    });
    return;
  }
  pay_commands();
  if (handlers_.started) handlers_.started(started->at);
}

void ContainerProcess::pay_commands() {
  awaits_start_ = false;
  if (!owed_.empty()) command(std::exchange(owed_, {}));
}

void ContainerProcess::on_report(const std::string& line) {
  report_.reset();
  if (line.empty() || line.front() != kReportStarted) return;  // its end says why
  pay_commands();
  const auto text = read_file(RunFiles(directory_).started);
  const auto started = text ? StartedFile::parse(*text) : Result<StartedFile>{StartedFile{}};
  if (handlers_.started) {
    handlers_.started(started && text ? started->at : loop_.clock().wall());
  }
}

void ContainerProcess::on_end() {
  supervisor_ = -1;
  // A report that is still in the pipe comes first: it started before it ended.
  if (report_) on_report(std::string{kReportStarted});
  auto exit = read_exit(directory_);
  if (!exit) {
    // The supervisor was killed; the kernel ended the container with it.
    exit = ExitFile{
        .code = kLostCode, .error = {}, .started = std::nullopt, .finished = loop_.clock().wall()};
  }
  const auto handler = std::move(handlers_.exited);  // may destroy this
  if (handler) handler(*exit);
}

void ContainerProcess::command(std::string_view line) {
  if (awaits_start_) {
    owed_ += line;
    return;
  }
  const int fd = ::open(RunFiles(directory_).control.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return;  // it is ending; its end is told
  (void)!::write(fd, line.data(), line.size());
  ::close(fd);
}

void ContainerProcess::terminate() {
  command(kControlTerminate);
}

void ContainerProcess::kill() {
  command(kControlKill);
}

}  // namespace fixpoint::node
