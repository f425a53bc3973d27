// SPDX-License-Identifier: Apache-2.0
#include "node/remote/port_link.h"

#include <utility>

#include <sys/epoll.h>

namespace fixpoint::node {

PortLink::PortLink(net::Loop& loop, net::Endpoint endpoint, Handlers handlers)
    : loop_(loop), endpoint_(std::move(endpoint)), handlers_(std::move(handlers)) {
  auto fd = net::start_connecting(endpoint_);
  if (!fd) {
    fail_later(fd.error().message);
    return;
  }
  connecting_ = *std::move(fd);
  watched_ = true;
  loop_.watch(connecting_.get(), EPOLLOUT, *this);
}

PortLink::~PortLink() {
  *self_ = nullptr;
  if (watched_) loop_.unwatch(connecting_.get(), *this);
}

void PortLink::fail_later(std::string why) {
  loop_.post([self = self_, why = std::move(why)] {
    if (*self == nullptr) return;
    const auto failed = std::exchange((*self)->handlers_.failed, {});
    if (failed) failed(why);
  });
}

void PortLink::ready(std::uint32_t) {
  loop_.unwatch(connecting_.get(), *this);
  watched_ = false;
  if (auto ok = connected(); !ok) fail_later(ok.error().message);
}

Result<void> PortLink::connected() {
  FP_TRY_VOID(net::connect_outcome(connecting_, endpoint_));
  FP_TRY(writing, duplicate(connecting_));
  DescriptorReader::Handlers in;
  in.more = [this](std::string_view bytes) { handlers_.received(bytes); };
  in.ended = [this] { handlers_.ended(); };
  reader_ = std::make_unique<DescriptorReader>(loop_, std::move(connecting_), std::move(in));
  DescriptorWriter::Handlers out;
  out.drained = [this] { handlers_.drained(); };
  // Servers hang up on whom they will; that is between them and the client.
  out.broken = [this] { fail_later(""); };
  writer_ = std::make_unique<DescriptorWriter>(loop_, std::move(writing), std::move(out));
  writer_->write(std::exchange(early_, {}));
  if (finished_) writer_->finish();
  return {};
}

void PortLink::write(std::string_view bytes) {
  if (writer_) return writer_->write(bytes);
  early_.append(bytes);
}

void PortLink::finish() {
  finished_ = true;
  if (writer_) writer_->finish();
}

void PortLink::pause() {
  if (reader_) reader_->pause();
}

void PortLink::resume() {
  if (reader_) reader_->resume();
}

}  // namespace fixpoint::node
