// SPDX-License-Identifier: Apache-2.0
//
// greeting: a whole operator. A Greeting becomes a ConfigMap with a page and a Deployment that
// serves it; both go with it. docs/tutorial.md explains it piece by piece.
#include "runtime/typed.h"

namespace greeting {

using namespace fixpoint;
using namespace fixpoint::runtime;

struct Spec {
  std::string message;
  std::int32_t replicas = 1;
  std::string image = "busybox:1.36";

  static types::Table table() {
    return types::describe<Spec>(
        "What is said, and by how many.",
        {
            {"message", &Spec::message, "What it says.", {.required = true, .max_length = 99}},
            {"replicas", &Spec::replicas, "How many pods serve it.", {.minimum = 0, .maximum = 10}},
            {"image", &Spec::image, "The image that serves it.", {.min_length = 1}},
        });
  }
};

struct Status {
  std::string phase;
  std::int32_t ready_replicas = 0;

  static types::Table table() {
    return types::describe<Status>(
        "What is so.",
        {
            {"phase", &Status::phase, "Progressing, Ready or Failed."},
            {"readyReplicas", &Status::ready_replicas, "How many pods serve it now."},
        });
  }
};

struct Greeter {
  using Spec = greeting::Spec;
  using Status = greeting::Status;
  using Facts = std::int32_t;  // how many pods are ready

  static types::Kind kind() {
    return {.group = "example.fixpoint.dev",
            .name = "Greeting",
            .plural = "greetings",
            .doc = "A page that says something.",
            .short_names = {"hi"},
            .versions = {{.spec = &types::table_of<Spec>(), .status = &types::table_of<Status>()}}};
  }

  static Declaration declare() {
    return {.name = "greeting",
            .watches = {reconciles(kind()), owns("v1", "ConfigMap"), owns("apps/v1", "Deployment")},
            .finalizer = "example.fixpoint.dev/cleanup"};
  }

  Result<Facts> observe(const Primary<Spec>& hi, const Reader& reader, Probes&) const {
    const auto deployment = reader.get({"apps", "v1", "Deployment"}, hi.key);
    return static_cast<Facts>(deployment.get("status", "readyReplicas").as_int());
  }

  Plan decide(const Primary<Spec>& hi, Facts, Instant) const {
    const auto labels = object({{"greeting", hi.key.name}});
    const auto data = object({{"index.html", hi.spec.message}});
    const auto page = object({{"name", "page"}, {"configMap", object({{"name", hi.key.name}})}});
    const auto mount = object({{"name", "page"}, {"mountPath", "/page"}});
    const auto server = object({{"name", "server"},
                                {"image", hi.spec.image},
                                {"args", list({"httpd", "-f", "-p", "8080", "-h", "/page"})},
                                {"volumeMounts", list({mount})}});
    const auto pod = object({{"containers", list({server})}, {"volumes", list({page})}});
    const auto spec =
        object({{"replicas", hi.spec.replicas},
                {"selector", object({{"matchLabels", labels}})},
                {"template", object({{"metadata", object({{"labels", labels}})}, {"spec", pod}})}});
    return Plan{}
        .apply(child(hi.key, "v1", "ConfigMap", {{"data", data}}))
        .apply(child(hi.key, "apps/v1", "Deployment", {{"spec", spec}}));
  }

  Verdict<Status> conclude(const Primary<Spec>& hi, Facts running, const Outcomes& done) const {
    const bool waiting = running < hi.spec.replicas;
    const auto* phase = done.problem() ? "Failed" : waiting ? "Progressing" : "Ready";
    return {{phase, running}, {ready(done, waiting ? "waiting for pods" : "")}};
  }
};

OperatorEntry entry() {
  return entry_of<Greeter>("greeting", "A page that says something (an example)");
}

}  // namespace greeting
