// SPDX-License-Identifier: Apache-2.0
//
// Defaults of apps, batch, autoscaling and policy.
#pragma once

#include "json/draft.h"

namespace fixpoint::kinds {

void set_defaults_deployment(json::Draft& object);
void set_defaults_stateful_set(json::Draft& object);
void set_defaults_daemon_set(json::Draft& object);
void set_defaults_replica_set(json::Draft& object);
void set_defaults_job(json::Draft& object);
void set_defaults_cron_job(json::Draft& object);
void set_defaults_hpa_v2(json::Draft& object);
void set_defaults_hpa_v1(json::Draft& object);

}  // namespace fixpoint::kinds
