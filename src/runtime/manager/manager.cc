// SPDX-License-Identifier: Apache-2.0
#include "runtime/manager/manager.h"

#include "base/footprint.h"
#include "json/parsing/scratch.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::runtime {
namespace {

// What is left of a stop after the passes ended: two requests and the sockets.
constexpr Duration kServerGrace = std::chrono::seconds(1);
// A page is parsed in one piece, with about five times its text beside what is cached already: of
// objects of 1.6 KB, a hundred take most of a megabyte. Larger ones spare requests while a program
// starts and everybody waits; a list that comes again has a full cache beside it, and nobody waits.
constexpr std::uint32_t kListPageItems = 200;
constexpr std::uint32_t kRelistPageItems = 64;
// A connection is made and a list asked for in less; the answer takes longer.
constexpr Duration kUntilAsked = std::chrono::milliseconds(3);
// An answer that takes so long comes over a connection that had to be tried for more than once. One
// that never comes (a kind that is not served) is soon not waited for.
constexpr Duration kStillAsked = std::chrono::seconds(1);
// The lists of several kinds end one after the other, and what they bring is worked on.
constexpr Duration kUntilRead = std::chrono::milliseconds(250);

}  // namespace

class Manager::LeaseFence final : public Fence {
 public:
  explicit LeaseFence(const std::unique_ptr<Elector>& elector) : elector_(elector) {}
  bool held() const override { return elector_ && elector_->may_write(); }

 private:
  const std::unique_ptr<Elector>& elector_;
};

Manager::Manager(Surroundings around, ManagerOptions options, std::vector<ManagedPart> parts,
                 Rng rng)
    : around_(around),
      options_(std::move(options)),
      scheduler_(around_.loop),
      workers_(around_.loop),
      controller_metrics_(around_.metrics),
      guard_metrics_(around_.metrics, options_.metrics_prefix),
      cache_metrics_(around_.metrics, options_.metrics_prefix),
      rng_(rng) {
  if (options_.election) {
    fence_ = std::make_unique<LeaseFence>(elector_);
    election_metrics_.emplace(around_.metrics, options_.election->lease.name);
  }
  cache_ = std::make_unique<Cache>(
      Cache::Setup{.client = &around_.client,
                   .scheduler = &scheduler_,
                   .rng = Rng{rng_.next()},
                   .namespaces = options_.namespaces,
                   .page_items = kListPageItems,
                   .relist_page_items = kRelistPageItems,
                   .trouble =
                       [this](std::string_view what) {
                         around_.log.warn(what);
                         tidy_up_later();
                       },
                   .alarm = [this](std::string_view what) { around_.log.error(what); },
                   .listing = [this](ListStage stage) { tidy_up(stage); }});
  for (auto& [entry, part] : parts) {
    units_.push_back(std::make_unique<Unit>(Unit::Setup{.entry = entry,
                                                        .part = std::move(part),
                                                        .client = &around_.client,
                                                        .scheduler = &scheduler_,
                                                        .workers = &workers_,
                                                        .cache = cache_.get(),
                                                        .fence = fence_.get(),
                                                        .log = &around_.log,
                                                        .metrics = &controller_metrics_,
                                                        .guard_metrics = &guard_metrics_,
                                                        .registry = &around_.metrics,
                                                        .guard = options_.guard,
                                                        .identity = options_.identity,
                                                        .own_namespace = options_.own_namespace,
                                                        .version = options_.version,
                                                        .traces = options_.traces,
                                                        .rng = Rng{rng_.next()}}));
  }
  add_process_metrics(around_.metrics);
  around_.metrics.before_page([this] {
    for (const auto& unit : units_) unit->refresh_metrics();
    cache_metrics_.refresh(cache_->statistics());
  });
}

Manager::~Manager() {
  scheduler_.cancel(drain_timer_);
  scheduler_.cancel(asked_timer_);
  scheduler_.cancel(read_timer_);
  // Units use everything else.
  units_.clear();
}

Result<void> Manager::start() {
  if (options_.metrics) {
    const bool both = options_.health == options_.metrics;
    FP_TRY(server, listen(*options_.metrics, both ? Serves::Both : Serves::Metrics));
    metrics_server_ = std::move(server);
  }
  if (options_.health && options_.health != options_.metrics) {
    FP_TRY(server, listen(*options_.health, Serves::Health));
    health_server_ = std::move(server);
  }
  for (const auto& unit : units_) unit->follow();
  if (options_.election) {
    elect();
  } else {
    lead();
  }
  return {};
}

