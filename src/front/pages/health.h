// SPDX-License-Identifier: Apache-2.0
//
// Health: /healthz, /livez and /readyz, whole or one check at a time.
//
// A server whose disk refuses writes is alive but not ready: it answers reads, and a restart would
// not free any space.
#pragma once

#include "apiserver/request.h"
#include "base/error.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::front {

struct HealthCheck {
  std::string_view name;
  std::function<std::optional<Error>()> problem;  // nothing while all is well
};

struct Health {
  int code = 200;
  std::string text;
};

// The answer at a path below one of the three roots, nothing when there is no such check.
// `disk` tells why the last writes were lost, if they were.
std::optional<Health> health_at(std::string_view path, const apiserver::Query& query,
                                const std::function<std::optional<Error>()>& disk);

bool is_health(std::string_view path);
// "/healthz", "/healthz/log", …
std::vector<std::string> health_paths();

}  // namespace fixpoint::front
