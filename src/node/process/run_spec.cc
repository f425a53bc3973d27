// SPDX-License-Identifier: Apache-2.0
#include "node/process/run_spec.h"

#include "base/file.h"
#include "base/rfc3339.h"
#include "json/draft.h"
#include "json/parsing/parse.h"
#include "json/print.h"

#include <charconv>
#include <sstream>

#include <fmt/format.h>

namespace fixpoint::node {
namespace {

using json::Draft;

std::string text_of(const Draft& draft) {
  const json::Value value = draft.freeze();
  return json::to_text(value, json::Escape::Plain) + "\n";
}

Draft list_of(const std::vector<std::string>& words) {
  Draft out = Draft::array();
  for (const auto& word : words) out.push_back(word);
  return out;
}

std::vector<std::string> words_at(json::View object, std::string_view key) {
  std::vector<std::string> out;
  for (const json::View word : object.get(key).elements()) out.emplace_back(word.as_string());
  return out;
}

std::optional<std::uint32_t> number_at(json::View object, std::string_view key) {
  const json::View found = object.get(key);
  if (!found.is_int()) return std::nullopt;
  return static_cast<std::uint32_t>(found.as_int());
}

std::optional<Instant> time_at(json::View object, std::string_view key) {
  auto time = parse_rfc3339(object.get(key).as_string());
  if (!time) return std::nullopt;
  return *time;
}

}  // namespace

std::string_view to_string(Isolation isolation) {
  switch (isolation) {
    case Isolation::Root: return "root";
    case Isolation::Processes: return "processes";
    case Isolation::None: return "none";
  }
  return {};
}

std::string RunSpec::to_text() const {
  Draft out = Draft::object();
  out["id"] = id;
  out["isolation"] = node::to_string(isolation);
  out["words"] = list_of(words);
  out["environment"] = list_of(environment);
  out["directory"] = directory;
  out["hostName"] = host_name;
  out["address"] = address;
  out["hidden"] = list_of(hidden);
  for (const auto& mount : mounts) {
    out.array_at("mounts").push_back(Draft::object({
        {"source",   mount.source   },
        {"target",   mount.target   },
        {"readOnly", mount.read_only}
    }));
  }
  if (user) out["user"] = static_cast<std::int64_t>(*user);
  if (group) out["group"] = static_cast<std::int64_t>(*group);
  for (const auto one : groups) out.array_at("groups").push_back(static_cast<std::int64_t>(one));
  out["readOnlyRoot"] = read_only_root;
  out["takesInput"] = takes_input;
  out["terminal"] = terminal;
  out["memoryBytesMax"] = memory_bytes_max;
  out["cpuMillisMax"] = cpu_millis_max;
  out["log"] = log;
  out["orphanMilliseconds"] = static_cast<std::int64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(orphan_time).count());
  return text_of(out);
}

Result<RunSpec> RunSpec::parse(std::string_view text) {
  FP_TRY(value, json::parse(text));
  RunSpec spec;
  spec.id = value.get("id").as_string();
  const auto isolation = value.get("isolation").as_string();
  spec.isolation = isolation == "root"        ? Isolation::Root
                   : isolation == "processes" ? Isolation::Processes
                                              : Isolation::None;
  spec.words = words_at(value, "words");
  spec.environment = words_at(value, "environment");
  spec.directory = value.get("directory").as_string();
  spec.host_name = value.get("hostName").as_string();
  spec.address = value.get("address").as_string();
  spec.hidden = words_at(value, "hidden");
  for (const json::View mount : value.get("mounts").elements()) {
    spec.mounts.push_back({.source = std::string{mount.get("source").as_string()},
                           .target = std::string{mount.get("target").as_string()},
                           .read_only = mount.get("readOnly").as_bool()});
  }
  spec.user = number_at(value, "user");
  spec.group = number_at(value, "group");
  for (const json::View one : value.get("groups").elements()) {
    spec.groups.push_back(static_cast<std::uint32_t>(one.as_int()));
  }
  spec.read_only_root = value.get("readOnlyRoot").as_bool();
  spec.takes_input = value.get("takesInput").as_bool();
  spec.terminal = value.get("terminal").as_bool();
  spec.memory_bytes_max = value.get("memoryBytesMax").as_int();
  spec.cpu_millis_max = value.get("cpuMillisMax").as_int();
  spec.log = value.get("log").as_string();
  spec.orphan_time = std::chrono::milliseconds(value.get("orphanMilliseconds").as_int());
  if (spec.words.empty()) return fail(ErrorKind::Invalid, "a run without a command");
  return spec;
}

std::string StartedFile::to_text() const {
  return text_of(Draft::object({
      {"supervisor", supervisor                                 },
      {"birth",      static_cast<std::int64_t>(supervisor_birth)},
      {"init",       init                                       },
      {"at",         format_micros(at)                          }
  }));
}

Result<StartedFile> StartedFile::parse(std::string_view text) {
  FP_TRY(value, json::parse(text));
  StartedFile file;
  file.supervisor = static_cast<int>(value.get("supervisor").as_int());
  file.supervisor_birth = static_cast<std::uint64_t>(value.get("birth").as_int());
  file.init = static_cast<int>(value.get("init").as_int());
  file.at = time_at(value, "at").value_or(Instant{});
  return file;
}

std::string ExitFile::to_text() const {
  Draft out = Draft::object({
      {"code",        code                   },
      {"outOfMemory", out_of_memory          },
      {"finished",    format_micros(finished)}
  });
  if (!error.empty()) out["error"] = error;
  if (started) out["started"] = format_micros(*started);
  return text_of(out);
}

Result<ExitFile> ExitFile::parse(std::string_view text) {
  FP_TRY(value, json::parse(text));
  ExitFile file;
  file.code = static_cast<int>(value.get("code").as_int());
  file.out_of_memory = value.get("outOfMemory").as_bool();
  file.error = value.get("error").as_string();
  file.started = time_at(value, "started");
  file.finished = time_at(value, "finished").value_or(Instant{});
  return file;
}

std::optional<std::uint64_t> birth_of(int pid) {
  const auto text = read_file(fmt::format("/proc/{}/stat", pid));
  if (!text) return std::nullopt;
  // The name in parentheses may hold anything; the fields after it are numbers.
  const auto end = text->rfind(')');
  if (end == std::string::npos) return std::nullopt;
  constexpr int kBirthField = 20;  // the 22nd of all
  std::istringstream fields(text->substr(end + 1));
  std::string field;
  for (int i = 0; i < kBirthField; ++i) fields >> field;
  std::uint64_t birth = 0;
  const auto read = std::from_chars(field.data(), field.data() + field.size(), birth);
  if (read.ec != std::errc{}) return std::nullopt;
  return birth;
}

}  // namespace fixpoint::node
