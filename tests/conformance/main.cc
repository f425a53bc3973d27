// SPDX-License-Identifier: Apache-2.0
//
// conformance: compares our server with a real one, for as long as you like. `make test-kube` runs
// the same campaigns as tests; this is the tool to look closer, and the nightly run.
#include "base/file.h"
#include "tests/conformance/report.h"
#include "tests/conformance/script.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <iterator>

#include <fmt/core.h>

using namespace fixpoint;
using namespace fixpoint::conformance;

namespace {

constexpr std::string_view kUsage =
    R"(usage: conformance --real KUBECONFIG [options]

  --real FILE        kubeconfig of a real cluster (tools/real-cluster up DIR --controllers none)
  --area A[,B…]      only these areas (default: all; `--area list` shows them)
  --sequences N      how many sequences (default 1000); 0: go on until Ctrl-C
  --seed N           the first number of all (default 1)
  --only SEED        one sequence of one area, with everything both servers answered
  --script FILE      the sequences of a file (script.h has its form), with all answers that differ
  --lanes N          sequences at once (default 3)
  --show N           sorts of differences to shrink and show (default 10)
  --no-shrink        show them as they were found
  --coverage         print verb × kind × outcome reached on the real server
)";

std::atomic<bool> interrupted{false};
constexpr std::size_t kSignatureShown = 300;

struct Options {
  std::string real;
  std::string areas;
  std::string script;
  std::uint64_t sequences = 1000;
  std::uint64_t seed = 1;
  std::uint64_t only = 0;
  int lanes = 3;
  std::size_t show = 10;
  bool shrink = true;
  bool coverage = false;
};

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view flag = argv[i];
    if (flag == "--no-shrink") {
      options.shrink = false;
      continue;
    }
    if (flag == "--coverage") {
      options.coverage = true;
      continue;
    }
    if (i + 1 == argc) return std::nullopt;
    const std::string_view value = argv[++i];
    if (flag == "--real")
      options.real = value;
    else if (flag == "--script")
      options.script = value;
    else if (flag == "--area")
      options.areas = value;
    else if (flag == "--sequences")
      options.sequences = number(value);
    else if (flag == "--seed")
      options.seed = number(value);
    else if (flag == "--only")
      options.only = number(value);
    else if (flag == "--lanes")
      options.lanes = static_cast<int>(number(value));
    else if (flag == "--show")
      options.show = number(value);
    else
      return std::nullopt;
  }
  if (options.sequences == 0) options.sequences = std::numeric_limits<std::uint64_t>::max();
  return options;
}

std::vector<const Area*> chosen(std::string_view names) {
  std::vector<const Area*> found;
  for (const auto& area : areas()) {
    if (names.empty() ||
        ("," + std::string{names} + ",").contains("," + std::string{area.name} + ",")) {
      found.push_back(&area);
    }
  }
  return found;
}

void show(const Finding& finding, const Endpoint& real, const Local& local, Explain how) {
  fmt::print("{}\n", explain(finding, real, local, how));
  std::fflush(stdout);
}

int replay(const Options& options, const Endpoint& real_at, const Local& local) {
  const auto areas_chosen = chosen(options.areas);
  if (areas_chosen.size() != 1) {
    fmt::print(stderr, "--only needs exactly one --area\n");
    return 2;
  }
  const auto sequence = make_sequence(*areas_chosen.front(), options.only);
  const auto real = make_http_server(real_at);
  const auto ours = make_http_server(local.endpoint());
  const auto id = fresh_id();
  const auto theirs = record(*real, sequence, id);
  const auto own = record(*ours, sequence, id);
  fmt::print("{}", transcript(sequence, theirs, own));
  const auto difference = compare(sequence, normalise(theirs), normalise(own));
  if (!difference) return 0;
  show({.count = 1, .server = "ours", .sequence = sequence, .difference = *difference}, real_at,
       local, Explain::AsFound);
  return 1;
}

