// SPDX-License-Identifier: Apache-2.0
#include "node/remote/attach_session.h"

#include "node/process/attach_hub.h"
#include "node/remote/command_session.h"
#include "node/remote/descriptor.h"

#include <utility>

namespace fixpoint::node {
namespace {

class AttachSession : public std::enable_shared_from_this<AttachSession> {
 public:
  AttachSession(net::Loop& loop, AttachCall call) : loop_(loop), call_(std::move(call)) {}

  // Connected before the client hears of it, so that it misses nothing from then on.
  void start() {
    const auto connected = connect_to_hub(call_.place.run);
    if (!connected) return refuse(connected.error());
    net::Fd fd(*connected);
    auto writing = duplicate(fd);
    if (!writing) return refuse(writing.error());
    const auto self = shared_from_this();
    Channels::Handlers handlers;
    handlers.opened = [self, held = std::make_shared<net::Fd>(std::move(fd))] {
      self->read_from(std::move(*held));
    };
    handlers.input = [self](std::string_view bytes) { self->input(bytes); };
    handlers.input_ended = [self] { self->input_ended(); };
    handlers.resized = [self](TerminalSize size) { self->resize(size); };
    handlers.drained = [self] {
      if (self->reader_) self->reader_->resume();
    };
    handlers.gone = [self] {
      self->input_ended();
      self->clear();
    };
    write_to(*std::move(writing));
    channels_ = Channels::open(loop_, call_.ask, call_.set, std::move(handlers));
    if (!channels_) clear();
  }

 private:
  void refuse(const Error& why) const {
    answer_in_words(call_.ask, 500, "error attaching to container: " + why.message);
  }

  void write_to(net::Fd fd) {
    DescriptorWriter::Handlers handlers;
    handlers.drained = [this] {
      if (std::exchange(holding_client_, false)) channels_->resume();
    };
    handlers.broken = [] {};  // the reader sees the end
    writer_ = std::make_unique<DescriptorWriter>(loop_, std::move(fd), std::move(handlers));
  }

  void read_from(net::Fd fd) {
    DescriptorReader::Handlers handlers;
    handlers.more = [this](std::string_view bytes) {
      decoder_.feed(bytes);
      while (const auto frame = decoder_.next()) {
        const bool error = frame->kind == AttachKind::Error;
        channels_->write(error ? Channels::Output::Err : Channels::Output::Out, frame->bytes);
      }
      if (channels_->backlog_bytes() >= kStreamBacklogMax) reader_->pause();
    };
    handlers.ended = [self = shared_from_this()] {
      self->channels_->end({});
      self->clear();
    };
    reader_ = std::make_unique<DescriptorReader>(loop_, std::move(fd), std::move(handlers));
  }

  void input(std::string_view bytes) {
    if (!call_.place.takes_input || !writer_) return;
    writer_->write(attach_frame(AttachKind::Input, bytes));
    if (writer_->backlog_bytes() < kStreamBacklogMax) return;
    if (!std::exchange(holding_client_, true)) channels_->pause();
  }

  // Of a container that takes input from anybody, the next one's follows.
  void input_ended() {
    if (!call_.set.in || !call_.place.input_once || !writer_) return;
    if (!std::exchange(ended_, true)) writer_->write(attach_frame(AttachKind::EndOfInput, {}));
  }

  void resize(TerminalSize size) {
    std::string bytes;
    for (const int number :
         {size.width >> 8, size.width & 0xff, size.height >> 8, size.height & 0xff}) {
      bytes += static_cast<char>(number);
    }
    if (writer_) writer_->write(attach_frame(AttachKind::Size, bytes));
  }

  // In a turn of its own: either may be what calls, and they hold this.
  void clear() {
    loop_.post([self = shared_from_this()] {
      self->writer_.reset();
      self->reader_.reset();
    });
  }

  net::Loop& loop_;
  AttachCall call_;
  std::shared_ptr<Channels> channels_;
  std::unique_ptr<DescriptorReader> reader_;
  std::unique_ptr<DescriptorWriter> writer_;
  AttachDecoder decoder_;
  bool holding_client_ = false;
  bool ended_ = false;
};

}  // namespace

void serve_attached(net::Loop& loop, AttachCall call) {
  std::make_shared<AttachSession>(loop, std::move(call))->start();
}

}  // namespace fixpoint::node
