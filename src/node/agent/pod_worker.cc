// SPDX-License-Identifier: Apache-2.0
#include "node/agent/pod_worker.h"

#include "base/rfc3339.h"
#include "json/draft.h"
#include "json/print.h"
#include "kube/meta/metadata.h"
#include "node/agent/compose.h"
#include "node/agent/kinds.h"
#include "node/agent/token_renewal.h"
#include "node/pod/status.h"
#include "node/pod/storage_limits.h"
#include "node/volume/disk_use.h"
#include "node/volume/file_tree.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::node {
namespace {

namespace fs = std::filesystem;
using runtime::EventType;
using std::chrono::seconds;

constexpr Duration kPodRetry = seconds(1);
constexpr Duration kMountRetry = seconds(5);
// How often a pod with limits of storage is measured, as a kubelet does.
constexpr Duration kStoragePeriod = seconds(10);

// A task that is dropped when whoever posted it is gone.
template <class Self, class Task>
auto guarded(const std::shared_ptr<Self*>& self, Task task) {
  return [self, task = std::move(task)](auto&&... arguments) {
    if (*self != nullptr) task(**self, std::forward<decltype(arguments)>(arguments)...);
  };
}

}  // namespace

PodWorker::PodWorker(Host& host, json::Value pod)
    : host_(host), facts_(new_facts(std::move(pod))), volumes_(host, directory() / "volumes") {
  facts_.host_ip = host_.options().host_ip;
  if (auto time = parse_rfc3339(facts_.pod.get("status", "startTime").as_string())) {
    facts_.acknowledged = *time;
  }
  runs_.reserve(facts_.containers.size());
  for (auto& container : facts_.containers) {
    ContainerRun::Setup setup{.host = host_,
                              .pod = [this] { return this->pod(); },
                              .pod_ip = [this] { return facts_.ip; },
                              .directory = directory() / "containers" / container.name,
                              .changed = [this] { look_soon(); }};
    runs_.push_back(std::make_unique<ContainerRun>(std::move(setup), container));
    adopted_ = runs_.back()->adopt() || adopted_;
  }
  look_soon();
}

PodWorker::~PodWorker() {
  *self_ = nullptr;
  host_.loop().cancel(timer_);
  host_.loop().cancel(storage_timer_);
  for (auto& [wish, token] : tokens_) host_.loop().cancel(token.renewal);
}

fs::path PodWorker::directory() const {
  return host_.options().directory / "pods" / kube::uid_of(facts_.pod);
}

Place PodWorker::place() const {
  Place place = host_.machine();
  place.pod_ip = facts_.ip;
  return place;
}

const ContainerRun* PodWorker::container(std::string_view name) const {
  for (const auto& run : runs_) {
    if (run->facts().name == name) return run.get();
  }
  return nullptr;
}

void PodWorker::update(json::Value pod) {
  // Somebody else's change: what was written before may be needed again.
  if (kube::resource_version_of(pod) != kube::resource_version_of(facts_.pod)) last_patch_ = {};
  facts_.pod = std::move(pod);
  look_soon();
}

void PodWorker::gone() {
  if (facts_.gone) return;
  facts_.gone = true;
  // Whoever took it from the API did not want to wait.
  for (auto& run : runs_) run->kill();
  look_soon();
}

void PodWorker::end_for_now() {
  stopped_ = true;
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    runs_[i]->stop({.container = i,
                    .message = "Stopping container " + facts_.containers[i].name,
                    .grace = std::chrono::hours(1)});
  }
}

void PodWorker::kill_for_now() {
  for (auto& run : runs_) run->kill();
}

bool PodWorker::idle() const {
  return std::ranges::none_of(facts_.containers, [](const auto& one) { return one.active(); });
}

void PodWorker::look_soon() {
  if (std::exchange(scheduled_, true)) return;
  host_.loop().post(guarded(self_, [](PodWorker& self) {
    self.scheduled_ = false;
    self.look();
  }));
}

void PodWorker::look() {
  if (stopped_) return;
  const Instant now = host_.now();
  host_.loop().cancel(timer_);
  if (!facts_.acknowledged) facts_.acknowledged = now;
  const bool leaving = facts_.gone || kube::being_deleted(pod());
  if (!leaving) prepare();
  PodPlan plan = decide(facts_, now);
  if (plan.ending && !facts_.ending_since) facts_.ending_since = now;
  for (const auto& step : plan.stop) runs_[step.container]->stop(step);
  for (const auto index : plan.start) start(index);
  for (const auto index : plan.backing_off) tell_backing_off(index);
  if (!plan.start.empty()) plan = decide(facts_, now);
  if (!plan.ending) watch_storage();
  if (!facts_.gone) report(plan);
  if (plan.ended && !writing_) {
    if (facts_.gone) return clean_up();
    if (kube::being_deleted(pod())) remove_from_api();
  }
  if (plan.again) timer_ = host_.loop().after(*plan.again - now, [this] { look_soon(); });
  const bool waits_for_mount = !facts_.prepared && !plan.ending;
  if (waits_for_mount && !timer_) timer_ = host_.loop().after(kMountRetry, [this] { look_soon(); });
}

