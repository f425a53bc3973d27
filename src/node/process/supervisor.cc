// SPDX-License-Identifier: Apache-2.0
#include "node/process/supervisor.h"

#include "base/clock.h"
#include "base/file.h"
#include "node/process/attach_hub.h"
#include "node/process/bind_guard.h"
#include "node/process/cgroup.h"
#include "node/process/isolate.h"
#include "node/process/launch.h"
#include "node/process/log_writer.h"
#include "node/process/run_spec.h"
#include "node/process/system_error.h"
#include "node/volume/file_tree.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fixpoint::node {
namespace {

namespace fs = std::filesystem;

// After SIGTERM to an orphan, before SIGKILL.
constexpr auto kOrphanGrace = std::chrono::seconds(5);

int pidfd_of(int pid) {
  return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
}

int number(std::string_view text) {
  int value = -1;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

class Supervisor {
 public:
  Supervisor(fs::path directory, RunSpec spec, int agent, int report)
      : files_(directory),
        directory_(std::move(directory)),
        spec_(std::move(spec)),
        report_(report),
        log_(spec_.log) {
    follow_agent(agent);
  }

  int run() {
    if (auto ok = claim(); !ok) return give_up(ok.error().message);
    if (!agent_lives()) return 0;
    if (auto ok = prepare(); !ok) return give_up(ok.error().message);
    make_groups();
    auto launched = launch({.spec = spec_,
                            .directory = directory_,
                            .memory = memory_ ? &*memory_ : nullptr,
                            .cpu = cpu_ ? &*cpu_ : nullptr,
                            .input = input_read_,
                            .terminal = terminal_});
    for (const int theirs : {input_read_, terminal_}) {
      if (theirs >= 0) ::close(theirs);
    }
    if (!launched) return give_up(launched.error().message);
    child_ = launched->pid;
    if (!spec_.terminal) out_ = launched->out;
    err_ = launched->err;
    if (launched->binds >= 0) binds_.emplace(launched->binds, spec_.address);
    started_ = clock_.wall();
    auto file = own_name();
    file.init = child_;
    file.at = *started_;
    // A restarted agent that cannot read it takes the container for lost and starts another.
    [[maybe_unused]] const auto noted = write_whole_file(files_.started, file.to_text(), 0600);
    report(kReportStarted, "");
    watch();
    return finish();
  }

 private:
  std::string group_name() const { return spec_.id.substr(spec_.id.rfind('/') + 1); }

  static StartedFile own_name() {
    return {.supervisor = ::getpid(), .supervisor_birth = birth_of(::getpid()).value_or(0)};
  }

  // While the agent that wanted this run lives, no other looks at its files. So the next one finds
  // the claim, or this supervisor finds its agent gone and starts nothing: a container is never
  // started twice, and none runs that nobody knows.
  Result<void> claim() const { return write_whole_file(files_.claim, own_name().to_text(), 0600); }
  bool agent_lives() const {
    pollfd agent{.fd = agent_, .events = POLLIN, .revents = 0};
    return agent_ >= 0 && ::poll(&agent, 1, 0) == 0;
  }

  void make_groups() {
    if (spec_.memory_bytes_max > 0) {
      memory_ = ControlGroup::of_memory(group_name(), spec_.memory_bytes_max);
    }
    if (spec_.cpu_millis_max > 0) cpu_ = ControlGroup::of_cpu(group_name(), spec_.cpu_millis_max);
  }

  void remove_groups() const {
    if (memory_) memory_->remove();
    if (cpu_) cpu_->remove();
  }

  Result<void> prepare() {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    ::signal(SIGPIPE, SIG_IGN);
    sigset_t signals;
    sigemptyset(&signals);
    for (const int one : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, one);
    sigprocmask(SIG_BLOCK, &signals, nullptr);
    signals_ = ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    timer_ = ::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    control_ = ::open(files_.control.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (signals_ < 0 || timer_ < 0 || control_ < 0) {
      return trouble("control pipe");
    }
    if (spec_.terminal) {
      if (auto ok = open_terminal(); !ok) return ok;
    } else if (spec_.takes_input) {
      // Held open for writing, so that the container sees an end only when it is told one.
      std::array<int, 2> ends{};
      if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        return trouble("input pipe");
      }
      input_read_ = ends[0];
      input_write_ = ends[1];
      ::fcntl(input_write_, F_SETFL, O_NONBLOCK);
    }
    return hub_.listen(directory_);
  }

  Result<void> open_terminal() {
    if (::openpty(&out_, &terminal_, nullptr, nullptr, nullptr) != 0) {
      return trouble("terminal");
    }
    for (const int fd : {out_, terminal_}) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    ::fcntl(out_, F_SETFL, O_RDWR | O_NONBLOCK);
    if (spec_.takes_input) input_write_ = ::fcntl(out_, F_DUPFD_CLOEXEC, 0);
    return {};
  }

  void report(char what, std::string_view why) {
    if (report_ < 0) return;
    const std::string line = fmt::format("{}{}\n", what, why);
    // An agent that is gone reads the files instead.
    (void)!::write(report_, line.data(), line.size());
    ::close(report_);
    report_ = -1;
  }

  int give_up(const std::string& why) {
    constexpr int kStartError = 128;
    const ExitFile file{.code = kStartError, .error = why, .finished = clock_.wall()};
    [[maybe_unused]] const auto noted = write_whole_file(files_.exit, file.to_text(), 0600);
    remove_groups();
    report(kReportFailed, why);
    return 0;
  }

  void follow_agent(int pid) {
    if (agent_ >= 0) ::close(agent_);
    agent_ = pidfd_of(pid);
    if (agent_ < 0) orphaned();
  }

  void orphaned() {
    if (agent_ >= 0) ::close(agent_);
    agent_ = -1;
    orphan_ = true;
    set_timer(spec_.orphan_time);
  }

  void set_timer(Duration wait) {
    const auto nanos = std::max<std::int64_t>(wait.count(), 1);
    const itimerspec when{
        .it_interval = {},
          .it_value = {nanos / 1'000'000'000, nanos % 1'000'000'000}
    };
    if (timer_ >= 0) ::timerfd_settime(timer_, 0, &when, nullptr);
  }

  // Until the container has ended and all it wrote is read.
  void watch() {
    if (orphan_) set_timer(spec_.orphan_time);
    while (!status_ || out_ >= 0 || err_ >= 0 || hub_.is_blocked()) {
      const bool blocked = hub_.is_blocked();
      std::vector<pollfd> fds{
          {signals_,                             POLLIN,  0},
          {control_,                             POLLIN,  0},
          {timer_,                               POLLIN,  0},
          {agent_,                               POLLIN,  0},
          {blocked ? -1 : out_,                  POLLIN,  0},
          {blocked ? -1 : err_,                  POLLIN,  0},
          {waiting_.empty() ? -1 : input_write_, POLLOUT, 0},
          {binds_ ? binds_->descriptor() : -1,   POLLIN,  0},
      };
      const auto own = fds.size();
      hub_.add_to(fds, waiting_.empty());
      const int wait = blocked ? static_cast<int>(AttachHub::kPatience.count() / 1'000'000) : -1;
      if (::poll(fds.data(), fds.size(), wait) < 0 && errno != EINTR) return;
      const auto ready = [&](std::size_t index) { return fds[index].revents != 0; };
      hub_.handle(&fds[own], clock_.monotonic(),
                  [this](const AttachFrame& frame) { attached(frame); });
      if (ready(6)) give_input();
      if (ready(7)) binds_->handle(fds[7].revents);
      if (ready(4)) pump(out_, LogWriter::Stream::Out);
      if (ready(5)) pump(err_, LogWriter::Stream::Err);
      if (ready(0)) take_signals();
      if (ready(1)) take_commands();
      if (ready(2)) time_is_up();
      if (ready(3)) orphaned();
    }
  }

  void attached(const AttachFrame& frame) {
    if (frame.kind == AttachKind::Size && spec_.terminal && out_ >= 0 && frame.bytes.size() == 4) {
      const auto number = [&](std::size_t at) {
        return static_cast<unsigned short>(static_cast<std::uint8_t>(frame.bytes[at]) << 8U |
                                           static_cast<std::uint8_t>(frame.bytes[at + 1]));
      };
      const winsize size{.ws_row = number(2), .ws_col = number(0), .ws_xpixel = 0, .ws_ypixel = 0};
      (void)::ioctl(out_, TIOCSWINSZ, &size);  // one that is refused leaves the one before
    } else if (frame.kind == AttachKind::Input) {
      waiting_ += frame.bytes;
      give_input();
    } else if (frame.kind == AttachKind::EndOfInput) {
      end_of_input_ = true;
      give_input();
    }
  }

  // What the container does not take at once waits, and whoever is attached with it.
  void give_input() {
    if (input_write_ < 0) return waiting_.clear();
    while (!waiting_.empty()) {
      const auto count = ::write(input_write_, waiting_.data(), waiting_.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
      if (count < 0) waiting_.clear();  // nobody reads it
      if (count > 0) waiting_.erase(0, static_cast<std::size_t>(count));
    }
    if (!std::exchange(end_of_input_, false)) return;
    // A terminal's user may come back; a letter tells its program that this one has left.
    if (spec_.terminal) {
      (void)!::write(input_write_, "\x04", 1);
      return;
    }
    ::close(input_write_);
    input_write_ = -1;
  }

  void pump(int& fd, LogWriter::Stream stream) {
    std::array<char, std::size_t{64} << 10U> buffer{};
    const auto count = ::read(fd, buffer.data(), buffer.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (count <= 0) {
      ::close(fd);
      fd = -1;
      return;
    }
    const std::string_view bytes{buffer.data(), static_cast<std::size_t>(count)};
    log_.write(stream, bytes, clock_.wall());
    hub_.send(stream == LogWriter::Stream::Out ? AttachKind::Output : AttachKind::Error, bytes);
  }

  void take_signals() {
    signalfd_siginfo info{};
    while (::read(signals_, &info, sizeof(info)) == sizeof(info)) {
      // The machine goes down, or somebody tidies up: as if the agent had asked.
      if (info.ssi_signo == SIGTERM) terminate();
    }
    int status = 0;
    for (int pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      if (pid != child_) continue;
      status_ = status;
      kill_all();  // what it left behind
    }
  }

  void take_commands() {
    std::array<char, 512> buffer{};
    const auto count = ::read(control_, buffer.data(), buffer.size());
    if (count <= 0) return;
    commands_.append(buffer.data(), static_cast<std::size_t>(count));
    for (auto end = commands_.find('\n'); end != std::string::npos; end = commands_.find('\n')) {
      obey(commands_.substr(0, end + 1));
      commands_.erase(0, end + 1);
    }
  }

  void obey(const std::string& command) {
    if (command.starts_with(kControlHello)) {
      orphan_ = false;
      ending_ = false;
      set_timer(std::chrono::hours(24 * 365));
      follow_agent(number(std::string_view{command}.substr(std::strlen(kControlHello))));
    } else if (command == kControlTerminate) {
      terminate();
    } else if (command == kControlKill) {
      kill_all();
    }
  }

  void time_is_up() {
    std::uint64_t count = 0;
    (void)!::read(timer_, &count, sizeof(count));
    if (!orphan_) return;
    if (ending_) return kill_all();
    ending_ = true;
    terminate();
    set_timer(kOrphanGrace);
  }

  // The first process of a namespace passes it on to the container's.
  void terminate() {
    if (status_) return;
    if (spec_.isolation == Isolation::None)
      ::kill(-child_, SIGTERM);
    else
      ::kill(child_, SIGTERM);
  }

  void kill_all() {
    if (!status_) ::kill(child_, SIGKILL);
    if (spec_.isolation == Isolation::None) {
      ::kill(-child_, SIGKILL);
      if (const auto status = kill_descendants(child_); status && !status_) status_ = status;
    }
  }

  int finish() {
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    log_.finish(clock_.wall());
    const int status = status_.value_or(0);
    ExitFile file{.code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status),
                  .out_of_memory = memory_ && memory_->ended_one(),
                  .error = {},
                  .started = started_,
                  .finished = clock_.wall()};
    // Without it the agent shows the container as lost; there is nobody else to tell.
    [[maybe_unused]] const auto noted = write_whole_file(files_.exit, file.to_text(), 0600);
    remove_groups();
    return 0;
  }

  RunFiles files_;
  fs::path directory_;
  RunSpec spec_;
  int report_;
  LogWriter log_;
  SystemClock clock_;
  std::optional<ControlGroup> memory_;
  std::optional<ControlGroup> cpu_;
  std::optional<BindGuard> binds_;
  int agent_ = -1;
  int signals_ = -1;
  int timer_ = -1;
  int control_ = -1;
  int input_read_ = -1;
  int input_write_ = -1;
  int terminal_ = -1;  // the container's side of it
  AttachHub hub_;
  std::string waiting_;  // input that the container has not taken
  bool end_of_input_ = false;
  int child_ = -1;
  int out_ = -1;
  int err_ = -1;
  bool orphan_ = false;
  bool ending_ = false;
  std::optional<int> status_;
  std::optional<Instant> started_;
  std::string commands_;
};

int run_container(const fs::path& directory, int agent, int report) {
  ::setsid();
  if (report >= 0) ::fcntl(report, F_SETFD, FD_CLOEXEC);
  const auto text = read_file(RunFiles(directory).spec);
  if (!text) return 1;
  auto spec = RunSpec::parse(*text);
  if (!spec) return 1;
  return Supervisor(directory, *std::move(spec), agent, report).run();
}

}  // namespace

int run_supervisor(std::span<const std::string> arguments) {
  if (arguments.size() >= 4 && arguments[0] == "run") {
    return run_container(arguments[1], number(arguments[2]), number(arguments[3]));
  }
  if (arguments.size() >= 3 && arguments[0] == "enter") {
    return enter_container(arguments[1], {arguments.begin() + 2, arguments.end()});
  }
  if (arguments.size() == 2 && arguments[0] == "probe") {
    return static_cast<int>(find_isolation(arguments[1]));
  }
  return 64;
}

}  // namespace fixpoint::node
