// SPDX-License-Identifier: Apache-2.0
//
// Session: a client of one running server, as kubectl would be one: TLS checked against the
// kubeconfig's authority, its token, HTTP/2, many requests at once.
//
// Nothing here sleeps: whoever waits, waits for an event, and no longer than kPatience.
#pragma once

#include "base/error.h"
#include "cli/demo/child.h"
#include "json/value.h"
#include "net/client.h"
#include "net/loop.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace fixpoint::cli::demo {

// Far beyond what anything here takes, on the slowest machine; a wait that is longer is a failure.
inline constexpr auto kPatience = std::chrono::seconds(60);

using Stopwatch = std::chrono::steady_clock::time_point;
inline Stopwatch start_watch() {
  return std::chrono::steady_clock::now();
}
double millis_since(Stopwatch begin);

// The loop everything runs on, and the person who may press Ctrl-C.
struct Stage {
  net::Loop loop;
  bool interrupted = false;
  // A watch that was refused or broke off: nothing it promised will come. Or nobody reads any more.
  std::string problem;

  // Waits until `done`; the error names `what` was waited for.
  Result<void> wait(std::string_view what, const std::function<bool()>& done,
                    std::chrono::seconds patience = kPatience);
};

struct Call {
  std::string method = "GET";
  std::string target;
  std::string body = {};
  std::string content_type = "application/json";
  std::string accept = "application/json";
};

struct Reply {
  int status = 0;
  json::Value body;
};

inline constexpr std::string_view kAsTable = "application/json;as=Table;v=v1;g=meta.k8s.io";
inline constexpr std::string_view kApplyYaml = "application/apply-patch+yaml";
inline constexpr std::string_view kMergePatch = "application/merge-patch+json";

// An open watch; ends with this object, and then its callback is not called any more.
class Watching {
 public:
  Watching(std::shared_ptr<net::Connection> connection, net::RequestId id)
      : connection_(std::move(connection)), id_(id) {}
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;
  ~Watching() { connection_->cancel(id_); }

 private:
  std::shared_ptr<net::Connection> connection_;
  net::RequestId id_;
};

class Session {
 public:
  // Reads the credentials `fixpoint up` wrote.
  static Result<std::unique_ptr<Session>> open(Stage& stage, const Child& server,
                                               const std::filesystem::path& kubeconfig);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Waits for the whole answer, whatever its status.
  Result<Reply> call(Call call);
  // The body of an answer with that status; any other status is an error that quotes the answer.
  Result<json::Value> expect(int status, Call call);

  // As Stage::wait.
  Result<void> wait(std::string_view what, const std::function<bool()>& done) {
    return stage_.wait(what, done);
  }

  // Does not wait. The callback comes once, with the answer or the reason why there is none.
  using Done = std::function<void(Result<Reply>)>;
  void send(Call call, Done done);

  // Events of a watch as they come, for as long as the answer is held.
  using OnEvent = std::function<void(json::View event)>;
  [[nodiscard]] Watching watch(Call call, OnEvent on_event);

 private:
  Session(Stage& stage, std::shared_ptr<net::Connection> connection, std::string token);
  net::ClientRequest request_of(Call&& call) const;

  Stage& stage_;
  std::shared_ptr<net::Connection> connection_;
  std::string token_;
};

}  // namespace fixpoint::cli::demo