void PodWorker::prepare() {
  const auto phase = pod().get("status", "phase").as_string();
  if (phase == "Failed" || phase == "Succeeded") return;
  if (facts_.ip.empty()) {
    const bool host_network = pod().get("spec", "hostNetwork").as_bool();
    auto ip = host_network ? Result<std::string>{host_.options().host_ip}
                           : host_.addresses().take(kube::uid_of(pod()));
    if (!ip) {
      host_.say(pod(), {.type = EventType::Warning,
                        .reason = "FailedCreatePodSandBox",
                        .note = ip.error().message,
                        .action = "Run"});
      return;
    }
    facts_.ip = *std::move(ip);
    std::error_code error;
    fs::create_directories(directory(), error);
    // For whoever cleans up after a crash: whose directory this is.
    [[maybe_unused]] const auto noted =
        write_whole_file(directory() / "pod.json", json::to_text(pod()) + "\n", 0600);
  }
  want_tokens();
  const Tokens tokens = [this](const TokenWish& wish) -> const std::string* {
    const auto found = tokens_.find(wish);
    return found == tokens_.end() || found->second.value.empty() ? nullptr : &found->second.value;
  };
  auto made = volumes_.prepare(pod(), place(), tokens);
  if (made && !facts_.prepared) made = write_name_files(host_, pod(), place(), directory());
  if (made) {
    facts_.prepared = true;
    mount_trouble_.clear();
    return;
  }
  // Once it ran, files that cannot be updated stay as they are.
  if (made.error().kind == ErrorKind::Unavailable || facts_.prepared) return;
  if (std::exchange(mount_trouble_, made.error().message) == made.error().message) return;
  host_.say(pod(), {.type = EventType::Warning,
                    .reason = "FailedMount",
                    .note = made.error().message,
                    .action = "Mount"});
}

void PodWorker::want_tokens() {
  for (const json::View volume : pod().get("spec", "volumes").elements()) {
    for (const auto& wish : tokens_of(volume)) {
      if (!tokens_[wish].asked) ask_for_token(wish);
    }
  }
}

void PodWorker::ask_for_token(const TokenWish& wish) {
  tokens_[wish].asked = true;
  json::Draft body = json::Draft::object();
  body["apiVersion"] = "authentication.k8s.io/v1";
  body["kind"] = "TokenRequest";
  json::Draft& spec = body.object_at("spec");
  spec["expirationSeconds"] = wish.seconds;
  spec["audiences"] =
      wish.audience.empty() ? json::Draft::array() : json::Draft::array({wish.audience});
  spec["boundObjectRef"] = json::Draft::object({
      {"apiVersion", "v1"                },
      {"kind",       "Pod"               },
      {"name",       kube::name_of(pod())},
      {"uid",        kube::uid_of(pod()) }
  });
  client::Call call;
  call.verb = client::Verb::Create;
  call.resource = service_accounts();
  call.key = {std::string{kube::namespace_of(pod())},
              std::string{pod().get("spec", "serviceAccountName").as_string("default")}};
  call.subresource = "token";
  call.body = body.freeze();
  host_.client().call(std::move(call),
                      guarded(self_, [wish](PodWorker& self, const client::Reply& reply) {
                        self.on_token(wish, reply);
                      }));
}

void PodWorker::on_token(const TokenWish& wish, const client::Reply& reply) {
  auto& token = tokens_[wish];
  Duration again = kMountRetry;
  if (reply) {
    again = renewal_of_token(reply->body.get("status"), seconds(wish.seconds), host_.now());
    token.value = reply->body.get("status", "token").as_string();
  } else {
    host_.say(pod(), {.type = EventType::Warning,
                      .reason = "FailedMount",
                      .note = "failed to fetch token: " + reply.error().status.message,
                      .action = "Mount"});
  }
  token.renewal = host_.loop().after(again, [this, wish] { ask_for_token(wish); });
  look_soon();
}

void PodWorker::start(std::size_t index) {
  auto& run = *runs_[index];
  auto& facts = facts_.containers[index];
  const json::View spec = container_spec(pod(), facts.name);
  const int number = facts.state == State::Exited ? facts.restarts + 1 : facts.restarts;
  const auto own = directory() / "containers" / facts.name;
  std::error_code error;
  fs::create_directories(own, error);
  const Place here = place();
  auto composed = compose(host_, {.pod = pod(),
                                  .container = spec,
                                  .place = here,
                                  .volumes = volumes_,
                                  .pod_directory = directory(),
                                  .container_directory = own,
                                  .log = run.log_file(number).string()});
  if (!composed) {
    tell_blocked(run, composed.error());
    return run.block(composed.error());
  }
  if (composed->run) {
    run.say(EventType::Normal, "Pulled",
            fmt::format("Container image \"{}\" already present on machine",
                        spec.get("image").as_string()));
  }
  ran_ = true;
  run.start(std::move(composed->run), std::move(composed->image_id));
}

