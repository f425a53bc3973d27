// SPDX-License-Identifier: Apache-2.0
//
// Invents objects from a table: good ones, and ones with something wrong here and there.
//
// Deterministic for a seed. CEL rules are not looked at: a sample may break them.
#pragma once

#include "base/rng.h"
#include "json/value.h"
#include "types/kind.h"
#include "types/table.h"

namespace fixpoint::types {

struct SampleOptions {
  // Out of a thousand values, how many are replaced by one that may not be allowed there.
  std::uint32_t wild_per_mille = 0;
};

json::Value sample(const Table& table, Rng& rng, SampleOptions options = {});

// The smallest object worth showing: what is required and what has an example.
json::Value example(const Kind& kind);

}  // namespace fixpoint::types
