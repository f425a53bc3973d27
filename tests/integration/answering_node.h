// SPDX-License-Identifier: Apache-2.0
//
// AnsweringNode: says of itself what stellar-core, Horizon and stellar-rpc say when they are well,
// at one address, where a cluster has pods that nobody runs.
#pragma once

#include "base/error.h"
#include "net/transport/socket.h"

#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace fixpoint {

class AnsweringNode {
 public:
  // The network is what its passphrase says.
  static Result<std::unique_ptr<AnsweringNode>> start(const std::string& address,
                                                      std::string passphrase);
  ~AnsweringNode();

 private:
  AnsweringNode() = default;
  void serve(int listener) const;
  std::string answer_to(std::string_view request) const;

  std::string passphrase_;
  std::vector<net::Fd> listeners_;
  std::vector<std::thread> threads_;
};

}  // namespace fixpoint
