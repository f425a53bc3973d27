// SPDX-License-Identifier: Apache-2.0
//
// What the files of a volume should be: config maps, secrets, the downward API and projections of
// them, from the API's objects. Pure; file_tree.h puts them on disk.
#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "json/value.h"
#include "node/pod/sources.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::node {

struct FileContent {
  std::string bytes;
  std::uint32_t mode = 0644;
  bool operator==(const FileContent&) const = default;
};
// By path below the volume, "a/b.conf". No path leads out of it: check_file_path.
using FileSet = std::map<std::string, FileContent>;

// A projected service account token: asked for by whoever can, and known here by its request.
struct TokenWish {
  std::string audience;
  std::int64_t seconds = 3600;
  auto operator<=>(const TokenWish&) const = default;
};
// Null: it is not there yet.
using Tokens = std::function<const std::string*(const TokenWish&)>;

// Is this volume made of such files at all?
bool has_files(json::View volume);
// The tokens it needs.
std::vector<TokenWish> tokens_of(json::View volume);

struct FileSources {
  json::View pod;
  const Sources& sources;
  const Place& place;
  const Tokens& tokens;
};
// Unavailable: a token is not there yet. Everything else is the message of a FailedMount event.
Result<FileSet> files_of(json::View volume, const FileSources& from);

// Relative, no empty or "..", nothing that the writer uses itself.
Result<void> check_file_path(std::string_view path);

}  // namespace fixpoint::node
