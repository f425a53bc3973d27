// SPDX-License-Identifier: Apache-2.0
#include "front/service.h"

#include "front/identity/certificates.h"

#include <algorithm>
#include <utility>

namespace fixpoint::front {

namespace {

// A busy loop does not keep the log waiting: by then a commit costs little of what it is for.
constexpr std::size_t kGatheredMax = 16;

}  // namespace

Service::Service(net::Loop& loop, store::Store store, const apiserver::Tokens* tokens)
    : loop_(loop),
      store_(std::move(store)),
      core_(tokens, &certificates()),
      durable_(store_.revision()) {
  store_.keep_after(durable_);
}

void Service::attach(std::unique_ptr<store::DurableLog> log) {
  log_ = std::move(log);
}

store::DurableLog::OnProgress Service::progress_sink() {
  return [&loop = loop_, self = self_](const store::Progress& progress) {
    loop.post([self, progress] {
      if (*self != nullptr) (*self)->advance(progress);
    });
  };
}

apiserver::Environment Service::environment() {
  return {.now = loop_.clock().wall(), .rng = rng_};
}

apiserver::Response Service::run(const apiserver::Request& request) {
  const auto before = store_.revision();
  return settled(before, core_.handle(request, store_, environment()));
}

apiserver::Response Service::run(const apiserver::Request& request,
                                 const apiserver::Resource& resource) {
  const auto before = store_.revision();
  return settled(before, core_.handle(request, resource, store_, environment()));
}

apiserver::Response Service::settled(store::Revision before, apiserver::Response response) {
  // A refusal also tells of the store: "already exists" may rest on a write still on its way to
  // disk.
  if (!response.ok()) response.visible = store_.revision();
  if (store_.revision() != before) {
    auto events = store_.events_after(before);
    FP_CHECK(events.has_value());  // the history holds at least what one request did
    publish(*std::move(events));
  }
  return response;
}

kube::Answer<apiserver::Watch> Service::open_watch(const apiserver::Request& request) {
  return core_.open_watch(request, store_, environment());
}

void Service::publish(std::vector<store::Event> events) {
  if (log_ && gathered_.empty() && !events.empty()) {
    loop_.post_when_idle([this, self = self_] {
      if (*self != nullptr) log_gathered();
    });
  }
  for (auto& event : events) {
    if (log_) gathered_.push_back(event);
    unpublished_.push_back(std::move(event));
  }
  if (!log_) release(store_.revision());
  if (gathered_.size() >= kGatheredMax) log_gathered();
}

// Changes that come together share a commit. One by one they would wake the log's thread each time,
// and the first of them would keep it busy while the others wait for the next commit.
void Service::log_gathered() {
  if (log_ && !gathered_.empty()) log_->append(gathered_);
  gathered_.clear();
}

void Service::when_durable(store::Revision revision, Durable callback) {
  if (revision <= durable_) {
    callback(std::nullopt);
    return;
  }
  waiting_.emplace(revision, std::move(callback));
}

void Service::advance(const store::Progress& progress) {
  if (progress.error) {
    disk_problem_ = *progress.error;
    lose(progress.durable, *progress.error);
  } else {
    disk_problem_.reset();
    release(progress.durable);
  }
}

void Service::release(store::Revision durable) {
  if (durable > durable_) {
    durable_ = durable;
    store_.keep_after(durable_);
  }
  // A callback may run another request, which may add waiters: take one at a time.
  while (!waiting_.empty() && waiting_.begin()->first <= durable_) {
    auto node = waiting_.extract(waiting_.begin());
    node.mapped()(std::nullopt);
  }
  schedule_delivery();
}

void Service::lose(store::Revision durable, const Error& why) {
  release(durable);
  FP_CHECK(store_.rewind(durable_).has_value());  // history is never compacted past what is durable
  gathered_.clear();
  std::erase_if(unpublished_, [&](const store::Event& event) { return event.revision > durable_; });
  auto lost = std::exchange(waiting_, {});
  for (auto& [revision, callback] : lost) callback(why);
  for (const auto& callback : rewind_callbacks_) callback();
}

// Listeners run once per tick, so that a burst of writes is one batch for each of them.
void Service::schedule_delivery() {
  if (delivery_scheduled_ || unpublished_.empty()) return;
  delivery_scheduled_ = true;
  loop_.post_end_of_tick([this, self = self_] {
    if (*self == nullptr) return;
    delivery_scheduled_ = false;
    const auto end = std::ranges::partition_point(
        unpublished_, [&](const store::Event& event) { return event.revision <= durable_; });
    std::vector<store::Event> batch(std::make_move_iterator(unpublished_.begin()),
                                    std::make_move_iterator(end));
    unpublished_.erase(unpublished_.begin(), end);
    if (batch.empty()) return;
    for (const auto& listener : listeners_) listener(batch);
  });
}

void Service::drain() {
  if (!log_) return;
  log_gathered();
  log_->drain();
  release(log_->durable());
}

}  // namespace fixpoint::front
