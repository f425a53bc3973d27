// SPDX-License-Identifier: Apache-2.0
#include "base/footprint.h"

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace fixpoint {
namespace {

constexpr std::size_t kPages = 64;

// A file mapped privately, as the dynamic linker maps programs.
struct MappedFile {
  std::size_t size = kPages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{std::tmpfile(), std::fclose};
  char* bytes = nullptr;

  MappedFile() {
    const std::string text(size, 'a');
    EXPECT_EQ(std::fwrite(text.data(), 1, size, file.get()), size);
    EXPECT_EQ(std::fflush(file.get()), 0);
    void* at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, ::fileno(file.get()), 0);
    EXPECT_NE(at, MAP_FAILED);
    bytes = static_cast<char*>(at);
  }
  ~MappedFile() { ::munmap(bytes, size); }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  void touch_and_close() const {
    EXPECT_EQ(std::string_view(bytes, size).find_first_not_of("ab"), std::string_view::npos);
    EXPECT_EQ(::mprotect(bytes, size, PROT_READ), 0);
  }
  // How much of it is mapped now.
  std::size_t resident_kb() const {
    std::ostringstream head;
    head << std::hex << reinterpret_cast<std::uintptr_t>(bytes) << '-';
    std::ifstream smaps("/proc/self/smaps");
    bool mine = false;
    for (std::string line; std::getline(smaps, line);) {
      mine = mine || line.starts_with(head.str());
      if (mine && line.starts_with("Rss:")) return std::stoul(line.substr(4));
    }
    ADD_FAILURE() << "no such mapping";
    return 0;
  }
};

TEST(Footprint, UnmapsPagesThatAreAsInTheFile) {
  const MappedFile file;
  file.touch_and_close();
  ASSERT_GT(file.resident_kb(), 0U);

  unmap_program_pages();

  EXPECT_EQ(file.resident_kb(), 0U);
  EXPECT_EQ(file.bytes[0], 'a');
}

TEST(Footprint, KeepsWhatWasChangedBeforeItBecameReadOnly) {
  const MappedFile file;
  file.bytes[0] = 'b';
  file.touch_and_close();

  unmap_program_pages();

  EXPECT_EQ(file.bytes[0], 'b');
}

}  // namespace
}  // namespace fixpoint
