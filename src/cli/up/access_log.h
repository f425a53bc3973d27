// SPDX-License-Identifier: Apache-2.0
//
// AccessLog: what `fixpoint up` tells of the requests it served, one line each, on stdout.
//
// Lines leave together at the end of a tick, not with a system call each. Reads are not told while
// they succeed: a log that shows what changed is one that gets read.
#pragma once

#include "front/api_server.h"
#include "net/loop.h"
#include "runtime/manager/log.h"

#include <string>

namespace fixpoint::cli {

class AccessLog {
 public:
  AccessLog(net::Loop& loop, runtime::LogFormat format) : loop_(loop), format_(format) {}

  void tell(const front::AccessLine& line);

 private:
  void write();

  net::Loop& loop_;
  runtime::LogFormat format_;
  std::string lines_;
};

}  // namespace fixpoint::cli
