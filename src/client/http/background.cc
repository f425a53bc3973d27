// SPDX-License-Identifier: Apache-2.0
#include "client/http/background.h"

#include <thread>
#include <utility>

namespace fixpoint::client {

Background::Background(net::Loop& loop) : home_(std::make_shared<Home>(loop)) {
  home_->self_ = home_;
}

Background::~Background() {
  home_->leave();
}

void Background::Home::leave() {
  gone_ = true;
  const std::lock_guard lock(mutex_);
  loop_ = nullptr;
}

void Background::Home::post(net::Task task) {
  const std::lock_guard lock(mutex_);
  if (loop_ == nullptr) return;
  loop_->post([home = self_.lock(), task = std::move(task)]() mutable {
    if (!home->gone()) task();
  });
}

void Background::start(net::Task task) {
  std::thread(std::move(task)).detach();
}

}  // namespace fixpoint::client
