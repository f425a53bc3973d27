// SPDX-License-Identifier: Apache-2.0
//
// Checks an LMDB file page by page before LMDB reads it.
//
// LMDB trusts its pages: a flipped byte in a branch can send it outside its memory map, or make it
// hand out a page that is in use. So before every open the whole structure is walked here: both
// meta pages, the free list and the one tree we keep, every page within bounds, of the right kind,
// used once, with keys in order. What the pages carry is checked by the records' own checksums.
// The layout is that of LMDB 0.9 (data version 1) on a 64-bit little-endian machine.
#pragma once

#include "base/error.h"

#include <filesystem>

namespace fixpoint::store {

enum class FileState : unsigned char {
  Missing,  // no file, or an empty one
  Fresh,    // LMDB made it and nothing was ever committed
  Sound,    // has contents, and its structure holds
};

// Invalid when the file is another program's or damaged; the message says which and what to do.
Result<FileState> check_pages(const std::filesystem::path& file);

// What a person can do about a damaged file; ends every message about one.
std::string way_out(const std::filesystem::path& file);

}  // namespace fixpoint::store
