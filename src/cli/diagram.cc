// SPDX-License-Identifier: Apache-2.0
//
// fixpoint diagram: the life of an operator's objects, drawn from the table that its code follows.
#include "fsm/diagram.h"

#include "base/print_to.h"
#include "cli/command_line/arguments.h"
#include "cli/command_line/console.h"
#include "cli/command_line/route.h"
#include "cli/commands.h"
#include "cli/program.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fixpoint::cli {
namespace {

constexpr std::string_view kFormats[]{"mermaid", "svg"};

int run_diagram(const Arguments& arguments) {
  const auto name = arguments.positional(0);
  std::vector<std::string_view> drawn;
  for (const auto& entry : operators()) {
    if (entry.diagram == nullptr) continue;
    if (entry.name == name) {
      const auto diagram = entry.diagram();
      return answer(arguments.value("format") == "svg" ? fsm::svg(diagram) : fsm::mermaid(diagram));
    }
    drawn.push_back(entry.name);
  }
  print_to(stderr,
           fmt::format("fixpoint diagram: there is no life cycle of '{}'; there are: {}\n", name,
                       drawn.empty() ? "none" : fmt::format("{}", fmt::join(drawn, ", "))));
  return kExitFailed;
}

constexpr std::array kDiagramFlags{
    Flag{.name = "format",
         .placeholder = "FORMAT",
         .help = "what is printed",
         .fallback = "mermaid",
         .values = kFormats},
};
constexpr std::array kDiagramPositionals{
    Positional{.name = "OPERATOR", .help = "whose objects"},
};
constexpr std::array kDiagramExamples{
    Example{"diagram stellar",              "for a page that draws Mermaid"},
    Example{"diagram stellar --format svg", "a picture of its own"         },
};

}  // namespace

const Command kDiagramCommand{
    .name = "diagram",
    .summary = "Draw the life of an operator's objects",
    .description =
        "Prints the phases of an operator's objects and what leads from one to another, from\n"
        "the same table that the operator follows.\n",
    .flags = kDiagramFlags,
    .positionals = kDiagramPositionals,
    .examples = kDiagramExamples,
    .run = run_diagram,
};

}  // namespace fixpoint::cli
