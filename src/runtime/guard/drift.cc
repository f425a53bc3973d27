// SPDX-License-Identifier: Apache-2.0
#include "runtime/guard/drift.h"

#include "base/utf8.h"
#include "json/print.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fixpoint::runtime {
namespace {

constexpr std::size_t kShownMax = 3;
constexpr std::size_t kValueBytesMax = 80;
constexpr std::string_view kDeleted = "<deleted>";

std::string shown_value(std::optional<json::View> value) {
  if (!value) return "nothing";
  auto text = json::to_text(*value, json::Escape::Plain);
  if (text.size() <= kValueBytesMax) return text;
  return std::string{utf8_prefix(text, kValueBytesMax)} + "…";
}

std::uint64_t mixed(std::uint64_t seed, std::string_view text) {
  return hash64(text, seed);
}

std::string by_whom(const Actor& actor) {
  if (actor.operation.empty()) return "somebody who cannot be told";
  return fmt::format("{} ({})", actor.manager, actor.operation);
}

std::string in_words(Duration span) {
  const auto whole_seconds = std::chrono::duration_cast<std::chrono::seconds>(span).count();
  if (whole_seconds < 120) return fmt::format("{} s", whole_seconds);
  if (whole_seconds < 7'200) return fmt::format("{} min", whole_seconds / 60);
  return fmt::format("{} h", whole_seconds / 3'600);
}

}  // namespace

GuardDrift drift_between(const Baseline& baseline, json::View live, json::View desired,
                         const ManagedKey& key, std::string_view ourselves) {
  const bool secret = key.kind == kube::GroupKind{"", "Secret"};
  GuardDrift drift;
  std::vector<kube::Path> paths;
  for (const auto at : baseline.differing(live)) paths.push_back(baseline.paths()[at]);
  if (paths.empty()) return drift;
  drift.actor = actor_of(live, paths, ourselves);
  auto loose = mixed(mixed(0, drift.actor.manager), drift.actor.operation);
  std::uint64_t values = 0;
  for (const auto& path : paths) {
    drift.paths.push_back(kube::to_string(path));
    loose = mixed(loose, drift.paths.back());
    values = values * 1'099'511'628'211U + value_hash(live, path);
    if (drift.shown.size() == kShownMax) continue;
    drift.shown.push_back(secret ? drift.paths.back() + ": values hidden"
                                 : fmt::format("{}: ours {}, theirs {}", drift.paths.back(),
                                               shown_value(at_path(desired, path)),
                                               shown_value(at_path(live, path))));
  }
  drift.print = {.strict = mixed(loose, std::to_string(values)), .loose = loose};
  drift.version = kube::resource_version_of(live);
  return drift;
}

GuardDrift deleted_drift(json::View live, std::string_view own_version) {
  GuardDrift drift;
  drift.paths = {std::string{kDeleted}};
  drift.shown = drift.paths;
  const auto print = mixed(0, kDeleted);
  drift.print = {.strict = print, .loose = print};
  drift.version = live.is_null() ? fmt::format("gone:{}", own_version)
                                 : fmt::format("other:{}", kube::uid_of(live));
  return drift;
}

std::string contested_note(const ManagedKey& key, const GuardDrift& drift, const Ledger& ledger) {
  return fmt::format(
      "{} is changed back and forth: {} keeps writing fields that this operator manages ({} times "
      "so far): {}. Each change was reverted. If it goes on, the object will be paused.",
      key.to_string(), by_whom(drift.actor), ledger.contests().size(),
      fmt::join(drift.shown, "; "));
}

std::string resume_command(const ManagedKey& key, const GuardNames& names) {
  auto kind = key.kind.to_string();
  std::ranges::transform(kind, kind.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto place = key.key.ns.empty() ? "" : fmt::format(" -n {}", key.key.ns);
  return fmt::format("kubectl annotate {} {}{} {}-", kind, key.key.name, place, names.paused);
}

std::string paused_note(const ManagedKey& key, const GuardDrift& drift, const GuardHit& hit,
                        const Pause& pause, const GuardNames& names) {
  if (hit.rule == GuardRule::NonConvergent) {
    return fmt::format(
        "{} does not become what this operator writes, {} times running, though nobody else "
        "changes it: an admission webhook rewrites it, or its template is not stable. Paused, no "
        "more writes (id {}). Resume: {}",
        key.to_string(), hit.count, pause.id, resume_command(key, names));
  }
  return fmt::format(
      "{}: {} changed it back {} times in {} (rule {}): {}. Paused, no more writes (id {}). Stop "
      "the other writer or give it the field, then resume: {}",
      key.to_string(), by_whom(drift.actor), hit.count, in_words(hit.span), to_string(hit.rule),
      fmt::join(drift.shown, "; "), pause.id, resume_command(key, names));
}

}  // namespace fixpoint::runtime