// Before a list is asked for, so that no connection is set up on top of all that linking, or the
// end of the last connection, touched; while the server thinks about its answer, so that it is not
// read on top of that set-up; when it is read, since what that needed is over; and after trouble.
void Manager::tidy_up(ListStage stage) {
  if (stage == ListStage::Asked) {
    if (asked_timer_ == 0) unmap_program_pages();
    return tidy_up_while_asked(kUntilAsked);
  }
  scheduler_.cancel(std::exchange(asked_timer_, 0));
  tidy_up_later();
}

void Manager::tidy_up_while_asked(Duration wait) {
  scheduler_.cancel(asked_timer_);
  asked_timer_ = scheduler_.after(wait, [this, wait] {
    unmap_program_pages();
    tidy_up_while_asked(std::max(kStillAsked, 2 * wait));
  });
}

void Manager::tidy_up_later() {
  scheduler_.cancel(read_timer_);
  read_timer_ = scheduler_.after(kUntilRead, [] {
    json::release_scratch();
    give_back_heap();
    unmap_program_pages();
  });
}

void Manager::elect() {
  const auto& lease = options_.election->lease;
  around_.log.info(
      "waiting for the lease",
      {
          {"namespace", lease.ns         },
          {"lease",     lease.name       },
          {"identity",  options_.identity}
  });
  elector_ = std::make_unique<Elector>(
      around_.client, scheduler_, Rng{rng_.next()}, *options_.election,
      Elector::Handlers{.on_leading = [this] { lead(); },
                        .on_lost = [this](std::string_view why) { stand_by(why); },
                        .on_other =
                            [this](std::string_view holder) {
                              around_.log.info("somebody else leads", {
                                                                          {"holder", holder}
                              });
                            },
                        .on_problem = [this](std::string_view what) { around_.log.warn(what); }});
  elector_->start();
}

void Manager::lead() {
  if (stopped_) return;
  if (election_metrics_) {
    election_metrics_->leading(true);
    around_.log.info("leading", {
                                    {"identity", options_.identity}
    });
  }
  for (const auto& unit : units_) unit->lead();
}

void Manager::stand_by(std::string_view why) {
  election_metrics_->leading(false);
  around_.log.warn("the lease is lost, standing by", {
                                                         {"why", why}
  });
  for (const auto& unit : units_) unit->stand_by();
}

void Manager::look_at_all() {
  for (const auto& unit : units_) unit->look_at_all();
}

bool Manager::leads() const {
  return !options_.election || (elector_ && elector_->leads());
}

bool Manager::synced() const {
  return std::ranges::all_of(units_, [](const auto& unit) { return unit->synced(); });
}

void Manager::stop(std::function<void()> done) {
  FP_CHECK(!stopped_);
  stopped_ = std::move(done);
  around_.log.info("stopping");
  waiting_ = units_.size();
  drain_timer_ = scheduler_.after(options_.drain, [this] {
    drain_timer_ = 0;
    around_.log.warn("passes did not end in time; leaving them");
    drained();
  });
  const auto unit_done = [this] {
    if (--waiting_ == 0) drained();
  };
  for (const auto& unit : units_) unit->drain(unit_done);
  if (units_.empty()) drained();
}

void Manager::drained() {
  if (std::exchange(drained_, true)) return;
  scheduler_.cancel(drain_timer_);
  waiting_ = units_.size();
  for (const auto& unit : units_) {
    unit->flush([this] {
      if (--waiting_ == 0) flushed();
    });
  }
  if (units_.empty()) flushed();
}

void Manager::flushed() {
  if (!elector_) return released();
  election_metrics_->leading(false);
  elector_->stop([this] { released(); });
}

void Manager::released() {
  // Later, since this may be called from inside what is about to end.
  scheduler_.after(Duration::zero(), [this] {
    auto left = std::make_shared<int>(1);
    const auto one_less = [this, left] {
      if (--*left == 0) stopped_();
    };
    for (auto* server : {metrics_server_.get(), health_server_.get()}) {
      if (server == nullptr) continue;
      ++*left;
      server->shutdown(kServerGrace, one_less);
    }
    one_less();
  });
}

}  // namespace fixpoint::runtime
