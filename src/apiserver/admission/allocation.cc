// SPDX-License-Identifier: Apache-2.0
//
// Cluster addresses and node ports of Services, handed out of what no other holds
// (service_holdings.h).
#include "apiserver/admission/admission.h"
#include "apiserver/admission/service_holdings.h"
#include "kinds/services/addresses.h"
#include "kinds/services/ports.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace fixpoint::apiserver {
namespace {

using kinds::ServiceAddresses;
using kube::Answer;
using kube::FieldPath;

// The range is 10.0.0.0/16 without its first and last address.
constexpr std::string_view kRangeBase = "10.0.0.0";
constexpr std::string_view kRangeEnd = "10.0.255.255";
constexpr int kFirstHost = 1;
constexpr int kLastHost = 65'534;
// Random picks leave the lower band to people who choose addresses by hand.
constexpr int kDynamicFirstHost = 257;
constexpr std::int64_t kFirstNodePort = 30000;
constexpr std::int64_t kLastNodePort = 32767;
// A dry run hands out nothing, and shows numbers that nobody has: the one after this one.
constexpr std::int64_t kBeforeDryNodePorts = 32768;

// What services hold, also the one that is written: a number that is held is not handed out twice,
// not even to its holder. Asked for when it is first needed, since most writes of services take
// nothing new.
class Taken {
 public:
  Taken(const store::Store& store, ServiceHoldings& holdings)
      : store_(store), holdings_(holdings) {}

  bool address(std::string_view address) const {
    const auto host = host_of(address);
    return host && now().holds_address(*host);
  }
  bool address(int host) const { return now().holds_address(static_cast<Host>(host)); }
  bool port(std::int64_t port) const { return now().holds_port(port); }

 private:
  const ServiceHoldings& now() const {
    if (!std::exchange(followed_, true)) holdings_.follow(store_);
    return holdings_;
  }

  const store::Store& store_;
  ServiceHoldings& holdings_;
  mutable bool followed_ = false;
};

// The node ports that one write takes.
class PortOperation {
 public:
  PortOperation(const AdmissionCall& call, const Taken& taken) : call_(call), taken_(taken) {}

  // Empty, or why this number cannot be had. A dry run does not look at the range.
  std::string_view take(std::int64_t port) {
    if (!call_.dry_run && (port < kFirstNodePort || port > kLastNodePort)) {
      return "provided port is not in the valid range. The range of valid ports is 30000-32767";
    }
    if (taken_.port(port) || !own_.insert(port).second) {
      return "provided port is already allocated";
    }
    return {};
  }

  std::optional<std::int64_t> take_any() {
    if (call_.dry_run) return *own_.insert(last_dry() + 1).first;
    constexpr auto kSpan = kLastNodePort - kFirstNodePort + 1;
    const auto start =
        static_cast<std::int64_t>(call_.environment.rng.below(static_cast<std::uint64_t>(kSpan)));
    for (std::int64_t i = 0; i < kSpan; ++i) {
      const auto candidate = kFirstNodePort + (start + i) % kSpan;
      if (take(candidate).empty()) return candidate;
    }
    return std::nullopt;
  }

 private:
  std::int64_t last_dry() const { return own_.empty() ? kBeforeDryNodePorts : *own_.rbegin(); }

