// SPDX-License-Identifier: Apache-2.0
#include "node/process/log_writer.h"

#include "base/rfc3339.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fixpoint::node {
namespace {

// Nine decimals, as container runtimes write them.
std::string time_text(Instant now) {
  const auto nanos = now.time_since_epoch().count() % 1'000'000'000;
  auto text = format_seconds(now);
  text.pop_back();
  return fmt::format("{}.{:09}Z", text, nanos);
}

}  // namespace

std::filesystem::path rotated_log(const std::filesystem::path& file) {
  return file.string() + ".1";
}

LogWriter::LogWriter(std::filesystem::path file, std::size_t file_bytes_max)
    : file_(std::move(file)), file_bytes_max_(file_bytes_max) {
  fd_ = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  struct stat info{};
  if (fd_ >= 0 && ::fstat(fd_, &info) == 0) size_ = static_cast<std::size_t>(info.st_size);
}

LogWriter::~LogWriter() {
  if (fd_ >= 0) ::close(fd_);
}

void LogWriter::write(Stream stream, std::string_view bytes, Instant now) {
  auto& waiting = waiting_[static_cast<std::size_t>(stream)];
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    const auto room = kLineBytesMax - waiting.size();
    const auto take = std::min({end, room, bytes.size()});
    waiting += bytes.substr(0, take);
    bytes.remove_prefix(take);
    if (!bytes.empty() && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      line(stream, waiting, true, now);
      waiting.clear();
    } else if (waiting.size() == kLineBytesMax) {
      line(stream, waiting, false, now);
      waiting.clear();
    }
  }
  flush();
}

void LogWriter::finish(Instant now) {
  for (const auto stream : {Stream::Out, Stream::Err}) {
    auto& waiting = waiting_[static_cast<std::size_t>(stream)];
    if (!waiting.empty()) line(stream, waiting, false, now);
    waiting.clear();
  }
  flush();
}

void LogWriter::line(Stream stream, std::string_view text, bool whole, Instant now) {
  const std::string head = fmt::format(
      "{} {} {} ", time_text(now), stream == Stream::Out ? "stdout" : "stderr", whole ? 'F' : 'P');
  if (size_ + out_.size() + head.size() + text.size() + 1 > file_bytes_max_) {
    flush();
    rotate();
  }
  out_ += head;
  out_ += text;
  out_ += '\n';
}

void LogWriter::flush() {
  std::string_view left = out_;
  while (!left.empty() && fd_ >= 0) {
    const auto count = ::write(fd_, left.data(), left.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;  // no space: these lines are lost
    size_ += static_cast<std::size_t>(count);
    left.remove_prefix(static_cast<std::size_t>(count));
  }
  out_.clear();
}

void LogWriter::rotate() {
  if (fd_ >= 0) ::close(fd_);
  ::rename(file_.c_str(), rotated_log(file_).c_str());
  fd_ = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  size_ = 0;
}

}  // namespace fixpoint::node
