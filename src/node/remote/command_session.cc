// SPDX-License-Identifier: Apache-2.0
#include "node/remote/command_session.h"

#include "base/file.h"
#include "node/process/run_spec.h"
#include "node/remote/descriptor.h"

#include <optional>
#include <utility>

#include <fcntl.h>
#include <pty.h>
#include <sys/ioctl.h>

namespace fixpoint::node {
namespace {

// What a terminal takes for the end of its input.
constexpr std::string_view kEndOfTransmission = "\x04";

struct Terminal {
  net::Fd master;
  net::Fd slave;
  static Result<Terminal> make() {
    int master = -1;
    int slave = -1;
    if (::openpty(&master, &slave, nullptr, nullptr, nullptr) != 0) {
      return fail(ErrorKind::Exhausted, "no terminal is left");
    }
    Terminal out{.master = net::Fd(master), .slave = net::Fd(slave)};
    for (const int fd : {master, slave}) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    ::fcntl(master, F_SETFL, O_RDWR | O_NONBLOCK);
    return out;
  }
};

class CommandSession : public std::enable_shared_from_this<CommandSession> {
 public:
  CommandSession(net::Loop& loop, CommandCall call) : loop_(loop), call_(std::move(call)) {}

  void start() {
    const auto self = shared_from_this();
    Channels::Handlers handlers;
    handlers.opened = [self] { self->launch(); };
    handlers.input = [self](std::string_view bytes) { self->input(bytes); };
    handlers.input_ended = [self] { self->input_ended(); };
    handlers.resized = [self](TerminalSize size) { self->resize(size); };
    handlers.drained = [self] { self->drained(); };
    handlers.gone = [self] { self->clear(); };
    channels_ = Channels::open(loop_, call_.ask, call_.set, std::move(handlers));
  }

 private:
  void launch() {
    if (auto ok = call_.set.terminal ? on_terminal() : on_pipes(); !ok) {
      channels_->end({.error = "error executing command in container: " + ok.error().message});
      return clear();
    }
    // With the container: where it has no processes of its own, nothing else ends the command.
    const auto text = read_file(RunFiles(call_.place.run).started);
    const auto started = text ? StartedFile::parse(*text) : Result<StartedFile>{StartedFile{}};
    if (!started || started->init <= 0) return;
    auto watch = ProcessWatch::open(loop_, started->init, [weak = weak_from_this()](int) {
      const auto self = weak.lock();
      if (self && self->command_) self->command_->kill();
    });
    if (watch) container_ = *std::move(watch);
  }

  Result<void> on_terminal() {
    FP_TRY(terminal, Terminal::make());
    const int slave = terminal.slave.get();
    FP_TRY_VOID(run({.in = slave, .out = slave, .err = slave}));
    FP_TRY(writing, duplicate(terminal.master));
    FP_TRY(sizing, duplicate(terminal.master));
    terminal_ = std::move(sizing);
    write_to(std::move(writing));
    out_ = read_from(std::move(terminal.master), Channels::Output::Out);
    if (size_) resize(*size_);
    return {};
  }

  Result<void> on_pipes() {
    RunningCommand::Descriptors theirs;
    PipeEnds in;
    PipeEnds out;
    PipeEnds err;
    if (call_.set.in) FP_TRY_VOID(open(in, in.read, theirs.in));
    if (call_.set.out) FP_TRY_VOID(open(out, out.write, theirs.out));
    if (call_.set.err) FP_TRY_VOID(open(err, err.write, theirs.err));
    FP_TRY_VOID(run(theirs));
    if (call_.set.in) write_to(std::move(in.write));
    if (call_.set.out) out_ = read_from(std::move(out.read), Channels::Output::Out);
    if (call_.set.err) err_ = read_from(std::move(err.read), Channels::Output::Err);
    return {};
  }

  // Programs expect pipes that wait.
  static Result<void> open(PipeEnds& pipe, const net::Fd& theirs, int& number) {
    FP_TRY(made, PipeEnds::make());
    pipe = std::move(made);
    set_blocking(theirs);
    number = theirs.get();
    return {};
  }

