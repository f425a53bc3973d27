// SPDX-License-Identifier: Apache-2.0
#include "cli/verify/subjects.h"

#include "cli/program.h"
#include "verify/models/shelf.h"
#include "verify/world/subject.h"

#include <memory>
#include <utility>

namespace fixpoint::cli {

std::vector<verify::Subject> verify_subjects() {
  std::vector<verify::Subject> subjects;
  for (const MakeTrial make : trials()) {
    subjects.push_back(
        verify::world::subject_of(std::make_shared<const verify::world::Trial>(make())));
  }
  for (auto& model : verify::models()) subjects.push_back(std::move(model));
  return subjects;
}

}  // namespace fixpoint::cli
