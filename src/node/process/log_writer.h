// SPDX-License-Identifier: Apache-2.0
//
// LogWriter: a container's output as lines with time and stream, in files of bounded size.
//
// The form is the one container runtimes write: "TIME stdout F text", P in place of F for a piece
// of a line that is too long. Read next: logs/log_reader.h.
#pragma once

#include "base/clock.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace fixpoint::node {

class LogWriter {
 public:
  // As a kubelet's default; the file before it is kept, so a container has at most twice this.
  static constexpr std::size_t kFileBytesMax = std::size_t{10} << 20U;
  static constexpr std::size_t kLineBytesMax = std::size_t{16} << 10U;

  // Goes on behind what is in the file. A file that cannot be written loses lines, not the program.
  explicit LogWriter(std::filesystem::path file, std::size_t file_bytes_max = kFileBytesMax);
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  enum class Stream : std::uint8_t { Out, Err };
  // Any piece of output; unfinished lines wait for their end.
  void write(Stream stream, std::string_view bytes, Instant now);
  // What still waits, as it is.
  void finish(Instant now);

 private:
  void line(Stream stream, std::string_view text, bool whole, Instant now);
  void flush();
  void rotate();

  std::filesystem::path file_;
  std::size_t file_bytes_max_;
  int fd_ = -1;
  std::size_t size_ = 0;
  std::string waiting_[2];
  std::string out_;
};

// Where the lines before the newest rotation are.
std::filesystem::path rotated_log(const std::filesystem::path& file);

}  // namespace fixpoint::node
