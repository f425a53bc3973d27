// SPDX-License-Identifier: Apache-2.0
#include "runtime/manager/unit.h"

#include "json/draft.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::runtime {
namespace {

Declaration const& declared(const Unit::Setup& setup) {
  return setup.part.reconciler->declaration();
}

GuardSettings guard_settings(const Unit::Setup& setup) {
  auto settings = setup.part.guard ? *setup.part.guard : setup.guard;
  // The same in every process that runs this operator: pauses outlive processes.
  settings.by = declared(setup).name;
  return settings;
}

std::string shown(const kube::GroupVersionKind& kind) {
  return kind.group_kind().to_string();
}

std::string api_version_of(const Declaration& declaration, const kube::GroupKind& kind) {
  for (const auto& watch : declaration.watches) {
    const auto& known = watch.collection.resource.kind;
    if (known.group_kind() == kind) return known.group_version().api_version();
  }
  for (const auto& permission : declaration.permissions) {
    const auto& known = permission.resource.kind;
    if (known.group_kind() == kind) return known.group_version().api_version();
  }
  return kube::GroupVersion{kind.group, "v1"}.api_version();
}

}  // namespace

Unit::Unit(Setup setup)
    : setup_(std::move(setup)),
      alive_(std::make_shared<bool>(true)),
      guard_(guard_settings(setup_), *setup_.scheduler,
             [this](const GuardNotice& notice) {
               on_notice(notice);
}),
      events_({.controller = declared(setup_).name, .instance = setup_.identity}),
      shadow_(*setup_.client, *setup_.scheduler, guard_,
              {.config_map = {setup_.own_namespace, declared(setup_).name + "-guard"}},
              {.may_write =
                   [this] { return leading_ && (setup_.fence == nullptr || setup_.fence->held()); },
               .on_problem =
                   [this](std::string_view problem) {
                     setup_.guard_metrics->persist_failed();
                     setup_.log->warn(problem, {
                                                   {"controller", declared(setup_).name}
                     });
                   }}),
      session_(setup_.cache->open({.changed =
                                       [this](FollowId id, const Change& change) {
                                         controller_.changed(follows_.at(id), {&change, 1});
                                       },
                                   .synced =
                                       [this] {
                                         synced_ = true;
                                         begin();
                                       },
                                   .rewound = [this] { controller_.start_over(); }})),
      journal_({.controller = declared(setup_).name,
                .identity = setup_.identity,
                .log = setup_.log,
                .series = setup_.metrics->add(declared(setup_).name, declared(setup_).concurrency),
                .traces = setup_.traces,
                .on_end = [this](const ControllerCore::Ended& ended) { pass_ended(ended); }}),
      controller_({.reconciler = setup_.part.reconciler.get(),
                   .outside = setup_.part.outside.get(),
                   .client = setup_.client,
                   .cache = session_.get(),
                   .scheduler = setup_.scheduler,
                   .workers = setup_.workers,
                   .identity = setup_.identity,
                   .field_manager = {},
                   .guard = &guard_,
                   .fence = setup_.fence,
                   .listener = &journal_,
                   .queue = {},
                   .rules = {},
                   .rng = setup_.rng}) {
  setup_.guard_metrics->add(guard_);
  if (const auto& metrics = declared(setup_).metrics; !metrics.prefix.empty()) {
    told_ = std::make_unique<OperatorMetrics>(*setup_.registry, metrics, setup_.version);
  }
}

Unit::~Unit() {
  *alive_ = false;
}

void Unit::follow() {
  for (const auto& watch : declared(setup_).watches) {
    follows_[session_->follow(watch)] = watch.collection.resource.kind;
  }
  check_kinds();
}

// Said once at the start, in words that help: the cache goes on asking and picks a kind up when it
// is there.
void Unit::check_kinds() {
  for (const auto& watch : declared(setup_).watches) {
    if (watch.optional) continue;
    setup_.client->resolve(watch.collection.resource.kind,
                           [this, alive = alive_, &watch](const auto& resolved) {
                             if (*alive && !resolved && resolved.error().not_found()) {
                               kind_missing(watch);
                             }
                           });
  }
}

void Unit::kind_missing(const Watch& watch) {
  const auto& kind = watch.collection.resource.kind;
  setup_.log->error(
      fmt::format("the server does not serve {} {}: waiting until it does. Install its definition: "
                  "fixpoint manifests --operators {} | kubectl apply --server-side -f -",
                  kind.group_version().api_version(), kind.kind, setup_.entry),
      {
          {"controller", name()}
  });
}

void Unit::lead() {
  leading_ = true;
  loaded_ = false;
  shadow_.load([this] {
    loaded_ = true;
    begin();
  });
}

void Unit::stand_by() {
  leading_ = running_ = false;
  if (told_) told_->leading(false);
  controller_.stop([] {});
}

