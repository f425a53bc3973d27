// SPDX-License-Identifier: Apache-2.0
#include "runtime/trouble.h"

#include "base/utf8.h"

namespace fixpoint::runtime {
namespace {

bool is_trouble(const Outcome& outcome) {
  switch (outcome.state) {
    case StepState::Failed:
    case StepState::Paused: return true;
    case StepState::Skipped: return !outcome.reason.ends_with("Waiting");
    case StepState::Done:
    case StepState::Unchanged:
    case StepState::Waiting: return false;
  }
  return false;
}

}  // namespace

types::Table Trouble::table() {
  return types::describe<Trouble>(
      "Something that is not as it should be.",
      {
          {"kind",      &Trouble::kind,    "Of the object; empty for what is none."                  },
          {"namespace", &Trouble::ns,      "Of the object."                                          },
          {"name",      &Trouble::name,    "Of the object, or what was to be done."                  },
          {"reason",    &Trouble::reason,  "In one word: DependencyFailed where others are to blame."},
          {"message",   &Trouble::message, "What happened, and what helps."                          },
  });
}

std::vector<Trouble> troubles(const Outcomes& outcomes) {
  std::vector<Trouble> all;
  for (const Outcome& outcome : outcomes.steps) {
    if (!is_trouble(outcome)) continue;
    if (all.size() == kTroublesMax) break;
    Trouble trouble{.kind = {},
                    .ns = {},
                    .name = outcome.what,
                    .reason = outcome.reason,
                    .message = std::string{utf8_prefix(outcome.message, kTroubleMessageBytesMax)}};
    if (outcome.object != nullptr) {
      trouble.kind = outcome.object->kind.kind;
      trouble.ns = outcome.object->key.ns;
      trouble.name = outcome.object->key.name;
    }
    all.push_back(std::move(trouble));
  }
  return all;
}

}  // namespace fixpoint::runtime
