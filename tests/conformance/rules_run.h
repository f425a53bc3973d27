// SPDX-License-Identifier: Apache-2.0
//
// Running the rules: on a server, from and to the record of what a real one answered, and as a
// table for people.
#pragma once

#include "base/error.h"
#include "tests/conformance/local.h"
#include "tests/conformance/normal.h"
#include "tests/conformance/rules.h"
#include "tests/conformance/server.h"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace fixpoint::conformance {

// By the name of the part: "13.2" is the second of rule 13.
using RuleAnswers = std::map<std::string, Normal, std::less<>>;

std::string part_name(const Rule& rule, std::size_t part);

// Makes the kinds that the rules use.
Result<void> set_up_rules(Server& server);
// Every part that this server can answer, normalised. A server in process leaves those out that
// need HTTP.
RuleAnswers run_rules(Server& server);
// What a core of ours begins with: a new cluster's objects, and the rules' kinds.
store::Store rules_store();

// tests/testdata/conformance/rules.jsonl: one answer a line.
std::filesystem::path record_path();
Result<RuleAnswers> read_record();
Result<void> write_record(const RuleAnswers& answers);

// Rule, what was sent, what the real server answered, what ours did.
std::string rules_table(const RuleAnswers& real, const RuleAnswers& ours);

}  // namespace fixpoint::conformance
