// SPDX-License-Identifier: Apache-2.0
//
// What can be said in a pod's spec, good and bad: for pods and for every template of one.
#pragma once

#include "tests/conformance/areas/subject.h"

namespace fixpoint::conformance {

const Edits& good_pod_edits();  // relative to the spec, whose containers/0 is there
const Edits& bad_pod_edits();
const Edits& pod_template_edits();  // changes of a template; all are taken

// The same for a template at `place`, with its metadata.
Edits good_template_edits(std::string_view place);
Edits template_changes(std::string_view place);

Subject pod_subject();
Subject job_subject();
Subject cron_job_subject();
// Evictions under a disruption budget.
Sequence budget_sequence(Gen& gen);

}  // namespace fixpoint::conformance
