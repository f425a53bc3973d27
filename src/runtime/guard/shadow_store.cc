// SPDX-License-Identifier: Apache-2.0
#include "runtime/guard/shadow_store.h"

#include "json/draft.h"
#include "json/parsing/parse.h"
#include "json/print.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::runtime {
namespace {

client::Resource config_map_resource() {
  return {
      .kind = {"", "v1", "ConfigMap"},
        .plural = "configmaps", .scope = client::Scope::Namespaced
  };
}

bool is_pause(const json::Value& record) {
  return record.get("war", "pause").is_object();
}

}  // namespace

ShadowStore::ShadowStore(client::Client& client, Scheduler& scheduler, ObjectGuard& guard,
                         ShadowOptions options, Handlers handlers)
    : client_(client),
      scheduler_(scheduler),
      guard_(guard),
      options_(std::move(options)),
      handlers_(std::move(handlers)) {
  guard_.on_change([this] { changed(); });
}

ShadowStore::~ShadowStore() {
  *alive_ = false;
  guard_.on_change({});
  scheduler_.cancel(timer_);
}

void ShadowStore::call(client::Call call, std::function<void(client::Reply)> answered) {
  client_.call(std::move(call),
               [alive = alive_, answered = std::move(answered)](client::Reply reply) {
                 if (*alive) answered(std::move(reply));
               });
}

void ShadowStore::load(std::move_only_function<void()> done) {
  auto shared = std::make_shared<std::move_only_function<void()>>(std::move(done));
  call({.resource = config_map_resource(), .key = options_.config_map},
       [this, shared](client::Reply reply) {
         if (!reply && !reply.error().not_found()) problem("read", reply.error());
         known_ = reply ? reply->body : json::Value{};
         std::vector<json::Value> records;
         for (const auto [name, text] : known_.get("data").members()) {
           // Somebody else's key, or a damaged one: what it knew is lost, and no more.
           if (auto record = json::parse(text.as_string())) records.push_back(*std::move(record));
         }
         guard_.core().load(records, guard_.time());
         stored_ = guard_.core().shadow_serial();
         guard_.core().shadow_stored(stored_);
         guard_.tell();
         (*shared)();
       });
}

bool ShadowStore::dirty() const {
  return guard_.core().shadow_serial() > stored_;
}

void ShadowStore::changed() {
  if (in_flight_ || !dirty()) return;
  if (guard_.core().urgent_serial() > stored_) return schedule(Duration::zero());
  if (timer_ != 0) return;
  const auto due =
      last_write_ ? *last_write_ + options_.flush_every - scheduler_.now() : Duration::zero();
  schedule(std::max(due, Duration::zero()));
}

void ShadowStore::schedule(Duration delay) {
  scheduler_.cancel(timer_);
  timer_ = scheduler_.after(delay, [this] {
    timer_ = 0;
    write();
  });
}

void ShadowStore::flush(std::move_only_function<void()> done) {
  FP_CHECK(!flushed_);
  flushed_ = std::move(done);
  scheduler_.cancel(timer_);
  timer_ = 0;
  if (!in_flight_) write();
}

void ShadowStore::write() {
  if (!dirty()) return ended();
  // Whoever leads now keeps the record; this one has it ready in case it leads again.
  if (!handlers_.may_write()) return flushed_ ? ended() : schedule(options_.flush_every);
  in_flight_ = true;
  last_write_ = scheduler_.now();
  // Nothing to remember, and nowhere to remove it from.
  if (known_.is_null() && guard_.core().shadow(guard_.time()).empty()) {
    stored_ = guard_.core().shadow_serial();
    return ended();
  }
  send(known_.is_null() ? client::Verb::Create : client::Verb::Update);
}

json::Value ShadowStore::body() const {
  auto records = guard_.core().shadow(guard_.time());
  std::ranges::stable_partition(records, [](const auto& r) { return is_pause(r.second); });
  auto object = known_.is_null() ? json::Draft::object({
                                       {"apiVersion", "v1"       },
                                       {"kind",       "ConfigMap"}
  })
                                 : json::Draft(known_);
  auto& metadata = object.object_at("metadata");
  metadata["name"] = options_.config_map.name;
  metadata["namespace"] = options_.config_map.ns;
  auto data = json::Draft::object();
  std::size_t bytes = 0;
  for (const auto& [name, record] : records) {
    auto text = json::to_text(record, json::Escape::Plain);
    bytes += name.size() + text.size();
    if (bytes > kShadowBytesMax) break;
    data[name] = std::move(text);
  }
  object["data"] = std::move(data);
  return object.freeze();
}

void ShadowStore::send(client::Verb verb) {
  const auto serial = guard_.core().shadow_serial();
  client::Call request{.verb = verb, .resource = config_map_resource(), .key = options_.config_map};
  if (verb == client::Verb::Create) request.key.name.clear();
  request.body = body();
  request.field_manager = guard_.core().settings().names.manager;
  call(std::move(request),
       [this, serial](client::Reply reply) { written(std::move(reply), serial); });
}

void ShadowStore::written(client::Reply reply, std::uint64_t serial) {
  if (reply) {
    known_ = std::move(reply->body);
    stored_ = serial;
    reported_ = false;
    guard_.core().shadow_stored(serial);
    ended();
    return guard_.tell();
  }
  const bool stale = reply.error().conflict() || reply.error().not_found();
  if (!stale) problem("write", reply.error());
  read_version();
}

// Somebody else wrote it, it is gone, or nobody knows whether our write arrived: look, and go on
// from there.
void ShadowStore::read_version() {
  call({.resource = config_map_resource(), .key = options_.config_map},
       [this](client::Reply reply) {
         if (reply || reply.error().not_found()) known_ = reply ? reply->body : json::Value{};
         in_flight_ = false;
         if (flushed_) return ended();
         schedule(options_.retry_after);
       });
}

void ShadowStore::ended() {
  in_flight_ = false;
  if (flushed_) {
    auto done = std::move(flushed_);
    flushed_ = nullptr;
    return done();
  }
  changed();
}

void ShadowStore::problem(std::string_view doing, const client::CallError& error) {
  handlers_.on_problem(fmt::format("cannot {} the guard's ConfigMap {}/{}: {}", doing,
                                   options_.config_map.ns, options_.config_map.name,
                                   error.status.message));
}

}  // namespace fixpoint::runtime
