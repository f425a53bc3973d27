// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/answering_node.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace fixpoint {
namespace {

constexpr std::array<std::uint16_t, 2> kPorts{8000, 11626};

void send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::string head_from(int fd) {
  std::string head;
  std::array<char, 4096> buffer{};
  while (head.find("\r\n\r\n") == std::string::npos) {
    const auto got = ::recv(fd, buffer.data(), buffer.size(), 0);
    if (got <= 0) break;
    head.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return head;
}

}  // namespace

Result<std::unique_ptr<AnsweringNode>> AnsweringNode::start(const std::string& address,
                                                            std::string passphrase) {
  std::unique_ptr<AnsweringNode> node{new AnsweringNode};
  node->passphrase_ = std::move(passphrase);
  for (const auto port : kPorts) {
    FP_TRY(listener, net::listen_on({address, port}));
    ::fcntl(listener.get(), F_SETFL, 0);  // its threads wait
    node->listeners_.push_back(std::move(listener));
  }
  for (const auto& listener : node->listeners_) {
    node->threads_.emplace_back([served = node.get(), fd = listener.get()] { served->serve(fd); });
  }
  return node;
}

AnsweringNode::~AnsweringNode() {
  for (const auto& listener : listeners_) ::shutdown(listener.get(), SHUT_RDWR);
  for (auto& thread : threads_) thread.join();
}

void AnsweringNode::serve(int listener) const {
  while (true) {
    const int fd = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    const auto body = answer_to(head_from(fd));
    send_all(fd, fmt::format("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{}",
                             body.size(), body));
    ::close(fd);
  }
}

std::string AnsweringNode::answer_to(std::string_view request) const {
  if (request.starts_with("POST ")) {
    return R"({"jsonrpc":"2.0","id":1,"result":{"status":"healthy","latestLedger":5000}})";
  }
  if (request.starts_with("GET /health ")) {
    return R"({"database_connected":true,"core_up":true,"core_synced":true})";
  }
  if (request.starts_with("GET /info ")) {
    return fmt::format(R"({{"info":{{"state":"Synced!","ledger":{{"num":5000,"age":2}},
                       "network":"{}","peers":{{"authenticated_count":7}}}}}})",
                       passphrase_);
  }
  return fmt::format(R"({{"history_latest_ledger":5000,"core_latest_ledger":5000,
                     "network_passphrase":"{}"}})",
                     passphrase_);
}

}  // namespace fixpoint
