// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/report.h"

#include "json/parsing/parse.h"
#include "json/print.h"
#include "tests/conformance/shrink.h"
#include "tests/conformance/text.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::conformance {
namespace {

constexpr std::size_t kBodyShown = 600;
constexpr std::size_t kValueShown = 400;
constexpr std::size_t kChangesShown = 12;

std::string outcome(const Answer& answer) {
  const auto body = json::parse(answer.body);
  const std::string message{body ? body->get("message").as_string() : std::string_view{}};
  return message.empty() ? std::to_string(answer.code)
                         : fmt::format("{} {}", answer.code, shortened(message, kValueShown));
}

std::string shell_quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += R"('\'')";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string curl(const Call& call) {
  auto line = fmt::format("curl -sk -X {} -H \"Authorization: Bearer $TOKEN\"", call.method);
  for (const auto& header : call.headers) {
    if (header.name == "user-agent") continue;
    line += " -H " + shell_quoted(header.name + ": " + header.value);
  }
  if (!call.body.empty()) line += " --data-binary " + shell_quoted(shortened(call.body, 4096));
  const auto target = call.query.empty() ? call.path : call.path + "?" + call.query;
  return line + " \"$SERVER\"" + shell_quoted(target) + "\n";
}

std::string shown(const std::optional<json::Value>& value) {
  return value ? shortened(json::to_text(*value, json::Escape::Plain), kValueShown) : "(absent)";
}

}  // namespace

std::string report(const Finding& finding, const Recording& real, const Recording& ours) {
  const auto& sequence = finding.sequence;
  auto text = fmt::format("── {} × {} (area {}, seed {}, server {})\n", finding.count,
                          finding.difference.what, sequence.area, sequence.seed, finding.server);
  for (std::size_t i = 0; i < sequence.steps.size(); ++i) {
    text += fmt::format("{} {}. {}\n", i == finding.difference.step ? ">" : " ", i + 1,
                        to_text(sequence.steps[i]));
    if (!sequence.steps[i].body.empty()) {
      text += "       " + shortened(sequence.steps[i].body, kBodyShown) + "\n";
    }
    const auto theirs = outcome(real.steps[i].answer);
    const auto own = outcome(ours.steps[i].answer);
    text += theirs == own
                ? fmt::format("     both: {}\n", own)
                : fmt::format("     real: {}\n     {}: {}\n", theirs, finding.server, own);
  }
  text += "   differs at\n";
  const auto& changes = finding.difference.changes;
  for (std::size_t i = 0; i < std::min(changes.size(), kChangesShown); ++i) {
    text += fmt::format("     {}\n       real: {}\n       {}: {}\n", changes[i].path,
                        shown(changes[i].before), finding.server, shown(changes[i].after));
  }
  text += "   again with\n";
  for (const auto& step : real.steps) text += "     " + curl(step.call);
  return text;
}

std::string explain(const Finding& finding, const Endpoint& real_at, const Local& local,
                    Explain how) {
  const auto real = make_http_server(real_at);
  const auto ours = finding.server == "core" ? make_core_server(local.fork())
                                             : make_http_server(local.endpoint());
  const auto shown_finding = how == Explain::Shrunk ? shrink(finding, *real, *ours) : finding;
  const auto id = fresh_id();
  return report(shown_finding, record(*real, shown_finding.sequence, id),
                record(*ours, shown_finding.sequence, id));
}

std::string transcript(const Sequence& sequence, const Recording& real, const Recording& ours) {
  std::string text;
  for (std::size_t i = 0; i < sequence.steps.size(); ++i) {
    text += fmt::format("{}. {}\n", i + 1, to_text(sequence.steps[i]));
    if (!real.steps[i].call.body.empty()) text += "   sent: " + real.steps[i].call.body + "\n";
    text += fmt::format("   real: {} {}\n   ours: {} {}\n", real.steps[i].answer.code,
                        real.steps[i].answer.body, ours.steps[i].answer.code,
                        ours.steps[i].answer.body);
  }
  return text;
}

}  // namespace fixpoint::conformance