  const AdmissionCall& call_;
  const Taken& taken_;
  std::set<std::int64_t> own_;
};

bool in_range(std::string_view address) {
  return address.starts_with(kServiceRange) && address != kRangeBase && address != kRangeEnd;
}

std::string address_of(int host) {
  return std::string{kServiceRange} + std::to_string(host / 256) + "." + std::to_string(host % 256);
}

// A free address near a random start; the upper band first.
std::optional<std::string> free_address(const AdmissionCall& call, const Taken& taken) {
  const int span = kLastHost - kDynamicFirstHost + 1;
  const int start = static_cast<int>(call.environment.rng.below(static_cast<std::uint64_t>(span)));
  for (int i = 0; i < span; ++i) {
    const int host = kDynamicFirstHost + (start + i) % span;
    if (!taken.address(host)) return address_of(host);
  }
  for (int host = kFirstHost; host < kDynamicFirstHost; ++host) {
    if (!taken.address(host)) return address_of(host);
  }
  return std::nullopt;
}

std::string address_problem(const AdmissionCall& call, const Taken& taken,
                            const std::string& address) {
  if (!in_range(address)) return "the provided network does not match the current range";
  // A dry run takes nothing, and so finds nothing taken.
  if (call.dry_run) return {};
  // An address belongs to a service by its name.
  if (call.name.empty()) {
    return "IPAddress.networking.k8s.io \"" + address +
           "\" is invalid: spec.parentRef.name: Required value";
  }
  return taken.address(address) ? "provided IP is already allocated" : "";
}

Answer<void> allocate_address(const AdmissionCall& call, const Taken& taken,
                              ServiceAddresses& service) {
  if (service.headless()) return {};
  if (service.addresses.empty()) service.addresses.emplace_back();
  auto& address = service.addresses.front();
  if (!address.empty()) {
    auto why = address_problem(call, taken, address);
    if (why.empty()) return {};
    if (call.dry_run) {
      why = "the provided IP (" + address +
            ") is not in the valid range. The range of valid IPs is " + std::string{kRangeBase} +
            "/16";
    }
    const auto shown = json::Draft::array({address}).freeze();
    return std::unexpected(
        kube::invalid({"", "Service"}, call.name,
                      {kube::invalid(FieldPath{"spec"}.child("clusterIPs"), shown,
                                     "failed to allocate IP " + address + ": " + why)}));
  }
  auto free = call.dry_run ? std::string{kRangeBase} : free_address(call, taken);
  if (!free) {
    return std::unexpected(kube::internal_error("failed to allocate a serviceIP: range is full"));
  }
  address = *std::move(free);
  service.address = address;
  return {};
}

std::int64_t number_at(const json::Draft& object, std::string_view key) {
  const json::Draft* number = object.find(key);
  return number == nullptr ? 0 : number->as_int();
}

kube::Status refuse_port(const AdmissionCall& call, std::size_t index, std::int64_t port,
                         std::string_view why) {
  const FieldPath spec{"spec"};
  const FieldPath ports = spec.child("ports");
  const FieldPath item = ports.index(index);
  return kube::invalid(
      {"", "Service"}, call.name,
      {kube::invalid(item.child("nodePort"), std::to_string(port), std::string{why})});
}

Answer<void> hand_out_node_port(PortOperation& ports, json::Draft& port) {
  const auto free = ports.take_any();
  if (!free) {
    return std::unexpected(kube::internal_error("failed to allocate a nodePort: range is full"));
  }
  port["nodePort"] = *free;
  return {};
}

// A new service uses one node port for all ports of one number, whatever their protocols.
Answer<void> allocate_new_node_ports(const AdmissionCall& call, PortOperation& operation,
                                     bool hand_out, json::Draft& spec) {
  auto& ports = spec.array_at("ports").elements();
  std::map<std::int64_t, std::int64_t> by_number;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const auto asked = number_at(ports[i], "nodePort");
    if (asked == 0 && !hand_out) continue;
    auto& shared = by_number[number_at(ports[i], "port")];
    if (shared != 0 && (asked == 0 || asked == shared)) {
      ports[i]["nodePort"] = shared;
      continue;
    }
    const auto same = [&](const json::Draft& other) {
      return number_at(other, "port") == number_at(ports[i], "port") &&
             number_at(other, "nodePort") != 0;
    };
    const auto named = std::ranges::find_if(ports, same);
    const auto wanted = shared != 0            ? asked
                        : named != ports.end() ? number_at(*named, "nodePort")
                                               : 0;
    if (wanted != 0) {
      if (const auto why = operation.take(wanted); !why.empty()) {
        return std::unexpected(refuse_port(call, i, wanted, why));
      }
      if (shared == 0) ports[i]["nodePort"] = wanted;
    } else if (auto ok = hand_out_node_port(operation, ports[i]); !ok) {
      return ok;
    }
    if (shared == 0) shared = number_at(ports[i], "nodePort");
  }
  return {};
}

