// SPDX-License-Identifier: Apache-2.0
//
// Small files with secrets and certificates: read whole, bounded, with errors that name the file
// and never what is in it.
#pragma once

#include "base/error.h"

#include <string>
#include <string_view>

namespace fixpoint::client {

// Bundles of certificates and kubeconfigs of many clusters stay far below.
inline constexpr std::size_t kSmallFileBytesMax = std::size_t{8} << 20U;

Result<std::string> read_small_file(const std::string& path);
// Without blanks and line breaks around it.
std::string trimmed_line(std::string_view text);

}  // namespace fixpoint::client
