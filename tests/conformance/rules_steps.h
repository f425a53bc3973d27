// SPDX-License-Identifier: Apache-2.0
//
// The kinds that the rules speak of, and requests with bodies given as text.
#pragma once

#include "tests/conformance/rules.h"

#include <string>
#include <string_view>

namespace fixpoint::conformance {

// "boats" has a schema, defaults and the status subresource; "rafts" has no subresource.
inline constexpr std::string_view kRulesGroup = "rules.example.com";

inline constexpr Sort kConfigMaps{.group_version = "v1",
                                  .kind = "ConfigMap",
                                  .resource = "configmaps",
                                  .namespaced = true,
                                  .body = {},
                                  .change = {}};
inline constexpr Sort kSecrets{.group_version = "v1",
                               .kind = "Secret",
                               .resource = "secrets",
                               .namespaced = true,
                               .body = {},
                               .change = {}};
inline constexpr Sort kNamespaces{.group_version = "v1",
                                  .kind = "Namespace",
                                  .resource = "namespaces",
                                  .namespaced = false,
                                  .body = {},
                                  .change = {}};
inline constexpr Sort kQuotas{.group_version = "v1",
                              .kind = "ResourceQuota",
                              .resource = "resourcequotas",
                              .namespaced = true,
                              .body = {},
                              .change = {}};
inline constexpr Sort kServices{.group_version = "v1",
                                .kind = "Service",
                                .resource = "services",
                                .namespaced = true,
                                .body = R"({"spec":{"ports":[{"port":80}]}})",
                                .change = {}};
inline constexpr Sort kPods{.group_version = "v1",
                            .kind = "Pod",
                            .resource = "pods",
                            .namespaced = true,
                            .body = R"({"spec":{"containers":[{"name":"c","image":"i"}]}})",
                            .change = {}};
inline constexpr Sort kClaims{
    .group_version = "v1",
    .kind = "PersistentVolumeClaim",
    .resource = "persistentvolumeclaims",
    .namespaced = true,
    .body =
        R"({"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}})",
    .change = {}};
inline constexpr Sort kVolumes{
    .group_version = "v1",
    .kind = "PersistentVolume",
    .resource = "persistentvolumes",
    .namespaced = false,
    .body =
        R"({"spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},"hostPath":{"path":"/x"}}})",
    .change = {}};
inline constexpr Sort kDeployments{
    .group_version = "apps/v1",
    .kind = "Deployment",
    .resource = "deployments",
    .namespaced = true,
    .body =
        R"({"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})",
    .change = {}};
inline constexpr Sort kStatefulSets{
    .group_version = "apps/v1",
    .kind = "StatefulSet",
    .resource = "statefulsets",
    .namespaced = true,
    .body =
        R"({"spec":{"serviceName":"s","selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})",
    .change = {}};
inline constexpr Sort kJobs{
    .group_version = "batch/v1",
    .kind = "Job",
    .resource = "jobs",
    .namespaced = true,
    .body =
        R"({"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}})",
    .change = {}};
inline constexpr Sort kBoats{.group_version = "rules.example.com/v1",
                             .kind = "Boat",
                             .resource = "boats",
                             .namespaced = true,
                             .body = R"({"spec":{"crew":3}})",
                             .change = {}};
inline constexpr Sort kRafts{.group_version = "rules.example.com/v1",
                             .kind = "Raft",
                             .resource = "rafts",
                             .namespaced = true,
                             .body = R"({"spec":{"logs":3}})",
                             .change = {}};
inline constexpr Sort kDefinitions{.group_version = "apiextensions.k8s.io/v1",
                                   .kind = "CustomResourceDefinition",
                                   .resource = "customresourcedefinitions",
                                   .namespaced = false,
                                   .body = {},
                                   .change = {}};

// The sort's body with `rest` (a JSON object) merged in.
json::Value body_with(const Sort& sort, std::string_view name, std::string_view rest);
// POST of it, PUT of it as it stands (no resourceVersion), and apply of it.
Step make(const Sort& sort, std::string_view name, std::string_view rest = "{}");
Step put(const Sort& sort, std::string_view name, std::string_view rest = "{}");
Step applied(const Sort& sort, std::string_view name, std::string_view rest,
             std::string_view manager, bool force = false);
// Apply of exactly this body but for apiVersion, kind and name.
Step applied_only(const Sort& sort, std::string_view name, std::string_view rest,
                  std::string_view manager, bool force = false);
// Any other request.
Step send(std::string method, std::string path, std::string body = {}, std::string query = {});
// The same, and a real server gets a moment before the next step.
Step then_settle(Step step);

// A sequence of these steps; its area and seed are filled in by rules().
Sequence steps(std::vector<Step> all);
// The same, of a kind whose events are not compared or cannot be.
Sequence unwatched(Sequence sequence);
Sequence over_http(Sequence sequence);

}  // namespace fixpoint::conformance
