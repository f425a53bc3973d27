// SPDX-License-Identifier: Apache-2.0
//
// For this layer's tests: pods from JSON, moments, and API objects by hand.
#pragma once

#include "base/rfc3339.h"
#include "json/parsed_for_tests.h"
#include "node/pod/facts.h"
#include "node/pod/plan.h"
#include "node/pod/sources.h"

#include <map>
#include <string>
#include <string_view>

namespace fixpoint::node {

using json::parsed;

// Metadata of a pod `p` in the namespace `ns`, and this spec.
inline json::Value pod_with(std::string_view spec, std::string_view status = "{}") {
  return parsed(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"ns",)"
                R"("uid":"u-1","generation":1,"labels":{"app":"web","tier":"a"}},"spec":)" +
                std::string{spec} + R"(,"status":)" + std::string{status} + "}");
}

inline Instant at(int seconds) {
  static const Instant kBegin = *parse_rfc3339("2026-01-01T00:00:00Z");
  return kBegin + std::chrono::seconds(seconds);
}

inline PodFacts prepared(std::string_view spec, std::string_view status = "{}") {
  PodFacts facts = new_facts(pod_with(spec, status));
  facts.prepared = true;
  facts.ip = "127.1.0.1";
  facts.host_ip = "127.0.0.1";
  facts.acknowledged = at(0);
  return facts;
}

inline void runs(ContainerFacts& container, int since) {
  container.state = State::Running;
  container.id = "fixpoint://" + container.name;
  container.started_at = at(since);
  container.startup_passed = true;
  container.ready = true;
  container.exit.reset();
}

inline void ends(ContainerFacts& container, int code, int when) {
  container.state = State::Exited;
  container.ready = false;
  container.startup_passed = false;
  container.exit = Exit{.code = code,
                        .reason = code == 0 ? "Completed" : "Error",
                        .message = {},
                        .started = container.started_at,
                        .finished = at(when),
                        .id = container.id};
}

class FakeSources final : public Sources {
 public:
  void put(std::string_view text) {
    auto object = parsed(text);
    const std::string key = std::string{object.get("kind").as_string()} + "/" +
                            std::string{object.get("metadata", "name").as_string()};
    objects_[key] = std::move(object);
  }
  json::View config_map(const kube::Key& key) const override { return find("ConfigMap", key.name); }
  json::View secret(const kube::Key& key) const override { return find("Secret", key.name); }
  json::View claim(const kube::Key& key) const override {
    return find("PersistentVolumeClaim", key.name);
  }
  json::View persistent_volume(std::string_view name) const override {
    return find("PersistentVolume", name);
  }
  void each_service(std::string_view ns,
                    const std::function<void(json::View)>& visit) const override {
    for (const auto& [key, object] : objects_) {
      if (!key.starts_with("Service/")) continue;
      if (object.get("metadata", "namespace").as_string() == ns) visit(object);
    }
  }

 private:
  json::View find(std::string_view kind, std::string_view name) const {
    const auto found = objects_.find(std::string{kind} + "/" + std::string{name});
    return found == objects_.end() ? json::View{} : found->second.view();
  }
  std::map<std::string, json::Value> objects_;
};

}  // namespace fixpoint::node
