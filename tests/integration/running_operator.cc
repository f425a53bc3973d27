// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/running_operator.h"

#include "base/file.h"
#include "runtime/metrics/page_check.h"
#include "tests/shipped_program.h"

#include <csignal>
#include <cstdlib>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fixpoint {
namespace {

std::uint16_t served_port(const std::string& log) {
  constexpr std::string_view kBefore = "address=127.0.0.1:";
  const auto at = log.find(kBefore);
  if (at == std::string::npos || log.find('\n', at) == std::string::npos) return 0;
  return static_cast<std::uint16_t>(std::strtoul(log.c_str() + at + kBefore.size(), nullptr, 10));
}

}  // namespace

Result<std::unique_ptr<RunningOperator>> RunningOperator::start(const Setup& setup) {
  const std::string binary = shipped_program();
  std::vector<std::string> words{binary,
                                 "operator",
                                 "--operators=" + setup.operators,
                                 "--kubeconfig=" + setup.kubeconfig.string(),
                                 "--metrics-bind=127.0.0.1:0",
                                 "--health-bind=127.0.0.1:0"};
  words.insert(words.end(), setup.flags.begin(), setup.flags.end());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const auto path = setup.log.string();
  std::filesystem::remove(setup.log);  // the port of an earlier process must not be read
  const pid_t pid = ::fork();
  if (pid == 0) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(fd, STDOUT_FILENO);
    ::dup2(fd, STDERR_FILENO);
    ::execv(binary.c_str(), argv.data());
    ::_exit(127);
  }
  std::unique_ptr<RunningOperator> running{new RunningOperator};
  running->pid_ = pid;
  running->log_ = setup.log;
  const bool serves = eventually([&] {
    running->port_ = served_port(running->log());
    return running->port_ != 0 || ::waitpid(pid, nullptr, WNOHANG) == pid;
  });
  if (!serves || running->port_ == 0) return fail(ErrorKind::Unavailable, running->log());
  return running;
}

RunningOperator::~RunningOperator() {
  kill();
}

void RunningOperator::kill() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

int RunningOperator::stop() {
  ::kill(pid_, SIGTERM);
  int status = 0;
  const bool ended = eventually([&] { return ::waitpid(pid_, &status, WNOHANG) == pid_; });
  if (!ended) return -1;
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

net::Response RunningOperator::page(std::string path) const {
  net::ClientOptions options;
  options.host = "127.0.0.1";
  options.port = port_;
  net::ClientRequest request;
  request.target = std::move(path);
  auto answer = net::blocking_request(options, std::move(request));
  return answer ? *std::move(answer) : net::Response{};
}

double RunningOperator::metric(std::string_view series) const {
  const auto page = runtime::check_page(this->page("/metrics").body);
  const auto found = page.samples.find(series);
  return found == page.samples.end() ? -1 : found->second;
}

std::string RunningOperator::log() const {
  return read_file(log_).value_or("");
}

}  // namespace fixpoint