// A changed one looks at each port by itself; what it had is still its own.
Answer<void> allocate_changed_node_ports(const AdmissionCall& call, PortOperation& operation,
                                         bool hand_out, json::Draft& spec, json::View old_spec) {
  std::set<std::int64_t> own;
  for (const json::View port : old_spec.get("ports").elements()) {
    own.insert(port.get("nodePort").as_int());
  }
  std::set<std::pair<std::string, std::int64_t>> seen;
  auto& ports = spec.array_at("ports").elements();
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const auto asked = number_at(ports[i], "nodePort");
    if (asked == 0 && !hand_out) continue;
    if (asked == 0) {
      if (auto ok = hand_out_node_port(operation, ports[i]); !ok) return ok;
    } else if (own.insert(asked).second) {
      if (const auto why = operation.take(asked); !why.empty()) {
        return std::unexpected(refuse_port(call, i, asked, why));
      }
    }
    const json::Draft* protocol = ports[i].find("protocol");
    const std::string text{protocol == nullptr ? std::string_view{} : protocol->as_string()};
    const auto number = number_at(ports[i], "nodePort");
    if (!seen.insert({text, number}).second) {
      return std::unexpected(kube::unreasoned(
          500, "duplicate nodePort: {" + text + " " + std::to_string(number) + "}"));
    }
  }
  return {};
}

Answer<void> allocate_health_port(PortOperation& operation, json::Draft& spec) {
  const auto refuse = [](std::string why) {
    return std::unexpected(kube::internal_error(std::move(why)));
  };
  if (const auto given = number_at(spec, "healthCheckNodePort"); given != 0) {
    const auto why = operation.take(given);
    if (why.empty()) return {};
    return refuse("failed to allocate requested HealthCheck NodePort " + std::to_string(given) +
                  ": " + std::string{why});
  }
  const auto free = operation.take_any();
  if (!free) return refuse("failed to allocate a HealthCheck NodePort 0: range is full");
  spec["healthCheckNodePort"] = *free;
  return {};
}

Answer<void> allocate_ports(const AdmissionCall& call, const Taken& taken, json::Draft& spec,
                            json::View old_spec) {
  const json::Value given = spec.freeze();
  const auto now = kinds::PortWishes::of(given);
  const bool creates = old_spec.is_null();
  PortOperation operation{call, taken};
  if (now.node_ports) {
    auto ok = creates ? allocate_new_node_ports(call, operation, now.hand_out, spec)
                      : allocate_changed_node_ports(call, operation, now.hand_out, spec, old_spec);
    if (!ok) return ok;
  }
  // In an update only who had none gets one.
  if (!now.health || (!creates && kinds::PortWishes::of(old_spec).health)) return {};
  return allocate_health_port(operation, spec);
}

}  // namespace

Answer<void> allocate(const AdmissionCall& call, const store::Store& store,
                      ServiceHoldings& holdings, json::Draft& object, json::View old_object) {
  if (call.resource.prefix != "services/" || !call.subresource.empty()) return {};
  auto& spec = object.object_at("spec");
  const json::View old_spec = old_object.get("spec");
  const auto before = ServiceAddresses::of(old_spec);
  const auto* old = old_object.is_null() ? nullptr : &before;
  const json::Value given = spec.freeze();
  auto now = ServiceAddresses::of(given);
  follow_old_addresses(now, old);
  if (old != nullptr) kinds::keep_ports(spec, old_spec);
  if (auto errors = settle_families(now, old); !errors.empty()) {
    return std::unexpected(kube::invalid({"", "Service"}, call.name, errors));
  }
  const Taken taken{store, holdings};
  const bool needs_address = !now.external_name() && (old == nullptr || old->external_name());
  if (needs_address) {
    if (auto ok = allocate_address(call, taken, now); !ok) return ok;
  }
  now.write_to(spec);
  return allocate_ports(call, taken, spec, old_spec);
}

}  // namespace fixpoint::apiserver
