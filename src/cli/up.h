// SPDX-License-Identifier: Apache-2.0
//
// The command line of `fixpoint up`.
#pragma once

#include "cli/command_line/command.h"
#include "cli/command_line/shared_flags.h"
#include "cli/node_flags.h"

#include <array>
#include <string_view>

namespace fixpoint::cli {

inline constexpr std::string_view kControllerSets[] = {"all", "api"};

inline constexpr std::string_view kLocalNodes = "local";

inline constexpr std::array kUpFlags{
    Flag{.name = "data-dir",
         .placeholder = "DIR",
         .help = "Keep the cluster here; a write is acknowledged once it is on disk",
         .excludes = "ephemeral"},
    Flag{.name = "ephemeral", .help = "Keep the cluster in memory; it is gone when this ends"},
    Flag{.name = "listen",
         .placeholder = "HOST:PORT",
         .help = "Where to serve; port 0 picks a free one",
         .fallback = "127.0.0.1:6443"},
    Flag{.name = "kubeconfig",
         .placeholder = "FILE",
         .help = "Where to write the credentials, mode 0600"},
    Flag{.name = "controllers",
         .placeholder = "SET",
         .help = "Which built-in controllers run; with api, workloads stay as they are written",
         .fallback = "all",
         .values = kControllerSets},
    Flag{.name = "operators",
         .placeholder = "NAMES",
         .help = "Which operators run inside, by name and separated by commas",
         .fallback = "none"},
    Flag{.name = "nodes",
         .placeholder = "NODES",
         .help = "Where pods run: local (as processes), none, or simulated:N, which only pretend",
         .fallback = kLocalNodes},
    Flag{.name = "ready-after",
         .placeholder = "DURATION",
         .help = "How long a pod that is simulated takes to become ready",
         .fallback = "0s"},
    kImageFlag,
    kAllowHostPathFlag,
    kAllowPrivilegedFlag,
    kLogFormatFlag,
};

inline constexpr std::array kUpExamples{
    Example{"up --ephemeral",                                           "a Kubernetes API on this machine, in memory" },
    Example{"up --data-dir ~/cluster",                                  "the same, on disk: it survives kill -9"      },
    Example{"up --ephemeral --listen 127.0.0.1:0 --kubeconfig /tmp/kc",
            "on a free port, for a script"                                                                            },
    Example{"up --ephemeral --nodes simulated:500",                     "with 500 simulated nodes, for tests of scale"},
};

}  // namespace fixpoint::cli
