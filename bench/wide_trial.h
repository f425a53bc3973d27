// SPDX-License-Identifier: Apache-2.0
//
// A Shop of ten objects of ten kinds: what an operator of the usual size is to the verifier. The
// example has two children, and what is shared between states matters little there.
#pragma once

#include "kube/meta/metadata.h"
#include "runtime/typed.h"
#include "types/kind.h"
#include "verify/world/scenario.h"

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace fixpoint::bench {

struct ShopSpec {
  std::string sign;

  static types::Table table() {
    return types::describe<ShopSpec>("What is sold.", {
                                                          {"sign", &ShopSpec::sign, "Says what."}
    });
  }
};

struct ShopStatus {
  std::string phase;

  static types::Table table() {
    return types::describe<ShopStatus>("What is so.",
                                       {
                                           {"phase", &ShopStatus::phase, "Open or Closed."}
    });
  }
};

struct Keeper {
  using Spec = ShopSpec;
  using Status = ShopStatus;
  using Facts = std::size_t;  // how many of the children there are

  static constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kChildren{
      {{"v1", "ConfigMap"},
       {"v1", "Secret"},
       {"v1", "ServiceAccount"},
       {"v1", "Service"},
       {"apps/v1", "Deployment"},
       {"apps/v1", "StatefulSet"},
       {"policy/v1", "PodDisruptionBudget"},
       {"networking.k8s.io/v1", "NetworkPolicy"},
       {"rbac.authorization.k8s.io/v1", "Role"},
       {"rbac.authorization.k8s.io/v1", "RoleBinding"}}
  };

  static types::Kind kind() {
    return {.group = "bench.fixpoint.dev",
            .name = "Shop",
            .plural = "shops",
            .doc = "A shop.",
            .short_names = {},
            .versions = {{.spec = &types::table_of<Spec>(), .status = &types::table_of<Status>()}}};
  }

  static runtime::Declaration declare() {
    runtime::Declaration made{.name = "shop",
                              .watches = {runtime::reconciles(kind())},
                              .finalizer = "bench.fixpoint.dev/cleanup"};
    for (const auto& [version, name] : kChildren)
      made.watches.push_back(runtime::owns(version, name));
    return made;
  }

  Result<Facts> observe(const runtime::Primary<Spec>& shop, const runtime::Reader& reader,
                        runtime::Probes&) const {
    Facts there = 0;
    for (const auto& [version, name] : kChildren) {
      const auto parsed = kube::parse_group_version(version);
      there += reader.get({parsed->group, parsed->version, std::string{name}}, shop.key).is_null()
                   ? 0
                   : 1;
    }
    return there;
  }

  static json::Draft pods(const runtime::Primary<Spec>& shop) {
    using namespace runtime;
    const auto labels = object({
        {"shop", shop.key.name}
    });
    const auto container = object({
        {"name",  "shop"                                                       },
        {"image", "busybox:1.36"                                               },
        {"args",  list({"httpd", "-f", "-p", "8080"})                          },
        {"env",   list({object({{"name", "SIGN"}, {"value", shop.spec.sign}})})}
    });
    return object({
        {"replicas", 1                                                                                  },
        {"selector", object({{"matchLabels", labels}})                                                  },
        {"template", object({{"metadata", object({{"labels", labels}})},
                             {"spec", object({{"containers", list({container})}})}})}
    });
  }

  runtime::Plan decide(const runtime::Primary<Spec>& shop, Facts, Instant) const {
    using namespace runtime;
    const auto selector = object({
        {"matchLabels", object({{"shop", shop.key.name}})}
    });
    const auto sign = object({
        {"sign", shop.spec.sign}
    });
    Plan plan;
    const auto apply = [&](std::size_t at, Members rest) {
      plan.apply(child(shop.key, kChildren[at].first, kChildren[at].second, rest));
    };
    apply(0, {
                 {"data", sign}
    });
    apply(1, {
                 {"stringData", sign}
    });
    apply(2, {
                 {"automountServiceAccountToken", false}
    });
    apply(3, {
                 {"spec",
                  object({{"clusterIP", "None"}, {"ports", list({object({{"port", 80}})})}})}
    });
    apply(4, {
                 {"spec", pods(shop)}
    });
    apply(5, {
                 {"spec", pods(shop)}
    });
    apply(6, {
                 {"spec", object({{"maxUnavailable", 1}, {"selector", selector}})}
    });
    apply(7,
          {
              {"spec", object({{"podSelector", selector}, {"policyTypes", list({"Ingress"})}})}
    });
    apply(8, {
                 {"rules", list({object({{"apiGroups", list({""})},
                                         {"resources", list({"pods"})},
                                         {"verbs", list({"get"})}})})}
    });
    apply(9, {
                 {"roleRef", object({{"apiGroup", "rbac.authorization.k8s.io"},
                                     {"kind", "Role"},
                                     {"name", shop.key.name}})}
    });
    return plan;
  }

  runtime::Verdict<Status> conclude(const runtime::Primary<Spec>&, Facts there,
                                    const runtime::Outcomes& done) const {
    const bool open = there == kChildren.size() && done.problem() == nullptr;
    return {{open ? "Open" : "Closed"}, {runtime::ready(done, open ? "" : "not all is there")}};
  }
};

inline verify::world::Trial wide_trial(std::string_view budget) {
  using namespace verify::world;
  const auto entry = runtime::entry_of<Keeper>("shop", "A shop");
  static const client::Resource shops = runtime::resource_of(runtime::kind_of<Keeper>());
  static const kube::Key key{"default", "corner"};
  auto parts = entry.make();
  Trial trial{
      .name = "shop",
      .summary = "ten children",
      .reconciler = std::shared_ptr<const runtime::Operator>(std::move(parts.front().reconciler)),
      .definitions = {types::crd(runtime::kind_of<Keeper>())}};
  Scenario life{.name = "life",
                .summary = "it is made, edited, deleted",
                .budget = Budget{}.with(budget).value()};
  life.objects = {
      "{apiVersion: bench.fixpoint.dev/v1, kind: Shop, metadata: {name: corner}, spec: {sign: "
      "tea}}"};
  const auto there = [](const Look& look) {
    const json::View shop = look.get(shops, key);
    return !shop.is_null() && !kube::being_deleted(shop);
  };
  const auto person = [&](std::string what, std::function<void(Stage&)> act) {
    life.deeds.push_back({.who = "person",
                          .what = std::move(what),
                          .price = Trouble::Edit,
                          .fair = false,
                          .act = std::move(act),
                          .possible = there});
  };
  person("sells coffee",
         [](Stage& stage) { stage.patch(shops, key, R"({"spec":{"sign":"coffee"}})"); });
  person("closes the shop", [](Stage& stage) { stage.remove(shops, key); });
  life.match = [](const Look&, json::View shop) {
    return shop.get("status", "phase").as_string() == "Open";
  };
  trial.scenarios.push_back(std::move(life));
  return trial;
}

}  // namespace fixpoint::bench
