// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/area.h"

#include <array>

namespace fixpoint::conformance {
namespace {

constexpr std::array kAreas{
    Area{"metadata",   "the metadata rules of every kind",                           make_metadata,   20},
    Area{"body",       "mutated bodies, field validation, dry run",                  make_body,       15},
    Area{"config",     "ConfigMap, Secret, ServiceAccount, Lease, Event, Namespace", make_config,     10},
    Area{"custom",     "custom resources against a schema with every keyword",       make_custom,     12},
    Area{"definition", "CustomResourceDefinitions themselves",                       make_definition, 1 },
    Area{"apply",      "server-side apply with up to three managers",                make_apply,      12},
    Area{"patch",      "JSON, merge and strategic patches, good and bad",            make_patch,      10},
    Area{"read",       "lists, pages, selectors, watches at every resourceVersion",  make_read,       10},
    Area{"workload",   "pods and what makes pods, in breadth",                       make_workload,   10},
    Area{"network",    "services, routing, budgets, autoscalers, storage",           make_network,    10},
    Area{"access",     "roles, decisions, impersonation, reviews, tokens",           make_access,     8 },
    Area{"limit",      "quotas, limit ranges, namespace termination",                make_limit,      5 },
};

}  // namespace

std::span<const Area> areas() {
  return kAreas;
}

}  // namespace fixpoint::conformance
