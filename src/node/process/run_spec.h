// SPDX-License-Identifier: Apache-2.0
//
// RunSpec: everything a supervisor needs to run one container, as a file in its directory.
//
// The agent writes it, the supervisor reads it, and a restarted agent finds by it what runs. It
// holds the container's environment, secrets among it: mode 0600, in a directory of mode 0700.
// Read next: supervisor.h.
#pragma once

#include "base/clock.h"
#include "base/error.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::node {

// What this machine lets us do for a container; found out once, at the start.
enum class Isolation : std::uint8_t {
  // A root of its own (the machine's files under a layer of its own), own processes, own mounts.
  Root,
  // Its own processes only: paths of volumes are rewritten.
  Processes,
  // A process group and nothing else.
  None,
};
std::string_view to_string(Isolation isolation);

struct BindMount {
  std::string source;
  std::string target;  // as the container sees it
  bool read_only = false;
};

struct RunSpec {
  std::string id;
  Isolation isolation = Isolation::None;
  std::vector<std::string> words;
  std::vector<std::string> environment;  // NAME=value
  std::string directory;                 // working directory, as the container sees it
  std::string host_name;
  std::string address;  // where it listens instead of everywhere; empty: as it likes
  std::vector<BindMount> mounts;
  std::vector<std::string> hidden;  // directories of the machine that are empty in the container
  std::optional<std::uint32_t> user;
  std::optional<std::uint32_t> group;
  std::vector<std::uint32_t> groups;
  bool read_only_root = false;
  bool takes_input = false;
  bool terminal = false;              // its streams are one
  std::int64_t memory_bytes_max = 0;  // 0: no limit
  std::int64_t cpu_millis_max = 0;    // the same
  std::string log;                    // its file
  Duration orphan_time{};             // how long it outlives its agent

  std::string to_text() const;
  static Result<RunSpec> parse(std::string_view text);
};

// The files of one run, below its directory.
struct RunFiles {
  explicit RunFiles(const std::filesystem::path& directory)
      : spec(directory / "run.json"),
        claim(directory / "claim.json"),
        started(directory / "started.json"),
        exit(directory / "exit.json"),
        control(directory / "control") {}
  std::filesystem::path spec;
  std::filesystem::path claim;
  std::filesystem::path started;
  std::filesystem::path exit;
  std::filesystem::path control;
};

// What the supervisor says in `started`, and before it has started anything in `claim`: by pid and
// birth a process is known for certain.
struct StartedFile {
  int supervisor = 0;
  std::uint64_t supervisor_birth = 0;
  int init = 0;  // the first process of the container, outside of its own numbering
  Instant at{};

  std::string to_text() const;
  static Result<StartedFile> parse(std::string_view text);
};

// And in `exit`.
struct ExitFile {
  int code = 0;
  bool out_of_memory = false;
  std::string error;  // it could not be started: why
  std::optional<Instant> started;
  Instant finished{};

  std::string to_text() const;
  static Result<ExitFile> parse(std::string_view text);
};

// When the process was born, in the kernel's ticks; nothing when there is none of that number.
std::optional<std::uint64_t> birth_of(int pid);

}  // namespace fixpoint::node
