// SPDX-License-Identifier: Apache-2.0
#include "node/volume/file_tree.h"

#include "base/file.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <set>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fixpoint::node {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kData = "..data";

std::unexpected<Error> path_trouble(std::string_view doing, const fs::path& path, int error) {
  return fail(ErrorKind::Unavailable,
              fmt::format("{} {}: {}", doing, path.string(), std::strerror(error)));
}

Result<void> make_directories(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return path_trouble("create", path, error.value());
  return {};
}

// Does the directory that ..data names hold exactly these?
bool holds(const fs::path& current, const FileSet& files) {
  std::error_code error;
  std::size_t count = 0;
  for (auto it = fs::recursive_directory_iterator(current, error);
       !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    if (it->is_directory(error)) continue;
    ++count;
    const auto found = files.find(it->path().lexically_relative(current).string());
    if (found == files.end()) return false;
    struct stat info{};
    if (::lstat(it->path().c_str(), &info) != 0) return false;
    if ((info.st_mode & 0777U) != found->second.mode) return false;
    if (read_file(it->path()) != found->second.bytes) return false;
  }
  return !error && count == files.size();
}

std::string fresh_name() {
  static int serial = 0;
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return fmt::format("..{}.{}.{}", now, ::getpid(), ++serial);
}

Result<void> point(const fs::path& link, const fs::path& target) {
  const fs::path next = link.string() + ".new";
  ::unlink(next.c_str());  // of an earlier life; symlink says if it cannot be replaced
  if (::symlink(target.c_str(), next.c_str()) != 0) return path_trouble("link", next, errno);
  if (::rename(next.c_str(), link.c_str()) != 0) return path_trouble("rename", link, errno);
  return {};
}

// The names at the top, each a link through ..data; others that are no longer wanted go.
Result<void> link_names(const fs::path& directory, const FileSet& files) {
  std::set<std::string> names;
  for (const auto& [path, content] : files) names.insert(path.substr(0, path.find('/')));
  for (const auto& name : names) {
    const auto link = directory / name;
    std::error_code error;
    if (fs::is_symlink(fs::symlink_status(link, error))) continue;
    FP_TRY_VOID(point(link, fs::path(kData) / name));
  }
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    const auto name = entry.path().filename().string();
    if (name.starts_with("..") || names.contains(name)) continue;
    fs::remove_all(entry.path(), error);
  }
  return {};
}

}  // namespace

Result<void> write_whole_file(const fs::path& path, std::string_view bytes, std::uint32_t mode) {
  const fs::path next = path.string() + ".new";
  ::unlink(next.c_str());  // of an earlier life; open says if it cannot be replaced
  const int fd = ::open(next.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return path_trouble("create", next, errno);
  int error = 0;
  while (!bytes.empty() && error == 0) {
    const auto count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) error = errno;
    if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  if (error == 0 && ::fchmod(fd, mode) != 0) error = errno;
  ::close(fd);
  if (error == 0 && ::rename(next.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) return path_trouble("write", path, error);
  return {};
}

Result<bool> write_file_set(const fs::path& directory, const FileSet& files,
                            std::optional<std::uint32_t> group) {
  FP_TRY_VOID(make_directories(directory));
  const fs::path data = directory / kData;
  std::error_code error;
  const fs::path current = fs::read_symlink(data, error);
  if (!error && holds(directory / current, files)) return false;

  const std::string fresh = fresh_name();
  FP_TRY_VOID(make_directories(directory / fresh));
  for (const auto& [path, content] : files) {
    FP_TRY_VOID(check_file_path(path));
    const fs::path place = directory / fresh / path;
    FP_TRY_VOID(make_directories(place.parent_path()));
    FP_TRY_VOID(write_whole_file(place, content.bytes, content.mode));
    if (!group || ::geteuid() != 0) continue;
    if (::chown(place.c_str(), static_cast<uid_t>(-1), *group) != 0) {
      return path_trouble("chown", place, errno);
    }
  }
  FP_TRY_VOID(point(data, fresh));
  FP_TRY_VOID(link_names(directory, files));
  if (!current.empty()) fs::remove_all(directory / current, error);
  return true;
}

Result<fs::path> directory_below(const fs::path& root, std::string_view path) {
  FP_TRY_VOID(make_directories(root));
  FP_TRY_VOID(check_file_path(path));
  std::error_code error;
  fs::path real = fs::canonical(root, error);
  if (error) return path_trouble("open", root, error.value());
  const std::string prefix = real.string() + "/";
  for (const auto& part : fs::path(path)) {
    const fs::path next = real / part;
    if (::mkdir(next.c_str(), 0777) != 0 && errno != EEXIST) {
      return path_trouble("create", next, errno);
    }
    real = fs::canonical(next, error);
    if (error) return path_trouble("open", next, error.value());
    if (!(real.string() + "/").starts_with(prefix)) {
      return fail(ErrorKind::Invalid, fmt::format("subPath \"{}\" leads out of its volume", path));
    }
  }
  return real;
}

}  // namespace fixpoint::node
