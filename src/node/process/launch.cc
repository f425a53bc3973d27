// SPDX-License-Identifier: Apache-2.0
#include "node/process/launch.h"

#include "base/file.h"
#include "node/process/bind_guard.h"
#include "node/process/isolate.h"
#include "node/process/system_error.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fixpoint::node {
namespace {

struct Pipe {
  int read = -1;
  int write = -1;
  static Result<Pipe> make() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return trouble("pipe");
    return Pipe{ends[0], ends[1]};
  }
};

std::string_view variable(const std::vector<std::string>& environment, std::string_view name) {
  for (const auto& entry : environment) {
    if (entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name)) {
      return std::string_view{entry}.substr(name.size() + 1);
    }
  }
  return {};
}

bool executable(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

// As the container sees its files. The words of the errors are those Kubernetes users know.
Result<std::string> find_program(const std::string& name,
                                 const std::vector<std::string>& environment) {
  if (name.find('/') != std::string::npos) {
    struct stat info{};
    if (::stat(name.c_str(), &info) != 0) {
      return fail(ErrorKind::NotFound,
                  fmt::format("exec: \"{0}\": stat {0}: no such file or directory", name));
    }
    if (!executable(name)) {
      return fail(ErrorKind::Invalid, fmt::format("exec: \"{}\": permission denied", name));
    }
    return name;
  }
  std::string_view path = variable(environment, "PATH");
  while (!path.empty()) {
    const auto end = std::min(path.find(':'), path.size());
    std::string candidate = fmt::format("{}/{}", path.substr(0, end), name);
    if (end > 0 && executable(candidate)) return candidate;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return fail(ErrorKind::NotFound,
              fmt::format("exec: \"{}\": executable file not found in $PATH", name));
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (auto& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

// Only on success it does not return.
Result<void> become(RunSpec spec) {
  if (!spec.directory.empty() && ::chdir(spec.directory.c_str()) != 0) {
    // Runtimes make a working directory that is not there.
    const bool made = ::mkdir(spec.directory.c_str(), 0755) == 0;
    if (!made || ::chdir(spec.directory.c_str()) != 0) {
      return trouble(fmt::format("chdir to cwd (\"{}\")", spec.directory));
    }
    // Refused to whoever is not root, and then it is theirs already.
    (void)!::chown(".", spec.user.value_or(::geteuid()), spec.group.value_or(::getegid()));
  }
  FP_TRY_VOID(drop_rights(spec));
  FP_TRY(program, find_program(spec.words.front(), spec.environment));
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int one = 1; one < NSIG; ++one) ::signal(one, SIG_DFL);
  auto words = pointers(spec.words);
  auto environment = pointers(spec.environment);
  ::execve(program.c_str(), words.data(), environment.data());
  return trouble(fmt::format("exec: \"{}\"", spec.words.front()));
}

[[noreturn]] void fail_with(int errors, const std::string& why, int code) {
  (void)!::write(errors, why.data(), why.size());
  ::_exit(code);
}

// Set by the first process of a namespace for its signal handler.
volatile sig_atomic_t passed_on_to = 0;

void pass_on(int signal) {
  if (passed_on_to > 0) ::kill(-passed_on_to, signal);
}

// The first process of a namespace: passes signals on, collects the dead, ends with the program,
// and with it everything else that is left in the namespace.
[[noreturn]] void be_first(int program) {
  passed_on_to = program;
  for (const int one : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) ::signal(one, pass_on);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  while (true) {
    int status = 0;
    const int pid = ::waitpid(-1, &status, 0);
    if (pid == program) ::_exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
    if (pid < 0 && errno != EINTR) ::_exit(1);
  }
}

// Standard input becomes what controls this process, in a session of its own.
void take_terminal() {
  ::setsid();
  ::ioctl(0, TIOCSCTTY, 0);
}

void name_terminal(std::vector<std::string>& environment) {
  if (variable(environment, "TERM").empty()) environment.emplace_back("TERM=xterm");
}

struct Descriptors {
  int in;
  int out;
  int err;
  int errors;
  int binds;
};

// Where the kernel does not offer it the program listens where it likes.
void hand_over_binds(int socket) {
  const int questions = watch_own_binds();
  if (questions < 0) return;
  (void)send_descriptor(socket, questions);
  ::close(questions);
}

void limit_memory(const RunSpec& spec, const ControlGroup* group) {
  if (spec.memory_bytes_max <= 0 || (group != nullptr && group->join())) return;
  // Without control groups: allocations fail beyond it, which is less than being ended, and not
  // nothing.
  const auto bytes = static_cast<rlim_t>(spec.memory_bytes_max);
  const struct rlimit limit{bytes, bytes};
  (void)::setrlimit(RLIMIT_DATA, &limit);
}

[[noreturn]] void run_program(const RunSpec& spec, const Descriptors& fds) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::dup2(fds.in, 0);
  ::dup2(fds.out, 1);
  ::dup2(fds.err, 2);
  if (spec.terminal) {
    take_terminal();
  } else {
    ::setpgid(0, 0);
  }
  if (!spec.address.empty() && fds.binds >= 0) hand_over_binds(fds.binds);
  RunSpec own = spec;
  if (own.terminal) name_terminal(own.environment);
  const auto ended = become(std::move(own));
  fail_with(fds.errors, ended.error().message, kNotThere);
}

[[noreturn]] void be_container(const LaunchCall& call, Owner owner, const Descriptors& fds) {
  const RunSpec& spec = call.spec;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  limit_memory(spec, call.memory);
  if (call.cpu != nullptr) (void)call.cpu->join();  // where it is refused the program runs faster
  if (spec.isolation == Isolation::None) run_program(spec, fds);
  if (auto ok = settle_isolated(spec.isolation, owner); !ok) {
    fail_with(fds.errors, ok.error().message, kCannotRun);
  }
  if (!spec.host_name.empty()) {
    // A container with the machine's name is no reason not to run.
    (void)::sethostname(spec.host_name.data(), spec.host_name.size());
  }
  if (spec.isolation == Isolation::Root) {
    if (auto ok = enter_own_root(spec, call.directory / "layer"); !ok) {
      fail_with(fds.errors, ok.error().message, kCannotRun);
    }
  }
  const int program = ::fork();
  if (program < 0) fail_with(fds.errors, "fork failed", kCannotRun);
  if (program == 0) run_program(spec, fds);
  // A leader of a group could not begin a session.
  if (!spec.terminal) ::setpgid(program, program);
  // Whatever it kept open would not end for the others: pipes above all.
  ::close_range(0, ~0U, 0);
  be_first(program);
}

std::string read_all(int fd) {
  std::string out;
  std::array<char, 1024> buffer{};
  while (true) {
    const auto count = ::read(fd, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return out;
    out.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

// Children of this process, whoever started them.
std::vector<int> children() {
  std::vector<int> out;
  DIR* proc = ::opendir("/proc");
  if (proc == nullptr) return out;
  const std::string parent = std::to_string(::getpid());
  while (const dirent* entry = ::readdir(proc)) {
    int pid = 0;
    const std::string_view name = entry->d_name;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (read.ec != std::errc{} || pid <= 0) continue;
    const auto stat = read_file(fmt::format("/proc/{}/stat", pid));
    if (!stat) continue;
    const auto end = stat->rfind(')');
    if (end == std::string::npos || stat->size() < end + 5) continue;
    const auto rest = std::string_view{*stat}.substr(end + 4);  // after ") S "
    if (rest.substr(0, rest.find(' ')) == parent) out.push_back(pid);
  }
  ::closedir(proc);
  return out;
}

}  // namespace

Result<Launched> launch(const LaunchCall& call) {
  FP_TRY(out, Pipe::make());
  FP_TRY(err, Pipe::make());
  FP_TRY(errors, Pipe::make());
  std::array<int, 2> binds{-1, -1};
  (void)::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, binds.data());
  int input = call.input;
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (input < 0) input = null;
  const auto owner = Owner::self();
  const auto pid = fork_isolated(call.spec.isolation);
  if (!pid) return std::unexpected(pid.error());
  if (*pid == 0 && call.terminal >= 0) {
    be_container(call, owner,
                 {call.terminal, call.terminal, call.terminal, errors.write, binds[1]});
  }
  if (*pid == 0) be_container(call, owner, {input, out.write, err.write, errors.write, binds[1]});
  if (call.spec.isolation == Isolation::None && !call.spec.terminal) ::setpgid(*pid, *pid);
  for (const int fd : {out.write, err.write, errors.write, null}) ::close(fd);
  // Closed by exec, or holds the reason.
  const std::string why = read_all(errors.read);
  ::close(errors.read);
  const int questions = binds[0] < 0 ? -1 : receive_descriptor(binds[0]);
  for (const int fd : binds) ::close(fd);
  if (!why.empty()) {
    if (questions >= 0) ::close(questions);
    ::kill(*pid, SIGKILL);
    ::waitpid(*pid, nullptr, 0);
    ::close(out.read);
    ::close(err.read);
    return fail(ErrorKind::Invalid, why);
  }
  if (call.terminal < 0) {
    return Launched{.pid = *pid, .out = out.read, .err = err.read, .binds = questions};
  }
  ::close(out.read);
  ::close(err.read);
  return Launched{.pid = *pid, .binds = questions};
}

std::optional<int> kill_descendants(int program) {
  std::optional<int> status_of_program;
  // Whoever forks faster than this reads /proc is caught in a later round: children of the dead
  // come to us.
  constexpr int kRoundsMax = 1'000;
  for (int round = 0; round < kRoundsMax; ++round) {
    const auto left = children();
    if (left.empty()) break;
    for (const int pid : left) ::kill(pid, SIGKILL);
    for (const int pid : left) {
      int status = 0;
      if (::waitpid(pid, &status, 0) == pid && pid == program) status_of_program = status;
    }
  }
  return status_of_program;
}

int enter_container(const std::filesystem::path& directory, std::vector<std::string> words) {
  const auto complain = [](const std::string& why, int code) {
    const std::string line = why + "\n";
    (void)!::write(2, line.data(), line.size());
    return code;
  };
  const RunFiles files(directory);
  const auto spec_text = read_file(files.spec);
  const auto started_text = read_file(files.started);
  if (!spec_text || !started_text) return complain("the container is not running", kCannotRun);
  auto spec = RunSpec::parse(*spec_text);
  const auto started = StartedFile::parse(*started_text);
  if (!spec || !started) return complain("the container's files are damaged", kCannotRun);
  if (auto ok = join_namespaces(started->init, spec->isolation); !ok) {
    return complain(ok.error().message, kCannotRun);
  }
  spec->words = std::move(words);
  const int pid = ::fork();
  if (pid < 0) return complain("fork failed", kCannotRun);
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::isatty(0) != 0) {
      take_terminal();
      name_terminal(spec->environment);
    }
    const auto ended = become(*std::move(spec));
    ::_exit(complain(ended.error().message,
                     ended.error().kind == ErrorKind::NotFound ? kNotThere : kCannotRun));
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  // Without exit handlers: nothing here is to be flushed, and a leak checker's helper process would
  // find itself in the container's namespaces, where it cannot see us, and wait for ever.
  ::_exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

}  // namespace fixpoint::node
