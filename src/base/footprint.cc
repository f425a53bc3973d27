// SPDX-License-Identifier: Apache-2.0
#include "base/footprint.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include <malloc.h>
#include <sys/mman.h>

namespace fixpoint {
namespace {

struct Mapping {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  bool of_file = false;
  bool read_only = false;
  // Pages that are no longer the file's: relocations that were applied before the mapping became
  // read-only, breakpoints. Unmapping them would bring the file's contents back.
  bool changed = false;
};

// The first line of a mapping in smaps: "BEGIN-END rwxp OFFSET DEVICE INODE   NAME".
bool read_head(std::string_view line, Mapping& mapping) {
  const char* const end = line.data() + line.size();
  const auto first = std::from_chars(line.data(), end, mapping.begin, 16);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '-') return false;
  const auto second = std::from_chars(first.ptr + 1, end, mapping.end, 16);
  if (second.ec != std::errc{} || end - second.ptr < 5 || *second.ptr != ' ') return false;
  const std::string_view rights{second.ptr + 1, 4};
  mapping.read_only = rights[0] == 'r' && rights[1] == '-' && rights[3] == 'p';
  mapping.of_file = line.find('/') != std::string_view::npos;
  return true;
}

// "Anonymous:        12 kB": whether it says that there is some.
bool counts(std::string_view line, std::string_view field) {
  return line.starts_with(field) && line.find_first_of("123456789") != std::string_view::npos;
}

void unmap_pages(const Mapping& mapping) {
  if (!mapping.of_file || !mapping.read_only || mapping.changed) return;
  // Fails for pages locked in memory, which are meant to stay.
  (void)::madvise(reinterpret_cast<void*>(mapping.begin),  // NOLINT(performance-no-int-to-ptr)
                  mapping.end - mapping.begin, MADV_DONTNEED);
}

}  // namespace

void give_back_heap() {
  ::malloc_trim(0);
}

void unmap_program_pages() {
  // Where there is no /proc nothing is unmapped.
  std::ifstream smaps("/proc/self/smaps");
  Mapping mapping;
  for (std::string line; std::getline(smaps, line);) {
    if (Mapping next; read_head(line, next)) {
      mapping = next;
    } else if (counts(line, "Anonymous:") || counts(line, "Swap:")) {
      mapping.changed = true;
    } else if (line.starts_with("VmFlags:")) {
      unmap_pages(mapping);  // the last line of a mapping
    }
  }
}

}  // namespace fixpoint
