// SPDX-License-Identifier: Apache-2.0
#include "store/scratch_directory.h"

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <stdlib.h>

namespace fixpoint::store {
namespace {

Result<std::filesystem::path> make_directory(std::string_view purpose,
                                             const std::filesystem::path& parent) {
  std::string pattern = (parent / fmt::format("fixpoint-{}-XXXXXX", purpose)).string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    return fail(ErrorKind::Unavailable, fmt::format("{}: {}", pattern, std::strerror(errno)));
  }
  return pattern;
}

}  // namespace

Result<ScratchDirectory> ScratchDirectory::make(std::string_view purpose,
                                                const std::filesystem::path& parent) {
  FP_TRY(path, make_directory(purpose, parent));
  return ScratchDirectory{std::move(path)};
}

ScratchDirectory::ScratchDirectory(const char* purpose) {
  auto path = make_directory(purpose, std::filesystem::temp_directory_path());
  FP_CHECK(path.has_value());
  path_ = std::move(*path);
}

ScratchDirectory::ScratchDirectory(ScratchDirectory&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;  // what the owner did is done by now; a leftover changes nothing
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path ScratchDirectory::memory() {
  const std::filesystem::path shared = "/dev/shm";
  return std::filesystem::exists(shared) ? shared : std::filesystem::temp_directory_path();
}

}  // namespace fixpoint::store
