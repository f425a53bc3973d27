// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"

#include <array>

namespace fixpoint::cli {

Commands commands() {
  static constexpr std::array kAll{
      &kUpCommand,  &kOperatorCommand, &kManifestsCommand, &kDiagramCommand,    &kNodeCommand,
      &kSimCommand, &kVerifyCommand,   &kDemoCommand,      &kCompletionCommand, &kVersionCommand};
  return kAll;
}

}  // namespace fixpoint::cli
