// SPDX-License-Identifier: Apache-2.0
#include "verify/world/coverage.h"

#include "base/hash.h"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace fixpoint::verify::world {
namespace {

struct SiteHash {
  std::uint64_t operator()(const runtime::ApiEffect& api) const {
    return hash64(api.call.resource.plural,
                  hash64(api.call.subresource, static_cast<std::uint64_t>(api.call.verb)));
  }
  std::uint64_t operator()(const runtime::ListEffect& list) const {
    return hash64(list.call.collection.resource.plural, 101);
  }
  std::uint64_t operator()(const runtime::ResolveEffect& resolve) const {
    return hash64(resolve.kind.kind, 102);
  }
  std::uint64_t operator()(const runtime::ProbeEffect& probe) const {
    return hash64(probe.probe.name, 103);
  }
  std::uint64_t operator()(const runtime::OutsideEffect& outside) const {
    return hash64(outside.step.name, 104);
  }
};

std::string faults_in_words(const Coverage::Row& row, Coverage::Cell cell) {
  std::string text;
  for (std::size_t at = 1; at < kFaults; ++at) {
    if (row.cells[at] != cell) continue;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", to_string(static_cast<Fault>(at)));
  }
  return text;
}

}  // namespace

bool Coverage::noted(const runtime::Effect& effect, std::uint64_t what) {
  const auto hash = (std::visit(SiteHash{}, effect.what) + what) * 0x9e3779b97f4a7c15U;
  auto& slot = noted_[hash >> 52U];
  return slot.exchange(hash, std::memory_order_relaxed) == hash;
}

void Coverage::reached(const runtime::Effect& effect, const Budget& whole, const Budget& left) {
  // What is left matters only in so far as something is left.
  std::uint64_t purse = kFaults;
  for (const auto times : left.times) purse = purse * 2 + (times > 0 ? 1 : 0);
  if (noted(effect, purse)) return;
  auto site = site_of(effect);
  const std::scoped_lock lock{mutex_};
  auto& row = rows_[site];
  row.site = std::move(site);
  for (std::size_t at = 0; at < kFaults; ++at) {
    const auto fault = static_cast<Fault>(at);
    if (!makes_sense(fault, effect) || !affordable(fault, whole)) continue;
    row.cells[at] = std::max(row.cells[at], affordable(fault, left) ? Cell::Missed : Cell::Beyond);
  }
}

void Coverage::happened(const runtime::Effect& effect, Fault fault) {
  if (noted(effect, static_cast<std::uint64_t>(fault))) return;
  const std::scoped_lock lock{mutex_};
  rows_[site_of(effect)].cells[static_cast<std::size_t>(fault)] = Cell::Happened;
}

std::vector<Coverage::Row> Coverage::rows() const {
  const std::scoped_lock lock{mutex_};
  std::vector<Row> rows;
  rows.reserve(rows_.size());
  for (const auto& [site, row] : rows_) rows.push_back(row);
  return rows;
}

std::size_t Coverage::count(Cell cell) const {
  std::size_t sum = 0;
  for (const auto& row : rows()) {
    sum += static_cast<std::size_t>(std::ranges::count(row.cells, cell));
  }
  return sum;
}

std::string Coverage::to_string() const {
  std::string text;
  for (const auto& row : rows()) {
    text += fmt::format("{:<28} {}", row.site, faults_in_words(row, Cell::Happened));
    const auto beyond = faults_in_words(row, Cell::Beyond);
    const auto missed = faults_in_words(row, Cell::Missed);
    if (!beyond.empty()) text += fmt::format(" (beyond the budget: {})", beyond);
    if (!missed.empty()) text += fmt::format(" MISSED: {}", missed);
    text += '\n';
  }
  return text;
}

}  // namespace fixpoint::verify::world
