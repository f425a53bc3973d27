// SPDX-License-Identifier: Apache-2.0
//
// How fast is JSON, and how much memory does an object take?
//
// The subject is a pod of 4.4 KB as a cluster would store it (managed fields, volumes, probes,
// conditions), built here so that nothing is read from disk. `kept` keeps 10,000 varied pods, which
// shows what the caches and the memory bus add.
#include "json/draft.h"
#include "json/parsing/parse.h"
#include "json/patch/diff.h"
#include "json/patch/merge_patch.h"
#include "json/patch/patch.h"
#include "json/print.h"
#include "json/shape/shape.h"
#include "json/yaml/yaml.h"

#include <string>
#include <vector>

#include <benchmark/benchmark.h>

namespace {

using namespace fixpoint::json;  // NOLINT: a program, not a header

Draft probe(const char* path, int delay) {
  return Draft::object({
      {"failureThreshold",    3                                                                    },
      {"httpGet",             Draft::object({{"path", path}, {"port", "http"}, {"scheme", "HTTP"}})},
      {"initialDelaySeconds", delay                                                                },
      {"periodSeconds",       10                                                                   },
      {"successThreshold",    1                                                                    },
      {"timeoutSeconds",      1                                                                    }
  });
}

Draft environment(int index) {
  const auto variable = [](const char* name, const char* field) {
    return Draft::object({
        {"name",      name                                                                                     },
        {"valueFrom", Draft::object({{"fieldRef", Draft::object({{"apiVersion", "v1"},
                                                                 {"fieldPath", field}})}})}
    });
  };
  return Draft::array({
      variable("POD_NAME", "metadata.name"), variable("POD_IP", "status.podIP"),
      Draft::object({{"name", "DATABASE_URL"},
                     {"value", "postgres://db-" + std::to_string(index) +
                                   ".storage.svc.cluster.local:5432/orders?sslmode=require"}}
      ),
      Draft::object({{"name", "LOG_LEVEL"},    {"value", "info"}                            }
      )
  });
}

Draft container(int index) {
  return Draft::object({
      {"args", Draft::array({"--listen=:8080", "--metrics=:9090", "--graceful-timeout=25s"})},
      {"env", environment(index)},
      {"image", "registry.example.com/shop/orders:v1.42." + std::to_string(index % 100)},
      {"imagePullPolicy", "IfNotPresent"},
      {"livenessProbe", probe("/healthz", 15)},
      {"name", "orders"},
      {"ports",
       Draft::array(
           {Draft::object({{"containerPort", 8080}, {"name", "http"}, {"protocol", "TCP"}}),
            Draft::object({{"containerPort", 9090}, {"name", "metrics"}, {"protocol", "TCP"}})})},
      {"readinessProbe", probe("/readyz", 5)},
      {"resources",
       Draft::object({{"limits", Draft::object({{"cpu", "2"}, {"memory", "1Gi"}})},
                      {"requests", Draft::object({{"cpu", "250m"}, {"memory", "256Mi"}})}})},
      {"securityContext",
       Draft::object({{"allowPrivilegeEscalation", false},
                      {"capabilities", Draft::object({{"drop", Draft::array({"ALL"})}})},
                      {"readOnlyRootFilesystem", true}})},
      {"terminationMessagePath", "/dev/termination-log"},
      {"terminationMessagePolicy", "File"},
      {"volumeMounts",
       Draft::array(
           {Draft::object({{"mountPath", "/etc/orders"}, {"name", "config"}, {"readOnly", true}}),
            Draft::object({{"mountPath", "/var/run/secrets/kubernetes.io/serviceaccount"},
                           {"name", "kube-api-access-x7k2p"},
                           {"readOnly", true}})})}
  });
}

Draft managed_fields() {
  return Draft::array({
      Draft::object(
          {{"apiVersion", "v1"},
                    {"fieldsType", "FieldsV1"},
                    {"fieldsV1",
            Draft::object(
                {{"f:metadata",
                  Draft::object(
                      {{"f:labels", Draft::object({{".", Draft::object()},
                                                   {"f:app", Draft::object()},
                                                   {"f:pod-template-hash", Draft::object()}})},
                       {"f:ownerReferences", Draft::object({{".", Draft::object()}})}})},
                 {"f:spec",
                  Draft::object(
                      {{"f:containers",
                        Draft::object({{"k:{\"name\":\"orders\"}",
                                        Draft::object({{".", Draft::object()},
                                                       {"f:image", Draft::object()},
                                                       {"f:name", Draft::object()},
                                                       {"f:resources", Draft::object()}})}})},
                       {"f:restartPolicy", Draft::object()}})}})},
                    {"manager", "kube-controller-manager"},
                    {"operation", "Update"},
                    {"time", "2026-03-14T09:26:53Z"}}
          )
  });
}

Draft metadata(int index) {
  const auto number = std::to_string(100000 + index);
  return Draft::object({
      {"annotations",
       Draft::object({{"checksum/config", "5f2b9323c39ee3c861a7b382d205c3d3b4d8f0a1c9e7" + number},
                      {"prometheus.io/scrape", "true"}})                               },
      {"creationTimestamp", "2026-03-14T09:26:53Z"                                     },
      {"generateName",      "orders-7c9d8b5f6d-"                                       },
      {"generation",        1                                                          },
      {"labels",            Draft::object({{"app", "orders"},
                                {"app.kubernetes.io/managed-by", "Helm"},
                                {"app.kubernetes.io/name", "orders"},
                                {"pod-template-hash", "7c9d8b5f6d"}})  },
      {"managedFields",     managed_fields()                                           },
      {"name",              "orders-7c9d8b5f6d-" + number                              },
      {"namespace",         "shop"                                                     },
      {"ownerReferences",
       Draft::array({Draft::object({{"apiVersion", "apps/v1"},
                                    {"blockOwnerDeletion", true},
                                    {"controller", true},
                                    {"kind", "ReplicaSet"},
                                    {"name", "orders-7c9d8b5f6d"},
                                    {"uid", "8d1c2b34-5e6f-4a7b-8c9d-0e1f2a3b4c5d"}})})},
      {"resourceVersion",   number                                                     },
      {"uid",               "0f1e2d3c-4b5a-4968-8776-655443" + number                  }
  });
}

Draft volumes() {
  return Draft::array({
      Draft::object({{"configMap", Draft::object({{"defaultMode", 420}, {"name", "orders"}})},
                     {"name", "config"}                                                 }
      ),
      Draft::object(
          {{"name", "kube-api-access-x7k2p"},
                     {"projected",
            Draft::object({{"defaultMode", 420},
                           {"sources", Draft::array({Draft::object(
                                           {{"serviceAccountToken",
                                             Draft::object({{"expirationSeconds", 3607},
                                                            {"path", "token"}})}})})}})}}
      )
  });
}

Draft tolerations() {
  auto all = Draft::array();
  for (const char* key : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    all.push_back(Draft::object({
        {"effect",            "NoExecute"},
        {"key",               key        },
        {"operator",          "Exists"   },
        {"tolerationSeconds", 300        }
    }));
  }
  return all;
}

Draft status() {
  auto conditions = Draft::array();
  for (const char* type :
       {"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady"}) {
    conditions.push_back(Draft::object({
        {"lastProbeTime",      Draft{}               },
        {"lastTransitionTime", "2026-03-14T09:26:55Z"},
        {"observedGeneration", 1                     },
        {"status",             "True"                },
        {"type",               type                  }
    }));
  }
  return Draft::object({
      {"conditions",        conditions                                                            },
      {"containerStatuses",
       Draft::array({Draft::object(
           {{"containerID", "containerd://3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca4959"},
            {"image", "registry.example.com/shop/orders:v1.42.7"},
            {"lastState", Draft::object()},
            {"name", "orders"},
            {"ready", true},
            {"restartCount", 0},
            {"started", true},
            {"state", Draft::object({{"running", Draft::object({{"startedAt",
                                                                 "2026-03-14T09:26:54Z"}})}})}})})},
      {"hostIP",            "10.0.3.17"                                                           },
      {"phase",             "Running"                                                             },
      {"podIP",             "10.244.3.21"                                                         },
      {"qosClass",          "Burstable"                                                           },
      {"startTime",         "2026-03-14T09:26:53Z"                                                }
  });
}

Value make_pod(int index) {
  return Draft::object({
                           {"apiVersion", "v1"                                                                },
                           {"kind",       "Pod"                                                               },
                           {"metadata",   metadata(index)                                                     },
                           {"spec",       Draft::object({{"containers", Draft::array({container(index)})},
                                                   {"dnsPolicy", "ClusterFirst"},
                                                   {"enableServiceLinks", true},
                                                   {"nodeName", "worker-3"},
                                                   {"preemptionPolicy", "PreemptLowerPriority"},
                                                   {"priority", 0},
                                                   {"restartPolicy", "Always"},
                                                   {"schedulerName", "default-scheduler"},
                                                   {"serviceAccountName", "orders"},
                                                   {"terminationGracePeriodSeconds", 30},
                                                   {"tolerations", tolerations()},
                                                   {"volumes", volumes()}})},
                           {"status",     status()                                                            }
  })
      .freeze();
}

void count_bytes(benchmark::State& state, std::size_t bytes) {
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) *
                          static_cast<std::int64_t>(state.iterations()));
  state.counters["text_bytes"] = static_cast<double>(bytes);
}

