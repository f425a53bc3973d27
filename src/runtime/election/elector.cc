// SPDX-License-Identifier: Apache-2.0
#include "runtime/election/elector.h"

#include "base/rfc3339.h"
#include "json/draft.h"
#include "kube/meta/metadata.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::runtime {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A holder that asks for longer than this is not believed: nobody could ever take over.
constexpr Duration kLeaseMax = std::chrono::hours(1);

client::Resource lease_resource() {
  return {
      .kind = {"coordination.k8s.io", "v1", "Lease"},
      .plural = "leases",
      .scope = client::Scope::Namespaced
  };
}

std::int64_t whole_seconds(Duration duration) {
  return std::max<std::int64_t>(1, std::chrono::ceil<seconds>(duration).count());
}

}  // namespace

Result<void> check(const ElectionOptions& options) {
  const auto longest_retry =
      std::chrono::duration<double, std::nano>(options.retry_period) * options.jitter;
  if (options.identity.empty() || options.lease.ns.empty() || options.lease.name.empty()) {
    return fail(ErrorKind::Invalid, "leader election needs an identity, a namespace and a name");
  }
  if (options.lease_duration <= options.renew_deadline) {
    return fail(ErrorKind::Invalid, "the lease must be longer than the renew deadline");
  }
  if (options.renew_deadline <= longest_retry) {
    return fail(ErrorKind::Invalid, "the renew deadline must be longer than the retry period");
  }
  if (options.retry_period < milliseconds(1) || options.jitter < 1) {
    return fail(ErrorKind::Invalid, "the retry period must be at least 1 ms, its jitter 1");
  }
  return {};
}

Elector::Elector(client::Client& client, Scheduler& scheduler, Rng rng, ElectionOptions options,
                 Handlers handlers)
    : client_(client),
      scheduler_(scheduler),
      rng_(rng),
      options_(std::move(options)),
      handlers_(std::move(handlers)) {
  FP_CHECK(check(options_).has_value());
}

Elector::~Elector() {
  *alive_ = false;
  scheduler_.cancel(retry_);
  scheduler_.cancel(deadline_);
}

bool Elector::may_write() const {
  if (!leading_ || stopped_) return false;
  return scheduler_.now() - proof_.sent < options_.renew_deadline &&
         scheduler_.wall() - proof_.wall < options_.renew_deadline;
}

void Elector::start() {
  FP_CHECK(!started_);
  started_ = true;
  attempt();
}

void Elector::stop(std::move_only_function<void()> done) {
  FP_CHECK(!stopped_);
  // From here on may_write() says no: what follows may let somebody else lead at once.
  stopped_ = std::move(done);
  scheduler_.cancel(retry_);
  scheduler_.cancel(deadline_);
  // A renewal on its way is waited for: the release needs the version it makes.
  if (!in_flight_) send_release();
}

void Elector::send_release() {
  if (!leading_) return finish_stop();
  leading_ = false;
  auto lease = json::Draft(record(""));
  lease.object_at("spec")["leaseDurationSeconds"] = 1;
  client::Call call{.verb = client::Verb::Update,
                    .resource = lease_resource(),
                    .key = options_.lease,
                    .body = lease.freeze()};
  send(std::move(call), [this](client::Reply) {
    // Also when it was refused: the lease is somebody else's then, or runs out.
    finish_stop();
  });
}

void Elector::finish_stop() {
  auto done = std::move(stopped_);
  stopped_ = [] {};  // stopped for good
  done();
}

void Elector::send(client::Call call, std::function<void(client::Reply)> answered) {
  // As client-go: an answer that takes longer than half of what is left is worth nothing.
  call.deadline = std::max<Duration>(seconds(1), options_.renew_deadline / 2);
  in_flight_ = true;
  client_.call(std::move(call),
               [this, alive = alive_, answered = std::move(answered)](client::Reply reply) {
                 if (!*alive) return;
                 in_flight_ = false;
                 answered(std::move(reply));
               });
}

Duration Elector::jittered_retry() {
  const double share = static_cast<double>(rng_.below(1'000'001)) / 1e6;
  const auto period = std::chrono::duration<double, std::nano>(options_.retry_period);
  return std::chrono::duration_cast<Duration>(period * (1 + (options_.jitter - 1) * share));
}

void Elector::schedule_try(Duration delay) {
  if (stopped_) return send_release();
  scheduler_.cancel(retry_);
  retry_ = scheduler_.after(delay, [this] {
    retry_ = 0;
    attempt();
  });
}

void Elector::attempt() {
  if (in_flight_) return;
  // Only a leader knows the lease's version: it wrote it.
  if (leading_ && !must_read_) return claim();
  read();
}

void Elector::read() {
  client::Call call{.resource = lease_resource(), .key = options_.lease};
  send(std::move(call), [this](client::Reply reply) { read_answered(std::move(reply)); });
}

void Elector::read_answered(client::Reply reply) {
  if (stopped_) return send_release();
  if (!reply && !reply.error().not_found()) {
    problem(reply.error(), "read");
    return schedule_try(jittered_retry());
  }
  must_read_ = false;
  if (!reply) {
    if (leading_) lost("the lease was deleted");
    seen_ = {};
    return create();
  }
  // Seen when the answer came, not when it was asked for: later is the careful side.
  note(std::move(reply->body), scheduler_.now());
  if (leading_ && seen_.holder != options_.identity) {
    lost(fmt::format("{} took the lease", seen_.holder.empty() ? "somebody" : seen_.holder));
  }
  if (!free_to_take()) {
    reported_ = false;
    // The next look, or the moment at which the holder counts as gone.
    return schedule_try(std::min(jittered_retry(), runs_out() - scheduler_.now()));
  }
  claim();
}

