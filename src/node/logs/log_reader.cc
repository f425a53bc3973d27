// SPDX-License-Identifier: Apache-2.0
#include "node/logs/log_reader.h"

#include "base/rfc3339.h"
#include "node/process/log_writer.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fixpoint::node {
namespace {

struct Line {
  std::string_view time;
  std::string_view text;
  bool whole = true;
};

// "TIME stdout F text"
std::optional<Line> parse_line(std::string_view line) {
  const auto time = line.find(' ');
  const auto stream = time == std::string_view::npos ? time : line.find(' ', time + 1);
  if (stream == std::string_view::npos || line.size() < stream + 3) return std::nullopt;
  return Line{.time = line.substr(0, time),
              .text = line.substr(stream + 3),
              .whole = line[stream + 1] == 'F'};
}

std::string read_to_end(int fd) {
  std::string out;
  std::array<char, std::size_t{64} << 10U> buffer{};
  while (true) {
    const auto count = ::read(fd, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return out;
    out.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

int open_to_read(const std::filesystem::path& file) {
  return ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
}

bool is_same_file(int one, int other) {
  struct stat first{};
  struct stat second{};
  return ::fstat(one, &first) == 0 && ::fstat(other, &second) == 0 &&
         first.st_ino == second.st_ino && first.st_dev == second.st_dev;
}

// Both files, the older first. `current` was opened before: should it have been rotated since, it
// is found under both names and read once.
std::string read_both(const std::filesystem::path& file, int current) {
  std::string out;
  if (const int older = open_to_read(rotated_log(file)); older >= 0) {
    if (!is_same_file(older, current)) out = read_to_end(older);
    ::close(older);
  }
  if (current >= 0) out += read_to_end(current);
  return out;
}

bool too_old(const Line& line, const LogQuery& query) {
  if (!query.since) return false;
  const auto time = parse_rfc3339(line.time);
  return time && *time < *query.since;
}

// Where the last `count` lines begin; a line in pieces is one.
std::size_t tail_begin(std::string_view raw, std::size_t count) {
  std::size_t at = raw.size();
  std::size_t lines = 0;
  while (at > 0) {
    const auto before = at < 2 ? std::string_view::npos : raw.rfind('\n', at - 2);
    const auto begin = before == std::string_view::npos ? 0 : before + 1;
    const auto line = parse_line(raw.substr(begin, at - begin - 1));
    if (!line || line->whole || at == raw.size()) {
      if (lines == count) return at;
      ++lines;
    }
    at = begin;
  }
  return 0;
}

void append(std::string& out, std::string_view raw, const LogQuery& query, bool& inside) {
  while (!raw.empty()) {
    const auto end = std::min(raw.find('\n'), raw.size());
    const auto line = parse_line(raw.substr(0, end));
    raw.remove_prefix(std::min(end + 1, raw.size()));
    if (!line || too_old(*line, query)) continue;
    if (query.timestamps && !inside) {
      out += line->time;
      out += ' ';
    }
    out += line->text;
    if (line->whole) out += '\n';
    inside = !line->whole;
  }
}

}  // namespace

std::string read_log(const std::filesystem::path& file, const LogQuery& query) {
  const int current = open_to_read(file);
  const std::string raw = read_both(file, current);
  if (current >= 0) ::close(current);
  std::string_view wanted = raw;
  if (query.tail_lines) wanted.remove_prefix(tail_begin(raw, *query.tail_lines));
  std::string out;
  bool inside = false;
  append(out, wanted, query, inside);
  if (query.bytes_max && out.size() > *query.bytes_max) out.resize(*query.bytes_max);
  return out;
}

LogFollower::LogFollower(std::filesystem::path file, LogQuery query)
    : file_(std::move(file)), query_(query) {
  fd_ = open_to_read(file_);
  std::string raw = read_both(file_, fd_);
  // What is not a whole line yet comes with the rest of it.
  const auto end = raw.rfind('\n');
  const auto whole = end == std::string::npos ? 0 : end + 1;
  partial_ = raw.substr(whole);
  raw.resize(whole);
  std::string_view wanted = raw;
  if (query_.tail_lines) wanted.remove_prefix(tail_begin(raw, *query_.tail_lines));
  first_ = take(wanted);
}

LogFollower::~LogFollower() {
  if (fd_ >= 0) ::close(fd_);
}

std::string LogFollower::take(std::string_view raw) {
  std::string out;
  bool inside = false;
  append(out, raw, query_, inside);
  if (query_.bytes_max) {
    out.resize(std::min(out.size(), *query_.bytes_max - std::min(sent_, *query_.bytes_max)));
  }
  sent_ += out.size();
  return out;
}

std::string LogFollower::more() {
  std::string out = std::exchange(first_, {});
  std::string raw = std::move(partial_);
  partial_.clear();
  if (fd_ >= 0) raw += read_to_end(fd_);
  const int named = open_to_read(file_);
  if (named >= 0 && is_same_file(fd_, named)) {
    ::close(named);
  } else if (named >= 0) {
    // What came after the last read and before the rotation; nothing comes after it.
    if (fd_ >= 0) raw += read_to_end(fd_);
    if (fd_ >= 0) ::close(fd_);
    fd_ = named;
    raw += read_to_end(fd_);
  }
  const auto end = raw.rfind('\n');
  const auto whole = end == std::string::npos ? 0 : end + 1;
  partial_ = raw.substr(whole);
  raw.resize(whole);
  out += take(raw);
  return out;
}

}  // namespace fixpoint::node
