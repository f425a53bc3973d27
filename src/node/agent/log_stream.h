// SPDX-License-Identifier: Apache-2.0
//
// A log on its way to a reader: what is there, and what comes when it is followed.
#pragma once

#include "net/loop.h"
#include "node/streams.h"

#include <filesystem>
#include <functional>
#include <memory>

namespace fixpoint::node {

// `ended` says whether anything can still be written to it.
std::unique_ptr<LogStream> make_log_stream(net::Loop& loop, std::filesystem::path file,
                                           const LogRequest& request, std::function<bool()> ended);

}  // namespace fixpoint::node
