// SPDX-License-Identifier: Apache-2.0
#include "node/process/usage.h"

#include "base/file.h"

#include <array>
#include <charconv>
#include <chrono>
#include <string>

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

namespace fixpoint::node {
namespace {

// Where the numbers are, counted from the word after the name, which may hold anything.
constexpr std::size_t kParentAt = 1;
constexpr std::array<std::size_t, 4> kTicksAt{11, 12, 13,
                                              14};  // own and children's, user and system
constexpr std::size_t kResidentAt = 21;
// In /proc/stat: user nice system idle iowait irq softirq steal; guests are in user and nice.
constexpr std::size_t kIdleAt = 3;
constexpr std::size_t kWaitsForDiskAt = 4;
constexpr std::size_t kMachineTimes = 8;

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const auto begin = text.find_first_not_of(" \n");
    if (begin == std::string_view::npos) break;
    text.remove_prefix(begin);
    const auto end = std::min(text.find_first_of(" \n"), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

template <class Number>
std::optional<Number> number_in(std::string_view word) {
  Number value = 0;
  const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
  if (read.ec != std::errc{} || read.ptr != word.data() + word.size()) return std::nullopt;
  return value;
}

Duration of_ticks(std::uint64_t ticks) {
  static const auto per_second = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  return std::chrono::nanoseconds(ticks * 1'000'000'000 / per_second);
}

// "MemTotal:  123 kB" in bytes.
std::optional<std::uint64_t> kilobytes_after(std::string_view text, std::string_view name) {
  const auto at = text.find(name);
  if (at == std::string_view::npos) return std::nullopt;
  const auto words = words_of(text.substr(at + name.size()).substr(0, 64));
  if (words.empty()) return std::nullopt;
  const auto value = number_in<std::uint64_t>(words[0]);
  return value ? std::optional{*value * 1024} : std::nullopt;
}

}  // namespace

std::optional<ProcessLine> ProcessLine::parse(std::string_view line) {
  const auto name_end = line.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  const auto words = words_of(line.substr(name_end + 1));
  if (words.size() <= kResidentAt) return std::nullopt;
  ProcessLine out;
  const auto parent = number_in<int>(words[kParentAt]);
  const auto resident = number_in<std::uint64_t>(words[kResidentAt]);
  if (!parent || !resident) return std::nullopt;
  out.parent = *parent;
  out.resident_pages = *resident;
  for (const auto at : kTicksAt) {
    const auto ticks = number_in<std::uint64_t>(words[at]);
    if (!ticks) return std::nullopt;
    out.cpu_ticks += *ticks;
  }
  return out;
}

ProcessTable ProcessTable::read() {
  ProcessTable table;
  DIR* directory = ::opendir("/proc");
  if (directory == nullptr) return table;
  while (const dirent* entry = ::readdir(directory)) {
    const auto pid = number_in<int>(entry->d_name);
    if (!pid) continue;
    const auto text = read_file(fmt::format("/proc/{}/stat", *pid));
    if (!text) continue;
    if (const auto line = ProcessLine::parse(*text)) table.add(*pid, *line);
  }
  ::closedir(directory);
  return table;
}

void ProcessTable::add(int pid, const ProcessLine& line) {
  processes_[pid].line = line;
  processes_[line.parent].children.push_back(pid);
}

Use ProcessTable::below(int pid) const {
  static const auto page_bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  std::uint64_t ticks = 0;
  std::uint64_t pages = 0;
  std::vector<int> left{pid};
  while (!left.empty()) {
    const auto found = processes_.find(left.back());
    left.pop_back();
    if (found == processes_.end()) continue;
    for (const int child : found->second.children) {
      const auto& line = processes_.at(child).line;
      ticks += line.cpu_ticks;
      pages += line.resident_pages;
      left.push_back(child);
    }
  }
  return {.cpu = of_ticks(ticks), .memory_bytes = pages * page_bytes};
}

std::optional<Use> machine_use(std::string_view stat, std::string_view meminfo) {
  const auto words = words_of(stat.substr(0, stat.find('\n')));
  if (words.size() < kMachineTimes + 1 || words[0] != "cpu") return std::nullopt;
  std::uint64_t busy = 0;
  for (std::size_t i = 0; i < kMachineTimes; ++i) {
    const auto ticks = number_in<std::uint64_t>(words[i + 1]);
    if (!ticks) return std::nullopt;
    if (i != kIdleAt && i != kWaitsForDiskAt) busy += *ticks;
  }
  const auto total = kilobytes_after(meminfo, "MemTotal:");
  const auto available = kilobytes_after(meminfo, "MemAvailable:");
  if (!total || !available || *available > *total) return std::nullopt;
  return Use{.cpu = of_ticks(busy), .memory_bytes = *total - *available};
}

std::optional<Use> use_of_machine() {
  const auto stat = read_file("/proc/stat");
  const auto meminfo = read_file("/proc/meminfo");
  if (!stat || !meminfo) return std::nullopt;
  return machine_use(*stat, *meminfo);
}

}  // namespace fixpoint::node
