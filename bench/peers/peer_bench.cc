// SPDX-License-Identifier: Apache-2.0
//
// The peer on Fixpoint: a cached read (with -decode, into a C++ value) and, with -converge, an
// owned ConfigMap and a status. It says on standard output when it has reconciled everything; ./run
// measures it from outside.
#include "client/open_client.h"
#include "runtime/manager/manager.h"
#include "runtime/metrics/controller_metrics.h"
#include "runtime/typed.h"

#include <charconv>
#include <csignal>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <unistd.h>

namespace fixpoint::runtime {
namespace {

struct Options {
  bool converge = false;
  bool decode = false;
  std::string lease;  // the name of one to hold; empty: reconcile without
  std::size_t expect = 1;
  std::size_t rounds = 0;
};

// Says when every Widget was reconciled once, and when all later rounds are done.
struct Progress {
  Options options;
  std::set<kube::Key> seen;
  std::size_t again = 0;
  std::function<void()> next_round;

  void done(const kube::Key& key) {
    if (seen.size() < options.expect) {
      seen.insert(key);
      if (seen.size() == options.expect) say("SYNCED");
      return;
    }
    ++again;
    if (options.rounds == 0 || again % options.expect != 0) return;
    if (again == options.expect * options.rounds) {
      std::puts("LOOPED");
      std::fflush(stdout);
    } else if (again < options.expect * options.rounds) {
      next_round();
    }
  }
  void say(const char* line) {
    std::puts(line);
    std::fflush(stdout);
    if (options.rounds > 0) next_round();
  }
};

Progress progress;

struct Spec {
  std::string text;
  std::int64_t size = 0;
  std::map<std::string, std::string> entries;

  static types::Table table() {
    return types::describe<Spec>("What a Widget holds.",
                                 {
                                     {"text",    &Spec::text,    "A line of text."},
                                     {"size",    &Spec::size,    "A number."      },
                                     {"entries", &Spec::entries, "Some payload."  },
    });
  }
};

struct Status {
  std::string phase;

  static types::Table table() {
    return types::describe<Status>("What became of it.", {
                                                             {"phase", &Status::phase, "Ready."},
    });
  }
};

types::Kind widget_kind() {
  return {.group = "bench.fixpoint.dev",
          .name = "Widget",
          .plural = "widgets",
          .doc = "Something to reconcile.",
          .versions = {{.spec = &types::table_of<Spec>(), .status = &types::table_of<Status>()}}};
}

// The rivals reconcile on every event; so does this, to compare like with like.
Watch every_change() {
  auto watch = reconciles(widget_kind());
  watch.predicate = [](json::View, json::View) { return true; };
  return watch;
}

bool readable(json::View spec) {
  return progress.options.decode ? types::decode<Spec>(spec).ok()
                                 : !spec.get("text").as_string().empty();
}

// Reads its object and wants nothing.
struct Noop final : Operator {
  Declaration declared{.name = "widget", .watches = {every_change()}};

  const Declaration& declaration() const override { return declared; }
  kube::FieldErrors check(json::View) const override { return {}; }
  Result<Facts> observe(const Reader& reader, Probes&, const kube::Key& key) const override {
    if (!readable(reader.primary().get("spec"))) return fail(ErrorKind::Invalid, "no Widget");
    progress.done(key);
    return Facts{};
  }
  Plan decide(const Facts&, Instant) const override { return {}; }
  Conclusion conclude(const Facts&, const Outcomes&) const override { return {}; }
};

// One ConfigMap and one status for each Widget.
struct Converge {
  using Spec = runtime::Spec;
  using Status = runtime::Status;
  struct Facts {};

  static types::Kind kind() { return widget_kind(); }
  static Declaration declare() {
    return {
        .name = "widget", .watches = {every_change(), owns("v1", "ConfigMap")}
    };
  }
  Result<Facts> observe(const Primary<Spec>&, const Reader&, Probes&) const { return Facts{}; }
  Plan decide(const Primary<Spec>& widget, const Facts&, Instant) const {
    const auto data = object({
        {"text", widget.spec.text}
    });
    return Plan{
    }
        .apply(child(widget.key, "v1", "ConfigMap", {{"data", data}}));
  }
  Verdict<Status> conclude(const Primary<Spec>& widget, const Facts&, const Outcomes& done) const {
    if (done.problem() == nullptr) progress.done(widget.key);
    return {{"Ready"}, {}};
  }
};

bool read_number(std::string_view text, std::size_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

Result<Options> options_of(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument{argv[i]};
    const auto at = argument.find('=');
    const auto name = argument.substr(0, at);
    const auto value = at == std::string_view::npos ? "" : argument.substr(at + 1);
    const bool known = name == "-converge" ? (options.converge = value != "false", true)
                       : name == "-decode" ? (options.decode = value != "false", true)
                       : name == "-lease"  ? (options.lease = value, true)
                       : name == "-expect" ? read_number(value, options.expect)
                       : name == "-rounds" ? read_number(value, options.rounds)
                                           : false;
    if (!known) return fail(ErrorKind::Invalid, "cannot read " + std::string{argument});
  }
  return options;
}

std::vector<ManagedPart> parts() {
  std::vector<ManagedPart> parts;
  if (progress.options.converge) {
    parts.push_back({
        "widget", {std::make_unique<Typed<Converge>>(), nullptr}
    });
  } else {
    parts.push_back({
        "widget", {std::make_unique<Noop>(), nullptr}
    });
  }
  return parts;
}

ManagerOptions manager_options() {
  ManagerOptions options{.identity = "peer-" + std::to_string(::getpid())};
  if (!progress.options.lease.empty()) {
    options.election = ElectionOptions{
        .lease = {"bench", progress.options.lease},
          .identity = options.identity
    };
  }
  return options;
}

Result<void> run(int argc, char** argv) {
  FP_TRY(options, options_of(argc, argv));
  progress.options = options;
  FP_TRY(config, client::load_config({}, client::Surroundings::of_process()));
  net::Loop loop;
  FP_TRY(client, client::open_client(loop, std::move(config)));
  const Log log(LogFormat::Text, LogLevel::Warning, loop.clock(),
                [](std::string_view line) { std::fwrite(line.data(), 1, line.size(), stderr); });
  MetricsRegistry metrics;
  Manager manager({loop, *client, metrics, log}, manager_options(), parts(), Rng::from_kernel());
  progress.next_round = [&] { loop.post([&] { manager.look_at_all(); }); };
  bool stopping = false;
  FP_TRY_VOID(loop.on_signal(SIGTERM, [&] {
    if (!std::exchange(stopping, true)) manager.stop([&] { loop.stop(); });
  }));
  FP_TRY_VOID(manager.start());
  loop.run();
  return {};
}

}  // namespace
}  // namespace fixpoint::runtime

int main(int argc, char** argv) {
  const auto done = fixpoint::runtime::run(argc, argv);
  if (!done) std::fprintf(stderr, "%s\n", done.error().message.c_str());
  return done ? 0 : 1;
}
