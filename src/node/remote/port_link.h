// SPDX-License-Identifier: Apache-2.0
//
// PortLink: one TCP connection to a pod, with an end for either direction.
#pragma once

#include "net/loop.h"
#include "net/transport/socket.h"
#include "node/remote/descriptor.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace fixpoint::node {

class PortLink final : private net::Pollable {
 public:
  // From the loop; `failed` and `ended` may destroy this.
  struct Handlers {
    std::function<void(std::string_view)> received;
    std::function<void()> ended;  // the pod sends nothing more
    std::function<void()> drained;
    // There is no connection, and why; or not any more, which needs no word.
    std::function<void(std::string why)> failed;
  };
  PortLink(net::Loop& loop, net::Endpoint endpoint, Handlers handlers);
  ~PortLink() override;
  PortLink(const PortLink&) = delete;
  PortLink& operator=(const PortLink&) = delete;

  void write(std::string_view bytes);
  void finish();
  void pause();
  void resume();
  std::size_t backlog_bytes() const { return writer_ ? writer_->backlog_bytes() : early_.size(); }

 private:
  void ready(std::uint32_t events) override;
  Result<void> connected();
  void fail_later(std::string why);

  net::Loop& loop_;
  net::Endpoint endpoint_;
  Handlers handlers_;
  net::Fd connecting_;
  bool watched_ = false;
  std::unique_ptr<DescriptorReader> reader_;
  std::unique_ptr<DescriptorWriter> writer_;
  std::string early_;  // written before there was a connection
  bool finished_ = false;
  std::shared_ptr<PortLink*> self_ = std::make_shared<PortLink*>(this);
};

}  // namespace fixpoint::node
