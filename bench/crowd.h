// SPDX-License-Identifier: Apache-2.0
//
// The shipped program under load: who asks it, and what it costs by the kernel's count.
#pragma once

#include "base/file.h"
#include "net/loop.h"
#include "tests/integration/running_server.h"

#include <chrono>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <unistd.h>

namespace fixpoint {

inline double server_cpu_seconds(pid_t pid) {
  const std::string all = read_file("/proc/" + std::to_string(pid) + "/stat").value_or("");
  std::istringstream rest(all.substr(all.rfind(')') + 2));
  std::string skipped;
  for (int i = 0; i < 11; ++i) rest >> skipped;
  double user = 0;
  double system = 0;
  rest >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

inline double resident_megabytes(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
  double total = 0;
  double resident = 0;
  file >> total >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1024 * 1024);
}

// Keeps one request in flight on each of many connections until `total` were answered.
class Crowd {
 public:
  Crowd(const RunningServer& server, std::size_t connections)
      : bearer_("Bearer " + server.token()) {
    for (std::size_t i = 0; i < connections; ++i) {
      connections_.push_back(
          net::Connection::open(loop_, server.client(net::HttpVersions::OnlyHttp1)));
    }
  }

  using Make = std::function<net::ClientRequest(std::uint64_t number)>;
  void run(std::uint64_t total, const Make& make) {
    std::uint64_t sent = 0;
    std::uint64_t answered = 0;
    const std::function<void(net::Connection&)> next = [&](net::Connection& connection) {
      if (sent == total) return;
      auto request = make(sent++);
      request.headers.add("authorization", bearer_);
      connection.send(
          std::move(request),
          {.on_headers = [](int status, const net::Headers&) { FP_CHECK(status < 300); },
           .on_body = [](std::string_view) {},
           .on_end =
               [&](Result<void> outcome) {
                 FP_CHECK(outcome.has_value());
                 ++answered;
                 next(connection);
               }});
    };
    for (const auto& connection : connections_) next(*connection);
    FP_CHECK(loop_.run_until([&] { return answered == total; }, std::chrono::minutes(5)));
  }
  net::Loop& loop() { return loop_; }
  const std::string& bearer() const { return bearer_; }

 private:
  net::Loop loop_;
  std::string bearer_;
  std::vector<std::shared_ptr<net::Connection>> connections_;
};

inline net::ClientRequest post(std::string target, std::string body) {
  net::ClientRequest request;
  request.method = "POST";
  request.target = std::move(target);
  request.headers = {
      {"content-type", "application/json"}
  };
  request.body = std::move(body);
  return request;
}

inline net::ClientRequest get(std::string target) {
  net::ClientRequest request;
  request.target = std::move(target);
  return request;
}

}  // namespace fixpoint
