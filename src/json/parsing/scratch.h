// SPDX-License-Identifier: Apache-2.0
//
// The memory that parsing keeps between texts.
#pragma once

namespace fixpoint::json {

// Gives back the buffers that this thread keeps for its next text: up to eleven megabytes after a
// large page, of no use to a process that will read small ones.
void release_scratch();

}  // namespace fixpoint::json
