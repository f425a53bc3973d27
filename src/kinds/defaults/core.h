// SPDX-License-Identifier: Apache-2.0
//
// Defaults of the core group's kinds other than Pod.
#pragma once

#include "json/draft.h"

namespace fixpoint::kinds {

void set_defaults_namespace(json::Draft& object);
void set_defaults_node(json::Draft& object);
void set_defaults_secret(json::Draft& object);
void set_defaults_service(json::Draft& object);
void set_defaults_endpoints(json::Draft& object);
void set_defaults_persistent_volume(json::Draft& object);
void set_defaults_persistent_volume_claim(json::Draft& object);
void set_defaults_replication_controller(json::Draft& object);
void set_defaults_limit_range(json::Draft& object);
void set_defaults_resource_quota(json::Draft& object);

}  // namespace fixpoint::kinds
