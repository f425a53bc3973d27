// SPDX-License-Identifier: Apache-2.0
//
// The end of HTTP on a connection: 101, and from then on bytes as they come.
#include "net/protocol/http1_session.h"

#include <string>
#include <utility>

namespace fixpoint::net {

UpgradedStreamRef Http1Exchange::upgrade(std::string_view protocol, const Headers& headers,
                                         UpgradeHandlers&& handlers) {
  if (!open() || started_ || session_->minor_zero_ || session_->shutting_down_) return nullptr;
  auto& session = *session_;
  session.keep_alive_ = true;  // no "close" in the head
  session.write_head(101, headers, "connection: Upgrade\r\nupgrade: " + std::string(protocol));
  auto stream = std::make_shared<Http1Upgraded>(session_, std::move(handlers));
  done_ = true;
  callbacks_.forget();
  session.current_ = nullptr;
  session.upgraded_ = stream.get();
  session.enter(Http1Session::Phase::Upgraded, {});
  session.host_->output_ready();
  // What the client sent without waiting for the answer is not to be called for from inside here.
  session.host_->later([kept = session_] { kept->go_on(); });
  return stream;
}

Http1Upgraded::~Http1Upgraded() {
  cut();
}

void Http1Upgraded::write(Chunk chunk) {
  if (!is_open()) return;
  session_->queue_.add_chunk(std::move(chunk));
  if (session_->queue_.bytes() > session_->host_->options().backlog_bytes_max) {
    return session_->cut_later();
  }
  session_->host_->output_ready();
}

void Http1Upgraded::finish() {
  if (!is_open()) return;
  handlers_.reset();
  session_->upgraded_ = nullptr;
  session_->close_politely();
}

void Http1Upgraded::cut() {
  if (!is_open()) return;
  handlers_.reset();
  session_->upgraded_ = nullptr;
  session_->cut_later();
}

void Http1Upgraded::pause() {
  paused_ = true;
  if (is_open()) session_->host_->pause_input();
}

void Http1Upgraded::resume() {
  paused_ = false;
  if (is_open()) session_->host_->resume_input();
}

}  // namespace fixpoint::net
