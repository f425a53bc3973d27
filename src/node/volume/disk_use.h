// SPDX-License-Identifier: Apache-2.0
//
// disk_use: how much of the disk lies below a directory.
//
// Whoever asks waits for the walk, so it is bounded: of a directory with more entries, those that
// came first are counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace fixpoint::node {

// Some tens of milliseconds when the disk is warm.
inline constexpr std::size_t kDiskEntriesMax = 50'000;

// In bytes, as the file system counts them: a hole costs nothing, a file with two names counts
// once. Links are not followed; what cannot be read counts nothing.
std::uint64_t disk_use(const std::filesystem::path& directory);

}  // namespace fixpoint::node
