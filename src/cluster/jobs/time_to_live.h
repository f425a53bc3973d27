// SPDX-License-Identifier: Apache-2.0
//
// TimeToLive: a Job that is over goes spec.ttlSecondsAfterFinished later, with its pods.
#pragma once

#include "cluster/keyed_controller.h"

namespace fixpoint::cluster::jobs {

Decision decide_expiry(const store::RecordRef& job, Instant now);

class TimeToLive final : public KeyedController {
 public:
  TimeToLive();

 private:
  Decision pass(const Reader& reader, const Subject& subject, Instant now) const override;
};

}  // namespace fixpoint::cluster::jobs