// Each sequence once, over HTTP and in process; what differs is shown.
int run_script(const Options& options, const Endpoint& real_at, const Local& local) {
  const auto text = read_file(options.script);
  if (!text) {
    fmt::print(stderr, "{}\n", text.error().message);
    return 2;
  }
  const auto sequences = parse_script(*text);
  if (!sequences) {
    fmt::print(stderr, "{}\n", sequences.error().message);
    return 2;
  }
  const auto real = make_http_server(real_at);
  const auto ours = make_http_server(local.endpoint());
  const auto core = make_core_server(local.fork());
  int different = 0;
  for (const auto& sequence : *sequences) {
    const auto id = fresh_id();
    const auto truth = normalise(record(*real, sequence, id));
    auto found = compare(sequence, truth, normalise(record(*ours, sequence, id)));
    std::string server = "ours";
    if (!found && runs_in_process(sequence)) {
      server = "core";
      found = compare(sequence, truth, normalise(record(*core, sequence, id)));
    }
    fmt::print("{} {}\n", found ? "differs" : "alike  ", sequence.area);
    if (!found) continue;
    ++different;
    show({.count = 1, .server = server, .sequence = sequence, .difference = *std::move(found)},
         real_at, local, Explain::AsFound);
  }
  return different == 0 ? 0 : 1;
}

int campaign(const Options& options, const Endpoint& real, const Local& local) {
  const auto began = std::chrono::steady_clock::now();
  CampaignOptions wanted;
  wanted.real = real;
  wanted.areas = chosen(options.areas);
  wanted.seed = options.seed;
  wanted.sequences = options.sequences;
  wanted.lanes = options.lanes;
  wanted.stop = [] { return interrupted.load(); };
  wanted.progress = [](std::uint64_t sequences, std::uint64_t requests, std::size_t findings) {
    if (sequences % 500 != 0) return;
    fmt::print(stderr, "{} sequences, {} requests, {} sorts of differences\n", sequences, requests,
               findings);
  };
  const auto result = run_campaign(wanted, local);
  const auto seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();

  std::vector<const Finding*> findings;
  for (const auto& [signature, finding] : result.findings) findings.push_back(&finding);
  std::ranges::sort(findings, std::greater{}, &Finding::count);
  for (std::size_t i = 0; i < std::min(findings.size(), options.show); ++i) {
    show(*findings[i], real, local, options.shrink ? Explain::Shrunk : Explain::AsFound);
  }
  for (const auto& [signature, count] : result.undecided) {
    fmt::print("undecided {} × {}\n", count, signature.substr(0, kSignatureShown));
  }
  for (const auto& [signature, count] : result.seen_once) {
    fmt::print("seen once {} × {}\n", count, signature.substr(0, kSignatureShown));
  }
  if (options.coverage) fmt::print("{}", result.coverage.to_text());
  fmt::print(
      "seed {}: {} sequences ({} also in process), {} requests in {:.0f} s; {} sorts undecided by "
      "the real server itself; {} seen once and not again; {} sorts of differences\n",
      options.seed, result.sequences, result.core_sequences, result.requests, seconds,
      result.undecided.size(), result.seen_once.size(), findings.size());
  return findings.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = parse(argc, argv);
  if (options && options->areas == "list") {
    for (const auto& area : areas()) fmt::print("{:<12} {}\n", area.name, area.about);
    return 0;
  }
  if (!options || options->real.empty() || chosen(options->areas).empty()) {
    fmt::print(stderr, "{}", kUsage);
    return 2;
  }
  std::signal(SIGINT, [](int) { interrupted = true; });
  std::signal(SIGPIPE, SIG_IGN);
  auto real = endpoint_of("real", options->real);
  if (!real) {
    fmt::print(stderr, "{}\n", real.error().message);
    return 2;
  }
  const Local local{Loops::OnlyDefinitions};
  for (const auto& endpoint : {*real, local.endpoint()}) {
    if (auto ready = set_up(endpoint); !ready) {
      fmt::print(stderr, "{}\n", ready.error().message);
      return 2;
    }
  }
  if (!options->script.empty()) return run_script(*options, *real, local);
  return options->only != 0 ? replay(*options, *real, local) : campaign(*options, *real, local);
}
