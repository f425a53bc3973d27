// SPDX-License-Identifier: Apache-2.0
#include "node/agent/saved_facts.h"

#include "base/file.h"
#include "base/rfc3339.h"
#include "json/draft.h"
#include "json/parsing/parse.h"
#include "json/print.h"
#include "node/process/run_spec.h"
#include "node/volume/file_tree.h"

#include <system_error>

namespace fixpoint::node {
namespace {

using json::Draft;

Draft to_draft(const Exit& exit) {
  Draft out = Draft::object({
      {"code",    exit.code   },
      {"reason",  exit.reason },
      {"message", exit.message},
      {"id",      exit.id     }
  });
  if (exit.started) out["started"] = format_micros(*exit.started);
  if (exit.finished) out["finished"] = format_micros(*exit.finished);
  return out;
}

std::optional<Instant> time_of(json::View text) {
  auto time = parse_rfc3339(text.as_string());
  if (!time) return std::nullopt;
  return *time;
}

std::optional<Exit> exit_of(json::View value) {
  if (value.is_null()) return std::nullopt;
  Exit exit;
  exit.code = static_cast<int>(value.get("code").as_int());
  exit.reason = value.get("reason").as_string();
  exit.message = value.get("message").as_string();
  exit.id = value.get("id").as_string();
  exit.started = time_of(value.get("started"));
  exit.finished = time_of(value.get("finished"));
  return exit;
}

}  // namespace

Result<void> save_facts(const std::filesystem::path& directory, const ContainerFacts& facts) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  Draft out = Draft::object({
      {"id",       facts.id                            },
      {"image",    facts.image_id                      },
      {"state",    static_cast<int>(facts.state)       },
      {"restarts", facts.restarts                      },
      {"backoff",  facts.backoff.current.count()       },
      {"updated",  format_micros(facts.backoff.updated)}
  });
  if (facts.exit) out["exit"] = to_draft(*facts.exit);
  if (facts.previous) out["previous"] = to_draft(*facts.previous);
  const json::Value frozen = out.freeze();
  return write_whole_file(directory / "facts.json", json::to_text(frozen) + "\n", 0600);
}

Result<void> load_facts(const std::filesystem::path& directory, ContainerFacts& facts) {
  FP_TRY(text, read_file(directory / "facts.json"));
  FP_TRY(saved, json::parse(text));
  facts.id = saved.get("id").as_string();
  facts.image_id = saved.get("image").as_string();
  facts.state = static_cast<State>(saved.get("state").as_int() & 3);
  facts.restarts = static_cast<int>(saved.get("restarts").as_int());
  facts.backoff.current = Duration(saved.get("backoff").as_int());
  facts.backoff.updated = time_of(saved.get("updated")).value_or(Instant{});
  facts.exit = exit_of(saved.get("exit"));
  facts.previous = exit_of(saved.get("previous"));
  return {};
}

}  // namespace fixpoint::node
