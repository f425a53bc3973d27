// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/cluster.h"

#include "cli/demo/calls.h"

#include <fmt/format.h>

namespace fixpoint::cli::demo {

Result<void> Cluster::start() {
  session_.reset();
  FP_TRY(server, Child::start(stage_.loop, {"up", "--data-dir", directory_ / "data", "--listen",
                                            "127.0.0.1:0", "--kubeconfig", kubeconfig()}));
  server_ = std::move(server);
  FP_TRY_VOID(stage_.wait("the server's ready line",
                          [&] { return server_->ended() || !server_->ready_line().empty(); }));
  if (server_->ready_line().empty()) return wrong("the server ended before it was ready");
  FP_TRY(session, Session::open(stage_, *server_, kubeconfig()));
  session_ = std::move(session);
  return {};
}

Result<void> Cluster::introduce() {
  page_.section("A cluster from nothing",
                "One process, one directory: keys, certificates, namespaces and roles are made at\n"
                "the first start. Writes are acknowledged once they are on disk.");
  page_.command(
      fmt::format("fixpoint up --data-dir {}/data --listen 127.0.0.1:0", directory_.string()));
  const auto begin = start_watch();
  FP_TRY_VOID(start());
  const double took = millis_since(begin);
  page_.text(server_->ready_line());
  page_.command("kubectl get namespaces");
  FP_TRY_VOID(show_table(*session_, page_, "/api/v1/namespaces"));
  FP_TRY(version, session_->expect(200, get("/version")));
  page_.proved(fmt::format("speaks the API of Kubernetes {}; {:.0f} ms from fork to ready",
                           version.get("gitVersion").as_string(), took));
  return {};
}

Result<void> Cluster::stop() {
  page_.section("A clean end", "SIGTERM ends it and its pods, with nothing left to repair.");
  const auto peak = server_->peak_mebibytes();
  page_.command(fmt::format("kill {}", server_->pid()));
  const auto begin = start_watch();
  server_->terminate();
  FP_TRY_VOID(stage_.wait("the server's end", [&] { return server_->ended(); }));
  const double took = millis_since(begin);
  if (const int status = server_->reap(); status != 0) {
    return wrong(fmt::format("the server ended with status {}", status));
  }
  page_.proved(fmt::format("exit status 0 after {:.0f} ms; it had needed {} MiB of memory at most",
                           took, peak));
  return {};
}

}  // namespace fixpoint::cli::demo