// Only what the holder writes counts as a sign of life, not a label somebody puts on the lease.
void Elector::note(json::Value lease, MonotonicInstant at) {
  const auto spec = lease.get("spec");
  const std::string holder{spec.get("holderIdentity").as_string()};
  if (!seen_.known || !(seen_.spec == spec)) {
    seen_.at = at;
    seen_.spec = json::Value(spec);
  }
  const bool other = holder != seen_.holder && !holder.empty() && holder != options_.identity;
  seen_.holder = holder;
  seen_.lease = std::move(lease);
  seen_.known = true;
  if (other && handlers_.on_other) handlers_.on_other(holder);
}

// When the holder counts as gone, if nothing is heard of it until then. It relies on the time that
// it wrote; one that wrote nothing useful gets ours.
MonotonicInstant Elector::runs_out() const {
  const auto asked_for = seen_.spec.get("leaseDurationSeconds").as_int();
  const bool sensible = asked_for > 0 && asked_for <= whole_seconds(kLeaseMax);
  return seen_.at + (sensible ? Duration(seconds(asked_for)) : options_.lease_duration);
}

bool Elector::free_to_take() const {
  if (seen_.holder.empty() || seen_.holder == options_.identity) return true;
  return scheduler_.now() >= runs_out();
}

// The lease as it shall be: everything that is there, with our record in it.
json::Value Elector::record(std::string_view holder) const {
  auto lease = seen_.known ? json::Draft(seen_.lease)
                           : json::Draft::object({
                                 {"apiVersion", "coordination.k8s.io/v1"},
                                 {"kind",       "Lease"                 },
  });
  auto& metadata = lease.object_at("metadata");
  metadata["name"] = options_.lease.name;
  metadata["namespace"] = options_.lease.ns;
  const auto now = format_micros(scheduler_.wall());
  const bool kept = seen_.known && holder == seen_.holder;
  const auto transitions = seen_.spec.get("leaseTransitions").as_int();
  auto& spec = lease.object_at("spec");
  spec["holderIdentity"] = holder;
  spec["leaseDurationSeconds"] = whole_seconds(options_.lease_duration);
  spec["renewTime"] = now;
  if (!kept || !spec.contains("acquireTime")) spec["acquireTime"] = now;
  const bool taken = seen_.known && !kept && !holder.empty();
  spec["leaseTransitions"] = transitions + (taken ? 1 : 0);
  return lease.freeze();
}

void Elector::claim() {
  if (seen_.known) return update();
  create();
}

void Elector::create() {
  client::Call call{
      .verb = client::Verb::Create,
      .resource = lease_resource(),
      .key = {options_.lease.ns, ""},
      .body = record(options_.identity)
  };
  const Proof proof{.sent = scheduler_.now(), .wall = scheduler_.wall()};
  send(std::move(call),
       [this, proof](client::Reply reply) { claim_answered(std::move(reply), proof); });
}

void Elector::update() {
  client::Call call{.verb = client::Verb::Update,
                    .resource = lease_resource(),
                    .key = options_.lease,
                    .body = record(options_.identity)};
  const Proof proof{.sent = scheduler_.now(), .wall = scheduler_.wall()};
  send(std::move(call),
       [this, proof](client::Reply reply) { claim_answered(std::move(reply), proof); });
}

void Elector::claim_answered(client::Reply reply, Proof proof) {
  if (reply) {
    note(std::move(reply->body), scheduler_.now());
    // An answer that comes too late proves nothing any more: somebody may lead by now.
    const bool fresh = scheduler_.now() - proof.sent < options_.renew_deadline;
    must_read_ = !fresh;
    if (fresh) won(proof);
    return schedule_try(jittered_retry());
  }
  must_read_ = true;
  if (stopped_) return send_release();
  // Somebody wrote first: look at once who it was. A leader has no time to lose, and a candidate
  // whose lease is taken just waits.
  if (reply.error().conflict() && leading_) return read();
  if (!reply.error().conflict()) problem(reply.error(), leading_ ? "renew" : "take");
  schedule_try(jittered_retry());
}

void Elector::won(Proof proof) {
  proof_ = proof;
  reported_ = false;
  const bool began = !std::exchange(leading_, true);
  watch_deadline();
  if (began && !stopped_ && handlers_.on_leading) handlers_.on_leading();
}

// Says that the lease is lost at the very time, also while no request is answered at all.
void Elector::watch_deadline() {
  scheduler_.cancel(deadline_);
  if (stopped_) return;
  const auto left = proof_.sent + options_.renew_deadline - scheduler_.now();
  deadline_ = scheduler_.after(std::max(left, Duration::zero()), [this] {
    deadline_ = 0;
    if (leading_) lost("it could not be renewed in time");
  });
}

void Elector::lost(std::string_view why) {
  leading_ = false;
  must_read_ = true;
  scheduler_.cancel(deadline_);
  deadline_ = 0;
  if (handlers_.on_lost) handlers_.on_lost(why);
}

void Elector::problem(const client::CallError& error, std::string_view doing) {
  if (std::exchange(reported_, true) || !handlers_.on_problem) return;
  handlers_.on_problem(fmt::format("cannot {} lease {}/{}: {}", doing, options_.lease.ns,
                                   options_.lease.name, error.status.message));
}

}  // namespace fixpoint::runtime
