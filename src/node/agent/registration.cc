// SPDX-License-Identifier: Apache-2.0
#include "node/agent/registration.h"

#include "base/file.h"
#include "base/rfc3339.h"
#include "json/draft.h"
#include "kube/meta/metadata.h"
#include "kube/scalars/quantity.h"
#include "node/agent/kinds.h"
#include "node/process/run_spec.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace fixpoint::node {
namespace {

using json::Draft;

constexpr std::string_view kVersion = "v1.34.4+fixpoint";
constexpr std::string_view kLeaseNamespace = "kube-node-lease";
constexpr Duration kRegistrationRetry = std::chrono::seconds(1);

std::string line_of(const char* path) {
  auto text = read_file(path);
  if (!text) return {};
  return text->substr(0, text->find('\n'));
}

std::string go_architecture(std::string_view machine) {
  if (machine == "x86_64") return "amd64";
  if (machine == "aarch64") return "arm64";
  return std::string{machine};
}

Draft condition(std::string_view type, bool holds, std::string_view reason,
                std::string_view message, const std::string& now) {
  return Draft::object({
      {"type",               type                    },
      {"status",             holds ? "True" : "False"},
      {"reason",             reason                  },
      {"message",            message                 },
      {"lastHeartbeatTime",  now                     },
      {"lastTransitionTime", now                     }
  });
}

Draft conditions(Instant at) {
  const auto now = format_seconds(at);
  return Draft::array({
      condition("MemoryPressure", false, "KubeletHasSufficientMemory",
                "kubelet has sufficient memory available", now),
      condition("DiskPressure", false, "KubeletHasNoDiskPressure", "kubelet has no disk pressure",
                now),
      condition("PIDPressure", false, "KubeletHasSufficientPID",
                "kubelet has sufficient PID available", now),
      condition("Ready", true, "KubeletReady", "kubelet is posting ready status", now),
  });
}

Draft resources(const NodeOptions& options, const Machine& machine) {
  const auto kibi = [](std::int64_t bytes) { return fmt::format("{}Ki", bytes / 1024); };
  return Draft::object({
      {"cpu",               std::to_string(machine.cpus)    },
      {"memory",            kibi(machine.memory_bytes)      },
      {"ephemeral-storage", kibi(machine.disk_bytes)        },
      {"pods",              std::to_string(options.pods_max)}
  });
}

}  // namespace

Machine Machine::here(const std::filesystem::path& directory) {
  Machine machine;
  machine.cpus = std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN));
  struct sysinfo info{};
  if (::sysinfo(&info) == 0) {
    machine.memory_bytes = static_cast<std::int64_t>(info.totalram) * info.mem_unit;
  }
  struct statvfs disk{};
  if (::statvfs(directory.c_str(), &disk) == 0) {
    machine.disk_bytes = static_cast<std::int64_t>(disk.f_blocks * disk.f_frsize);
  }
  struct utsname name{};
  if (::uname(&name) == 0) {
    machine.kernel = name.release;
    machine.architecture = go_architecture(name.machine);
  }
  machine.os = "Linux";
  if (auto text = read_file("/etc/os-release")) {
    const auto at = text->find("PRETTY_NAME=\"");
    if (at != std::string::npos) {
      const auto begin = at + 13;
      machine.os = text->substr(begin, text->find('"', begin) - begin);
    }
  }
  machine.machine_id = line_of("/etc/machine-id");
  machine.boot_id = line_of("/proc/sys/kernel/random/boot_id");
  return machine;
}

json::Value node_object(const NodeOptions& options, const Machine& machine, Instant now) {
  Draft out = Draft::object();
  out["apiVersion"] = "v1";
  out["kind"] = "Node";
  Draft& metadata = out.object_at("metadata");
  metadata["name"] = options.name;
  Draft& labels = metadata.object_at("labels");
  labels["kubernetes.io/hostname"] = options.name;
  labels["kubernetes.io/os"] = "linux";
  labels["kubernetes.io/arch"] = machine.architecture;
  labels["beta.kubernetes.io/os"] = "linux";
  labels["beta.kubernetes.io/arch"] = machine.architecture;
  for (const auto& [key, value] : options.labels) labels[key] = value;
  Draft& status = out.object_at("status");
  status["addresses"] = Draft::array({
      Draft::object({{"type", "InternalIP"}, {"address", options.host_ip}}
      ),
      Draft::object({{"type", "Hostname"},   {"address", options.name}   }
      )
  });
  status["capacity"] = resources(options, machine);
  status["allocatable"] = resources(options, machine);
  status["conditions"] = conditions(now);
  if (options.port > 0) {
    status.object_at("daemonEndpoints").object_at("kubeletEndpoint")["Port"] = options.port;
  }
  status["nodeInfo"] = Draft::object({
      {"machineID",               machine.machine_id  },
      {"systemUUID",              machine.machine_id  },
      {"bootID",                  machine.boot_id     },
      {"kernelVersion",           machine.kernel      },
      {"osImage",                 machine.os          },
      {"containerRuntimeVersion", "fixpoint://0.1.0"  },
      {"kubeletVersion",          kVersion            },
      {"kubeProxyVersion",        ""                  },
      {"operatingSystem",         "linux"             },
      {"architecture",            machine.architecture}
  });
  return out.freeze();
}

