// SPDX-License-Identifier: Apache-2.0
//
// Flags that several commands have, in the same words: which cluster, and how log lines look.
#pragma once

#include "cli/command_line/command.h"

#include <string_view>

namespace fixpoint::cli {

inline constexpr Flag kKubeconfigFlag{
    .name = "kubeconfig",
    .placeholder = "FILE",
    .help = "the cluster; else $KUBECONFIG, the pod's own, ~/.kube/config"};
inline constexpr Flag kContextFlag{.name = "context",
                                   .placeholder = "NAME",
                                   .help = "of the kubeconfig; the current one if not given"};

inline constexpr std::string_view kLogFormats[] = {"text", "json"};
inline constexpr Flag kLogFormatFlag{.name = "log-format",
                                     .placeholder = "FORMAT",
                                     .help = "How log lines look",
                                     .fallback = "text",
                                     .values = kLogFormats};

}  // namespace fixpoint::cli
