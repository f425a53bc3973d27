// SPDX-License-Identifier: Apache-2.0
//
// FuzzHost: carries the bytes of a server session without a socket, and answers its requests in
// every way an application can, chosen by the request itself so that a run is repeatable.
#pragma once

#include "base/error.h"
#include "net/protocol/server_session.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fixpoint::fuzz {

class FuzzHost final : public net::SessionHost {
 public:
  FuzzHost() {
    options_.header_bytes_max = 4096;
    options_.header_count_max = 32;
    options_.target_bytes_max = 256;
    options_.body_bytes_max = 10'000;
    options_.arriving_body_bytes_max = 15'000;
    options_.backlog_bytes_max = 100'000;
    options_.nuisance_burst = 50;
  }

  void run(std::shared_ptr<net::ServerSession> session, std::string_view bytes, std::size_t piece) {
    session_ = std::move(session);
    settle();
    while (!bytes.empty() && attached_) {
      const auto taken = bytes.substr(0, piece);
      bytes.remove_prefix(taken.size());
      if (!paused_) session_->received(taken);
      settle();
    }
    if (attached_ && (piece & 1) != 0) session_->shutdown();
    settle();
    for (auto& exchange : std::exchange(held_, {})) exchange->respond(200, {}, "held");
    settle();
    if (attached_) session_->peer_ended();
    settle();
    if (attached_) cut();
    held_.clear();
    FP_CHECK(reserved_ == 0);  // every byte that was accounted for is given back
  }

  const net::ServerOptions& options() const override { return options_; }
  std::shared_ptr<const net::Peer> peer() const override { return peer_; }
  MonotonicInstant now() const override { return {}; }
  void handle(net::Request&& request, std::shared_ptr<net::Exchange> exchange) override {
    FP_CHECK(request.target.size() <= options_.target_bytes_max + 1);
    FP_CHECK(request.body.size() <= options_.body_bytes_max);
    FP_CHECK(request.headers.size() <= options_.header_count_max + 1);
    if (request.headers.contains("upgrade")) return upgrade(*exchange);
    switch ((request.method.size() + request.target.size() + request.body.size()) % 6) {
      case 0:
        return exchange->respond(200,
                                 {
                                     {"a", "b"}
        },
                                 request.body);
      case 1: held_.push_back(std::move(exchange)); return;
      case 2: return;  // dropped
      case 3:
        exchange->start(200, {});
        exchange->on_closed([exchange] {});
        exchange->write(net::make_chunk("event"));
        return;
      case 4:
        exchange->start(200, {}, net::StreamKind::Finite);
        exchange->on_drain([exchange, left = 5]() mutable {
          exchange->write(net::make_chunk(std::string(1000, 'x')));
          if (--left == 0) exchange->end();
        });
        return;
      default:
        exchange->start(200, {});
        exchange->write(net::make_chunk("half"));
        return exchange->abort();
    }
  }
  void output_ready() override { output_ready_ = true; }
  void finish() override { finishing_ = true; }
  void cut() override {
    attached_ = false;
    session_->detach();
  }
  void pause_input() override { paused_ = true; }
  void resume_input() override { paused_ = false; }
  void later(net::Task task) override { later_.push_back(std::move(task)); }
  bool reserve_body(std::size_t bytes) override {
    if (reserved_ + bytes > options_.arriving_body_bytes_max) return false;
    reserved_ += bytes;
    return true;
  }
  void release_body(std::size_t bytes) override {
    FP_CHECK(bytes <= reserved_);
    reserved_ -= bytes;
  }
  const std::string& date() override { return date_; }

 private:
  // Sends back what comes, but for what begins with an x, which ends it.
  void upgrade(net::Exchange& exchange) {
    net::UpgradeHandlers handlers;
    handlers.received = [this](std::string_view bytes) {
      if (bytes.starts_with('x')) return upgraded_->finish();
      upgraded_->write(std::string(bytes));
    };
    upgraded_ = exchange.upgrade("echo", {}, std::move(handlers));
  }

  // Runs deferred work and takes output until nothing is left to do.
  void settle() {
    for (int round = 0; round < 100; ++round) {
      for (auto& task : std::exchange(later_, {})) task();
      if (!attached_ || (!output_ready_ && later_.empty())) return;
      output_ready_ = false;
      char buffer[1000];
      while (attached_ && session_->pull(buffer) > 0) {
      }
      if (attached_) session_->flushed();
    }
  }

  net::ServerOptions options_;
  std::shared_ptr<const net::Peer> peer_ = std::make_shared<net::Peer>();
  std::shared_ptr<net::ServerSession> session_;
  std::vector<std::shared_ptr<net::Exchange>> held_;
  net::UpgradedStreamRef upgraded_;
  std::vector<net::Task> later_;
  std::string date_ = "Thu, 01 Jan 2026 00:00:00 GMT";
  std::size_t reserved_ = 0;
  bool attached_ = true;
  bool output_ready_ = false;
  bool finishing_ = false;
  bool paused_ = false;
};

}  // namespace fixpoint::fuzz
