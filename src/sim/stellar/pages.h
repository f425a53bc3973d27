// SPDX-License-Identifier: Apache-2.0
//
// What the programs answer: their endpoints with their field names, from a moment of a life. Pure.
#pragma once

#include "sim/stellar/files.h"
#include "sim/stellar/life.h"

#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::sim {

struct Page {
  int status = 200;
  std::string type = "application/json";
  std::string body{};
};

struct Asked {
  std::string_view method;
  std::string_view path;
  std::string_view body;
};

// Nothing: there is no such page.
std::optional<Page> core_page(const CoreFile& file, const Asked& asked, const Moment& moment,
                              Instant started);
std::optional<Page> horizon_page(const HorizonConfiguration& configuration, const Asked& asked,
                                 const Moment& moment);
std::optional<Page> horizon_admin_page(const Asked& asked, const Moment& moment);
std::optional<Page> rpc_page(const RpcFile& file, const Asked& asked, const Moment& moment);
std::optional<Page> rpc_admin_page(const Asked& asked, const Moment& moment);

}  // namespace fixpoint::sim
