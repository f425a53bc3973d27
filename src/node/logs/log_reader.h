// SPDX-License-Identifier: Apache-2.0
//
// A container's log, as `kubectl logs` asks for it. The files are those of process/log_writer.h.
#pragma once

#include "base/clock.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::node {

struct LogQuery {
  std::optional<std::size_t> tail_lines;
  std::optional<Instant> since;
  std::optional<std::size_t> bytes_max;
  bool timestamps = false;
};

// What is there now. At most what the files hold: twice LogWriter::kFileBytesMax.
std::string read_log(const std::filesystem::path& file, const LogQuery& query);

// Reads on from where it stands, across rotations.
class LogFollower {
 public:
  // Begins with what `query` asks for of what is there.
  LogFollower(std::filesystem::path file, LogQuery query);
  ~LogFollower();
  LogFollower(const LogFollower&) = delete;
  LogFollower& operator=(const LogFollower&) = delete;

  // What is new since the last time; empty when nothing is.
  std::string more();
  // The query's limit of bytes is reached.
  bool full() const { return query_.bytes_max && sent_ >= *query_.bytes_max; }

 private:
  std::string take(std::string_view raw);

  std::filesystem::path file_;
  LogQuery query_;
  int fd_ = -1;
  std::string partial_;
  std::size_t sent_ = 0;
  std::string first_;
};

}  // namespace fixpoint::node
