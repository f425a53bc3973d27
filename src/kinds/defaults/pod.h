// SPDX-License-Identifier: Apache-2.0
//
// Defaults of pods and of everything that carries a pod template.
#pragma once

#include "json/draft.h"

#include <string_view>

namespace fixpoint::kinds {

void set_defaults_pod(json::Draft& pod);
// A PodSpec wherever it lies; a Pod gets a little more.
void set_defaults_pod_spec(json::Draft& spec);
// spec.template of a workload; an absent one becomes an empty one, as in a Go struct.
void set_defaults_template_of(json::Draft& owner_spec);
void set_defaults_pod_template(json::Draft& pod_template_object);

// "latest" unless the image names another tag or a digest.
bool image_is_latest(std::string_view image);

}  // namespace fixpoint::kinds
