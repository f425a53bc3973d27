// SPDX-License-Identifier: Apache-2.0
//
// Printers: the columns of each kind's table and how one object fills them.
//
// Names, types, formats and priorities are a real server's; descriptions are ours. The server
// always computes every cell: kubectl hides those of priority 1 unless asked for -o wide.
#pragma once

#include "kinds/kind.h"

#include <span>
#include <string_view>

namespace fixpoint::kinds {

using Cells = std::vector<json::Draft>;
using CellsFunction = Cells (*)(json::View object, Instant now);

struct Printer {
  std::string_view group;
  std::string_view kind;
  // "Name,Desired:integer,*Images": comma-separated, `*` for priority 1, then type (string unless
  // said) and format after colons. A column called Name has the format "name".
  std::string_view columns;
  CellsFunction cells;
};

std::span<const Printer> core_printers();
std::span<const Printer> pod_printers();
std::span<const Printer> workload_printers();
std::span<const Printer> network_printers();
std::span<const Printer> storage_printers();
std::span<const Printer> access_printers();

// Gives the kind its columns and cells; Name and Created At where it has no printer of its own.
void attach_columns(Kind& kind);

}  // namespace fixpoint::kinds
