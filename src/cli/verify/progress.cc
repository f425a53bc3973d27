// SPDX-License-Identifier: Apache-2.0
#include "cli/verify/progress.h"

#include "base/print_to.h"
#include "kube/scalars/duration.h"
#include "verify/report/report.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace fixpoint::cli {
namespace {

constexpr Duration kLogEvery = std::chrono::seconds(5);

}  // namespace

std::string progress_text(const verify::Progress& progress, std::optional<Duration> time_limit) {
  const double seconds = std::max(1e-3, std::chrono::duration<double>(progress.elapsed).count());
  const auto rate = [&](std::uint64_t count) {
    return verify::grouped(static_cast<std::uint64_t>(static_cast<double>(count) / seconds));
  };
  auto text =
      progress.walks_left
          ? fmt::format("{} walks left, {} states, {} steps/s, {} MiB",
                        verify::grouped(*progress.walks_left), verify::grouped(progress.distinct),
                        rate(progress.transitions), progress.bytes >> 20U)
          : fmt::format("{} states, frontier {}, depth {}, {}/s, {} MiB",
                        verify::grouped(progress.distinct), verify::grouped(progress.frontier),
                        progress.depth, rate(progress.distinct), progress.bytes >> 20U);
  if (time_limit) {
    const auto left = std::max(Duration{}, *time_limit - progress.elapsed);
    text += fmt::format(
        ", {} left", kube::duration_text(std::chrono::duration_cast<std::chrono::seconds>(left)));
  }
  return text;
}

VerifyProgress::VerifyProgress(std::optional<Duration> time_limit)
    : time_limit_(time_limit), terminal_(::isatty(STDERR_FILENO) == 1) {}

void VerifyProgress::show(const verify::Progress& progress) {
  if (!terminal_ && progress.elapsed < next_ + kLogEvery) return;
  next_ = progress.elapsed;
  const auto text = progress_text(progress, time_limit_);
  // "\x1b[K": what the last line had more.
  print_to(stderr, terminal_ ? fmt::format("\r{}\x1b[K", text) : text + "\n");
  shown_ = true;
}

MutantProgress::MutantProgress() : terminal_(::isatty(STDERR_FILENO) == 1) {}

void MutantProgress::show(const verify::Mutant& last, std::size_t done, std::size_t all) {
  if (last.killed()) ++killed_;
  if (!terminal_ || done == all) return;
  print_to(stderr, fmt::format("\r{} of {} mutants, {} killed\x1b[K", done, all, killed_));
  shown_ = true;
}

void MutantProgress::clear() {
  if (shown_) print_to(stderr, "\r\x1b[K");
  shown_ = false;
}

void VerifyProgress::clear() {
  if (terminal_ && shown_) print_to(stderr, "\r\x1b[K");
  shown_ = false;
}

}  // namespace fixpoint::cli
