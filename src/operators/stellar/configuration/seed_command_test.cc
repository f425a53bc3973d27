// SPDX-License-Identifier: Apache-2.0
//
// The scripts of the init containers, run by this machine's shell.
#include "base/error.h"
#include "base/file.h"
#include "operators/stellar/configuration/golden_for_tests.h"
#include "operators/stellar/configuration/settings.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fixpoint::operators::stellar {
namespace {

namespace fs = std::filesystem;

int run(std::vector<std::string> words, const std::string& path = {}) {
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::string variable = "PATH=" + path + ":/usr/bin:/bin";
  char* environment[]{variable.data(), nullptr};
  pid_t pid = 0;
  if (::posix_spawnp(&pid, arguments[0], nullptr, nullptr, arguments.data(), environment) != 0) {
    return -1;
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class SeedCommand : public testing::Test {
 public:
  SeedCommand() {
    std::string name = fs::temp_directory_path() / "seed command XXXXXX";
    FP_CHECK(::mkdtemp(name.data()) != nullptr);
    directory_ = name;
    write("stellar-core.cfg", "A=1\n");
  }
  ~SeedCommand() override { fs::remove_all(directory_); }

 protected:
  void write(const std::string& name, std::string_view text) const {
    std::ofstream(directory_ / name) << text;
  }
  std::string read(const std::string& name) const {
    return read_file(directory_ / name).value_or("");
  }
  std::vector<std::string> command() const {
    return seed_command({.seed = directory_ / "seed",
                         .configuration = directory_ / "stellar-core.cfg",
                         .output = directory_ / "out.cfg"});
  }

  fs::path directory_;
};

TEST_F(SeedCommand, PutsTheSeedInFrontForTheOwnersEyesOnly) {
  write("seed", std::string{kSeed} + "\n");

  EXPECT_EQ(run(command()), 0);

  EXPECT_EQ(read("out.cfg"), "NODE_SEED=\"" + std::string{kSeed} + " self\"\nA=1\n");
  EXPECT_EQ(fs::status(directory_ / "out.cfg").permissions(), fs::perms(0600));
}

TEST_F(SeedCommand, RefusesWhatIsNoSeed) {
  for (const std::string_view text : {"", "GABC", "S\"\nX=1", "Sabc"}) {
    write("seed", text);
    EXPECT_EQ(run(command()), 1) << text;
  }
}

TEST_F(SeedCommand, MakesADatabaseOnlyWhereThereIsNone) {
  // A core that says that it was called.
  write("stellar-core", "#!/bin/sh\necho \"$@\" >> '" + (directory_ / "calls").string() + "'\n");
  fs::permissions(directory_ / "stellar-core", fs::perms(0755));
  const auto words =
      new_database_command((directory_ / "db").string(), (directory_ / "out.cfg").string());
  const auto call = "new-db --conf " + (directory_ / "out.cfg").string() + "\n";

  write("db", "something");
  EXPECT_EQ(run(words, directory_), 0);
  EXPECT_FALSE(fs::exists(directory_ / "calls"));

  // One that is elsewhere leaves no file but the mark.
  fs::remove(directory_ / "db");
  EXPECT_EQ(run(words, directory_), 0);
  EXPECT_EQ(run(words, directory_), 0);
  EXPECT_EQ(read("calls"), call);
}

TEST_F(SeedCommand, MakesTheDatabaseAgainWhenThatFailed) {
  write("stellar-core", "#!/bin/sh\nexit 7\n");
  fs::permissions(directory_ / "stellar-core", fs::perms(0755));

  EXPECT_EQ(run(new_database_command((directory_ / "db").string(), "cfg"), directory_), 7);

  EXPECT_FALSE(fs::exists(directory_ / "db"));
}

}  // namespace
}  // namespace fixpoint::operators::stellar
