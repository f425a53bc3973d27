// SPDX-License-Identifier: Apache-2.0
//
// Meter: whoever runs pods in this process says what they use. Without one there are no metrics,
// as in a cluster without a metrics server.
#pragma once

#include "base/clock.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace fixpoint::front {

struct Used {
  Duration cpu{};  // since it began
  std::uint64_t memory_bytes = 0;
};

// Everything at one moment.
struct Measurement {
  using Containers = std::map<std::string, Used, std::less<>>;

  std::string node;
  std::optional<Used> machine;
  std::map<std::string, Containers, std::less<>> pods;  // by uid
};

class Meter {
 public:
  virtual ~Meter() = default;
  virtual Measurement measure() const = 0;
};

}  // namespace fixpoint::front
