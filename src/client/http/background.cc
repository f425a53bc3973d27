// SPDX-License-Identifier: Apache-2.0
#include "client/http/background.h"

#include <thread>
#include <utility>

namespace fixpoint::client {

Background::Background(net::Loop& loop) : home_(std::make_shared<Home>(loop)) {}

Background::~Background() {
  home_->leave();
}

std::uint64_t Background::Home::keep(net::Task done) {
  waiting_.emplace(++last_ticket_, std::move(done));
  return last_ticket_;
}

void Background::Home::leave() {
  waiting_.clear();
  const std::lock_guard lock(mutex_);
  loop_ = nullptr;
}

void Background::Home::finished(std::uint64_t ticket) {
  const std::lock_guard lock(mutex_);
  if (loop_ == nullptr) return;
  loop_->post([home = shared_from_this(), ticket] {
    auto done = home->waiting_.extract(ticket);
    if (done) done.mapped()();
  });
}

void Background::start(net::Task task) {
  std::thread(std::move(task)).detach();
}

}  // namespace fixpoint::client
