// SPDX-License-Identifier: Apache-2.0
#include "store/dir_lock.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/rfc3339.h"

#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fixpoint::store {

namespace {

// The command lines of `up` are short; what is longer is cut.
constexpr std::size_t kCommandBytesMax = 200;

std::string own_command() {
  std::string command = read_file("/proc/self/cmdline").value_or("").substr(0, kCommandBytesMax);
  while (!command.empty() && command.back() == '\0') command.pop_back();
  for (char& c : command) {
    if (static_cast<unsigned char>(c) < 0x20U) c = ' ';
  }
  return command;
}

// Three lines: process id, time, command. Read by describe_holder only.
Result<void> sign(int file, const std::filesystem::path& path) {
  const std::string text =
      fmt::format("{}\n{}\n{}\n", ::getpid(), format_seconds(SystemClock{}.wall()), own_command());
  const bool written = ::ftruncate(file, 0) == 0 &&
                       ::pwrite(file, text.data(), text.size(), 0) == ssize_t(text.size());
  if (!written) return std::unexpected(file_error("write", path, errno));
  return {};
}

std::string describe_holder(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string pid;
  std::string since;
  std::string command;
  std::getline(file, pid);
  std::getline(file, since);
  std::getline(file, command);
  // The holder may be between locking and signing.
  if (command.empty()) return "another process";
  return fmt::format("process {} ({}) since {}", pid, command, since);
}

}  // namespace

Error file_error(std::string_view doing, const std::filesystem::path& path, int error_number) {
  const auto say = [&](ErrorKind kind, std::string_view advice) {
    return Error{kind,
                 fmt::format("{} {}: {}{}{}", doing, path.string(), std::strerror(error_number),
                             advice.empty() ? "" : ": ", advice)};
  };
  switch (error_number) {
    case ENOSPC:
    case EDQUOT: return say(ErrorKind::Exhausted, "free some space there");
    case EFBIG: return say(ErrorKind::Exhausted, "raise the file size limit (ulimit -f)");
    case EACCES:
    case EPERM:
    case EROFS: return say(ErrorKind::Invalid, "choose a directory this user can write to");
    case ENOENT: return say(ErrorKind::Invalid, "create its parent directory first");
    case ENOTDIR: return say(ErrorKind::Invalid, "choose a path that is a directory");
    case EIO: return say(ErrorKind::Unavailable, "the disk may be failing");
    default: return say(ErrorKind::Unavailable, "");
  }
}

Result<void> make_directory(const std::filesystem::path& directory) {
  if (::mkdir(directory.c_str(), 0700) == 0) {
    const auto parent = std::filesystem::path{directory / "."}.parent_path().parent_path();
    return sync_directory(parent.empty() ? "." : parent);
  }
  if (errno != EEXIST) return std::unexpected(file_error("create directory", directory, errno));
  struct stat status{};
  if (::stat(directory.c_str(), &status) != 0) {
    return std::unexpected(file_error("look at", directory, errno));
  }
  if (!S_ISDIR(status.st_mode)) {
    return std::unexpected(file_error("use as data directory", directory, ENOTDIR));
  }
  return {};
}

Result<void> sync_directory(const std::filesystem::path& directory) {
  const int file = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return std::unexpected(file_error("open", directory, errno));
  const int failed = ::fsync(file) == 0 ? 0 : errno;
  ::close(file);
  if (failed != 0) return std::unexpected(file_error("sync", directory, failed));
  return {};
}

namespace {

bool try_lock(int file) {
  return ::flock(file, LOCK_EX | LOCK_NB) == 0;
}

// The process that signed, if it is no more: what it was just starting when it was killed shares
// the lock until it becomes another program, an instant later.
bool holder_is_gone(const std::filesystem::path& path) {
  const auto text = read_file(path).value_or("");
  int pid = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), pid);
  return read.ec == std::errc{} && pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH;
}

Result<void> lock(int file, const std::filesystem::path& path) {
  constexpr auto kPatience = std::chrono::seconds(5);
  constexpr auto kPause = std::chrono::milliseconds(5);
  auto waited = std::chrono::milliseconds(0);
  while (!try_lock(file)) {
    if (errno != EWOULDBLOCK) return std::unexpected(file_error("lock", path, errno));
    if (waited >= kPatience || !holder_is_gone(path)) {
      return fail(
          ErrorKind::Conflict,
          fmt::format("data directory {} is in use by {}: stop it, or choose another directory",
                      path.parent_path().string(), describe_holder(path)));
    }
    std::this_thread::sleep_for(kPause);
    waited += kPause;
  }
  return {};
}

}  // namespace

Result<DirLock> DirLock::acquire(const std::filesystem::path& directory) {
  const auto path = directory / "lock";
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return std::unexpected(file_error("open", path, errno));
  DirLock own{file};
  FP_TRY_VOID(lock(file, path));
  FP_TRY_VOID(sign(file, path));
  return own;
}

DirLock::DirLock(DirLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

// The file stays: removing it would race with a process that has just opened it.
DirLock::~DirLock() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace fixpoint::store
