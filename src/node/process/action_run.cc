// SPDX-License-Identifier: Apache-2.0
#include "node/process/action_run.h"

#include "node/process/supervisor.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fixpoint::node {
namespace {

// As Go says a refused connection; the loop's client has words of its own.
std::string dial_words(const HttpAction& action, const Error& error) {
  const bool refused = error.message.find("refused") != std::string::npos;
  return fmt::format("dial tcp {}:{}: {}", action.host, action.port,
                     refused ? "connect: connection refused" : error.message);
}

std::string url(const HttpAction& action) {
  return fmt::format("{}://{}:{}{}", action.tls ? "https" : "http", action.host, action.port,
                     action.path);
}

}  // namespace

class CommandRun::Output final : private net::Pollable {
 public:
  Output(net::Loop& loop, int fd, std::string& into, std::function<void()> ended)
      : loop_(loop), fd_(fd), into_(into), ended_(std::move(ended)) {
    loop_.watch(fd_, EPOLLIN, *this);
  }
  ~Output() override { close(); }
  bool open() const { return fd_ >= 0; }

 private:
  void close() {
    if (fd_ < 0) return;
    loop_.unwatch(fd_, *this);
    ::close(fd_);
    fd_ = -1;
  }
  void ready(std::uint32_t) override {
    std::array<char, 4096> buffer{};
    const auto count = ::read(fd_, buffer.data(), buffer.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (count > 0) {
      const auto room = kOutputBytesMax - std::min(into_.size(), kOutputBytesMax);
      into_.append(buffer.data(), std::min(room, static_cast<std::size_t>(count)));
      return;
    }
    close();
    ended_();
  }

  net::Loop& loop_;
  int fd_;
  std::string& into_;
  std::function<void()> ended_;
};

Result<std::unique_ptr<CommandRun>> CommandRun::start(net::Loop& loop, const std::string& program,
                                                      const std::filesystem::path& run,
                                                      const std::vector<std::string>& words,
                                                      Duration timeout,
                                                      std::function<void(End)> done) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return fail(ErrorKind::Exhausted, fmt::format("pipe: {}", std::strerror(errno)));
  }
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  SpawnCall call;
  call.program = program;
  call.arguments = {kSupervisorCommand, "enter", run.string()};
  call.arguments.insert(call.arguments.end(), words.begin(), words.end());
  call.out = ends[1];
  call.err = ends[1];
  call.own_group = true;
  const auto pid = spawn(call);
  ::close(ends[1]);
  if (!pid) {
    ::close(ends[0]);
    return std::unexpected(pid.error());
  }
  std::unique_ptr<CommandRun> command(new CommandRun(loop));
  auto* raw = command.get();
  raw->pid_ = *pid;
  raw->done_ = std::move(done);
  raw->output_ =
      std::make_unique<Output>(loop, ends[0], raw->end_.output, [raw] { raw->finish_if_done(); });
  FP_TRY(watch, ProcessWatch::open(loop, *pid, [raw](int status) { raw->ended(status); }));
  raw->watch_ = std::move(watch);
  raw->timer_ = loop.after(timeout, [raw] {
    raw->end_.timed_out = true;
    raw->kill();
  });
  return command;
}

CommandRun::CommandRun(net::Loop& loop) : loop_(loop) {}

CommandRun::~CommandRun() {
  loop_.cancel(timer_);
  if (!exited_) kill();
}

void CommandRun::kill() {
  if (pid_ > 0) ::kill(-pid_, SIGKILL);
}

void CommandRun::ended(int status) {
  exited_ = true;
  end_.code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  // What it left running in the background may hold the pipe; nobody waits long for that.
  constexpr Duration kPatience = std::chrono::milliseconds(100);
  loop_.cancel(timer_);
  timer_ = loop_.after(kPatience, [this] {
    output_.reset();
    finish_if_done();
  });
  finish_if_done();
}

void CommandRun::finish_if_done() {
  if (!exited_ || !done_ || (output_ && output_->open())) return;
  loop_.cancel(timer_);
  const auto done = std::exchange(done_, {});  // may destroy this
  done(std::move(end_));
}