  Result<void> run(RunningCommand::Descriptors descriptors) {
    FP_TRY(command, RunningCommand::start(loop_, call_.place, call_.words, descriptors,
                                          [self = shared_from_this()](int code) {
                                            self->code_ = code;
                                            self->finish_if_done();
                                          }));
    command_ = std::move(command);
    return {};
  }

  void write_to(net::Fd fd) {
    DescriptorWriter::Handlers handlers;
    handlers.drained = [this] {
      if (std::exchange(holding_client_, false)) channels_->resume();
    };
    // Nobody reads its input: the client may go on sending, as to a process that has closed it.
    handlers.broken = [this] {
      if (std::exchange(holding_client_, false)) channels_->resume();
    };
    in_ = std::make_unique<DescriptorWriter>(loop_, std::move(fd), std::move(handlers));
    if (const auto early = std::exchange(early_, {}); !early.empty()) input(early);
    if (input_done_) input_ended();
  }

  std::unique_ptr<DescriptorReader> read_from(net::Fd fd, Channels::Output output) {
    DescriptorReader::Handlers handlers;
    handlers.more = [this, output](std::string_view bytes) {
      channels_->write(output, bytes);
      if (channels_->backlog_bytes() < kStreamBacklogMax) return;
      if (out_) out_->pause();
      if (err_) err_->pause();
    };
    handlers.ended = [self = shared_from_this()] { self->finish_if_done(); };
    return std::make_unique<DescriptorReader>(loop_, std::move(fd), std::move(handlers));
  }

  void drained() {
    if (out_) out_->resume();
    if (err_) err_->resume();
  }

  void input(std::string_view bytes) {
    if (!in_) {
      early_.append(bytes);
    } else {
      in_->write(bytes);
    }
    const auto waiting = in_ ? in_->backlog_bytes() : early_.size();
    if (waiting < kStreamBacklogMax || std::exchange(holding_client_, true)) return;
    channels_->pause();
  }

  void input_ended() {
    input_done_ = true;
    if (!in_) return;
    if (terminal_) return in_->write(kEndOfTransmission);
    in_->finish();
  }

  void resize(TerminalSize size) {
    size_ = size;
    if (!terminal_) return;
    const winsize both{.ws_row = size.height, .ws_col = size.width, .ws_xpixel = 0, .ws_ypixel = 0};
    // A size that is refused leaves the one before.
    (void)::ioctl(terminal_.get(), TIOCSWINSZ, &both);
  }

  void finish_if_done() {
    const bool writes = (out_ && out_->is_open()) || (err_ && err_->is_open());
    if (!code_ || writes) return;
    channels_->end({.code = *code_});
    clear();
  }

  // In a turn of its own: any of these may be what calls, and they hold this.
  void clear() {
    loop_.post([self = shared_from_this()] {
      self->container_.reset();
      self->command_.reset();
      self->in_.reset();
      self->out_.reset();
      self->err_.reset();
      self->terminal_.reset();
    });
  }

  net::Loop& loop_;
  CommandCall call_;
  std::shared_ptr<Channels> channels_;
  std::unique_ptr<RunningCommand> command_;
  std::unique_ptr<ProcessWatch> container_;
  std::unique_ptr<DescriptorWriter> in_;
  std::unique_ptr<DescriptorReader> out_;
  std::unique_ptr<DescriptorReader> err_;
  net::Fd terminal_;  // for its size
  std::optional<TerminalSize> size_;
  std::optional<int> code_;
  std::string early_;  // input that came before there was anybody to read it
  bool input_done_ = false;
  bool holding_client_ = false;
};

}  // namespace

void serve_command(net::Loop& loop, CommandCall call) {
  std::make_shared<CommandSession>(loop, std::move(call))->start();
}

void serve_trouble(net::Loop& loop, const StreamAsk& ask, StreamSet set, std::string why) {
  const auto channels = std::make_shared<std::shared_ptr<Channels>>();
  Channels::Handlers handlers;
  handlers.opened = [channels, why = std::move(why)] {
    (*channels)->end({.error = why});
    channels->reset();
  };
  handlers.input = [](std::string_view) {};
  handlers.resized = [](TerminalSize) {};
  handlers.input_ended = handlers.drained = [] {};
  handlers.gone = [channels] { channels->reset(); };
  *channels = Channels::open(loop, ask, set, std::move(handlers));
}

}  // namespace fixpoint::node
