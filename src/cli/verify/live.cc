// SPDX-License-Identifier: Apache-2.0
#include "cli/verify/live.h"

#include "apiserver/resource.h"
#include "cli/up/controller_shell.h"
#include "front/host.h"
#include "json/patch/diff.h"
#include "kube/meta/metadata.h"
#include "net/loop.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fixpoint::cli {
namespace {

using verify::LiveStep;
using End = LiveStep::End;

// For what another process does: far more than it takes on a busy machine.
constexpr Duration kPatience = std::chrono::seconds(60);

// The process of the operator. It never outlives this.
class OperatorProcess {
 public:
  OperatorProcess(std::vector<std::string> words, std::string log)
      : words_(std::move(words)), log_(std::move(log)) {}
  ~OperatorProcess() { kill(); }
  OperatorProcess(const OperatorProcess&) = delete;
  OperatorProcess& operator=(const OperatorProcess&) = delete;

  void start() {
    std::vector<char*> argv;
    for (auto& word : words_) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ != 0) return;
    const int fd = ::open(log_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    ::dup2(fd, STDOUT_FILENO);
    ::dup2(fd, STDERR_FILENO);
    ::execv(argv.front(), argv.data());
    ::_exit(127);
  }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  std::vector<std::string> words_;
  std::string log_;
  pid_t pid_ = -1;
};

// An answer that nobody gets: the server has acted, and what it says is lost.
class LostAnswer final : public net::Exchange {
 public:
  explicit LostAnswer(std::function<void()> acted) : acted_(std::move(acted)) {}
  void respond(int, net::Headers, net::Chunk) override { finish(); }
  void start(int, net::Headers, net::StreamKind) override { finish(); }
  void write(net::Chunk) override {}
  void end() override {}
  void abort() override { finish(); }
  std::size_t backlog_bytes() const override { return 0; }
  bool is_open() const override { return true; }
  void on_drain(std::function<void()>) override {}
  void on_closed(std::function<void()>) override {}

 private:
  void finish() {
    if (auto acted = std::exchange(acted_, {})) acted();
  }
  std::function<void()> acted_;
};

bool is_written_by_everybody(std::string_view path) {
  return path.ends_with("/events") || path.find("/leases") != std::string_view::npos;
}

// Where the story is, on the server's loop.
class Stagehand {
 public:
  explicit Stagehand(const verify::LiveScript& script) : script_(script) {}

  void begin(front::Service& service, OperatorProcess& process) {
    service_ = &service;
    process_ = &process;
    process_->start();
    settle();
  }
  net::Handler before(net::Handler server) {
    return [this, server = std::move(server)](net::Request&& request,
                                              std::shared_ptr<net::Exchange> exchange) {
      handle(server, std::move(request), std::move(exchange));
    };
  }
  bool over() const { return at_ == script_.steps.size() || !strange_.empty(); }
  const std::string& strange() const { return strange_; }
  std::size_t done() const { return at_; }
  // Where what is stored is not what the story ends with, a line for each difference.
  std::string differences() const {
    std::string text;
    for (const auto& expected : script_.end) {
      const auto record = service_->store().latest().find(expected.key);
      const auto is = verify::essence_of(record ? record->body.view() : json::View{});
      const auto wanted = verify::essence_of(expected.body);
      for (const auto& change : json::diff(wanted, is)) {
        text += fmt::format("     | {} {}\n", expected.key, json::to_text(change));
      }
    }
    return text;
  }

 private:
  void handle(const net::Handler& server, net::Request&& request,
              std::shared_ptr<net::Exchange> exchange) {
    const bool expected = service_ != nullptr && !over() && !taken_ &&
                          script_.steps[at_].method == request.method &&
                          script_.steps[at_].path == request.path();
    if (!expected) {
      if (service_ != nullptr && request.method != "GET" &&
          !is_written_by_everybody(request.path())) {
        strange_ = fmt::format("{} {}", request.method, request.path());
      }
      server(std::move(request), std::move(exchange));
      return;
    }
    const LiveStep& step = script_.steps[at_];
    switch (step.end) {
      case End::Refused:
        exchange->respond(step.code,
                          {
                              {"content-type", "application/json"}
        },
                          step.body);
        break;
      case End::LostBefore: exchange->abort(); break;
      case End::CrashBefore: restart(); break;
      case End::Answered: server(std::move(request), std::move(exchange)); break;
      case End::LostAfter:
      case End::CrashAfter:
        taken_ = true;
        server(std::move(request), std::make_shared<LostAnswer>([this, exchange, &step] {
                 if (step.end == End::CrashAfter) restart();
                 exchange->abort();
                 taken_ = false;
                 advance();
               }));
        return;
    }
    advance();
  }

