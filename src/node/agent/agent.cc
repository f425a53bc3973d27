// SPDX-License-Identifier: Apache-2.0
#include "node/agent/agent.h"

#include "client/config/child.h"
#include "json/draft.h"
#include "kube/meta/metadata.h"
#include "node/agent/kinds.h"
#include "node/agent/leftovers.h"
#include "node/agent/log_stream.h"
#include "node/names/names.h"
#include "node/process/supervisor.h"

#include <utility>

#include <fmt/format.h>

namespace fixpoint::node {
namespace {

namespace fs = std::filesystem;

runtime::Watch watch_of(client::Resource resource) {
  runtime::Watch watch;
  watch.role = runtime::WatchRole::Mapped;
  watch.collection.resource = std::move(resource);
  return watch;
}

}  // namespace

// The followed objects, as pods ask for them.
class Agent::Cached final : public Sources {
 public:
  explicit Cached(const runtime::CacheSession& session) : session_(session) {}
  json::View config_map(const kube::Key& key) const override { return get(config_maps(), key); }
  json::View secret(const kube::Key& key) const override { return get(secrets(), key); }
  json::View claim(const kube::Key& key) const override { return get(claims(), key); }
  json::View persistent_volume(std::string_view name) const override {
    return get(persistent_volumes(), {"", std::string{name}});
  }
  void each_service(std::string_view ns,
                    const std::function<void(json::View)>& visit) const override {
    const auto* contents = session_.find(services().kind);
    if (contents == nullptr) return;
    for (const json::View service : contents->list(ns)) visit(service);
  }

