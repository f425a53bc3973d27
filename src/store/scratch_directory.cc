// SPDX-License-Identifier: Apache-2.0
#include "store/scratch_directory.h"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fixpoint::store {
namespace {

// Between its making and its lock a directory looks abandoned: one as young as this stays.
constexpr std::time_t kYoungSeconds = 60;

int open_directory(const std::filesystem::path& path) {
  return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

bool is_abandoned(int directory) {
  struct stat found{};
  return ::fstat(directory, &found) == 0 && found.st_uid == ::geteuid() &&
         found.st_mtime + kYoungSeconds < std::time(nullptr) &&
         ::flock(directory, LOCK_EX | LOCK_NB) == 0;
}

// What cannot be removed stays: it is nobody's, and in nobody's way.
void remove_abandoned(std::string_view prefix, const std::filesystem::path& parent) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(parent, ignored)) {
    if (!entry.path().filename().string().starts_with(prefix)) continue;
    const int directory = open_directory(entry.path());
    if (directory < 0) continue;
    if (is_abandoned(directory)) std::filesystem::remove_all(entry.path(), ignored);
    ::close(directory);
  }
}

}  // namespace

Result<ScratchDirectory> ScratchDirectory::make(std::string_view purpose,
                                                const std::filesystem::path& parent) {
  const std::string prefix = fmt::format("fixpoint-{}-", purpose);
  remove_abandoned(prefix, parent);
  std::string path = (parent / (prefix + "XXXXXX")).string();
  if (::mkdtemp(path.data()) == nullptr) {
    return fail(ErrorKind::Unavailable, fmt::format("{}: {}", path, std::strerror(errno)));
  }
  const int lock = open_directory(path);
  if (lock < 0 || ::flock(lock, LOCK_EX | LOCK_NB) != 0) {
    return fail(ErrorKind::Unavailable, fmt::format("{}: {}", path, std::strerror(errno)));
  }
  return ScratchDirectory{std::move(path), lock};
}

Result<std::filesystem::path> temporary_directory() {
  std::error_code error;
  auto path = std::filesystem::temp_directory_path(error);
  if (!error) return path;
  return fail(ErrorKind::Invalid, "temporary files have no directory: " + error.message() +
                                      ": set TMPDIR to one that is there");
}

ScratchDirectory::ScratchDirectory(const char* purpose)
    : ScratchDirectory([&] {
        const auto parent = temporary_directory();
        FP_CHECK(parent.has_value());
        auto made = make(purpose, *parent);
        FP_CHECK(made.has_value());
        return *std::move(made);
      }()) {}

ScratchDirectory::ScratchDirectory(ScratchDirectory&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}

ScratchDirectory::~ScratchDirectory() {
  if (path_.empty()) return;
  std::error_code ignored;  // what the owner did is done by now; a leftover changes nothing
  std::filesystem::remove_all(path_, ignored);
  ::close(lock_);
}

std::filesystem::path ScratchDirectory::memory() {
  const std::filesystem::path shared = "/dev/shm";
  return std::filesystem::exists(shared) ? shared : std::filesystem::temp_directory_path();
}

}  // namespace fixpoint::store
