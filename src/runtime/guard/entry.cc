// SPDX-License-Identifier: Apache-2.0
#include "runtime/guard/entry.h"

#include "base/rfc3339.h"
#include "json/draft.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace fixpoint::runtime {
namespace {

std::string hex(std::uint64_t number) {
  return fmt::format("{:x}", number);
}

std::uint64_t from_hex(std::string_view digits) {
  std::uint64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
  return number;
}

class StoredTimes {
 public:
  StoredTimes(GuardTime now, Duration age_max) : now_(now), age_max_(age_max) {}
  std::string out(MonotonicInstant at) const {
    return format_micros(now_.wall - (now_.steady - at));
  }
  MonotonicInstant in(std::string_view text) const {
    const auto wall = parse_rfc3339(text);
    const Duration age = wall ? now_.wall - *wall : age_max_;
    return now_.steady - std::clamp(age, Duration::zero(), age_max_);
  }

 private:
  GuardTime now_;
  Duration age_max_;
};

json::Draft ledger_json(const Ledger& ledger, const StoredTimes& times) {
  auto list = json::Draft::array();
  for (const auto& contest : ledger.contests()) {
    list.push_back(json::Draft::array(
        {times.out(contest.at), hex(contest.print.strict), hex(contest.print.loose)}));
  }
  return list;
}

void read_ledger(json::View stored, const StoredTimes& times, Ledger& ledger) {
  std::vector<Contest> contests;
  for (const auto item : stored.elements()) {
    if (contests.size() == kContestsMax) break;
    contests.push_back({
        .at = times.in(item[0].as_string()),
        .print = {.strict = from_hex(item[1].as_string()),
                  .loose = from_hex(item[2].as_string())}
    });
  }
  std::ranges::stable_sort(contests, {}, &Contest::at);
  for (const auto& contest : contests) ledger.add(contest);
}

json::Draft war_json(const GuardWar& war, const StoredTimes& times) {
  auto out = json::Draft::object({
      {"owner", war.owner},
      {"ledger", ledger_json(war.ledger, times)},
      {"warned", war.warned},
      {"actor", war.actor.manager},
      {"operation", war.actor.operation},
      {"unconverged", static_cast<std::int64_t>(war.unconverged)}
  });
  if (war.ledger.probation_print() != 0) {
    out["probation"] = json::Draft::array(
        {hex(war.ledger.probation_print()), times.out(war.ledger.probation_until())});
  }
  if (!war.pause) return out;
  out["pause"] = war.pause->to_json();
  out["print"] = hex(war.pause_print);
  out["byPerson"] = war.by_person;
  out["missing"] = war.missing;
  out["annotated"] = war.annotated;
  out["announced"] = war.announced;
  out["announcement"] = war.announcement;
  auto strips = json::Draft::array();
  for (const auto at : war.strips) strips.push_back(times.out(at));
  out["strips"] = std::move(strips);
  return out;
}

void read_war(json::View stored, const StoredTimes& times, GuardTime now, GuardWar& war) {
  read_ledger(stored.get("ledger"), times, war.ledger);
  war.warned = stored.get("warned").as_bool();
  war.actor = {.manager = std::string{stored.get("actor").as_string()},
               .operation = std::string{stored.get("operation").as_string()}};
  war.owner = stored.get("owner").as_string();
  war.unconverged = static_cast<std::size_t>(stored.get("unconverged").as_int());
  if (const auto probation = stored.get("probation"); probation.size() == 2) {
    // Its end lies ahead, so it is no age: what is left of it, and not more than a window.
    const auto until = parse_rfc3339(probation[1].as_string());
    const Duration left = until ? *until - now.wall : Duration::zero();
    war.ledger.put_on_probation(
        from_hex(probation[0].as_string()),
        now.steady + std::clamp<Duration>(left, Duration::zero(), std::chrono::hours(1)));
  }
  war.pause = Pause::from_json(stored.get("pause"));
  if (!war.pause) return;
  war.pause_print = from_hex(stored.get("print").as_string());
  war.by_person = stored.get("byPerson").as_bool();
  war.missing = stored.get("missing").as_bool();
  war.annotated = stored.get("annotated").as_bool();
  war.announced = stored.get("announced").as_bool();
  war.announcement = stored.get("announcement").as_string();
  for (const auto at : stored.get("strips").elements()) {
    if (war.strips.size() < kContestsMax) war.strips.push_back(times.in(at.as_string()));
  }
}

}  // namespace

std::string ManagedKey::to_string() const {
  const auto place = key.ns.empty() ? key.name : key.ns + "/" + key.name;
  return kind.to_string() + " " + place;
}

std::string owner_name(json::View primary) {
  if (primary.is_null()) return {};
  return ManagedKey{.kind = kube::gvk_of(primary).group_kind(), .key = kube::key_of(primary)}
      .to_string();
}

std::string shadow_name(const ManagedKey& key) {
  const auto text = fmt::format("{}\n{}\n{}\n{}\n{}", key.kind.group, key.kind.kind, key.key.ns,
                                key.key.name, key.manager);
  return hash128(text).hex();
}

json::Value shadow_record(const ManagedKey& key, const GuardEntry& entry, const TokenRate& rate,
                          GuardTime now) {
  const StoredTimes times(now, {});
  auto record = json::Draft::object({
      {"group", key.kind.group},
      {"kind", key.kind.kind},
      {"namespace", key.key.ns},
      {"name", key.key.name},
      {"manager", key.manager},
      {"ownerUid", entry.owner_uid},
      {"uid", entry.uid},
      {"version", entry.own_version},
      {"judged", entry.judged},
      {"tokens", entry.bucket.tokens(rate, now.steady)},
      {"at", format_micros(now.wall)}
  });
  if (entry.desired) {
    record["desired"] = json::Draft::array({hex(entry.desired->high), hex(entry.desired->low)});
  }
  if (entry.baseline.known()) record["baseline"] = entry.baseline.to_json();
  if (entry.war) record["war"] = war_json(*entry.war, times);
  return record.freeze();
}

std::optional<std::pair<ManagedKey, GuardEntry>> read_shadow_record(json::View record,
                                                                    PathTables& tables,
                                                                    Duration age_max,
                                                                    GuardTime now) {
  const auto text = [&](std::string_view key) { return std::string{record.get(key).as_string()}; };
  ManagedKey key{
      .kind = {text("group"),     text("kind")},
      .key = {text("namespace"), text("name")},
      .manager = text("manager")
  };
  if (key.kind.kind.empty() || key.key.name.empty()) return std::nullopt;
  const StoredTimes times(now, age_max);
  GuardEntry entry;
  entry.uid = text("uid");
  entry.owner_uid = text("ownerUid");
  entry.own_version = text("version");
  entry.judged = text("judged");
  entry.used = now.steady;
  entry.bucket = TokenBucket(std::max(0.0, record.get("tokens").as_double()), times.in(text("at")));
  if (const auto desired = record.get("desired"); desired.size() == 2) {
    entry.desired = Hash128{from_hex(desired[0].as_string()), from_hex(desired[1].as_string())};
  }
  entry.baseline = Baseline::from_json(record.get("baseline"), tables);
  if (const auto war = record.get("war"); war.is_object()) {
    read_war(war, times, now, entry.history());
  }
  return std::pair{std::move(key), std::move(entry)};
}

}  // namespace fixpoint::runtime
