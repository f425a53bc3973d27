// SPDX-License-Identifier: Apache-2.0
//
// spec.serviceMesh: how the node takes part in Istio or Linkerd.
#pragma once

#include "types/table.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::operators::stellar {

enum class MtlsMode : std::uint8_t { Strict, Permissive };
std::span<const std::string_view> enum_names(MtlsMode);

enum class PolicyMode : std::uint8_t { Allow, Deny, Audit };
std::span<const std::string_view> enum_names(PolicyMode);

struct CircuitBreaker {
  std::int32_t consecutive_errors = 5;
  std::int32_t time_window_secs = 30;
  std::int32_t min_request_volume = 10;

  static types::Table table();
};

struct Retries {
  std::int32_t max_retries = 3;
  std::int32_t backoff_ms = 25;
  std::vector<std::int32_t> retryable_status_codes{};

  static types::Table table();
};

struct JwtRule {
  std::string issuer;
  std::string jwks_uri;
  std::vector<std::string> audiences{};

  static types::Table table();
};

struct Istio {
  MtlsMode mtls_mode = MtlsMode::Strict;
  std::int32_t timeout_secs = 30;
  std::optional<CircuitBreaker> circuit_breaker{};
  std::optional<Retries> retries{};
  std::vector<JwtRule> jwt_rules{};

  static types::Table table();
};

struct Linkerd {
  bool auto_mtls = true;
  PolicyMode policy_mode = PolicyMode::Allow;

  static types::Table table();
};

struct ServiceMesh {
  bool sidecar_injection = true;
  std::optional<Istio> istio{};
  std::optional<Linkerd> linkerd{};

  static types::Table table();
};

}  // namespace fixpoint::operators::stellar
