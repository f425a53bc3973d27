// SPDX-License-Identifier: Apache-2.0
#include "operators/stellar/types/mesh.h"

#include "operators/stellar/types/advice.h"

namespace fixpoint::operators::stellar {

using types::describe;

std::span<const std::string_view> enum_names(MtlsMode) {
  static constexpr std::string_view kNames[]{"STRICT", "PERMISSIVE"};
  return kNames;
}

std::span<const std::string_view> enum_names(PolicyMode) {
  static constexpr std::string_view kNames[]{"allow", "deny", "audit"};
  return kNames;
}

namespace {

types::Rule positive(const Advice& advice) {
  return {.rule = "self >= 1", .message = advice.text()};
}

}  // namespace

types::Table CircuitBreaker::table() {
  return describe<CircuitBreaker>(
      "When a pod that answers with errors is left alone for a while.",
      {
          {"consecutiveErrors",
           &CircuitBreaker::consecutive_errors,
           "After so many errors in a row a pod gets no requests for a while.", {.maximum = 10'000, .rules = {positive(advice::kConsecutiveErrors)}}},
          {"timeWindowSecs",
           &CircuitBreaker::time_window_secs,
           "How often errors are counted, in seconds.",                         {.maximum = 86'400, .rules = {positive(advice::kTimeWindow)}}       },
          {"minRequestVolume",
           &CircuitBreaker::min_request_volume,
           "Kept for older manifests; Istio has nothing like it.",              {.minimum = 0, .maximum = 1'000'000}                                },
  });
}

types::Table Retries::table() {
  return describe<Retries>("Which requests are sent again.",
                           {
                               {"maxRetries",
                                &Retries::max_retries,
                                "How often at most.",                                 {.maximum = 100, .rules = {positive(advice::kMaxRetries)}}    },
                               {"backoffMs",
                                &Retries::backoff_ms,
                                "The least time between two tries, in milliseconds.", {.minimum = 0, .maximum = 60'000}                             },
                               {"retryableStatusCodes",
                                &Retries::retryable_status_codes,
                                "Answers that count as failures; those of a broken connection do "
                                "always.",                                            {.max_items = 32, .items = {{.minimum = 400, .maximum = 599}}}},
  });
}

types::Table JwtRule::table() {
  return describe<JwtRule>("Whose tokens are believed.",
                           {
                               {"issuer",
                                &JwtRule::issuer,
                                "Who makes them.",                                       {.required = true,
                                 .min_length = 1,
                                 .max_length = 2'048,
                                 .example = "https://id.example.com"}                                    },
                               {"jwksUri",
                                &JwtRule::jwks_uri,
                                "Where its keys are; found by the issuer if not given.", {.max_length = 2'048}                                             },
                               {"audiences",
                                &JwtRule::audiences,
                                "For whom they must be made.",                           {.max_items = 32, .items = {{.min_length = 1, .max_length = 253}}}},
  });
}

types::Table Istio::table() {
  return describe<Istio>("The node in an Istio mesh.",
                         {
                             {"mtlsMode", &Istio::mtls_mode,
                              "Whether plain text is refused; never on the peer port, whose "
                              "callers are no part of the mesh."},
                             {"timeoutSecs",
                              &Istio::timeout_secs,
                              "How long a request may take, in seconds.", {.maximum = 3'600, .rules = {positive(advice::kTimeout)}}},
                             {"circuitBreaker", &Istio::circuit_breaker,
                              "When a pod that answers with errors is left alone."},
                             {"retries", &Istio::retries, "Which requests are sent again."},
                             {"jwtRules",
                              &Istio::jwt_rules,
                              "Whose tokens are believed: a request with a bad one is refused, "
                              "one without any is not.", {.max_items = 16}},
  });
}

types::Table Linkerd::table() {
  return describe<Linkerd>(
      "The node in a Linkerd mesh.",
      {
          {"autoMtls",
           &Linkerd::auto_mtls,
           "Always true: Linkerd encrypts between meshed pods.", {.rules = {{.rule = "self", .message = advice::kLinkerdEncrypts.text()}}}},
          {"policyMode", &Linkerd::policy_mode,
           "Who may connect: everybody, only meshed clients, or everybody with a log entry."},
  });
}

types::Table ServiceMesh::table() {
  return describe<ServiceMesh>(
      "How the node takes part in a service mesh.",
      {
          {"sidecarInjection", &ServiceMesh::sidecar_injection,
           "Whether pods get the mesh's proxy."                                     },
          {"istio",            &ServiceMesh::istio,             "In an Istio mesh." },
          {"linkerd",          &ServiceMesh::linkerd,           "In a Linkerd mesh."},
  },
      {{.rule = "!(has(self.istio) && has(self.linkerd))", .message = advice::kOneMesh.text()}});
}

}  // namespace fixpoint::operators::stellar
