// SPDX-License-Identifier: Apache-2.0
//
// CronJobs: Jobs by schedule.
//
// The name of a Job says for which minute it is, so no minute has two. A pass starts what is due
// and notes the time; the next one finds the Job and lists it as active. Missed times are made up
// for by one Job, for the last of them, if it is not too late for that.
#pragma once

#include "base/time_zone.h"
#include "cluster/keyed_controller.h"

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace fixpoint::cluster::jobs {

using ZoneSource = std::function<Result<TimeZone>(std::string_view name)>;

struct CronJobFacts {
  store::RecordRef cron;               // never empty
  std::vector<store::RecordRef> jobs;  // those it controls
  // Whether its namespace has a Job of this name, whoever controls it.
  std::function<bool(std::string_view name)> exists;
  ZoneSource zones;
  std::optional<Refusal> refused;
  json::Value memory;  // the schedule that the last pass went by
};

Decision decide(const CronJobFacts& facts, Instant now);

class CronJobController final : public KeyedController {
 public:
  explicit CronJobController(ZoneSource zones = load_time_zone);

 private:
  Decision pass(const Reader& reader, const Subject& subject, Instant now) const override;

  ZoneSource zones_;
};

}  // namespace fixpoint::cluster::jobs
