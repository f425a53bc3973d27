// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/local.h"

#include "cli/up/controller_shell.h"
#include "front/host.h"
#include "net/loop.h"

#include <chrono>
#include <future>
#include <thread>

namespace fixpoint::conformance {

namespace {

// A young server counts its versions in numbers that texts are full of: 63 characters, 64Mi. In
// process every sequence would begin there again, so this one has seen many writes before.
constexpr int kEarlierWrites = 10'000;

void grow_old(front::Service& service) {
  apiserver::Request request;
  request.resource = {"", "v1", "configmaps"};
  request.ns = "default";
  request.content_type = "application/json";
  request.user = apiserver::system_user();
  for (int i = 0; i < kEarlierWrites; ++i) {
    const bool creates = i % 2 == 0;
    request.verb = creates ? apiserver::Verb::Create : apiserver::Verb::Delete;
    request.name = creates ? "" : "earlier";
    request.body = creates ? R"({"metadata":{"name":"earlier"}})" : "";
    FP_CHECK(service.run(request).ok());
  }
}

}  // namespace

struct Local::Thread {
  net::Loop loop;
  std::unique_ptr<front::Host> host;
  std::unique_ptr<cli::ControllerShell> controllers;
  std::thread thread;

  void serve(Loops loops, std::promise<std::string> ready) {
    auto started = front::Host::start(loop, {});
    FP_CHECK(started.has_value());
    host = *std::move(started);
    grow_old(host->service());
    controllers = std::make_unique<cli::ControllerShell>(host->service(), [this, loops] {
      switch (loops) {
        case Loops::All: return cluster::Controllers::of_cluster(host->authority_pem());
        case Loops::Api: return cluster::Controllers::of_api(host->authority_pem());
        case Loops::OnlyDefinitions: break;
      }
      return cluster::Controllers::of_server();
    });
    ready.set_value(host->kubeconfig());
    loop.run();
    controllers.reset();
    host.reset();
  }
};

Local::Local(Loops loops) : thread_(std::make_unique<Thread>()) {
  std::promise<std::string> ready;
  auto kubeconfig = ready.get_future();
  thread_->thread = std::thread([this, loops, ready = std::move(ready)]() mutable {
    thread_->serve(loops, std::move(ready));
  });
  auto endpoint = endpoint_in("ours", kubeconfig.get());
  FP_CHECK(endpoint.has_value());
  endpoint_ = *std::move(endpoint);
}

Local::~Local() {
  thread_->loop.post([this] {
    thread_->host->stop(std::chrono::milliseconds(100), [this] { thread_->loop.stop(); });
  });
  thread_->thread.join();
}

store::Store Local::fork() const {
  std::promise<store::Store> forked;
  auto future = forked.get_future();
  thread_->loop.post(
      [this, &forked] { forked.set_value(thread_->host->service().store().fork()); });
  return future.get();
}

}  // namespace fixpoint::conformance
