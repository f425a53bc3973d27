// SPDX-License-Identifier: Apache-2.0
//
// PEM: named blocks of bytes between lines of text.
//
// Blocks are found as Go finds them, because a real server is written in it and says of a text what
// Go saw in it: a block that does not decode is skipped, text around blocks is nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fixpoint {

struct PemBlock {
  std::string type;  // "CERTIFICATE"
  std::string bytes;
  bool has_headers = false;  // "Proc-Type: 4,ENCRYPTED"
};

// The first block of `text`, which becomes what follows it; nothing when there is none.
std::optional<PemBlock> next_pem_block(std::string_view& text);

}  // namespace fixpoint