ActionRun::ActionRun(const Setup& setup, const Action& action, Duration timeout, Done done)
    : loop_(setup.loop), done_(std::move(done)) {
  switch (action.kind) {
    case Action::Kind::Http: http(action.http, timeout); return;
    case Action::Kind::Tcp: tcp(action.http, timeout); return;
    case Action::Kind::Exec: exec(setup, action, timeout); return;
    case Action::Kind::Sleep:
      timer_ = loop_.after(std::min(action.sleep, timeout), [this] { finish(true, ""); });
      return;
    case Action::Kind::Grpc:
    case Action::Kind::None: break;
  }
  const bool none = action.kind == Action::Kind::None;
  timer_ = loop_.after(Duration{}, [this, none] {
    finish(none, none ? "" : "gRPC probes are not supported on this node");
  });
}

ActionRun::~ActionRun() {
  *self_ = nullptr;
  loop_.cancel(timer_);
  if (connection_) connection_->close();
}

void ActionRun::finish(bool success, std::string output) {
  loop_.cancel(timer_);
  if (!done_) return;
  // From a turn of its own: whoever is told destroys this, and with it what is calling.
  loop_.post([self = self_, result = ActionResult{success, std::move(output)}] {
    if (*self == nullptr || !(*self)->done_) return;
    const auto done = std::exchange((*self)->done_, {});
    done(result);
  });
}

void ActionRun::http(const HttpAction& action, Duration timeout) {
  net::ClientOptions options;
  options.host = action.host;
  options.port = action.port;
  options.connect_timeout = timeout;
  if (action.tls) {
    // Probes do not verify: they ask whether it works, not who it is.
    auto tls = net::make_client_tls(
        {.check = net::PeerCheck::InsecureSkipVerify, .versions = net::HttpVersions::OnlyHttp1});
    if (!tls) return finish(false, tls.error().message);
    options.tls = *tls;
  }
  connection_ = net::Connection::open(loop_, std::move(options));
  net::ClientRequest request;
  request.target = action.path;
  request.timeout = timeout;
  request.headers.set("user-agent", "kube-probe/1.34");
  request.headers.set("accept", "*/*");
  for (const auto& [name, value] : action.headers) request.headers.set(name, value);
  net::ResponseHandlers handlers;
  handlers.on_headers = [self = self_](int status, const net::Headers&) {
    if (*self != nullptr) (*self)->status_ = status;
  };
  handlers.on_end = [self = self_, action](const Result<void>& outcome) {
    if (*self == nullptr) return;
    const int status = (*self)->status_;
    if (status == 0 && !outcome) {
      const bool late = outcome.error().message.find("time") != std::string::npos;
      return (*self)->finish(
          false, fmt::format("Get \"{}\": {}", url(action),
                             late ? "context deadline exceeded (Client.Timeout exceeded while "
                                    "awaiting headers)"
                                  : dial_words(action, outcome.error())));
    }
    const bool ok = status >= 200 && status < 400;
    (*self)->finish(ok, ok ? "" : fmt::format("HTTP probe failed with statuscode: {}", status));
  };
  connection_->send(std::move(request), std::move(handlers));
}

void ActionRun::tcp(const HttpAction& action, Duration timeout) {
  net::ClientOptions options;
  options.host = action.host;
  options.port = action.port;
  options.connect_timeout = timeout;
  options.on_ready = [self = self_] {
    if (*self != nullptr) (*self)->finish(true, "");
  };
  options.on_broken = [self = self_, action](const Error& why) {
    if (*self != nullptr) (*self)->finish(false, dial_words(action, why));
  };
  connection_ = net::Connection::open(loop_, std::move(options));
  timer_ = loop_.after(timeout, [this, action] {
    finish(false, fmt::format("dial tcp {}:{}: i/o timeout", action.host, action.port));
  });
}

void ActionRun::exec(const Setup& setup, const Action& action, Duration timeout) {
  auto command = CommandRun::start(
      loop_, setup.program, setup.run, action.command, timeout,
      [this, action, timeout](CommandRun::End end) {
        if (end.timed_out) {
          return finish(
              false,
              fmt::format("command timed out: \"{}\" timed out after {}s",
                          fmt::join(action.command, " "),
                          std::chrono::duration_cast<std::chrono::seconds>(timeout).count()));
        }
        finish(end.code == 0, std::move(end.output));
      });
  if (!command) {
    const auto why = command.error().message;
    timer_ = loop_.after(Duration{}, [this, why] { finish(false, why); });
    return;
  }
  command_ = *std::move(command);
}

}  // namespace fixpoint::node