void Unit::begin() {
  if (running_ || draining_ || !leading_ || !loaded_ || !synced_) return;
  running_ = true;
  setup_.log->info("reconciling", {
                                      {"controller", name()      },
                                      {"operator",   setup_.entry}
  });
  if (told_) told_->leading(true);
  // Whoever led before may have left things half done.
  controller_.look_at_all();
  controller_.start();
}

void Unit::pass_ended(const ControllerCore::Ended& ended) {
  const auto& end = ended.end;
  if (end.absent) {
    const ManagedKey owner{.kind = declared(setup_).primary().collection.resource.kind.group_kind(),
                           .key = ended.key,
                           .manager = {}};
    guard_.core().forget_owner(owner.to_string());
    guard_.tell();
  }
  // A pass that began while this process led may end when it does not any more.
  if (!told_ || !leading_) return;
  const bool failed =
      end.result == PassEnd::Result::Error || end.result == PassEnd::Result::TerminalError;
  told_->pass_ended(ended.took, failed ? end.failure.error_class : ErrorClass::None);
  if (end.facts) {
    told_->tell(ended.key, setup_.part.reconciler->samples(end.facts));
  } else if (end.absent || end.failure.error_class == ErrorClass::Invalid) {
    told_->forget(ended.key);  // not there, or not looked at until it is mended
  }
}

void Unit::drain(std::move_only_function<void()> done) {
  draining_ = true;
  controller_.stop(std::move(done));
}

void Unit::flush(std::move_only_function<void()> done) {
  shadow_.flush(std::move(done));
}

std::string Unit::missing() const {
  std::string kinds;
  for (const auto& [id, kind] : follows_) {
    const auto* contents = session_->find(kind);
    if (contents != nullptr && contents->synced()) continue;
    kinds += (kinds.empty() ? "" : ", ") + shown(kind);
  }
  return kinds;
}

void Unit::on_notice(const GuardNotice& notice) {
  setup_.guard_metrics->notice(notice);
  if (notice.only_counted) return;
  setup_.log->say(notice.warning ? LogLevel::Warning : LogLevel::Info, notice.note,
                  {
                      {"controller", declared(setup_).name},
                      {"reason",     notice.reason        }
  });
  const auto regarding =
      json::Draft::object({
                              {"apiVersion", api_version_of(declared(setup_), notice.key.kind)},
                              {"kind", notice.key.kind.kind},
                              {"metadata", json::Draft::object({{"name", notice.key.key.name},
                                                                {"namespace", notice.key.key.ns},
                                                                {"uid", notice.uid}})}
  })
          .freeze();
  events_.say(regarding,
              {.type = notice.warning ? EventType::Warning : EventType::Normal,
               .reason = notice.reason,
               .note = notice.note,
               .action = "Guard"},
              setup_.scheduler->wall());
  send_events();
}

void Unit::send_events() {
  for (auto& outgoing : events_.take()) {
    setup_.client->call(std::move(outgoing.call),
                        [this, alive = alive_, series = outgoing.series](client::Reply reply) {
                          if (*alive) events_.answered(series, reply);
                        });
  }
}

void Unit::refresh_metrics() {
  const auto& queue = controller_.core().queue();
  const auto running = queue.running_for(setup_.scheduler->now());
  ControllerSeries::Queue numbers{.adds = queue.statistics().adds,
                                  .retries = queue.statistics().retries,
                                  .depths = {},
                                  .running_all = running.all,
                                  .running_longest = running.longest};
  for (const auto& depth : queue.depths()) numbers.depths.emplace_back(depth.priority, depth.keys);
  journal_.series().queue(numbers);
}

json::Value Unit::debug() const {
  const auto& queue = controller_.core().queue();
  const auto number = [](std::size_t n) { return static_cast<std::int64_t>(n); };
  return json::Draft::object(
             {
                 {"controller", name()                                                                    },
                 {"operator",   setup_.entry                                                              },
                 {"leading",    leading_                                                                  },
                 {"synced",     synced_                                                                   },
                 {"queue",      json::Draft::object({{"ready", number(queue.ready())},
                                                {"running", number(queue.running())},
                                                {"waiting", number(queue.waiting())},
                                                {"keys", number(queue.size())}})},
                 {"memories",   number(controller_.core().memories())                                     },
                 {"guarded",    number(guard_.core().size())                                              },
                 {"passes",     journal_.to_json()                                                        }
  })
      .freeze();
}

json::Value Unit::debug_guard() const {
  auto list = json::Draft::array();
  for (const auto& state : guard_.core().states(guard_.time())) {
    auto item = json::Draft::object({
        {"object",    state.key->to_string()                   },
        {"manager",   state.key->manager                       },
        {"contested", state.contested                          },
        {"contests",  static_cast<std::int64_t>(state.contests)},
        {"tokens",    state.tokens                             },
        {"actor",     state.actor                              }
    });
    if (state.pause != nullptr) item["pause"] = state.pause->to_json();
    list.push_back(std::move(item));
  }
  return list.freeze();
}

}  // namespace fixpoint::runtime
