// SPDX-License-Identifier: Apache-2.0
//
// What controllers want to know of a pod, in the words that Kubernetes' own use.
#pragma once

#include "base/clock.h"
#include "json/value.h"
#include "store/store.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace fixpoint::cluster {

std::string_view phase_of(json::View pod);
// Succeeded or Failed: its containers have stopped for good.
bool is_finished(json::View pod);
// Neither finished nor being deleted: it counts as a replica.
bool is_active(json::View pod);
bool is_ready(json::View pod);
// When it last became ready; nothing when it is not, or does not say.
std::optional<Instant> ready_since(json::View pod);
// Ready for at least that long.
bool is_available(json::View pod, std::int64_t min_ready_seconds, Instant now);
// When the first of the pods that are ready but not yet available becomes so.
std::optional<Instant> next_availability(const std::vector<store::RecordRef>& pods,
                                         std::int64_t min_ready_seconds, Instant now);

}  // namespace fixpoint::cluster
