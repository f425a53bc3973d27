// SPDX-License-Identifier: Apache-2.0
#include "verify/report/replay.h"

#include "json/draft.h"
#include "json/parsing/parse.h"
#include "json/print.h"

#include <array>
#include <charconv>

#include <fmt/format.h>

namespace fixpoint::verify {
namespace {

constexpr std::string_view kFormat = "fixpoint-counterexample/1";
constexpr std::size_t kHexDigits = 32;

constexpr std::array kKinds{
    PropertyKind::Always,           PropertyKind::Never,     PropertyKind::OnTransition,
    PropertyKind::OnlyTransitions,  PropertyKind::Sometimes, PropertyKind::LeadsTo,
    PropertyKind::EventuallyStable, PropertyKind::Quiescent, PropertyKind::Bounded,
};

std::unexpected<Error> wrong(std::string_view what) {
  return fail(ErrorKind::Invalid, fmt::format("not a replay file: {}", what));
}

Result<Hash128> parse_hash(std::string_view text) {
  Hash128 hash;
  const auto read = [](std::string_view digits, std::uint64_t& into) {
    const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), into, 16);
    return end.ec == std::errc{} && end.ptr == digits.data() + digits.size();
  };
  if (text.size() != kHexDigits || !read(text.substr(0, kHexDigits / 2), hash.high) ||
      !read(text.substr(kHexDigits / 2), hash.low)) {
    return wrong(fmt::format("\"{}\" is no fingerprint", text));
  }
  return hash;
}

Result<std::uint32_t> parse_index(json::View view) {
  if (!view.is_int() || view.as_int() < 0 || view.as_int() > ~std::uint32_t{0}) {
    return wrong("an index is missing");
  }
  return static_cast<std::uint32_t>(view.as_int());
}

Result<PropertyKind> parse_kind(std::string_view text) {
  for (const auto kind : kKinds) {
    if (to_string(kind) == text) return kind;
  }
  return wrong(fmt::format("\"{}\" is no kind of property", text));
}

Result<void> parse_steps(json::View steps, Replay& into) {
  for (const json::View step : steps.elements()) {
    FP_TRY(index, parse_index(step.get("action")));
    FP_TRY(fingerprint, parse_hash(step.get("fingerprint").as_string()));
    into.steps.push_back({index, fingerprint});
  }
  return {};
}

}  // namespace

std::string Replay::to_text() const {
  auto object = json::Draft::object({
      {"format",   kFormat                                                                                       },
      {"subject",  subject                                                                                       },
      {"property", property                                                                                      },
      {"kind",     verify::to_string(kind)                                                                       },
      {"initial",  json::Draft::object(
                      {{"action", std::int64_t{initial_index}}, {"fingerprint", initial.hex()}})},
  });
  if (!scenario.empty()) object["scenario"] = scenario;
  if (!detail.empty()) object["detail"] = detail;
  for (const auto& [name, value] : parameters) object.object_at("parameters")[name] = value;
  if (loop_from) object["loopFrom"] = static_cast<std::int64_t>(*loop_from);
  auto& list = object.array_at("steps");
  for (const Step& step : steps) {
    list.push_back(json::Draft::object({
        {"action",      std::int64_t{step.action_index}},
        {"fingerprint", step.fingerprint.hex()         },
    }));
  }
  const json::Value frozen = object.freeze();
  return json::to_pretty_text(frozen, json::Escape::Plain) + "\n";
}

Result<Replay> Replay::parse(std::string_view text) {
  FP_TRY(value, json::parse(text));
  const json::View view = value.view();
  if (view.get("format").as_string() != kFormat) {
    return wrong(fmt::format("its format is not {}", kFormat));
  }
  Replay replay;
  replay.subject = view.get("subject").as_string();
  replay.scenario = view.get("scenario").as_string();
  replay.property = view.get("property").as_string();
  replay.detail = view.get("detail").as_string();
  FP_TRY(kind, parse_kind(view.get("kind").as_string()));
  replay.kind = kind;
  for (const auto& [name, parameter] : view.get("parameters").members()) {
    replay.parameters.emplace(name, parameter.as_string());
  }
  FP_TRY(initial_index, parse_index(view.get("initial", "action")));
  replay.initial_index = initial_index;
  FP_TRY(initial, parse_hash(view.get("initial", "fingerprint").as_string()));
  replay.initial = initial;
  FP_TRY_VOID(parse_steps(view.get("steps"), replay));
  if (const auto loop = view.find("loopFrom")) {
    FP_TRY(from, parse_index(*loop));
    if (from > replay.steps.size()) return wrong("the loop begins after the last step");
    replay.loop_from = from;
  }
  return replay;
}

Replay replay_of(const Report& report, const Verdict& verdict) {
  FP_CHECK(verdict.trace.has_value());
  const Trace& trace = *verdict.trace;
  Replay replay{.subject = report.subject,
                .scenario = report.scenario,
                .parameters = report.parameters,
                .property = verdict.name,
                .kind = verdict.kind,
                .detail = verdict.detail,
                .initial_index = trace.initial_index,
                .initial = trace.initial,
                .loop_from = trace.loop_from};
  for (const auto& step : trace.steps) {
    replay.steps.push_back({step.action_index, step.fingerprint});
  }
  return replay;
}

std::unexpected<Error> replay_differs(std::size_t step) {
  return fail(ErrorKind::Conflict,
              step == 0 ? "the initial state is no longer the one of the file"
                        : fmt::format("step {} no longer leads where it led: the model or the code "
                                      "has changed since the file was written",
                                      step));
}

}  // namespace fixpoint::verify
