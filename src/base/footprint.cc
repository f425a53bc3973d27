// SPDX-License-Identifier: Apache-2.0
#include "base/footprint.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

// jemalloc's, where the program is linked with it.
extern "C" [[gnu::weak]] int mallctl(const char* name, void* old_value, std::size_t* old_size,
                                     void* new_value, std::size_t new_size);

namespace fixpoint {
namespace {

// Breakpoints are written into the program; unmapping would bring the file's contents back.
bool is_debugged() {
  constexpr std::string_view kField = "TracerPid:";
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(kField)) return std::atoi(line.c_str() + kField.size()) != 0;
  }
  return true;  // where there is no /proc nothing is unmapped
}

// Relocations in code: rare, and not in the file.
bool has_changed_code(const dl_phdr_info& object) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const auto& header = object.dlpi_phdr[i];
    if (header.p_type != PT_DYNAMIC) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + header.p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_TEXTREL) return true;
      if (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_TEXTREL) != 0) return true;
    }
  }
  return false;
}

// What the linker relocated and then closed is part of a segment that the file calls writable.
int unmap_unwritable(dl_phdr_info* object, std::size_t, void*) {
  if (has_changed_code(*object)) return 0;
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& header = object->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_W) != 0) continue;
    const auto begin = (object->dlpi_addr + header.p_vaddr) & ~(page - 1);
    const auto end = object->dlpi_addr + header.p_vaddr + header.p_memsz;
    // Fails for pages locked in memory, which are meant to stay, and for the kernel's own.
    (void)::madvise(reinterpret_cast<void*>(begin),  // NOLINT(performance-no-int-to-ptr)
                    end - begin, MADV_DONTNEED);
  }
  return 0;
}

}  // namespace

void give_back_heap() {
  if (mallctl == nullptr) {
    ::malloc_trim(0);
    return;
  }
  // Neither name fails; what this thread keeps for itself goes first. 4096 stands for all arenas.
  (void)mallctl("thread.tcache.flush", nullptr, nullptr, nullptr, 0);
  (void)mallctl("arena.4096.purge", nullptr, nullptr, nullptr, 0);
}

void unmap_program_pages() {
  if (!is_debugged()) ::dl_iterate_phdr(unmap_unwritable, nullptr);
}

}  // namespace fixpoint
