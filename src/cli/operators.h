// SPDX-License-Identifier: Apache-2.0
//
// Running operators inside a command: what `operator` does against any cluster and `up` against
// its own.
#pragma once

#include "base/error.h"
#include "base/rng.h"
#include "cli/up/service_client.h"
#include "client/client.h"
#include "front/service.h"
#include "net/loop.h"
#include "runtime/manager/manager.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::cli {

// "a,b", of this program's operators; the error names the flag and says which there are.
Result<std::vector<runtime::ManagedPart>> parts_of(std::string_view list);

// "web-7d9f_3f2a…": POD_NAME or the host's name, and random digits, since a name may come back.
std::string process_identity(Rng& rng);

runtime::LogFormat log_format_of(std::string_view flag);

// The operators of `fixpoint up`, on the API server beside them, without any socket between.
class LocalOperators {
 public:
  // Installs the kinds of the operators that `list` names and runs those.
  LocalOperators(front::Service& service, const runtime::Log& log, std::string_view list,
                 std::vector<runtime::ManagedPart> parts);
  ~LocalOperators();
  LocalOperators(const LocalOperators&) = delete;
  LocalOperators& operator=(const LocalOperators&) = delete;

  Result<void> start() { return manager_->start(); }
  void stop(std::function<void()> done) { manager_->stop(std::move(done)); }

 private:
  void install_kinds(const runtime::Log& log, std::string_view list);

  ServiceClient client_;
  runtime::MetricsRegistry metrics_;
  std::unique_ptr<runtime::Manager> manager_;
};

}  // namespace fixpoint::cli