void parse_pod(benchmark::State& state) {
  const auto pod = make_pod(7);
  const auto text = to_text(pod);
  for (auto _ : state) benchmark::DoNotOptimize(parse(text));
  count_bytes(state, text.size());
}
BENCHMARK(parse_pod);

// What a cache that needs only labels and phase pays.
void parse_shaped_pod(benchmark::State& state) {
  const auto pod = make_pod(7);
  const auto text = to_text(pod);
  const auto shape = Shape::only({
      {"metadata", "labels"},
      {"status",   "phase" }
  });
  for (auto _ : state) benchmark::DoNotOptimize(parse_shaped(text, &shape));
  count_bytes(state, text.size());
}
BENCHMARK(parse_shaped_pod);

// A page as the client reads it: 500 pods, managed fields dropped, a block for each.
void parse_list_of_500_pods(benchmark::State& state) {
  std::string text = "{\"items\":[";
  for (int i = 0; i < 500; ++i) {
    const auto pod = make_pod(i);
    text += (i == 0 ? "" : ",") + to_text(pod);
  }
  text += "]}";
  const auto shape = Shape::all().without({"metadata", "managedFields"});
  for (auto _ : state) benchmark::DoNotOptimize(parse_list(text, "items", &shape));
  count_bytes(state, text.size());
}
BENCHMARK(parse_list_of_500_pods);

