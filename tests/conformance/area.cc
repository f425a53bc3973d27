// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/area.h"

#include <array>

namespace fixpoint::conformance {
namespace {

constexpr std::array kAreas{
    Area{"config", "ConfigMap, Secret, ServiceAccount, Lease, Event, Namespace", make_config, 10},
};

}  // namespace

std::span<const Area> areas() {
  return kAreas;
}

}  // namespace fixpoint::conformance
