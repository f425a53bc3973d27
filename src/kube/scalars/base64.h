// SPDX-License-Identifier: Apache-2.0
//
// Base64 as JSON carries bytes (RFC 4648, padded).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::kube {

std::string base64(std::string_view bytes);
// Nothing when the text is not padded base64; line ends are skipped, as Go does.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace fixpoint::kube