  void restart() {
    process_->kill();
    process_->start();
  }
  void advance() {
    ++at_;
    settle();
  }
  // What nobody has to ask for happens at once.
  void settle() {
    while (!over() && script_.steps[at_].method.empty()) {
      const LiveStep& step = script_.steps[at_];
      if (step.crash) restart();
      for (auto request : step.deeds) {
        request.user = apiserver::system_user();
        (void)service_->run(request);
      }
      ++at_;
    }
  }

  const verify::LiveScript& script_;
  front::Service* service_ = nullptr;
  OperatorProcess* process_ = nullptr;
  std::size_t at_ = 0;
  bool taken_ = false;  // the present step is with the server
  std::string strange_;
};

Result<void> create_all(front::Service& service, const std::vector<apiserver::Request>& requests) {
  for (auto request : requests) {
    request.user = apiserver::system_user();
    const auto response = service.run(request);
    if (!response.ok()) {
      return fail(ErrorKind::Unavailable,
                  fmt::format("cannot make a {}: {}", request.resource.resource,
                              response.body.get("message").as_string()));
    }
  }
  return {};
}

bool all_established(const front::Service& service) {
  bool all = true;
  service.store().latest().scan(
      apiserver::key_prefix("apiextensions.k8s.io", "customresourcedefinitions"), {},
      [&](const store::RecordRef& record) {
        all = all && kube::condition_is_true(record->body, "Established");
        return true;
      });
  return all;
}

LiveOutcome outcome_of(const verify::LiveScript& script, const Stagehand& hand) {
  LiveOutcome outcome;
  for (std::size_t at = 0; at < std::min(hand.done(), script.steps.size()); ++at) {
    outcome.text += fmt::format("  {:>3}  {}\n", at + 1, script.steps[at].told);
  }
  if (!hand.strange().empty()) {
    outcome.text += fmt::format("the process asked for something else: {}\n", hand.strange());
  } else if (hand.done() < script.steps.size()) {
    outcome.text +=
        fmt::format("the process never asked for: {}\n", script.steps[hand.done()].told);
  } else if (const auto differences = hand.differences(); !differences.empty()) {
    outcome.text +=
        "the process asked for the same, and the cluster is not as the story ends:\n" + differences;
  } else {
    outcome.same = true;
    outcome.text += "the process did the same, and the cluster is as the story ends\n";
  }
  return outcome;
}

}  // namespace

Result<LiveOutcome> replay_live(const verify::LiveScript& script, const std::string& program,
                                const std::string& log) {
  net::Loop loop;
  Stagehand hand{script};
  front::HostOptions options;
  options.before = [&hand](net::Handler server) { return hand.before(std::move(server)); };
  FP_TRY(host, front::Host::start(loop, std::move(options)));
  const ControllerShell controllers(
      host->service(), [&host] { return cluster::Controllers::of_api(host->authority_pem()); });
  const auto kubeconfig =
      std::filesystem::temp_directory_path() / fmt::format("fixpoint-live-{}", ::getpid());
  FP_TRY_VOID(front::write_private_file(kubeconfig, host->kubeconfig()));
  OperatorProcess process{
      {program, "operator", "--operators=" + script.subject, "--kubeconfig=" + kubeconfig.string(),
       "--metrics-bind=127.0.0.1:0", "--health-bind=127.0.0.1:0"},
      log
  };
  const auto play = [&]() -> Result<LiveOutcome> {
    FP_TRY_VOID(create_all(host->service(), script.definitions));
    if (!loop.run_until([&] { return all_established(host->service()); }, kPatience)) {
      return fail(ErrorKind::Unavailable, "the definitions are never accepted");
    }
    FP_TRY_VOID(create_all(host->service(), script.objects));
    hand.begin(host->service(), process);
    loop.run_until([&] { return hand.over(); }, kPatience);
    loop.run_until([&] { return !hand.strange().empty() || hand.differences().empty(); },
                   kPatience);
    return outcome_of(script, hand);
  };
  auto outcome = play();
  process.kill();
  std::error_code ignored;  // it is in the directory for what need not be kept
  std::filesystem::remove(kubeconfig, ignored);
  bool stopped = false;
  host->stop(std::chrono::seconds(1), [&] { stopped = true; });
  loop.run_until([&] { return stopped; }, kPatience);
  return outcome;
}

}  // namespace fixpoint::cli
