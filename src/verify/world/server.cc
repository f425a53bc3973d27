// SPDX-License-Identifier: Apache-2.0
#include "verify/world/server.h"

#include "apiserver/core.h"
#include "client/http/outgoing.h"
#include "client/local_answer.h"

#include <ranges>
#include <utility>

namespace fixpoint::verify::world {
namespace {

// It remembers compiled schemas, for one thread.
apiserver::Core& core() {
  thread_local apiserver::Core core;
  return core;
}

template <class Call>
apiserver::Request request_of(const Call& call) {
  auto request = client::request_of(call);
  request.user = apiserver::system_user();
  request.user_agent = "fixpoint";
  return request;
}

}  // namespace

Instant Server::moment() {
  return Instant{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};
}

apiserver::CustomKinds& Server::kinds() {
  return core().kinds();
}

apiserver::Response Server::call(const apiserver::Request& request) {
  // Events are for people and no part of a world: nobody reads them, and each would be a new state.
  const bool reads = request.verb == apiserver::Verb::Get || request.verb == apiserver::Verb::List;
  if (request.resource.resource == "events" && !reads) return {.code = 201};
  Rng rng{store_.revision().value};
  return core().handle(request, store_, {.now = moment(), .rng = rng, .weakness = weakness_});
}

client::Reply Server::call(const client::Call& call) {
  const auto request = request_of(call);
  return client::reply_of(this->call(request), request, kinds(), store_.latest());
}

client::PageReply Server::list(const client::ListCall& call) {
  const auto request = request_of(call);
  return client::page_of(this->call(request), request, call, kinds(), store_.latest());
}

std::expected<client::Resource, client::CallError> Server::resolve(
    const kube::GroupVersionKind& kind) {
  return client::resolve(kind, kinds(), store_.latest());
}

apiserver::Watch Server::watch(const client::Collection& collection) {
  client::WatchCall call;
  call.collection = collection;
  call.resource_version = std::to_string(store_.revision().value);
  Rng rng{0};
  auto opened = core().open_watch(request_of(call), store_,
                                  {.now = moment(), .rng = rng, .weakness = weakness_});
  FP_CHECK(opened.has_value());
  return *std::move(opened);
}

std::optional<store::Store> earlier(const store::Store& store, const client::Resource& resource,
                                    std::uint8_t lag, store::Revision first) {
  const auto events = store.events_after(first);
  FP_CHECK(events.has_value());
  const auto prefix = apiserver::key_prefix(resource.kind.group, resource.plural);
  for (const auto& event : std::views::reverse(*events)) {
    if (!event.key().starts_with(prefix) || --lag > 0) continue;
    auto past = store.fork();
    FP_CHECK(past.rewind(store::Revision{event.revision.value - 1}).has_value());
    return past;
  }
  return std::nullopt;
}

}  // namespace fixpoint::verify::world
