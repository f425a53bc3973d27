// SPDX-License-Identifier: Apache-2.0
#include "node/pod/downward.h"

#include "kube/errors/status.h"
#include "kube/go/text.h"
#include "kube/meta/metadata.h"
#include "kube/scalars/quantity.h"
#include "node/pod/facts.h"

#include <fmt/format.h>

namespace fixpoint::node {
namespace {

std::string lines_of(json::View map) {
  std::string out;
  for (const auto [key, value] : map.members()) {
    if (!out.empty()) out += '\n';
    out += std::string{key} + "=" + kube::shown(value.as_string());
  }
  return out;
}

// "metadata.labels['app']" -> "app"; nothing without a subscript.
std::optional<std::string_view> subscript(std::string_view path, std::string_view map) {
  if (!path.starts_with(map)) return std::nullopt;
  path.remove_prefix(map.size());
  if (!path.starts_with("['") || !path.ends_with("']") || path.size() < 4) return std::nullopt;
  return path.substr(2, path.size() - 4);
}

// In units of the divisor, rounded up. Thousandths only matter for cpu.
Result<std::string> divided(const kube::Quantity& amount, json::View divisor, bool cpu) {
  kube::Quantity unit = kube::Quantity::of(1);
  if (divisor.is_string() && divisor.as_string() != "0") {
    FP_TRY(given, kube::Quantity::parse(divisor.as_string()));
    unit = given;
  } else if (divisor.is_int() && divisor.as_int() > 0) {
    unit = kube::Quantity::of(divisor.as_int());
  }
  const std::int64_t have = cpu ? amount.milli_value() : amount.value();
  const std::int64_t per = cpu ? unit.milli_value() : unit.value();
  if (per <= 0) return fail(ErrorKind::Invalid, "the divisor is not positive");
  return std::to_string(have / per + (have % per > 0 ? 1 : 0));
}

}  // namespace

Result<std::string> field_value(json::View selector, json::View pod, const Place& place) {
  const auto path = selector.get("fieldPath").as_string();
  if (path == "metadata.name") return std::string{kube::name_of(pod)};
  if (path == "metadata.namespace") return std::string{kube::namespace_of(pod)};
  if (path == "metadata.uid") return std::string{kube::uid_of(pod)};
  if (path == "metadata.labels") return lines_of(kube::labels_of(pod));
  if (path == "metadata.annotations") return lines_of(kube::annotations_of(pod));
  if (path == "spec.nodeName") return std::string{pod.get("spec", "nodeName").as_string()};
  if (path == "spec.serviceAccountName") {
    return std::string{pod.get("spec", "serviceAccountName").as_string()};
  }
  if (path == "status.hostIP" || path == "status.hostIPs") return place.host_ip;
  if (path == "status.podIP" || path == "status.podIPs") return place.pod_ip;
  if (const auto key = subscript(path, "metadata.labels")) {
    return std::string{kube::label_of(pod, *key)};
  }
  if (const auto key = subscript(path, "metadata.annotations")) {
    return std::string{kube::annotation_of(pod, *key)};
  }
  return fail(ErrorKind::Invalid, fmt::format("unsupported fieldPath: {}", path));
}

Result<std::string> resource_value(json::View selector, json::View pod, json::View container,
                                   const Place& place) {
  if (const auto name = selector.get("containerName").as_string(); !name.empty()) {
    container = container_spec(pod, name);
    if (container.is_null()) {
      return fail(ErrorKind::NotFound, fmt::format("container {} not found", name));
    }
  }
  const auto path = selector.get("resource").as_string();
  const auto dot = path.find('.');
  const auto list = path.substr(0, dot);
  const auto what = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
  const bool known = (list == "limits" || list == "requests") &&
                     (what == "cpu" || what == "memory" || what == "ephemeral-storage" ||
                      what.starts_with("hugepages-"));
  if (!known) {
    return fail(ErrorKind::Invalid, fmt::format("unsupported container resource : {}", path));
  }
  std::string text{container.get("resources", list, what).as_string()};
  // Without a limit a container may use what the node has.
  if (text.empty() && list == "limits" && what == "cpu") text = place.cpu;
  if (text.empty() && list == "limits" && what == "memory") text = place.memory;
  FP_TRY(amount, kube::Quantity::parse(text.empty() ? "0" : text));
  return divided(amount, selector.get("divisor"), what == "cpu");
}

}  // namespace fixpoint::node
