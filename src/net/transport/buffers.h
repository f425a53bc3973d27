// SPDX-License-Identifier: Apache-2.0
//
// Loop::Buffers: the scratch memory all connections of a loop take turns with.
//
// Nothing in here survives a call: whatever must wait is copied into the connection it belongs to.
#pragma once

#include "net/loop.h"

#include <array>
#include <cstddef>
#include <string>

namespace fixpoint::net {

// Four TLS records: few system calls for a large body, and still inside the second-level cache.
inline constexpr std::size_t kBufferBytes = 64 * 1024;

struct Loop::Buffers {
  std::array<char, kBufferBytes> received;  // as it came from the socket
  std::array<char, kBufferBytes> opened;    // after decryption
  std::array<char, kBufferBytes> pulled;    // what a session wants to send
  std::string sealed;                       // after encryption
};

}  // namespace fixpoint::net
