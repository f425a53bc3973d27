// SPDX-License-Identifier: Apache-2.0
//
// For this folder's tests: a directory of small files that goes away with the test.
#pragma once

#include "store/scratch_directory.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace fixpoint::client {

class ScratchFiles {
 public:
  std::string path(std::string_view name) const { return (root() / name).string(); }
  void write(std::string_view name, std::string_view text) {
    std::filesystem::create_directories((root() / name).parent_path());
    std::ofstream(root() / name) << text;
  }
  void write_program(std::string_view name, std::string_view script) {
    write(name, "#!/bin/sh\n" + std::string{script});
    std::filesystem::permissions(root() / name, std::filesystem::perms::owner_all);
  }

 private:
  const std::filesystem::path& root() const { return directory_.path(); }
  store::ScratchDirectory directory_;
};

}  // namespace fixpoint::client