void PodWorker::tell_blocked(const ContainerRun& run, const Waiting& why) {
  if (why.reason == "InvalidImageName") {
    run.say(EventType::Warning, "InspectFailed", why.message);
  } else if (why.reason == "ErrImageNeverPull") {
    run.say(EventType::Warning, "ErrImageNeverPull", why.message);
  } else if (why.reason == "ErrImagePull") {
    run.say(EventType::Warning, "Failed", why.message);
  }
  const bool image = why.reason != "CreateContainerConfigError";
  run.say(EventType::Warning, "Failed", "Error: " + (image ? why.reason : why.message));
}

void PodWorker::tell_backing_off(std::size_t index) {
  const auto& container = facts_.containers[index];
  const auto [told, fresh] = backoff_told_.try_emplace(index, -1);
  if (told->second == container.restarts) return;
  told->second = container.restarts;
  runs_[index]->say(EventType::Warning, "BackOff",
                    fmt::format("Back-off restarting failed container {} in pod {}", container.name,
                                pod_name_for_people(pod())));
}

void PodWorker::watch_storage() {
  if (storage_timer_ || !facts_.prepared || !has_storage_limits(pod())) return;
  storage_timer_ = host_.loop().after(kStoragePeriod, [this] {
    storage_timer_ = {};
    check_storage();
    look_soon();
  });
}

void PodWorker::check_storage() {
  StorageUse use;
  for (const json::View volume : pod().get("spec", "volumes").elements()) {
    const std::string name{volume.get("name").as_string()};
    if (!volume.get("emptyDir").is_null())
      use.volumes[name] = disk_use(directory() / "volumes" / name);
  }
  for (const auto& container : facts_.containers) {
    use.containers[container.name] = disk_use(directory() / "containers" / container.name);
  }
  const auto why = over_storage_limit(pod(), use);
  if (!why || !facts_.over_storage.empty()) return;
  facts_.over_storage = *why;
  host_.say(pod(),
            {.type = EventType::Warning, .reason = "Evicted", .note = *why, .action = "Evict"});
}

void PodWorker::report(const PodPlan& plan) {
  if (writing_) return;  // its answer brings another look
  const json::Value status = pod_status(facts_, plan, host_.now());
  json::Value patch = status_patch(facts_.pod, status);
  // The same again is a server that writes it differently: once is enough.
  if (patch.is_null() || patch == last_patch_) return;
  const auto phase = pod().get("status", "phase").as_string();
  const bool final = phase == "Failed" || phase == "Succeeded";
  if (final && !adopted_ && !ran_) return;  // told by whoever ran it
  writing_ = true;
  last_patch_ = patch;
  client::Call call;
  call.verb = client::Verb::Patch;
  call.patch_type = client::PatchType::Strategic;
  call.resource = pods();
  call.key = kube::key_of(facts_.pod);
  call.subresource = "status";
  call.body = std::move(patch);
  call.field_manager = "kubelet";
  host_.client().call(
      std::move(call),
      guarded(self_, [](PodWorker& self, const client::Reply& reply) { self.on_reported(reply); }));
}

void PodWorker::on_reported(const client::Reply& reply) {
  writing_ = false;
  if (reply) {
    if (kube::uid_of(reply->body) == kube::uid_of(facts_.pod)) facts_.pod = reply->body;
    host_.wrote(reply->body);
    return look_soon();
  }
  // Gone or replaced is told by the watch.
  if (reply.error().not_found() || reply.error().conflict()) return;
  last_patch_ = {};
  host_.log().warn("cannot write a pod's status",
                   {
                       {"pod", pod_name_for_people(pod())  },
                       {"why", reply.error().status.message}
  });
  host_.loop().cancel(timer_);
  timer_ = host_.loop().after(kPodRetry, [this] { look_soon(); });
}

void PodWorker::remove_from_api() {
  if (std::exchange(removing_, true)) return;
  client::Call call;
  call.verb = client::Verb::Delete;
  call.resource = pods();
  call.key = kube::key_of(facts_.pod);
  call.preconditions.uid = kube::uid_of(facts_.pod);
  call.grace_seconds = 0;
  host_.client().call(
      std::move(call), guarded(self_, [](PodWorker& self, const client::Reply& reply) {
        self.removing_ = false;
        if (reply || reply.error().not_found()) return;
        self.timer_ = self.host_.loop().after(kPodRetry, [raw = &self] { raw->look_soon(); });
      }));
}

void PodWorker::clean_up() {
  std::error_code error;
  fs::remove_all(directory(), error);
  if (error) {
    host_.log().warn("cannot remove a pod's directory",
                     {
                         {"pod", pod_name_for_people(pod())},
                         {"why", error.message()           }
    });
  }
  const std::string uid{kube::uid_of(facts_.pod)};
  if (auto ok = host_.addresses().release(uid); !ok) {
    host_.log().warn("cannot release an address", {
                                                      {"why", ok.error().message}
    });
  }
  host_.done_with(uid);
}

}  // namespace fixpoint::node
