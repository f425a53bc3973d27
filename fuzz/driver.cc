// SPDX-License-Identifier: Apache-2.0
//
// The main of a fuzz target where libFuzzer is not linked: NAME_fuzz CORPUS_DIR [MUTATIONS].
//
// It runs every seed, then MUTATIONS inputs made from the seeds with a fixed random seed: the same
// inputs in every run on every machine, so the test that runs this either always fails or never
// does. An input that kills the process is left in NAME_fuzz.crash; NAME_fuzz FILE runs that alone.
#include "base/file.h"
#include "base/rng.h"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace fixpoint {
namespace {

// Large enough for any construct a parser knows, small enough to keep thousands of runs quick.
constexpr std::size_t kMaxInput = 64 * 1024;
constexpr std::uint64_t kSeed = 1;

// What a signal handler may look at: the input being run and where to leave it.
struct {
  const char* data = nullptr;
  std::size_t size = 0;
  char path[256] = {};
} running;

void leave_input_behind(int signal) {
  const int file = ::open(running.path, O_CREAT | O_TRUNC | O_WRONLY, 0644);
  if (file >= 0 && ::write(file, running.data, running.size) >= 0) {
    constexpr char kNote[] = "the input is in the .crash file of this program's name\n";
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kNote, sizeof kNote - 1);
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// Exactly as long as the input: a sanitizer sees a read past the end.
void run(const std::string& input) {
  const std::vector<std::uint8_t> exact(input.begin(), input.end());
  running.data = input.data();
  running.size = input.size();
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

// In name order, so that the mutations do not depend on the file system.
std::vector<std::string> read_corpus(const std::filesystem::path& where) {
  if (!std::filesystem::is_directory(where)) return {read_file(where).value_or("")};
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(where))
    paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<std::string> seeds;
  for (const auto& path : paths) seeds.push_back(read_file(path).value_or(""));
  return seeds;
}

class Mutator {
 public:
  explicit Mutator(const std::vector<std::string>& seeds) : seeds_(seeds) {}

  std::string next() {
    std::string input = any_seed();
    const auto steps = 1 + rng_.below(4);
    for (std::uint64_t i = 0; i < steps; ++i) mutate(input);
    if (input.size() > kMaxInput) input.resize(kMaxInput);
    return input;
  }

 private:
  const std::string& any_seed() { return seeds_[rng_.below(seeds_.size())]; }
  std::size_t position(const std::string& input) { return rng_.below(input.size() + 1); }

  void mutate(std::string& input) {
    const std::size_t at = position(input);
    switch (rng_.below(7)) {
      case 0: input.insert(at, 1, static_cast<char>(rng_.below(256))); break;
      case 1: input.erase(at, 1 + rng_.below(8)); break;
      case 2: input.resize(at); break;
      case 3:
        if (at < input.size()) input[at] = static_cast<char>(input[at] ^ (1 << rng_.below(8)));
        break;
      case 4: input.insert(at, token()); break;
      case 5: input.insert(at, input.substr(position(input), 1 + rng_.below(64))); break;
      case 6: {
        const std::string& other = any_seed();
        input = input.substr(0, at) + other.substr(rng_.below(other.size() + 1));
        break;
      }
    }
  }

  // What parsers stumble over: brackets, quotes, extreme numbers, broken UTF-8, line ends.
  std::string token() {
    static const std::vector<std::string> kTokens{"{",
                                                  "}",
                                                  "[",
                                                  "]",
                                                  "\"",
                                                  "\\",
                                                  ",",
                                                  ":",
                                                  "\\u0000",
                                                  "\\ud800",
                                                  "null",
                                                  "-1",
                                                  "0",
                                                  "1e999",
                                                  "9223372036854775808",
                                                  "-9223372036854775808",
                                                  std::string(1, '\0'),
                                                  "\xff",
                                                  "\xc0\x80",
                                                  "\r\n",
                                                  "\r\n\r\n",
                                                  "---\n",
                                                  "&a",
                                                  "*a",
                                                  "!!binary",
                                                  "<<",
                                                  "~1",
                                                  "~0",
                                                  "/-",
                                                  "Ki",
                                                  "m",
                                                  "in",
                                                  "notin",
                                                  "(",
                                                  ")",
                                                  "!=",
                                                  "=="};
    return kTokens[rng_.below(kTokens.size())];
  }

  const std::vector<std::string>& seeds_;
  Rng rng_{kSeed};
};

int drive(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: %s CORPUS_DIR_OR_FILE [MUTATIONS]\n", argv[0]);
    return 2;
  }
  std::snprintf(running.path, sizeof running.path, "%s.crash", argv[0]);
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    std::signal(signal, leave_input_behind);
  }
  const auto seeds = read_corpus(argv[1]);
  if (seeds.empty()) {
    std::fprintf(stderr, "%s holds no seed: a fuzz target without one explores nothing\n", argv[1]);
    return 1;
  }
  for (const auto& seed : seeds) run(seed);
  const long mutations = argc == 3 ? std::atol(argv[2]) : 0;
  Mutator mutator{seeds};
  for (long i = 0; i < mutations; ++i) run(mutator.next());
  std::printf("%zu seeds, %ld mutations\n", seeds.size(), mutations);
  return 0;
}

}  // namespace
}  // namespace fixpoint

int main(int argc, char** argv) {
  return fixpoint::drive(argc, argv);
}
