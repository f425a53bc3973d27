// SPDX-License-Identifier: Apache-2.0
//
// The reports as one web page that needs nothing but itself: numbers, verdicts, and each
// counterexample as a sequence diagram.
#pragma once

#include "verify/report/report.h"

#include <span>
#include <string>

namespace fixpoint::verify {

std::string to_page(std::span<const Report> reports);

// One counterexample as SVG.
std::string sequence_diagram(const Trace& trace);

}  // namespace fixpoint::verify
