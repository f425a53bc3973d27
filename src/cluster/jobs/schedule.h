// SPDX-License-Identifier: Apache-2.0
//
// Schedule: the moments at which a CronJob starts, in the time of some place.
//
// An hour that a place skips has no moments; those of an hour that it has twice come twice.
#pragma once

#include "base/clock.h"
#include "base/time_zone.h"
#include "kinds/validation/workloads/cron_schedule.h"

#include <optional>

namespace fixpoint::cluster::jobs {

class Schedule {
 public:
  Schedule(kinds::CronTimes times, TimeZone zone)
      : times_(std::move(times)), zone_(std::move(zone)) {}

  // The first moment after `at`; nothing when there is none within five years.
  std::optional<Instant> next(Instant at) const;

 private:
  kinds::CronTimes times_;
  TimeZone zone_;
};

}  // namespace fixpoint::cluster::jobs
