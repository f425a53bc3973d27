// SPDX-License-Identifier: Apache-2.0
//
// fixpoint demo: starts this program as a server, uses it, kills it, and leaves nothing behind. Two
// stories: Stellar nodes in trouble, and the cluster itself.
#include "base/print_to.h"
#include "cli/command_line/arguments.h"
#include "cli/command_line/route.h"
#include "cli/commands.h"
#include "cli/demo/cluster.h"
#include "cli/demo/page.h"
#include "cli/demo/session.h"
#include "cli/demo/stellar_story.h"
#include "cli/demo/story.h"
#include "store/scratch_directory.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

namespace fixpoint::cli {
namespace {

// Colours only where a person looks on; https://no-color.org is the convention to refuse them.
demo::Colour colour() {
  const char* refused = std::getenv("NO_COLOR");
  const bool wanted = ::isatty(STDOUT_FILENO) == 1 && (refused == nullptr || *refused == '\0');
  return wanted ? demo::Colour::On : demo::Colour::Off;
}

Result<void> watch_for_interrupts(demo::Stage& stage) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    FP_TRY_VOID(stage.loop.on_signal(signal, [&stage] { stage.interrupted = true; }));
  }
  return {};
}

struct Logs {
  std::string server{};
  std::string operators{};
};

int demo_failed(const Error& error, const Logs& logs = {}) {
  print_to(stderr, fmt::format("\nfixpoint demo: {}\n", error.message));
  if (!logs.operators.empty()) print_to(stderr, "\nThe operator's log:\n" + logs.operators);
  if (!logs.server.empty()) print_to(stderr, "\nThe server's log:\n" + logs.server);
  return kExitFailed;
}

// The story that was asked for; without a word the one of Stellar nodes, where it can be told.
int tell(std::string_view wanted, demo::Cluster& cluster) {
  const auto possible = demo::StellarStory::possible();
  if (wanted == "stellar" && !possible) return demo_failed(possible.error());
  if (wanted != "cluster" && possible) {
    demo::StellarStory story(cluster);
    if (auto ok = story.tell(); !ok) return demo_failed(ok.error(), {cluster.log(), story.log()});
    return kExitDone;
  }
  if (wanted.empty()) {
    cluster.page().text(fmt::format("No Stellar nodes here: {}.", possible.error().message));
  }
  if (auto ok = demo::Story(cluster).tell(); !ok)
    return demo_failed(ok.error(), {cluster.log(), {}});
  return kExitDone;
}

int run_demo(const Arguments& arguments) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that leaves must not keep us from cleaning up
  demo::Stage stage;
  if (auto ok = watch_for_interrupts(stage); !ok) return demo_failed(ok.error());
  const auto parent = store::temporary_directory();
  if (!parent) return demo_failed(parent.error());
  const auto scratch = store::ScratchDirectory::make("demo", *parent);
  if (!scratch) return demo_failed(scratch.error());
  demo::Page page(colour(), stage.problem);
  demo::Cluster cluster(stage, page, scratch->path());
  const int status = tell(arguments.positional(0), cluster);
  if (status == kExitDone && !stage.problem.empty()) {
    return demo_failed({ErrorKind::Unavailable, stage.problem});
  }
  return status;
}

constexpr std::string_view kStories[] = {"stellar", "cluster"};
constexpr Positional kDemoPositionals[] = {
    {.name = "STORY",
     .help = "which one; stellar if not given, where it can be told",
     .values = kStories,
     .required = false}
};
constexpr Example kDemoExamples[] = {
    {"demo",         "Stellar nodes in trouble, in about a minute, in a directory that is removed again"},
    {"demo cluster", "the cluster itself, in a few seconds"                                             }
};

}  // namespace

const Command kDemoCommand{
    .name = "demo",
    .summary = "See Stellar nodes, or a cluster, used, killed and brought back",
    .description =
        "A tour that runs this program as a server on a temporary directory and checks every\n"
        "answer. Exits 1 when anything is not as it should be, with the logs.\n"
        "\n"
        "stellar: a validator and a Horizon come up; a bad setting is refused; the operator is\n"
        "killed -9 in mid-creation; a quota blocks and is lifted; a node is deleted during a\n"
        "partition; and the verifier goes through every state of an operator. Needs root, since\n"
        "only root can give a pod paths of its own.\n"
        "\n"
        "cluster: a custom kind, its columns, a watch, a conflict of two field owners, kill -9\n"
        "under load, garbage collection, a rolling update, and, where valkey-server or\n"
        "redis-server is installed, a database that is killed and keeps its data.\n",
    .positionals = kDemoPositionals,
    .examples = kDemoExamples,
    .run = run_demo,
};

}  // namespace fixpoint::cli
