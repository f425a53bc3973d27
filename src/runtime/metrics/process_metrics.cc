// SPDX-License-Identifier: Apache-2.0
//
// process_*: what the kernel says of this process, as Prometheus' own client libraries name it.
#include "base/file.h"
#include "runtime/metrics/controller_metrics.h"

#include <cstdio>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

namespace fixpoint::runtime {
namespace {

struct ProcessFacts {
  double cpu_seconds = 0;
  double resident_bytes = 0;
  double virtual_bytes = 0;
  double started_ticks = 0;  // since boot
  bool known = false;
};

// The fields after the command, which may itself hold blanks and brackets.
ProcessFacts read_facts() {
  const auto text = read_file("/proc/self/stat").value_or("");
  const auto bracket = text.rfind(')');
  if (bracket == std::string::npos) return {};
  std::istringstream in(text.substr(bracket + 1));
  std::string word;
  std::vector<std::string> fields{"pid", "comm"};
  while (in >> word) fields.push_back(word);
  if (fields.size() < 24) return {};
  const auto field = [&](std::size_t i) { return std::strtod(fields[i].c_str(), nullptr); };
  const double tick = static_cast<double>(::sysconf(_SC_CLK_TCK));
  return {.cpu_seconds = (field(13) + field(14)) / tick,
          .resident_bytes = field(23) * static_cast<double>(::sysconf(_SC_PAGESIZE)),
          .virtual_bytes = field(22),
          .started_ticks = field(21) / tick,
          .known = true};
}

double boot_time() {
  std::istringstream in(read_file("/proc/stat").value_or(""));
  std::string word;
  while (in >> word) {
    double boot_seconds = 0;
    if (word == "btime" && in >> boot_seconds) return boot_seconds;
  }
  return 0;
}

double open_descriptors() {
  std::error_code error;
  std::filesystem::directory_iterator entries("/proc/self/fd", error);
  if (error) return 0;
  // The iterator itself holds one open.
  return static_cast<double>(std::distance(begin(entries), end(entries))) - 1;
}

double descriptors_max() {
  struct rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return 0;
  return static_cast<double>(files.rlim_cur);
}

}  // namespace

void add_process_metrics(MetricsRegistry& registry) {
  auto& cpu =
      registry
          .counter(
              {"process_cpu_seconds_total", "Total user and system CPU time spent in seconds.", {}})
          .with({});
  const auto gauge = [&](const char* name, const char* help) {
    return &registry.gauge({name, help, {}}).with({});
  };
  auto* resident = gauge("process_resident_memory_bytes", "Resident memory size in bytes.");
  auto* virtual_size = gauge("process_virtual_memory_bytes", "Virtual memory size in bytes.");
  auto* open = gauge("process_open_fds", "Number of open file descriptors.");
  auto* most = gauge("process_max_fds", "Maximum number of open file descriptors.");
  gauge("process_start_time_seconds", "Start time of the process since unix epoch in seconds.")
      ->set(boot_time() + read_facts().started_ticks);
  registry.before_page([=, &cpu] {
    const auto facts = read_facts();
    if (!facts.known) return;
    cpu.raise_to(facts.cpu_seconds);
    resident->set(facts.resident_bytes);
    virtual_size->set(facts.virtual_bytes);
    open->set(open_descriptors());
    most->set(descriptors_max());
  });
}

}  // namespace fixpoint::runtime