 private:
  json::View get(const client::Resource& resource, const kube::Key& key) const {
    const auto* contents = session_.find(resource.kind);
    return contents == nullptr ? json::View{} : contents->get(key);
  }
  const runtime::CacheSession& session_;
};

Agent::Agent(Surroundings surroundings, NodeOptions options)
    : surroundings_(surroundings),
      options_(std::move(options)),
      events_({.controller = "kubelet", .instance = options_.name}) {}

Agent::~Agent() {
  *self_ = nullptr;
  loop().cancel(stop_timer_);
  workers_.clear();
  names_.reset();
  registration_.reset();
  cached_.reset();
  session_.reset();
  cache_.reset();
}

Result<std::unique_ptr<Agent>> Agent::open(Surroundings surroundings, NodeOptions options) {
  std::unique_ptr<Agent> agent(new Agent(surroundings, std::move(options)));
  FP_TRY_VOID(agent->take_directory());
  agent->find_out_isolation();
  FP_TRY(addresses, Addresses::open(
                        agent->options_.directory / "addresses.json",
                        [&](int block) { return agent->claims_.take(block); }, agent->rng_.next()));
  agent->addresses_.emplace(std::move(addresses));
  agent->hardware_ = Machine::here(agent->options_.directory);
  agent->place_.host_ip = agent->options_.host_ip;
  agent->place_.cpu = std::to_string(agent->hardware_.cpus);
  agent->place_.memory = std::to_string(agent->hardware_.memory_bytes);
  return agent;
}

Result<void> Agent::take_directory() {
  std::error_code error;
  fs::create_directories(options_.directory / "pods", error);
  if (error) {
    return fail(ErrorKind::Invalid, fmt::format("the node's directory {}: {}",
                                                options_.directory.string(), error.message()));
  }
  options_.directory = fs::canonical(options_.directory, error);
  if (!options_.volumes.empty()) fs::create_directories(options_.volumes, error);
  fs::permissions(options_.directory, fs::perms::owner_all, error);
  FP_TRY(lock, store::DirLock::acquire(options_.directory));
  lock_.emplace(std::move(lock));
  return {};
}

// In another process: what is tried out changes the one that tries.
void Agent::find_out_isolation() {
  const auto scratch = options_.directory / "probe";
  client::ChildRun run;
  run.command = options_.program;
  run.arguments = {kSupervisorCommand, "probe", scratch.string()};
  run.deadline = std::chrono::seconds(10);
  const auto end = client::run_child(run);
  if (end && end->code >= 0 && end->code <= 2) isolation_ = static_cast<Isolation>(end->code);
  std::error_code ignored;  // it is small, and the next start clears it
  fs::remove_all(scratch, ignored);
}

void Agent::start() {
  names_ = Names::open(loop(), fmt::format("127.{}.255.254", addresses_->block()),
                       options_.cluster_domain);
  if (names_) dns_ = names_->address();
  log().info("node", {
                         {"name",      options_.name                     },
                         {"isolation", to_string(isolation_)             },
                         {"directory", options_.directory.string()       },
                         {"names",     dns_.empty() ? "no port 53" : dns_}
  });
  registration_ = std::make_unique<Registration>(host(), hardware_);
  registration_->start([this] { follow(); });
}

void Agent::follow() {
  scheduler_ = std::make_unique<runtime::LoopScheduler>(loop());
  runtime::Cache::Setup setup;
  setup.client = &surroundings_.client;
  setup.scheduler = scheduler_.get();
  setup.rng = Rng{rng_.next()};
  setup.trouble = [this](std::string_view what) { log().warn(what); };
  cache_ = std::make_unique<runtime::Cache>(std::move(setup));
  session_ =
      cache_->open({.changed = [this](runtime::FollowId id,
                                      const runtime::Change& change) { on_change(id, change); },
                    .synced = [this] { on_synced(); }});
  cached_ = std::make_unique<Cached>(*session_);
  auto own_pods = watch_of(pods());
  own_pods.collection.selector.fields = "spec.nodeName=" + options_.name;
  pods_followed_ = session_->follow(own_pods);
  for (auto& resource : {services(), config_maps(), secrets(), claims(), persistent_volumes()}) {
    session_->follow(watch_of(resource));
  }
  if (names_) {
    auto slices = watch_of(endpoint_slices());
    slices.optional = true;
    session_->follow(slices);
    names_->use(*session_);
  }
}

const Sources& Agent::sources() const {
  return *cached_;
}

void Agent::on_change(runtime::FollowId id, const runtime::Change& change) {
  if (id == pods_followed_) return on_pod(change);
  if (!synced_) return;
  const json::View object = change.after.is_null() ? change.before : change.after;
  const auto kind = kube::gvk_of(object).kind;
  if (kind == "Service" || kind == "EndpointSlice") return;
  // Whatever pod may use it looks again; looking is cheap where nothing changed.
  for (const auto& [uid, worker] : workers_) {
    const auto ns = kube::namespace_of(object);
    if (ns.empty() || ns == kube::namespace_of(worker->facts().pod)) worker->look_soon();
  }
}

void Agent::on_pod(const runtime::Change& change) {
  if (!synced_ || stopped_) return;  // all at once, when everything they may need is known
  const json::View pod = change.after.is_null() ? change.before : change.after;
  const std::string uid{kube::uid_of(pod)};
  if (!change.before.is_null() && kube::uid_of(change.before) != uid) {
    if (auto* old = worker_of(kube::uid_of(change.before))) old->gone();
  }
  auto* worker = worker_of(uid);
  if (change.after.is_null()) {
    if (worker != nullptr) worker->gone();
  } else if (worker != nullptr) {
    worker->update(change.after);
  } else {
    workers_[uid] = std::make_unique<PodWorker>(host(), change.after);
  }
}

void Agent::on_synced() {
  if (std::exchange(synced_, true)) return;
  const auto* contents = session_->find(pods().kind);
  FP_CHECK(contents != nullptr);
  for (const json::View pod : contents->list("")) {
    const std::string uid{kube::uid_of(pod)};
    workers_[uid] = std::make_unique<PodWorker>(host(), pod);
  }
  clear_leftovers();
}

// Pods that the API forgot while nobody was here.
void Agent::clear_leftovers() {
  for (auto& [uid, pod] : pods_on_disk(options_.directory / "pods")) {
    if (workers_.contains(uid)) continue;
    if (pod.is_null()) {
      std::error_code ignored;  // an empty directory does no harm
      fs::remove_all(options_.directory / "pods" / uid, ignored);
      continue;
    }
    auto worker = std::make_unique<PodWorker>(host(), pod);
    worker->gone();
    workers_[uid] = std::move(worker);
  }
}

void Agent::each_use(const EachUse& visit) const {
  const auto processes = ProcessTable::read();
  for (const auto& [uid, worker] : workers_) {
    for (const auto& run : worker->runs()) {
      const auto supervisor = run->supervisor();
      if (supervisor) visit(uid, run->facts().name, processes.below(*supervisor));
    }
  }
}

PodWorker* Agent::worker_of(std::string_view uid) const {
  const auto found = workers_.find(uid);
  return found == workers_.end() ? nullptr : found->second.get();
}

void Agent::say(json::View pod, const runtime::EmitStep& event, std::string_view part) {
  json::Draft regarding = json::Draft::object({
      {"apiVersion", "v1"               },
      {"kind",       "Pod"              },
      {"metadata",   pod.get("metadata")}
  });
  if (!part.empty()) regarding["fieldPath"] = part;
  const json::Value frozen = regarding.freeze();
  events_.say(frozen, event, loop().clock().wall());
  if (std::exchange(sending_, true)) return;
  loop().post([self = self_] {
    if (*self != nullptr) (*self)->send_events();
  });
}

void Agent::send_events() {
  sending_ = false;
  for (auto& outgoing : events_.take()) {
    client().call(std::move(outgoing.call),
                  [self = self_, series = outgoing.series](const client::Reply& reply) {
                    if (*self != nullptr) (*self)->events_.answered(series, reply);
                  });
  }
}

void Agent::wrote(json::Value pod) {
  if (auto* contents = session_->find_to_change(pods().kind)) {
    (void)contents->put(std::move(pod), runtime::Origin::OwnWrite);
  }
}

void Agent::done_with(std::string uid) {
  // It is what calls.
  loop().post([self = self_, uid = std::move(uid)] {
    if (*self == nullptr) return;
    (*self)->workers_.erase(uid);
    (*self)->check_stopped();
  });
}

void Agent::stop(Duration grace, std::function<void()> done) {
  stopped_ = std::move(done);
  for (const auto& [uid, worker] : workers_) worker->end_for_now();
  stop_timer_ = loop().after(grace, [this] {
    for (const auto& [uid, worker] : workers_) worker->kill_for_now();
    constexpr Duration kLast = std::chrono::seconds(2);
    stop_timer_ = loop().after(kLast, [this] {
      if (stopped_) std::exchange(stopped_, {})();
    });
  });
  check_stopped();
}

void Agent::check_stopped() {
  if (!stopped_) return;
  for (const auto& [uid, worker] : workers_) {
    if (!worker->idle()) {
      // Ends are told to workers only; this looks again until all are idle.
      constexpr Duration kLook = std::chrono::milliseconds(20);
      loop().after(kLook, [self = self_] {
        if (*self != nullptr) (*self)->check_stopped();
      });
      return;
    }
  }
  loop().cancel(stop_timer_);
  std::exchange(stopped_, {})();
}

bool Agent::has_pod(std::string_view uid) const {
  return worker_of(uid) != nullptr;
}

json::Value Agent::find_pod(const kube::Key& key) const {
  json::Value found;
  for (const auto& [uid, worker] : workers_) {
    const auto& pod = worker->facts().pod;
    if (kube::name_of(pod) != key.name || kube::namespace_of(pod) != key.ns) continue;
    // Of two with one name, one is on its way out.
    if (found.is_null() || pod.get("metadata", "deletionTimestamp").is_null()) found = pod;
  }
  return found;
}

Result<ContainerPlace> Agent::find_container(const ContainerName& name) const {
  const auto* worker = worker_of(name.pod_uid);
  const auto* run = worker == nullptr ? nullptr : worker->container(name.container);
  if (run == nullptr) {
    return fail(ErrorKind::NotFound, fmt::format("container \"{}\" not found", name.container));
  }
  const auto& facts = run->facts();
  const bool running = facts.state == State::Running && !run->simulated();
  const json::View spec = container_spec(worker->facts().pod, name.container);
  return ContainerPlace{.run = run->run_directory(),
                        .pod_ip = worker->facts().ip,
                        .running = running,
                        .takes_input = spec.get("stdin").as_bool(),
                        .input_once = spec.get("stdinOnce").as_bool(),
                        .terminal = spec.get("tty").as_bool(),
                        .program = options_.program};
}

Result<std::unique_ptr<LogStream>> Agent::open_log(const LogRequest& request) {
  const auto* worker = worker_of(request.name.pod_uid);
  const auto* run = worker == nullptr ? nullptr : worker->container(request.name.container);
  if (run == nullptr) {
    return fail(ErrorKind::NotFound,
                fmt::format("container \"{}\" not found", request.name.container));
  }
  const auto& facts = run->facts();
  const bool never =
      facts.state == State::Absent || (facts.state == State::Starting && facts.restarts == 0);
  const auto pod = kube::name_of(worker->facts().pod);
  if (request.previous && facts.restarts == 0) {
    return fail(ErrorKind::Invalid,
                fmt::format("previous terminated container \"{}\" in pod \"{}\" not found",
                            request.name.container, pod));
  }
  if (!request.previous && never) {
    const auto why = facts.blocked ? facts.blocked->reason : "ContainerCreating";
    return fail(ErrorKind::Invalid,
                fmt::format("container \"{}\" in pod \"{}\" is waiting to start: {}",
                            request.name.container, pod, why));
  }
  const int number = facts.restarts - (request.previous ? 1 : 0);
  // Followed until that run ends, whoever runs after it.
  const auto ended = [self = self_, name = request.name, number] {
    const auto* now = *self == nullptr ? nullptr : (*self)->worker_of(name.pod_uid);
    const auto* container = now == nullptr ? nullptr : now->container(name.container);
    return container == nullptr || container->facts().restarts != number ||
           !container->facts().active();
  };
  return make_log_stream(loop(), run->log_file(number), request, ended);
}

}  // namespace fixpoint::node
