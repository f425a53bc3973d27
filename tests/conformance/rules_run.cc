// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/rules_run.h"

#include "json/draft.h"
#include "json/parsing/parse.h"
#include "json/print.h"
#include "tests/conformance/campaign.h"
#include "tests/conformance/session.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>

#include <fmt/format.h>

namespace fixpoint::conformance {
namespace {

constexpr auto kPoll = std::chrono::milliseconds(5);

json::Value line_of(std::string_view part, std::string_view sort, json::View answer) {
  return json::Draft::object({
                                 {"part",   part               },
                                 {"of",     sort               },
                                 {"answer", json::Draft{answer}}
  })
      .freeze();
}

}  // namespace

std::string part_name(const Rule& rule, std::size_t part) {
  return fmt::format("{}.{}", rule.number, part + 1);
}

Result<void> set_up_rules(Server& server) {
  return set_up(server, rules_setup());
}

RuleAnswers run_rules(Server& server) {
  RuleAnswers answers;
  // A server in process begins every sequence anew, so each has to end before the next.
  std::map<std::string, std::unique_ptr<Session>> open;
  for (const auto& rule : rules()) {
    for (std::size_t i = 0; i < rule.shown_by.size(); ++i) {
      const auto& sequence = rule.shown_by[i].sequence;
      if (server.in_process()) {
        if (sequence.http_only) continue;
        answers[part_name(rule, i)] = normalise(record(server, sequence, fresh_id()));
        continue;
      }
      auto session = std::make_unique<Session>(server, sequence, fresh_id());
      session->run();
      open[part_name(rule, i)] = std::move(session);
    }
  }
  while (!std::ranges::all_of(open, [](const auto& each) { return each.second->finished(); })) {
    server.wait(kPoll);
  }
  for (auto& [name, session] : open) answers[name] = normalise(session->take());
  return answers;
}

store::Store rules_store() {
  const Local local{Loops::OnlyDefinitions};
  const auto server = make_http_server(local.endpoint());
  const auto ready = set_up_rules(*server);
  FP_CHECK(ready.has_value());
  return local.fork();
}

std::filesystem::path record_path() {
  return "tests/testdata/conformance/rules.jsonl";
}

Result<RuleAnswers> read_record() {
  std::ifstream file(record_path());
  if (!file) return fail(ErrorKind::NotFound, "no " + record_path().string());
  RuleAnswers answers;
  for (std::string line; std::getline(file, line);) {
    FP_TRY(row, json::parse(line));
    auto& normal = answers[std::string{row.get("part").as_string()}];
    auto& list = row.get("of").as_string() == "watch" ? normal.watches : normal.steps;
    list.emplace_back(json::Value(row.get("answer")));
  }
  return answers;
}

Result<void> write_record(const RuleAnswers& answers) {
  std::filesystem::create_directories(record_path().parent_path());
  std::ofstream file(record_path());
  const auto write = [&](std::string_view part, std::string_view sort, json::View answer) {
    const json::Value line = line_of(part, sort, answer);
    file << json::to_text(line, json::Escape::Plain) << '\n';
  };
  // In the order of the rules, for people who read differences.
  for (const auto& rule : rules()) {
    for (std::size_t i = 0; i < rule.shown_by.size(); ++i) {
      const auto name = part_name(rule, i);
      const auto at = answers.find(name);
      if (at == answers.end()) continue;
      for (const auto& step : at->second.steps) write(name, "step", step);
      for (const auto& watch : at->second.watches) write(name, "watch", watch);
    }
  }
  if (!file.flush()) return fail(ErrorKind::Internal, "cannot write " + record_path().string());
  return {};
}

}  // namespace fixpoint::conformance
