// SPDX-License-Identifier: Apache-2.0
#include "net/loop.h"

#include "net/transport/buffers.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace fixpoint::net {
namespace {

// Events fetched per wait: enough that a busy server seldom waits twice, small enough for the
// stack.
constexpr int kEventsPerWait = 256;

}  // namespace

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

// The event descriptor that `post` and `stop` write to.
class Loop::Waker final : public Pollable {
 public:
  explicit Waker(Loop& loop) : loop_(loop), fd_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    FP_CHECK(fd_ >= 0);
    loop_.watch(fd_, EPOLLIN, *this);
  }
  ~Waker() override { close(fd_); }

  void wake() const noexcept {
    const std::uint64_t one = 1;
    // A full counter is already a wake-up, so a failed write loses nothing.
    [[maybe_unused]] const auto written = write(fd_, &one, sizeof one);
  }

  void ready(std::uint32_t) override {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto taken = read(fd_, &count, sizeof count);
    loop_.run_posted();
  }

 private:
  Loop& loop_;
  int fd_;
};

class Loop::Signals final : public Pollable {
 public:
  explicit Signals(Loop& loop) : loop_(loop) { sigemptyset(&mask_); }
  ~Signals() override {
    if (fd_ >= 0) close(fd_);
  }

  Result<void> add(int signal, std::function<void()> handler) {
    sigaddset(&mask_, signal);
    if (const int error = pthread_sigmask(SIG_BLOCK, &mask_, nullptr); error != 0) {
      return fail(ErrorKind::Internal, std::string("block a signal: ") + std::strerror(error));
    }
    const int fd = signalfd(fd_, &mask_, SFD_NONBLOCK | SFD_CLOEXEC);
    if (fd < 0) return fail(ErrorKind::Internal, std::string("signalfd: ") + std::strerror(errno));
    if (fd_ < 0) loop_.watch(fd, EPOLLIN, *this);
    fd_ = fd;
    handlers_[signal] = std::move(handler);
    return {};
  }

  void ready(std::uint32_t) override {
    signalfd_siginfo seen{};
    while (read(fd_, &seen, sizeof seen) == sizeof seen) {
      const auto found = handlers_.find(static_cast<int>(seen.ssi_signo));
      if (found != handlers_.end()) found->second();
    }
  }

 private:
  Loop& loop_;
  int fd_ = -1;
  sigset_t mask_;
  std::map<int, std::function<void()>> handlers_;
};

Loop::Loop(const Clock& clock)
    : clock_(clock), now_(clock.monotonic()), epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  FP_CHECK(epoll_ >= 0);
  waker_ = std::make_unique<Waker>(*this);
  signals_ = std::make_unique<Signals>(*this);
  buffers_ = std::make_unique_for_overwrite<Buffers>();
}

Loop::~Loop() {
  // Pending work may own connections whose destructors still talk to this loop.
  auto timers = std::move(timers_);
  auto late = std::move(end_of_tick_);
  auto idle = std::move(when_idle_);
  timers.clear();
  late.clear();
  idle.clear();
  posted_.clear();
  waker_.reset();
  signals_.reset();
  close(epoll_);
}

void Loop::run() {
  while (!stopped_.load(std::memory_order_acquire)) tick(Duration::max());
}

void Loop::stop() noexcept {
  stopped_.store(true, std::memory_order_release);
  waker_->wake();
}

bool Loop::run_until(const std::function<bool()>& done, Duration limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!done()) {
    const auto left = deadline - std::chrono::steady_clock::now();
    if (left <= Duration::zero()) return false;
    tick(left);
  }
  return true;
}

bool Loop::tick(Duration wait_max) {
  const bool ready = dispatch(wait_milliseconds(wait_max));
  const bool due = run_timers();
  const bool late = run_end_of_tick();
  const bool idle = run_when_idle(ready || due || late);
  return ready || due || late || idle;
}