Registration::~Registration() {
  *self_ = nullptr;
  host_.loop().cancel(node_timer_);
  host_.loop().cancel(lease_timer_);
}

void Registration::again(Duration wait, void (Registration::*step)(), net::TimerId& timer) {
  host_.loop().cancel(timer);
  timer = host_.loop().after(wait, [this, step] { (this->*step)(); });
}

void Registration::start(std::function<void()> registered) {
  registered_ = std::move(registered);
  create();
}

void Registration::create() {
  client::Call call;
  call.verb = client::Verb::Create;
  call.resource = nodes();
  call.body = node_object(host_.options(), machine_, host_.now());
  call.field_manager = "kubelet";
  host_.client().call(std::move(call), [self = self_](const client::Reply& reply) {
    if (*self == nullptr) return;
    if (!reply && !reply.error().is("AlreadyExists")) {
      (*self)->host_.log().warn("cannot register the node",
                                {
                                    {"why", reply.error().status.message}
      });
      return (*self)->again(kRegistrationRetry, &Registration::create, (*self)->node_timer_);
    }
    (*self)->write_status();
  });
}

void Registration::write_status() {
  const json::Value node = node_object(host_.options(), machine_, host_.now());
  Draft status = Draft::object();
  for (const auto [key, value] : node.get("status").members()) {
    if (key != "conditions") status[key] = value;
  }
  // Transition times stay where nothing changed; only the heartbeat moves.
  Draft beats = Draft::array();
  for (const json::View one : node.get("status", "conditions").elements()) {
    Draft beat{one};
    if (!uid_.empty()) beat.erase("lastTransitionTime");
    beats.push_back(std::move(beat));
  }
  status["conditions"] = std::move(beats);
  client::Call call;
  call.verb = client::Verb::Patch;
  call.patch_type = client::PatchType::Strategic;
  call.resource = nodes();
  call.key.name = host_.options().name;
  call.subresource = "status";
  call.body = Draft::object({
                                {"status", std::move(status)}
  })
                  .freeze();
  call.field_manager = "kubelet";
  host_.client().call(std::move(call), [self = self_](const client::Reply& reply) {
    if (*self == nullptr) return;
    auto& me = **self;
    // Somebody deleted the node: it is still here.
    if (!reply && reply.error().not_found()) return me.create();
    if (!reply) return me.again(kRegistrationRetry, &Registration::write_status, me.node_timer_);
    const bool first = me.uid_.empty();
    me.uid_ = kube::uid_of(reply->body);
    me.again(kStatusPeriod, &Registration::write_status, me.node_timer_);
    if (!first) return;
    me.renew();
    if (me.registered_) std::exchange(me.registered_, {})();
  });
}

client::Call Registration::lease_call(client::Verb verb) const {
  Draft body = Draft::object();
  body["apiVersion"] = "coordination.k8s.io/v1";
  body["kind"] = "Lease";
  Draft& metadata = body.object_at("metadata");
  metadata["name"] = host_.options().name;
  metadata["namespace"] = kLeaseNamespace;
  metadata["ownerReferences"] = Draft::array({
      Draft::object({{"apiVersion", "v1"},
                     {"kind", "Node"},
                     {"name", host_.options().name},
                     {"uid", uid_}}
      )
  });
  Draft& spec = body.object_at("spec");
  spec["holderIdentity"] = host_.options().name;
  spec["leaseDurationSeconds"] = kLeaseSeconds;
  spec["renewTime"] = format_micros(host_.now());
  client::Call call;
  call.verb = verb;
  call.resource = leases();
  call.key = {std::string{kLeaseNamespace},
              verb == client::Verb::Create ? "" : host_.options().name};
  call.patch_type = client::PatchType::Merge;
  call.body = body.freeze();
  call.field_manager = "kubelet";
  return call;
}

void Registration::renew() {
  host_.client().call(lease_call(client::Verb::Patch), [self = self_](const client::Reply& reply) {
    if (*self == nullptr) return;
    auto& me = **self;
    if (!reply && reply.error().not_found()) return me.create_lease();
    me.again(reply ? kLeasePeriod : kRegistrationRetry, &Registration::renew, me.lease_timer_);
  });
}

void Registration::create_lease() {
  host_.client().call(lease_call(client::Verb::Create), [self = self_](const client::Reply& reply) {
    if (*self == nullptr) return;
    auto& me = **self;
    me.again(reply ? kLeasePeriod : kRegistrationRetry, &Registration::renew, me.lease_timer_);
  });
}

}  // namespace fixpoint::node