// As a Go client sends it: members in the order of its structs, not sorted.
void parse_unsorted_pod(benchmark::State& state) {
  const auto pod = make_pod(7);
  std::string text = "{\"kind\":\"Pod\",\"apiVersion\":\"v1\"";
  for (const char* part : {"metadata", "spec", "status"}) {
    text += std::string{",\""} + part + "\":{";
    std::vector<std::string> members;
    for (const auto [key, value] : pod.get(part).members()) {
      members.push_back("\"" + std::string{key} + "\":" + to_text(value));
    }
    for (auto at = members.rbegin(); at != members.rend(); ++at) {
      text += (at == members.rbegin() ? "" : ",") + *at;
    }
    text += "}";
  }
  text += "}";
  for (auto _ : state) benchmark::DoNotOptimize(parse(text));
  count_bytes(state, text.size());
}
BENCHMARK(parse_unsorted_pod);

void print_pod(benchmark::State& state) {
  const auto pod = make_pod(7);
  std::string text;
  for (auto _ : state) {
    text.clear();
    print(pod, text);
    benchmark::DoNotOptimize(text.data());
  }
  count_bytes(state, text.size());
}
BENCHMARK(print_pod);

void parse_yaml_pod(benchmark::State& state) {
  const auto pod = make_pod(7);
  const auto text = to_yaml(pod);
  for (auto _ : state) benchmark::DoNotOptimize(parse_yaml(text));
  count_bytes(state, text.size());
}
BENCHMARK(parse_yaml_pod);

void freeze_with_one_edit(benchmark::State& state) {
  const auto pod = make_pod(7);
  int round = 0;
  for (auto _ : state) {
    Draft draft{pod};
    draft["metadata"]["resourceVersion"] = std::to_string(++round);
    benchmark::DoNotOptimize(draft.freeze());
  }
}
BENCHMARK(freeze_with_one_edit);

void equal_pods(benchmark::State& state) {
  const auto pod = make_pod(7);
  const auto other = make_pod(7);
  for (auto _ : state) benchmark::DoNotOptimize(pod == other);
}
BENCHMARK(equal_pods);

void same_pod_is_equal(benchmark::State& state) {
  const auto pod = make_pod(7);
  const auto other = pod;
  for (auto _ : state) benchmark::DoNotOptimize(pod == other);
}
BENCHMARK(same_pod_is_equal);

void hash_pod(benchmark::State& state) {
  const auto pod = make_pod(7);
  for (auto _ : state) benchmark::DoNotOptimize(pod.hash());
}
BENCHMARK(hash_pod);

void get_along_a_path(benchmark::State& state) {
  const auto pod = make_pod(7);
  for (auto _ : state) benchmark::DoNotOptimize(pod.get("metadata", "labels", "app").as_string());
}
BENCHMARK(get_along_a_path);

void merge_patch_pod(benchmark::State& state) {
  const auto pod = make_pod(7);
  const auto patch = *parse(R"({"metadata":{"labels":{"tier":"front"}},"spec":{"priority":1}})");
  for (auto _ : state) benchmark::DoNotOptimize(apply_merge_patch(pod, patch));
}
BENCHMARK(merge_patch_pod);

void parse_and_keep_10k_pods(benchmark::State& state) {
  constexpr int kPods = 10'000;
  std::vector<std::string> texts;
  std::size_t text_bytes = 0;
  for (int i = 0; i < kPods; ++i) {
    const auto pod = make_pod(i);
    texts.push_back(to_text(pod));
    text_bytes += texts.back().size();
  }
  std::size_t block_bytes = 0;
  for (auto _ : state) {
    std::vector<Value> kept;
    kept.reserve(texts.size());
    for (const auto& text : texts) kept.push_back(*parse(text));
    block_bytes = 0;
    for (const auto& value : kept) block_bytes += value.block_bytes();
  }
  count_bytes(state, text_bytes);
  state.counters["bytes_per_pod"] = static_cast<double>(block_bytes) / kPods;
  state.counters["memory_per_text"] =
      static_cast<double>(block_bytes) / static_cast<double>(text_bytes);
}
BENCHMARK(parse_and_keep_10k_pods)->Unit(benchmark::kMillisecond);

}  // namespace
