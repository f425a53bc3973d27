// SPDX-License-Identifier: Apache-2.0
#include "verify/walks/aftermath.h"

namespace fixpoint::verify {

void Aftermath::look(const Question& question, Seen& seen) const {
  const bool when = (bits_ & question.when) == question.when;
  const bool holds = (bits_ & question.holds) == question.holds;
  seen.pending = !holds && (seen.pending || when);
  seen.always_when = seen.always_when && when;
  seen.always_holds = seen.always_holds && holds;
  seen.ever_holds = seen.ever_holds || holds;
}

void Aftermath::state(std::uint64_t bits) {
  bits_ = bits;
  for (std::size_t i = 0; i < seen_.size(); ++i) look((*questions_)[i], seen_[i]);
}

void Aftermath::step(std::uint8_t marks) {
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    seen_[i].busy = seen_[i].busy || (marks & (*questions_)[i].mark) != 0;
  }
}

void Aftermath::rests() {
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    seen_[i] = {.pending = seen_[i].pending};
    look((*questions_)[i], seen_[i]);
  }
}

std::vector<std::size_t> Aftermath::violated() const {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    const Seen& seen = seen_[i];
    const Question& question = (*questions_)[i];
    bool bad = false;
    switch (question.kind) {
      case PropertyKind::LeadsTo: bad = seen.pending && !seen.ever_holds; break;
      case PropertyKind::EventuallyStable: bad = seen.always_when && !seen.always_holds; break;
      case PropertyKind::Quiescent: bad = seen.always_when && seen.busy; break;
      default: break;
    }
    if (bad) all.push_back(question.property);
  }
  return all;
}

}  // namespace fixpoint::verify
