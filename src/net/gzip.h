// SPDX-License-Identifier: Apache-2.0
//
// gzip in memory. Both directions know their bound: a body that inflates past it is refused, so a
// small request cannot become a large allocation.
#pragma once

#include "base/error.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace fixpoint::net {

// Kubernetes' server uses the fastest level too: lists shrink about tenfold at a third of the time.
inline constexpr int kGzipLevel = 1;
// One call's input; larger bodies are streamed uncompressed instead.
inline constexpr std::size_t kGzipInputBytesMax = std::size_t{512} * 1024 * 1024;

Result<std::string> gzip(std::string_view plain, int level = kGzipLevel);
// Exhausted when the result would exceed `bytes_max`, Invalid when it is no complete gzip text.
Result<std::string> gunzip(std::string_view packed, std::size_t bytes_max);

}  // namespace fixpoint::net