int Loop::wait_milliseconds(Duration wait_max) const {
  if (!end_of_tick_.empty() || !when_idle_.empty()) return 0;
  Duration wait = wait_max;
  if (!timers_.empty()) {
    wait =
        std::min(wait, std::max(Duration::zero(), timers_.begin()->first.due - clock_.monotonic()));
  }
  if (wait == Duration::max()) return -1;
  // Rounded up: waking just before a deadline would spin until it.
  constexpr auto kLongest = std::chrono::milliseconds(std::chrono::hours(24));
  const auto whole =
      std::chrono::ceil<std::chrono::milliseconds>(std::min(wait, Duration(kLongest)));
  return static_cast<int>(whole.count());
}

bool Loop::dispatch(int wait_ms) {
  epoll_event events[kEventsPerWait];
  const int count = epoll_wait(epoll_, events, kEventsPerWait, wait_ms);
  now_ = clock_.monotonic();
  FP_CHECK(count >= 0 || errno == EINTR);
  fetched_ = events;
  fetched_count_ = std::max(count, 0);
  while (fetched_count_ > 0) {
    const epoll_event event = *fetched_;
    ++fetched_;
    --fetched_count_;
    if (event.data.ptr != nullptr) static_cast<Pollable*>(event.data.ptr)->ready(event.events);
  }
  fetched_ = nullptr;
  return count > 0;
}

void Loop::run_posted() {
  std::vector<Task> tasks;
  {
    const std::scoped_lock lock(posted_mutex_);
    tasks.swap(posted_);
  }
  for (auto& task : tasks) task();
}

bool Loop::run_timers() {
  // A timer armed by a timer waits for the next tick, so a zero delay cannot starve the sockets.
  const auto last = timer_serial_;
  // Not now_: what the sockets of this tick asked for at once would wait for another system call.
  const auto due = clock_.monotonic();
  bool any = false;
  auto next = timers_.begin();
  while (next != timers_.end() && next->first.due <= due) {
    if (next->first.serial > last) {
      ++next;
      continue;
    }
    Task task = std::move(next->second);
    timers_.erase(next);
    task();
    any = true;
    next = timers_.begin();
  }
  return any;
}

bool Loop::run_end_of_tick() {
  std::vector<Task> tasks;
  tasks.swap(end_of_tick_);
  for (auto& task : tasks) task();
  const bool any = !tasks.empty();
  // Keep the memory: this list is filled on every busy tick.
  tasks.clear();
  if (end_of_tick_.empty()) end_of_tick_.swap(tasks);
  return any;
}

bool Loop::run_when_idle(bool busy) {
  if (when_idle_.empty() || (busy && now_ - busy_since_ < kBusyMax)) return false;
  std::vector<Task> tasks;
  tasks.swap(when_idle_);
  for (auto& task : tasks) task();
  return true;
}

void Loop::post(Task task) {
  bool first = false;
  {
    const std::scoped_lock lock(posted_mutex_);
    first = posted_.empty();
    posted_.push_back(std::move(task));
  }
  if (first) waker_->wake();
}

void Loop::post_end_of_tick(Task task) {
  end_of_tick_.push_back(std::move(task));
}

void Loop::post_when_idle(Task task) {
  if (when_idle_.empty()) busy_since_ = now_;
  when_idle_.push_back(std::move(task));
}

TimerId Loop::after(Duration delay, Task task) {
  const TimerId id{clock_.monotonic() + delay, ++timer_serial_};
  timers_.emplace(id, std::move(task));
  return id;
}

void Loop::cancel(TimerId& id) {
  if (id) timers_.erase(id);
  id = {};
}

Result<void> Loop::on_signal(int signal, std::function<void()> handler) {
  return signals_->add(signal, std::move(handler));
}

void Loop::watch(int fd, std::uint32_t events, Pollable& pollable) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = &pollable;
  FP_CHECK(epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) == 0);
}

void Loop::change(int fd, std::uint32_t events, Pollable& pollable) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = &pollable;
  FP_CHECK(epoll_ctl(epoll_, EPOLL_CTL_MOD, fd, &event) == 0);
}

void Loop::unwatch(int fd, Pollable& pollable) {
  FP_CHECK(epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr) == 0);
  for (int i = 0; i < fetched_count_; ++i) {
    if (fetched_[i].data.ptr == &pollable) fetched_[i].data.ptr = nullptr;
  }
}

}  // namespace fixpoint::net
