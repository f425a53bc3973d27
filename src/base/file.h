// SPDX-License-Identifier: Apache-2.0
//
// A file, read whole and bounded. Errors name the file and never what is in it.
#pragma once

#include "base/error.h"

#include <cstddef>
#include <filesystem>
#include <string>

namespace fixpoint {

// Whoever expects less says so.
inline constexpr std::size_t kWholeFileBytesMax = std::size_t{256} << 20U;

Result<std::string> read_file(const std::filesystem::path& path,
                              std::size_t bytes_max = kWholeFileBytesMax);

}  // namespace fixpoint
