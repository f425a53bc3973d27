// SPDX-License-Identifier: Apache-2.0
#include "apiserver/subresources/proxy.h"

#include "kube/errors/status.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace fixpoint::apiserver {
namespace {

struct Target {
  std::string name;
  std::string port;
};

std::vector<std::string> parts_of(std::string_view id) {
  std::vector<std::string> parts;
  while (true) {
    const auto end = std::min(id.find(':'), id.size());
    parts.emplace_back(id.substr(0, end));
    if (end == id.size()) return parts;
    id.remove_prefix(end + 1);
  }
}

std::optional<Target> target_of(std::string_view id) {
  const auto parts = parts_of(id);
  if (parts.size() > 3) return std::nullopt;
  const std::string scheme = parts.size() == 3 ? parts[0] : "";
  if (!scheme.empty() && scheme != "http" && scheme != "https") return std::nullopt;
  Target target;
  target.name = parts[parts.size() == 3 ? 1 : 0];
  if (parts.size() > 1) target.port = parts.back();
  if (target.name.empty()) return std::nullopt;
  return target;
}

// What cannot be reached from outside is not asked for, either.
bool may_be_asked(std::string_view address) {
  return !address.empty() && !address.starts_with("127.") && address != "::1" &&
         !address.starts_with("169.254.") && !address.starts_with("fe80:");
}

kube::Status unavailable(std::string message) {
  auto status = kube::unreasoned(503, std::move(message));
  status.reason = "ServiceUnavailable";
  return status;
}

kube::Status out_of_reach(std::string_view address, std::string_view port) {
  return unavailable("error trying to reach service: dial tcp " + std::string{address} + ":" +
                     std::string{port} + ": connect: no route to host");
}

kube::Status no_endpoints(std::string_view service) {
  return unavailable("no endpoints available for service " + kube::shown(service));
}

// A number is looked for among the service's ports, a name among those of its endpoints.
bool lacks_port(json::View service, std::string_view port) {
  if (port.empty() || port.find_first_not_of("0123456789") != std::string_view::npos) return false;
  for (const json::View one : service.get("spec", "ports").elements()) {
    if (std::to_string(one.get("port").as_int()) == port) return false;
  }
  return true;
}

std::string_view node_address(json::View node) {
  for (const json::View address : node.get("status", "addresses").elements()) {
    if (address.get("type").as_string() == "InternalIP") return address.get("address").as_string();
  }
  return {};
}

}  // namespace

bool is_proxy(const Resource& resource, std::string_view subresource) {
  return subresource == "proxy" && resource.builtin != nullptr && resource.path.group.empty();
}

Response proxy(const Request& request, const Resource& resource, const store::Store& store) {
  const auto target = target_of(request.name);
  if (!target) {
    return failure(kube::bad_request("invalid " + resource.builtin->singular + " request " +
                                     kube::shown(request.name)));
  }
  const bool services = resource.prefix == "services/";
  const auto snapshot = store.latest();
  const auto record = snapshot.find(services ? "endpoints/" + request.ns + "/" + target->name
                                             : resource.key(request.ns, target->name));
  if (services) {
    const auto service = snapshot.find(resource.key(request.ns, target->name));
    if (service && lacks_port(service->body, target->port)) {
      return failure(unavailable("no service port " + target->port + " found for service " +
                                 kube::shown(target->name)));
    }
  }
  // Kubernetes names the resource at hand, not endpoints.
  if (!record) return failure(kube::not_found(resource.group_resource(), target->name));
  if (services) {
    const bool any = !record->body.get("subsets").empty();
    return failure(no_endpoints(any ? request.name : target->name));
  }
  const bool pods = resource.prefix == "pods/";
  const auto address =
      pods ? record->body.get("status", "podIP").as_string() : node_address(record->body);
  if (!may_be_asked(address)) return failure(kube::bad_request("address not allowed"));
  const std::string usual = pods ? "80" : "10250";
  return failure(out_of_reach(address, target->port.empty() ? usual : target->port));
}

}  // namespace fixpoint::apiserver
