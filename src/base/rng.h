// SPDX-License-Identifier: Apache-2.0
//
// Rng: the only source of randomness. The edge seeds one from the kernel; tests and the verifier
// give a seed, and then every name, uid and jitter is the same in every run.
#pragma once

#include <cstdint>
#include <string>

namespace fixpoint {

// xoshiro256**: fast, small, and the same numbers on every machine.
class Rng {
 public:
  explicit Rng(std::uint64_t seed);
  static Rng from_kernel();

  std::uint64_t next();
  // Uniform in [0, bound); bound > 0.
  std::uint64_t below(std::uint64_t bound);
  // A version 4 UUID in its usual text form.
  std::string uuid();
  // The suffix of generateName: Kubernetes' alphabet without vowels and look-alikes.
  std::string name_suffix(int length = 5);

 private:
  std::uint64_t state_[4];
};

}  // namespace fixpoint
