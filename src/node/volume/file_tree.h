// SPDX-License-Identifier: Apache-2.0
//
// The files of a volume on disk, changed all at once or not at all.
//
// As Kubernetes lays them out: the files lie in a directory named by time, `..data` is a link to
// it, and each name at the top is a link through `..data`. Moving that one link is the change, so a
// program that reads two files never sees one old and one new.
#pragma once

#include "base/error.h"
#include "node/volume/volume_files.h"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace fixpoint::node {

// Makes `directory` hold exactly these files, of that group where we may give them away; true when
// anything changed.
Result<bool> write_file_set(const std::filesystem::path& directory, const FileSet& files,
                            std::optional<std::uint32_t> group = std::nullopt);

// Writes a file that is either the old one or whole: by way of a neighbour and a rename.
Result<void> write_whole_file(const std::filesystem::path& path, std::string_view bytes,
                              std::uint32_t mode);

// Opens or makes the directory `path` below `root`, following no link that leads out of `root`.
// For what pods name: subPath. The result is a path free of links.
Result<std::filesystem::path> directory_below(const std::filesystem::path& root,
                                              std::string_view path);

}  // namespace fixpoint::node
