// SPDX-License-Identifier: Apache-2.0
//
// fixpoint verify: explores every state of an operator or a model and says what holds.
#include "base/file.h"
#include "base/print_to.h"
#include "cli/command_line/arguments.h"
#include "cli/command_line/console.h"
#include "cli/command_line/route.h"
#include "cli/commands.h"
#include "cli/program.h"
#include "cli/verify/live.h"
#include "cli/verify/progress.h"
#include "cli/verify/subjects.h"
#include "json/draft.h"
#include "json/print.h"
#include "kube/scalars/duration.h"
#include "kube/scalars/quantity.h"
#include "verify/report/page.h"
#include "verify/report/story.h"
#include "verify/subject.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include <fmt/format.h>

namespace fixpoint::cli {
namespace {

constexpr int kExitIncomplete = 3;
constexpr unsigned kWorkersMax = 64;
constexpr std::uint64_t kWalksMax = 1'000'000'000;
constexpr std::uint64_t kSeedMax = INT64_MAX;  // JSON readers lose what is more

int verify_failed(const Error& error) {
  print_to(stderr, fmt::format("{} verify: {}\n", program_name(), error.message));
  return error.kind == ErrorKind::Unavailable ? kExitFailed : kExitMisused;
}

Result<void> save(const std::filesystem::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.flush();
  if (!file) return fail(ErrorKind::Unavailable, fmt::format("cannot write {}", path.string()));
  return {};
}

// What a flag that takes a number was given; nothing when it was not.
template <class Number>
Result<std::optional<Number>> number_from(const Arguments& arguments, std::string_view flag,
                                          Number min, Number max) {
  if (!arguments.given(flag)) return std::nullopt;
  const auto text = arguments.value(flag);
  Number number{};
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end.ec != std::errc{} || end.ptr != text.data() + text.size() || number < min ||
      number > max) {
    return fail(ErrorKind::Invalid,
                fmt::format("--{} {}: give a number from {} to {}", flag, text, min, max));
  }
  return number;
}

Result<verify::ExploreOptions> explore_options(const Arguments& arguments) {
  verify::ExploreOptions options;
  FP_TRY(workers, number_from<unsigned>(arguments, "workers", 1, kWorkersMax));
  options.workers =
      workers.value_or(std::clamp(std::thread::hardware_concurrency(), 1U, kWorkersMax));
  FP_TRY(walks, number_from<std::uint64_t>(arguments, "walks", 1, kWalksMax));
  options.walks = walks;
  FP_TRY(seed, number_from<std::uint64_t>(arguments, "seed", 0, kSeedMax));
  options.seed = seed.value_or(options.seed);
  options.stop_at_violation = arguments.given("first");
  if (arguments.given("time-limit")) {
    FP_TRY(limit, kube::parse_duration(arguments.value("time-limit")));
    options.time_limit = limit;
  }
  if (arguments.given("memory")) {
    FP_TRY(memory, kube::Quantity::parse(arguments.value("memory")));
    if (memory.sign() <= 0) return fail(ErrorKind::Invalid, "--memory: give an amount, as in 4Gi");
    options.memory_bytes_max = static_cast<std::uint64_t>(memory.value());
  }
  return options;
}

// One thing to explore.
struct Job {
  const verify::Subject* subject;
  const verify::ScenarioName* scenario;
};

Result<const verify::Subject*> find_subject(const std::vector<verify::Subject>& all,
                                            std::string_view name) {
  std::string names;
  for (const auto& subject : all) {
    if (subject.name == name) return &subject;
    names += (names.empty() ? "" : ", ") + subject.name;
  }
  return fail(ErrorKind::NotFound,
              fmt::format("there is no \"{}\" to verify; there are {}", name, names));
}

Result<std::vector<Job>> jobs_from(const Arguments& arguments,
                                   const std::vector<verify::Subject>& all) {
  const auto name = arguments.positional(0);
  if (name.empty() != arguments.given("all")) {
    return fail(ErrorKind::Invalid,
                "name what to verify, or give --all; --list shows what there is");
  }
  std::vector<Job> jobs;
  for (const auto& subject : all) {
    if (!name.empty() && subject.name != name) continue;
    for (const auto& scenario : subject.scenarios) {
      const bool named = scenario.name == arguments.value("scenario");
      if (!named && (arguments.given("scenario") || scenario.by_name_only)) continue;
      jobs.push_back({&subject, &scenario});
    }
  }
  if (!jobs.empty()) return jobs;
  if (!name.empty()) {
    FP_TRY(subject, find_subject(all, name));
    return fail(ErrorKind::NotFound,
                fmt::format("{} has no scenario {}", subject->name, arguments.value("scenario")));
  }
  return fail(ErrorKind::NotFound,
              fmt::format("no scenario is called {}", arguments.value("scenario")));
}

verify::Parameters parameters_from(const Arguments& arguments) {
  verify::Parameters parameters;
  for (const std::string_view name : {"size", "budget"}) {
    if (arguments.given(name)) parameters.emplace(name, arguments.value(name));
  }
  return parameters;
}

// The counterexamples as files, and a line that says how to see them again.
Result<std::string> save_replays(const verify::Report& report, std::string_view directory) {
  std::string said;
  for (const auto& verdict : report.exploration.verdicts) {
    if (!verdict.trace) continue;
    auto name = fmt::format("{}-{}-{}.json", report.subject, report.scenario, verdict.name);
    std::ranges::replace_if(name, [](char c) { return c == '/' || c == ':' || c == ' '; }, '-');
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    const auto path = std::filesystem::path{directory} / name;
    FP_TRY_VOID(save(path, verify::replay_of(report, verdict).to_text()));
    said += fmt::format("replay: {} verify --replay {}\n", program_name(), path.string());
  }
  return said;
}

// What several reports together mean, with the false ones as they should be.
int status_of(const std::vector<verify::Report>& reports) {
  bool incomplete = false;
  bool violated = false;
  for (const auto& report : reports) {
    const auto conclusion = report.conclusion();
    incomplete |= conclusion == verify::Conclusion::Incomplete;
    // Whoever did not see everything may have missed what is false on purpose.
    const bool complete =
        conclusion != verify::Conclusion::Incomplete && conclusion != verify::Conclusion::Sampled;
    violated |= (conclusion == verify::Conclusion::Violated) != report.false_on_purpose && complete;
  }
  if (violated) return kExitFailed;
  return incomplete ? kExitIncomplete : kExitDone;
}

std::string summary_of(const std::vector<verify::Report>& reports) {
  std::string text;
  for (const auto& report : reports) {
    text += fmt::format("{:<18} {:<20} {:>14} states  {}\n", report.subject, report.scenario,
                        verify::grouped(report.exploration.distinct), report.verdict());
  }
  return text;
}

Result<void> save_reports(const Arguments& arguments, const std::vector<verify::Report>& reports) {
  if (arguments.given("json")) {
    auto list = json::Draft::array();
    for (const auto& report : reports) list.push_back(verify::to_json(report));
    const json::Value value = json::Draft::object({
                                                      {"reports", list}
    })
                                  .freeze();
    FP_TRY_VOID(save(arguments.value("json"), json::to_pretty_text(value) + "\n"));
  }
  if (arguments.given("html")) {
    FP_TRY_VOID(save(arguments.value("html"), verify::to_page(reports)));
  }
  return {};
}

int explore(const Arguments& arguments, const std::vector<verify::Subject>& all) {
  auto options = explore_options(arguments);
  if (!options) return verify_failed(options.error());
  const auto jobs = jobs_from(arguments, all);
  if (!jobs) return verify_failed(jobs.error());
  std::vector<verify::Report> reports;
  for (const Job& job : *jobs) {
    VerifyProgress progress(options->time_limit);
    options->progress = [&](const verify::Progress& now) { progress.show(now); };
    auto report = job.subject->run({.scenario = job.scenario->name,
                                    .parameters = parameters_from(arguments),
                                    .options = *options});
    progress.clear();
    if (!report) return verify_failed(report.error());
    report->program = program_name();
    report->subject = job.subject->name;
    // One that must fail is right when it does, as long as there are others beside it.
    report->false_on_purpose = jobs->size() > 1 && job.scenario->false_on_purpose;
    const auto replays = save_replays(*report, arguments.value("out"));
    if (!replays) return verify_failed(replays.error());
    if (answer(verify::to_text(*report) + *replays + "\n") != kExitDone) return kExitFailed;
    reports.push_back(*std::move(report));
  }
  if (const auto saved = save_reports(arguments, reports); !saved)
    return verify_failed(saved.error());
  if (reports.size() > 1 && answer(summary_of(reports)) != kExitDone) return kExitFailed;
  return status_of(reports);
}

// Exits with 0 when the process went another way: then the counterexample is not one of this code.
int replay_with_a_process(const Arguments& arguments, const verify::Subject& subject,
                          const verify::Replay& file) {
  if (!subject.live) {
    return verify_failed({ErrorKind::Invalid, fmt::format("{} is no operator", subject.name)});
  }
  auto script = subject.live({.scenario = file.scenario, .parameters = file.parameters}, file);
  if (!script) return verify_failed(script.error());
  script->subject = subject.name;
  const auto log = std::string{arguments.value("replay")} + ".log";
  const auto outcome = replay_live(*script, "/proc/self/exe", log);
  if (!outcome) return verify_failed(outcome.error());
  if (answer(outcome->text + "log of the process: " + log + "\n") != kExitDone) return kExitMisused;
  return outcome->same ? kExitFailed : kExitDone;
}

int replay(const Arguments& arguments, const std::vector<verify::Subject>& all) {
  const auto text = read_file(arguments.value("replay"));
  if (!text) return verify_failed(text.error());
  const auto file = verify::Replay::parse(*text);
  if (!file) return verify_failed(file.error());
  const auto subject = find_subject(all, file->subject);
  if (!subject) return verify_failed(subject.error());
  if (arguments.given("live")) return replay_with_a_process(arguments, **subject, *file);
  const auto trace =
      (*subject)->replay({.scenario = file->scenario, .parameters = file->parameters}, *file);
  if (!trace) return verify_failed(trace.error());
  verify::Verdict verdict{.name = file->property,
                          .kind = file->kind,
                          .outcome = verify::Outcome::Violated,
                          .detail = file->detail};
  verdict.trace = *trace;
  return answer(verify::story(verdict)) == kExitDone ? kExitFailed : kExitMisused;
}

// Exits with 0 only when every mistake was noticed, or is known to make no difference.
int mutants(const Arguments& arguments, const std::vector<verify::Subject>& all) {
  auto options = explore_options(arguments);
  if (!options) return verify_failed(options.error());
  const auto subject = find_subject(all, arguments.positional(0));
  if (!subject) return verify_failed(subject.error());
  if (!(*subject)->mutants) {
    return verify_failed({ErrorKind::Invalid, fmt::format("{} has no mutants", (*subject)->name)});
  }
  bool told = true;
  MutantProgress progress;
  const auto made =
      (*subject)->mutants({.scenario = std::string{arguments.value("scenario")},
                           .parameters = parameters_from(arguments),
                           .options = *options,
                           .group = std::string{arguments.value("group")}},
                          [&](const verify::Mutant& mutant, std::size_t done, std::size_t count) {
                            progress.clear();
                            told = told && answer(verify::to_text(mutant)) == kExitDone;
                            progress.show(mutant, done, count);
                          });
  progress.clear();
  if (!made) return verify_failed(made.error());
  if (!told || answer("\n" + verify::summary_of(*made)) != kExitDone) return kExitFailed;
  if (arguments.given("json")) {
    const json::Value list = verify::to_json(*made);
    const auto saved = save(arguments.value("json"), json::to_pretty_text(list) + "\n");
    if (!saved) return verify_failed(saved.error());
  }
  const auto score = verify::score_of(*made);
  if (score.open > score.unfinished) return kExitFailed;
  return score.unfinished > 0 ? kExitIncomplete : kExitDone;
}

int list(const std::vector<verify::Subject>& all) {
  std::string text;
  for (const auto& subject : all) {
    text += fmt::format("{}  {}\n", subject.name, subject.summary);
    for (const auto& scenario : subject.scenarios) {
      text += fmt::format("  {:<20} {}{}\n", scenario.name, scenario.summary,
                          scenario.by_name_only ? " (only when named)" : "");
    }
  }
  return answer(text);
}

// A flag that means nothing beside the others was meant to do something.
Result<void> check_together(const Arguments& arguments) {
  struct Pair {
    std::string_view flag;
    std::string_view needs;
  };
  for (const Pair& pair : {
           Pair{"live",  "replay" },
           Pair{"group", "mutants"},
           Pair{"seed",  "walks"  }
  }) {
    if (arguments.given(pair.flag) && !arguments.given(pair.needs)) {
      return fail(ErrorKind::Invalid, fmt::format("--{} goes with --{}", pair.flag, pair.needs));
    }
  }
  if (!arguments.given("mutants")) return {};
  if (arguments.positional(0).empty()) {
    return fail(ErrorKind::Invalid, "name the operator whose mutants are to be hunted");
  }
  for (const std::string_view flag : {"html", "all", "first", "replay", "walks"}) {
    if (arguments.given(flag)) {
      return fail(ErrorKind::Invalid, fmt::format("--{} does not go with --mutants", flag));
    }
  }
  return {};
}

int run_verify(const Arguments& arguments) {
  const auto all = verify_subjects();
  if (const auto checked = check_together(arguments); !checked)
    return verify_failed(checked.error());
  if (arguments.given("list")) return list(all);
  if (arguments.given("replay")) return replay(arguments, all);
  if (arguments.given("mutants")) return mutants(arguments, all);
  return explore(arguments, all);
}

constexpr std::array kVerifyFlags{
    Flag{.name = "all", .help = "everything there is, one after the other"},
    Flag{.name = "scenario",
         .placeholder = "NAME",
         .help = "only this one; if not given, all but the largest"},
    Flag{.name = "budget",
         .placeholder = "LIST",
         .help = "how often each trouble may happen, as in crash=1,error=2,stale=2,edit=2"},
    Flag{.name = "size", .placeholder = "N", .help = "of a model"},
    Flag{.name = "time-limit",
         .placeholder = "TIME",
         .help = "as in 10m; what is not seen by then makes the run incomplete"},
    Flag{.name = "memory",
         .placeholder = "AMOUNT",
         .help = "of this process, as in 4Gi; beyond it the run is incomplete"},
    Flag{.name = "workers", .placeholder = "N", .help = "threads; as many as cores if not given"},
    Flag{.name = "first", .help = "stop at the first violation"},
    Flag{.name = "walks",
         .placeholder = "N",
         .help = "so many runs at random instead of everything, where that is too much"},
    Flag{.name = "seed", .placeholder = "N", .help = "of the walks; another one takes others"},
    Flag{.name = "json", .placeholder = "FILE", .help = "write the reports there, for programs"},
    Flag{.name = "html",
         .placeholder = "FILE",
         .help = "write a page with the counterexamples as sequence diagrams"},
    Flag{.name = "out",
         .placeholder = "DIR",
         .help = "where counterexamples are kept",
         .fallback = "counterexamples"},
    Flag{.name = "replay",
         .placeholder = "FILE",
         .help = "execute a counterexample once more and tell it"},
    Flag{.name = "live", .help = "with --replay: by the operator's own process, on a real server"},
    Flag{.name = "mutants",
         .help = "make one mistake after the other and say whether it is noticed"},
    Flag{.name = "group",
         .placeholder = "NAME",
         .help = "of the mutants, only those whose group begins so, as in case"},
    Flag{.name = "list", .help = "what there is to verify"},
};

constexpr std::array kVerifyPositionals{
    Positional{.name = "SUBJECT", .help = "an operator or a model; see --list", .required = false},
};

constexpr std::array kVerifyExamples{
    Example{"verify --list",                                   "what there is"                                      },
    Example{"verify model:2pc --size 7",                       "every state of two-phase commit with seven managers"},
    Example{"verify --all --time-limit 3m --html report.html",
            "everything, with a page to look at"                                                                    },
    Example{"verify greeting --mutants",                       "how many mistakes would be noticed"                 },
    Example{"verify stellar --scenario storm --walks 10000",   "all troubles at once, at random"                    },
    Example{"verify --replay counterexamples/FILE.json",       "a counterexample once more"                         },
};

}  // namespace

const Command kVerifyCommand{
    .name = "verify",
    .summary = "Explore every state of an operator and say what holds",
    .description =
        "Explores all reachable states, breadth first and with all cores, and checks safety and\n"
        "liveness. A violation is told as a shortest story and kept as a file for --replay.\n"
        "Exits with 0 only when everything was seen and everything holds; 1: something is\n"
        "violated or was never put to the test; 2: wrong use; 3: a limit ended the run before it\n"
        "was complete. With --walks, which prove nothing, 0 means that nothing was violated.\n",
    .flags = kVerifyFlags,
    .positionals = kVerifyPositionals,
    .examples = kVerifyExamples,
    .run = run_verify,
};

}  // namespace fixpoint::cli
