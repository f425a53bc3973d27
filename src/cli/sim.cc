// SPDX-License-Identifier: Apache-2.0
//
// fixpoint sim: stand-ins for programs that operators manage and this machine lacks.
#include "cli/command_line/arguments.h"
#include "cli/command_line/console.h"
#include "cli/commands.h"
#include "kube/scalars/duration.h"
#include "sim/stellar/programs.h"

#include <array>
#include <csignal>

#include <fmt/format.h>
#include <unistd.h>

namespace fixpoint::cli {
namespace {

constexpr std::string_view kProducts[]{"stellar"};
constexpr std::string_view kStellarPrograms[]{"core", "horizon", "rpc"};
// What a pod's command cannot say its environment can.
constexpr std::string_view kLedgerVariable = "FIXPOINT_SIM_LEDGER_TIME";
constexpr std::string_view kSyncVariable = "FIXPOINT_SIM_SYNC_TIME";

sim::Variables variables() {
  sim::Variables out;
  for (char** line = environ; line != nullptr && *line != nullptr; ++line) {
    const std::string_view text{*line};
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    out.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return out;
}

// The flag, else the variable, else the flag's own fallback.
Result<Duration> time_of(const Arguments& arguments, std::string_view flag,
                         const sim::Variables& environment, std::string_view variable) {
  const auto found = environment.find(variable);
  if (arguments.given(flag) || found == environment.end()) return arguments.duration(flag);
  const auto time = kube::parse_duration(found->second);
  if (!time || *time <= Duration{}) {
    return fail(ErrorKind::Invalid,
                fmt::format("{}={}: give a time such as 5s", variable, found->second));
  }
  return *time;
}

Result<sim::Call> call_from(const Arguments& arguments) {
  sim::Call call;
  call.program = arguments.positional(1);
  call.action = arguments.positional(2);
  call.argument = arguments.positional(3);
  call.environment = variables();
  call.configuration = arguments.value(arguments.given("config-path") ? "config-path" : "conf");
  if (arguments.given("address")) {
    call.address = arguments.value("address");
  } else if (const auto pod = call.environment.find("POD_IP"); pod != call.environment.end()) {
    call.address = pod->second;
  }
  FP_TRY(ledger, time_of(arguments, "ledger-time", call.environment, kLedgerVariable));
  call.pace.ledger = ledger;
  FP_TRY(sync, time_of(arguments, "sync-time", call.environment, kSyncVariable));
  call.pace.sync = sync;
  return call;
}

int run_sim(const Arguments& arguments) {
  // A log that nobody reads any more is no reason to end.
  std::signal(SIGPIPE, SIG_IGN);
  const auto call = call_from(arguments);
  if (!call) return misused("sim", call.error());
  return sim::call(*call);
}

constexpr std::array kSimFlags{
    Flag{.name = "conf", .placeholder = "FILE", .help = "core: its stellar-core.cfg"},
    Flag{.name = "config-path",
         .placeholder = "FILE",
         .help = "rpc: its stellar-rpc.toml",
         .excludes = "conf"},
    Flag{.name = "address",
         .placeholder = "IP",
         .help = "to listen on; POD_IP if not given, and 127.0.0.1 without that",
         .fallback = "127.0.0.1"},
    Flag{.name = "ledger-time",
         .placeholder = "TIME",
         .help = "from one ledger to the next; or FIXPOINT_SIM_LEDGER_TIME",
         .fallback = "5s"},
    Flag{.name = "sync-time",
         .placeholder = "TIME",
         .help = "from the start to the newest ledger; or FIXPOINT_SIM_SYNC_TIME",
         .fallback = "3s"},
};

constexpr std::array kSimPositionals{
    Positional{.name = "PRODUCT", .help = "whose program",                         .values = kProducts       },
    Positional{.name = "PROGRAM", .help = "which of them",                         .values = kStellarPrograms},
    Positional{.name = "ACTION",
               .help = "core: run, new-db, http-command, version; horizon: serve",
               .required = false                                                                             },
    Positional{.name = "COMMAND", .help = "of http-command: info, metrics, …",     .required = false         },
};

constexpr std::array kSimExamples{
    Example{"sim stellar core new-db --conf stellar-core.cfg", "make its database, once"    },
    Example{"sim stellar core run --conf stellar-core.cfg",    "and run"                    },
    Example{"sim stellar rpc --config-path stellar-rpc.toml",  "the same for stellar-rpc"   },
    Example{"sim stellar horizon serve",                       "Horizon, by its environment"},
};

}  // namespace

const Command kSimCommand{
    .name = "sim",
    .summary = "Stand in for a program that an operator manages",
    .description =
        "Runs a stand-in of stellar-core, Horizon or stellar-rpc. It reads the configuration of\n"
        "the real program, refuses what that would refuse (an unknown key, a quorum set that is\n"
        "not safe, a seed that others may read), and serves its endpoints with their fields:\n"
        "/info, /metrics, /peers and /quorum; / and /health; JSON-RPC getHealth, getNetwork,\n"
        "getLatestLedger and getVersionInfo. There is no network behind it: ledgers close by the\n"
        "clock, one every --ledger-time, and after --sync-time the node has caught up. SIGTERM\n"
        "ends it at once.\n"
        "\n"
        "While it runs, each of its ports takes GET or POST /fixpoint/behave?mode=MODE, which the\n"
        "real programs do not have:\n"
        "  sync            as it should be\n"
        "  lag             answers, and stays at the ledger it has\n"
        "  hang            takes requests and never answers them\n"
        "  late&delay=3s   answers after that time\n"
        "  fail            answers 500\n"
        "  die             ends with exit status 1\n"
        "\n"
        "A node runs containers of stellar/stellar-core, stellar/horizon and stellar/stellar-rpc\n"
        "by these stand-ins, under the real programs' names: in such a pod, 'stellar-core\n"
        "http-command info --conf FILE' works as it does anywhere.\n",
    .flags = kSimFlags,
    .positionals = kSimPositionals,
    .examples = kSimExamples,
    .run = run_sim,
};

}  // namespace fixpoint::cli
