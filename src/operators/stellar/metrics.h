// SPDX-License-Identifier: Apache-2.0
//
// What the metrics page says of a node: numbers of the newest pass, at most a minute old while all
// is well. The alert rules of children/monitoring.cc are written in these names.
#pragma once

#include "operators/stellar/facts.h"
#include "runtime/operator.h"

namespace fixpoint::operators::stellar {

runtime::ObjectMetrics object_metrics();

// Of a node that shall run; of one that is suspended or on its way out nothing is expected, so
// nothing is said that an alert could be about.
runtime::Samples samples(const Node& node, const Facts& facts);

}  // namespace fixpoint::operators::stellar
