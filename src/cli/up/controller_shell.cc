// SPDX-License-Identifier: Apache-2.0
#include "cli/up/controller_shell.h"

namespace fixpoint::cli {
namespace {

// Steps between two looks at the sockets: a millisecond or so of work.
constexpr std::size_t kStepsPerSlice = 64;

}  // namespace

ControllerShell::ControllerShell(front::Service& service, Make make)
    : service_(service), make_(std::move(make)), controllers_(make_()) {
  controllers_.begin(*this);
  // What they did may be undone: they start over from what is there.
  service_.on_rewind([this, self = self_] {
    if (*self == nullptr) return;
    controllers_ = make_();
    controllers_.begin(*this);
    schedule();
  });
  service_.listen([this, self = self_](const std::vector<store::Event>& events) {
    if (*self == nullptr) return;
    controllers_.observe(events);
    schedule();
  });
  schedule();
}

ControllerShell::~ControllerShell() {
  *self_ = nullptr;
  service_.loop().cancel(timer_);
}

apiserver::Response ControllerShell::call(const apiserver::Request& request) {
  return service_.run(request);
}

const store::Snapshot& ControllerShell::latest() const {
  return service_.store().latest();
}

apiserver::CustomKinds& ControllerShell::kinds() {
  return service_.core().kinds();
}

Instant ControllerShell::now() const {
  return service_.loop().clock().wall();
}

void ControllerShell::schedule() {
  if (std::exchange(scheduled_, true)) return;
  service_.loop().post([this, self = self_] {
    if (*self != nullptr) work();
  });
}

void ControllerShell::work() {
  scheduled_ = false;
  if (controllers_.run(*this, kStepsPerSlice)) return schedule();
  service_.loop().cancel(timer_);
  if (const auto at = controllers_.wakes()) {
    timer_ = service_.loop().after(std::max(Duration::zero(), *at - now()), [this] {
      timer_ = {};
      schedule();
    });
  }
}

}  // namespace fixpoint::cli
