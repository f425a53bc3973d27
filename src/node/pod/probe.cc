// SPDX-License-Identifier: Apache-2.0
#include "node/pod/probe.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace fixpoint::node {
namespace {

Duration seconds_at(json::View probe, std::string_view field, std::int64_t fallback) {
  return std::chrono::seconds(probe.get(field).as_int(fallback));
}

Result<std::uint16_t> port_of(json::View port, json::View container) {
  std::int64_t number = port.as_int();
  if (port.is_string()) {
    const auto name = port.as_string();
    for (const json::View one : container.get("ports").elements()) {
      if (one.get("name").as_string() == name) number = one.get("containerPort").as_int();
    }
    if (number == 0) std::from_chars(name.data(), name.data() + name.size(), number);
    if (number == 0) {
      // What became of a name that no port has: a kubelet's last try is to read it as a number.
      return fail(ErrorKind::Invalid,
                  fmt::format("strconv.Atoi: parsing \"{}\": invalid syntax", name));
    }
  }
  if (number <= 0 || number > 65535) {
    return fail(ErrorKind::Invalid, fmt::format("invalid port number: {}", number));
  }
  return static_cast<std::uint16_t>(number);
}

std::string_view field_of(ProbeKind kind) {
  switch (kind) {
    case ProbeKind::Startup: return "startupProbe";
    case ProbeKind::Readiness: return "readinessProbe";
    case ProbeKind::Liveness: return "livenessProbe";
  }
  return {};
}

}  // namespace

std::string_view to_string(ProbeKind kind) {
  switch (kind) {
    case ProbeKind::Startup: return "Startup";
    case ProbeKind::Readiness: return "Readiness";
    case ProbeKind::Liveness: return "Liveness";
  }
  return {};
}

Result<Action> action_of(json::View handler, json::View container, std::string_view pod_ip) {
  Action action;
  if (const json::View exec = handler.get("exec"); !exec.is_null()) {
    action.kind = Action::Kind::Exec;
    for (const json::View word : exec.get("command").elements()) {
      action.command.emplace_back(word.as_string());
    }
    return action;
  }
  if (const json::View sleep = handler.get("sleep"); !sleep.is_null()) {
    action.kind = Action::Kind::Sleep;
    action.sleep = seconds_at(sleep, "seconds", 0);
    return action;
  }
  if (!handler.get("grpc").is_null()) {
    action.kind = Action::Kind::Grpc;
    return action;
  }
  const json::View http = handler.get("httpGet");
  const json::View tcp = handler.get("tcpSocket");
  if (http.is_null() && tcp.is_null()) return action;
  action.kind = http.is_null() ? Action::Kind::Tcp : Action::Kind::Http;
  const json::View from = http.is_null() ? tcp : http;
  FP_TRY(port, port_of(from.get("port"), container));
  action.http.port = port;
  action.http.host = from.get("host").as_string(pod_ip);
  if (action.http.host.empty()) action.http.host = pod_ip;
  action.http.tls = from.get("scheme").as_string() == "HTTPS";
  action.http.path = from.get("path").as_string("/");
  if (!action.http.path.starts_with('/')) action.http.path.insert(0, "/");
  for (const json::View header : from.get("httpHeaders").elements()) {
    action.http.headers.emplace_back(header.get("name").as_string(),
                                     header.get("value").as_string());
  }
  return action;
}

std::optional<ProbeSpec> ProbeSpec::of(json::View container, ProbeKind kind) {
  const json::View probe = container.get(field_of(kind));
  if (probe.is_null()) return std::nullopt;
  ProbeSpec spec;
  spec.kind = kind;
  spec.initial_delay = seconds_at(probe, "initialDelaySeconds", 0);
  spec.period = std::max<Duration>(seconds_at(probe, "periodSeconds", 10), std::chrono::seconds(1));
  spec.timeout =
      std::max<Duration>(seconds_at(probe, "timeoutSeconds", 1), std::chrono::seconds(1));
  spec.success_threshold = static_cast<int>(probe.get("successThreshold").as_int(1));
  spec.failure_threshold = static_cast<int>(probe.get("failureThreshold").as_int(3));
  return spec;
}

bool ProbeTrack::answered(bool success) {
  in_a_row_ = success == last_ ? in_a_row_ + 1 : 1;
  last_ = success;
  const int enough = success ? spec_.success_threshold : spec_.failure_threshold;
  if (in_a_row_ < enough) return false;
  const bool changed = passing_ != success;
  if (success) {
    passing_ = true;
    return changed;
  }
  passing_ = false;
  const bool fatal = spec_.kind != ProbeKind::Readiness;
  const bool news = changed || (fatal && !given_up_);
  given_up_ = fatal;
  return news;
}

}  // namespace fixpoint::node
