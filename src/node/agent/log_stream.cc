// SPDX-License-Identifier: Apache-2.0
#include "node/agent/log_stream.h"

#include <array>
#include <cstring>
#include <utility>

#include <sys/epoll.h>
#include <sys/inotify.h>
#include <unistd.h>

namespace fixpoint::node {
namespace {

// Besides being told of changes: whether the container ended is nobody's event here.
constexpr Duration kLook = std::chrono::milliseconds(500);

class FileLogStream final : public LogStream, private net::Pollable {
 public:
  FileLogStream(net::Loop& loop, std::filesystem::path file, LogRequest request,
                std::function<bool()> ended)
      : loop_(loop),
        file_(std::move(file)),
        request_(std::move(request)),
        ended_(std::move(ended)) {}

  ~FileLogStream() override {
    *self_ = nullptr;
    loop_.cancel(timer_);
    if (notify_ < 0) return;
    loop_.unwatch(notify_, *this);
    ::close(notify_);
  }

  void run(std::function<void(std::string)> more, std::function<void()> end) override {
    more_ = std::move(more);
    end_ = std::move(end);
    if (request_.follow) watch();
    loop_.post([self = self_] {
      if (*self != nullptr) (*self)->begin();
    });
  }

 private:
  void watch() {
    notify_ = ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (notify_ < 0) return;  // then by time alone
    // The directory: a rotation replaces the file.
    ::inotify_add_watch(notify_, file_.parent_path().c_str(), IN_MODIFY | IN_CREATE | IN_MOVED_TO);
    loop_.watch(notify_, EPOLLIN, *this);
  }

  void begin() {
    if (!request_.follow) {
      auto text = read_log(file_, request_.query);
      if (!text.empty()) more_(std::move(text));
      return end_();
    }
    follower_ = std::make_unique<LogFollower>(file_, request_.query);
    look();
  }

  void ready(std::uint32_t) override {
    std::array<char, 4096> buffer{};
    while (::read(notify_, buffer.data(), buffer.size()) > 0) {
    }
    if (follower_) look();
  }

  void look() {
    const bool last = ended_();  // asked first: what was written before its end is read then
    const auto alive = self_;
    if (auto text = follower_->more(); !text.empty()) more_(std::move(text));
    if (*alive == nullptr) return;
    if (last || follower_->full()) return end_();
    loop_.cancel(timer_);
    timer_ = loop_.after(kLook, [this] { look(); });
  }

  net::Loop& loop_;
  std::filesystem::path file_;
  LogRequest request_;
  std::function<bool()> ended_;
  std::function<void(std::string)> more_;
  std::function<void()> end_;
  std::unique_ptr<LogFollower> follower_;
  int notify_ = -1;
  net::TimerId timer_;
  std::shared_ptr<FileLogStream*> self_ = std::make_shared<FileLogStream*>(this);
};

}  // namespace

std::unique_ptr<LogStream> make_log_stream(net::Loop& loop, std::filesystem::path file,
                                           const LogRequest& request, std::function<bool()> ended) {
  return std::make_unique<FileLogStream>(loop, std::move(file), request, std::move(ended));
}

}  // namespace fixpoint::node
