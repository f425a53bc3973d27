// SPDX-License-Identifier: Apache-2.0
//
// Normal form of a recording: what two servers that behave alike must have in common.
//
// uids and generated names become their order of first use, resourceVersions of objects their rank,
// times of today `<time>`, continue tokens, cluster IPs, node ports and signed tokens their order
// of first use. A list's own resourceVersion must not be older than its items and is then masked:
// it counts writes of others. managedFields are ordered by manager (their true order depends on the
// second in which a write came). Everything else stays.
#pragma once

#include "json/value.h"
#include "tests/conformance/session.h"

#include <string>
#include <vector>

namespace fixpoint::conformance {

// {"code": 201, "type": "application/json", "warnings": […], "retryAfter": "1", "body": …}; watch
// bodies are arrays of events.
struct Normal {
  std::vector<json::Value> steps;
  std::vector<json::Value> watches;
};

Normal normalise(const Recording& recording);

}  // namespace fixpoint::conformance
