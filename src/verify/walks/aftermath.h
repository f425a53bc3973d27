// SPDX-License-Identifier: Apache-2.0
//
// Aftermath: what one run says about the properties that are about for ever, once it has come to
// rest: nothing fair is left to do, or what is left leads round and round.
//
// A run that rests is taken to go on as it rests. Where that is so, what it says is what
// verify/liveness/judge.h would say of it; Bounded is about all runs at once and is not answered
// here.
#pragma once

#include "verify/liveness/judge.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fixpoint::verify {

class Aftermath {
 public:
  // `questions` outlive this.
  explicit Aftermath(const std::vector<Question>& questions)
      : questions_(&questions), seen_(questions.size()) {}

  // In order: a state's bits, and the marks of the step that leads to the next one.
  void state(std::uint64_t bits);
  void step(std::uint8_t marks);
  // From the newest state on the run rests; what was called so before did not last.
  void rests();

  // The properties that this run violates if it rests like this for ever.
  std::vector<std::size_t> violated() const;

 private:
  struct Seen {
    bool pending = false;  // `when` came, and no `holds` since
    // While resting:
    bool always_when = true;
    bool always_holds = true;
    bool ever_holds = false;
    bool busy = false;
  };

  void look(const Question& question, Seen& seen) const;

  const std::vector<Question>* questions_;
  std::vector<Seen> seen_;
  std::uint64_t bits_ = 0;
};

}  // namespace fixpoint::verify
