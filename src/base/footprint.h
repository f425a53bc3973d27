// SPDX-License-Identifier: Apache-2.0
//
// Memory that a process holds without using it.
//
// Starting runs code that is never run again (the dynamic linker, the set-up of TLS, the parsers of
// settings), and the kernel maps sixteen pages for each one touched; reading a long list leaves
// holes in the heap. A controller then waits for weeks.
#pragma once

namespace fixpoint {

// Unmaps the pages of program and library files that are as they are in the file. They stay in the
// page cache: what is used again is mapped again without reading a disk. Nothing is done in a
// debugger.
void unmap_program_pages();

// Gives free heap memory to the kernel.
void give_back_heap();

}  // namespace fixpoint
