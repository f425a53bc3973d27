// SPDX-License-Identifier: Apache-2.0
#include "verify/explorer/limits.h"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>
#include <unistd.h>

namespace fixpoint::verify {
namespace {

constexpr Duration kTellEvery = std::chrono::milliseconds(250);
// Numbers of states are 31 bits wide where they are noted.
constexpr std::uint64_t kStatesMax = (std::uint64_t{1} << 31) - 2;

}  // namespace

std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

Limits::Limits(const ExploreOptions& options) : options_(options), begin_(clock_.monotonic()) {}

Duration Limits::elapsed() const {
  return clock_.monotonic() - begin_;
}

void Limits::look(Progress progress) {
  progress.elapsed = elapsed();
  if (options_.time_limit && progress.elapsed >= *options_.time_limit) {
    exceeded_ =
        fmt::format("time limit: {} s",
                    std::chrono::duration_cast<std::chrono::seconds>(*options_.time_limit).count());
  }
  if (progress.distinct > kStatesMax) exceeded_ = "more states than can be numbered";
  const bool tell = options_.progress && progress.elapsed - told_ >= kTellEvery;
  if (!tell && !options_.memory_bytes_max) return;
  progress.bytes = std::max(progress.bytes, resident_bytes());
  if (options_.memory_bytes_max && progress.bytes > *options_.memory_bytes_max) {
    exceeded_ = fmt::format("memory bound: {} MiB", *options_.memory_bytes_max >> 20U);
  }
  if (!tell) return;
  told_ = progress.elapsed;
  options_.progress(progress);
}

}  // namespace fixpoint::verify
