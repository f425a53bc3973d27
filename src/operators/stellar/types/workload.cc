// SPDX-License-Identifier: Apache-2.0
#include "operators/stellar/types/workload.h"

#include "operators/stellar/types/advice.h"
#include "operators/stellar/types/texts.h"

namespace fixpoint::operators::stellar {

using types::describe;
using types::Limits;

namespace {

constexpr std::size_t kAnnotationsMax = 64;
constexpr double kSecondsMax = 86'400;

Limits optional_name() {
  return {.max_length = kNameLengthMax};
}
// Kubernetes counts several good answers of a readiness probe only.
Limits one_good_answer() {
  return {.rules = {{.rule = "!has(self.successThreshold) || self.successThreshold == 1",
                     .message = advice::kOneGoodAnswer.text(),
                     .field_path = ".successThreshold"}}};
}
Limits made_required(Limits limits) {
  limits.required = true;
  return limits;
}
Limits count_from(double minimum, double maximum) {
  return {.minimum = minimum, .maximum = maximum};
}
Limits handed_on() {
  return {.holds = types::Holds::Object};
}

std::vector<types::Rule> snapshot_rules() {
  const std::string snapshot = "(has(self.volumeSnapshotName) && self.volumeSnapshotName != '')";
  const std::string backup = "(has(self.backupUrl) && self.backupUrl != '')";
  const auto of_backup = [&](const std::string& field) -> types::Rule {
    return {.rule = backup + " || !has(self." + field + ") || self." + field + " == ''",
            .message = advice::kOfBackup.text(),
            .field_path = "." + field,
            .reason = "FieldValueForbidden"};
  };
  return {
      {.rule = snapshot + " != " + backup, .message = advice::kSnapshotSource.text()},
      {.rule = "!has(self.volumeSnapshotNamespace)",
       .message = advice::kOwnNamespaceOnly.text(),
       .field_path = ".volumeSnapshotNamespace",
       .reason = "FieldValueForbidden"},
      {.rule = "!" + backup + " || self.backupUrl.contains('://')",
       .message = advice::kBackupUrl.text(),
       .field_path = ".backupUrl"},
      {.rule = "!" + backup + " || (has(self.restoreImage) && self.restoreImage != '')",
       .message = advice::kRestoreImage.text(),
       .field_path = ".restoreImage"},
      of_backup("credentialsSecretRef"),
      of_backup("restoreImage"),
  };
}

// Both given, both quantities, and the first the larger one.
types::Rule within_limit(const std::string& what) {
  const std::string request = "self.requests." + what;
  const std::string limit = "self.limits." + what;
  return {.rule = "!has(self.requests) || !has(self.limits) || !has(" + request + ") || !has(" +
                  limit + ") || !isQuantity(string(" + request + ")) || !isQuantity(string(" +
                  limit + ")) || quantity(string(" + request + ")).compareTo(quantity(string(" +
                  limit + "))) <= 0",
          .message = advice::kAboveLimit.text(),
          .field_path = ".requests." + what};
}

}  // namespace

std::span<const std::string_view> enum_names(StorageMode) {
  static constexpr std::string_view kNames[]{"PersistentVolume", "Local"};
  return kNames;
}
std::span<const std::string_view> enum_names(RetentionPolicy) {
  static constexpr std::string_view kNames[]{"Delete", "Retain"};
  return kNames;
}
std::span<const std::string_view> enum_names(AntiAffinity) {
  static constexpr std::string_view kNames[]{"Hard", "Soft", "Disabled"};
  return kNames;
}

types::Table ResourceAmounts::table() {
  return describe<ResourceAmounts>(
      "Amounts of what a container uses.",
      {
          {"cpu",    &ResourceAmounts::cpu,    "Processors, as 500m.", {.at_least = "0"}},
          {"memory", &ResourceAmounts::memory, "Memory, as 4Gi.",      {.at_least = "0"}},
  });
}

types::Table Resources::table() {
  return describe<Resources>(
      "What the main container uses. What is not given is what the type of node usually needs.",
      {
          {"requests", &Resources::requests, "What is kept free for it."},
          {"limits",   &Resources::limits,   "What it may use at most." },
  },
      {within_limit("cpu"), within_limit("memory")});
}

types::Table SnapshotReference::table() {
  return describe<SnapshotReference>(
      "What a new volume starts from.",
      {
          {"volumeSnapshotName",      &SnapshotReference::volume_snapshot_name,
           "A VolumeSnapshot of the same namespace.",                                                                       optional_name()      },
          {"volumeSnapshotNamespace", &SnapshotReference::volume_snapshot_namespace,
           "Not possible here.",                                                                                            optional_name()      },
          {"backupUrl",
           &SnapshotReference::backup_url,
           "A backup, instead: an init container of restoreImage gets it as BACKUP_URL, and fills "
           "DATA_DIRECTORY when that is empty.",                                                                            {.max_length = 2'048}},
          {"credentialsSecretRef",    &SnapshotReference::credentials_secret_ref,
           "The Secret to read the backup with: each of its entries is a variable of that "
           "container.",                                                                                                    optional_name()      },
          {"restoreImage",            &SnapshotReference::restore_image,             "The image that restores the backup.",
           optional_name()                                                                                                                       },
  },
      snapshot_rules());
}

types::Table Storage::table() {
  return describe<Storage>(
      "The volume with the node's data.",
      {
          {"storageClass", &Storage::storage_class,
           "Its class; the cluster's default if not given, or empty.", an_object_or_none("standard")},
          {"size",
           &Storage::size,
           "How much; 1500Gi with historyMode Full, else 100Gi, if not given. It can only grow.", {.at_least = "1Mi",
            .rules = {{.rule = "quantity(string(self)).compareTo(quantity(string(oldSelf))) >= 0",
                       .message = advice::kSizeShrinks.text()}}}},
          {"mode", &Storage::mode, "Whether the data is tied to one node of the cluster."},
          {"retentionPolicy", &Storage::retention_policy,
           "What becomes of the volume when the StellarNode is deleted."},
          {"annotations",
           &Storage::annotations,
           "Annotations of the claim.", {.max_items = kAnnotationsMax}},
          {"nodeAffinity", &Storage::node_affinity, "With mode Local: which node of the cluster.",
           handed_on()},
          {"snapshotRef", &Storage::snapshot_ref, "What the volume starts from."},
  },
      {{.rule = "self.mode != 'Local' || has(self.nodeAffinity) || "
                "(has(self.storageClass) && self.storageClass != '')",
        .message = advice::kLocalStorage.text(),
        .field_path = ".storageClass"}});
}

types::Table Database::table() {
  return describe<Database>("A PostgreSQL database, instead of the file on the volume.",
                            {
                                {"host",
                                 &Database::host,
                                 "Where it is.", {.required = true, .min_length = 1, .max_length = kNameLengthMax}},
                                {"port", &Database::port, "On which port.", count_from(1, 65'535)},
                                {"database",
                                 &Database::database,
                                 "The name of the database.", {.required = true, .min_length = 1, .max_length = 63}},
                                {"user", &Database::user, "Who connects.", {.max_length = 63}},
                                {"passwordSecret", &Database::password_secret,
                                 "The Secret whose entry password is the user's.", optional_name()},
                                {"secretKeyRef", &Database::secret_key_ref,
                                 "The entry of a Secret that is the user's password."},
  },
                            {{.rule = "!has(self.secretKeyRef) || !has(self.passwordSecret) || "
                                      "self.passwordSecret == ''",
                              .message = advice::kOnePassword.text(),
                              .field_path = ".secretKeyRef",
                              .reason = "FieldValueForbidden"}});
}

types::Table Autoscaling::table() {
  return describe<Autoscaling>(
      "Lets the number of pods follow the load.",
      {
          {"minReplicas", &Autoscaling::min_replicas, "Never fewer pods than this.",
           count_from(1, 1'000)},
          {"maxReplicas",
           &Autoscaling::max_replicas,
           "Never more pods than this.", {.required = true, .minimum = 1, .maximum = 1'000, .example = "5"}},
          {"targetCpuUtilizationPercentage", &Autoscaling::target_cpu_utilization_percentage,
           "Of what is requested; 80 if no target is given.", count_from(1, 1'000)},
          {"targetMemoryUtilizationPercentage", &Autoscaling::target_memory_utilization_percentage,
           "Of what is requested.", count_from(1, 1'000)},
          {"customMetrics",
           &Autoscaling::custom_metrics,
           "More metrics, as autoscaling/v2 writes them.", {.max_items = 16, .items = {handed_on()}}},
          {"behavior", &Autoscaling::behavior, "As autoscaling/v2 writes it.", handed_on()},
  },
      {{.rule = "self.maxReplicas >= self.minReplicas",
        .message = advice::kReplicaRange.text(),
        .field_path = ".maxReplicas"}});
}

types::Table IngressPath::table() {
  return describe<IngressPath>("A path that is served.",
                               {
                                   {"path",
                                    &IngressPath::path,
                                    "What requests must ask for, as /.", {.max_length = 1'024,
                                     .pattern = "^/",
                                     .pattern_advice = advice::kPath.text(),
                                     .example = "/"}},
                                   {"pathType",
                                    &IngressPath::path_type,
                                    "How it is compared.",               {.one_of = {"Prefix", "Exact"}}                    },
  });
}

types::Table IngressHost::table() {
  return describe<IngressHost>(
      "A name under which the node is reached.",
      {
          {"host",  &IngressHost::host,  "What requests call it.",
           made_required(a_host("horizon.example.com"))                                             },
          {"paths", &IngressHost::paths, "What is served.",        {.min_items = 1, .max_items = 32}},
  });
}

types::Table ExternalDns::table() {
  return describe<ExternalDns>(
      "A name in the public DNS, where ExternalDNS runs.",
      {
          {"hostname",
           &ExternalDns::hostname,
           "The name to publish.", {.required = true, .min_length = 1, .max_length = kNameLengthMax}},
          {"ttl", &ExternalDns::ttl, "How long it may be remembered, in seconds.",
           count_from(1, kSecondsMax)},
  });
}

types::Table RateLimit::table() {
  return describe<RateLimit>("How much one client may ask, where ingress-nginx serves.",
                             {
                                 {"requestsPerSecond", &RateLimit::requests_per_second,
                                  "Requests in a second.",          count_from(1, 1'000'000)},
                                 {"requestsPerMinute", &RateLimit::requests_per_minute,
                                  "Requests in a minute.",          count_from(1, 1'000'000)},
                                 {"connections",       &RateLimit::connections,
                                  "Connections at the same time.",  count_from(1, 1'000'000)},
                                 {"burstMultiplier",   &RateLimit::burst_multiplier,
                                  "How far a burst may go beyond.", count_from(1, 1'000)    },
  });
}

types::Table Ingress::table() {
  return describe<Ingress>(
      "How the node is reached from outside.",
      {
          {"className", &Ingress::class_name, "Who serves it.", an_object_called("nginx")},
          {"hosts",
           &Ingress::hosts,
           "Under which names.", {.required = true, .min_items = 1, .max_items = 32}},
          {"tlsSecretName", &Ingress::tls_secret_name, "The Secret of the certificate.",
           an_object_called("horizon-tls")},
          {"certManagerIssuer", &Ingress::cert_manager_issuer, "Who makes it.", optional_name()},
          {"certManagerClusterIssuer", &Ingress::cert_manager_cluster_issuer,
           "Who makes it, for the whole cluster.", optional_name()},
          {"annotations",
           &Ingress::annotations,
           "Annotations of the Ingress.", {.max_items = kAnnotationsMax}},
          {"externalDns", &Ingress::external_dns,
           "The name in the public DNS: annotations of the Ingress, which ExternalDNS reads."},
          {"rateLimit", &Ingress::rate_limit, "How much one client may ask."},
  });
}

types::Table NetworkPolicy::table() {
  return describe<NetworkPolicy>(
      "Who may connect. Of a Validator nobody but the operator, its own namespace and those named "
      "here reaches port 11626, which takes commands from anybody; without this block the rest is "
      "open.",
      {
          {"enabled", &NetworkPolicy::enabled,
           "False: no policy at all, and a Validator's port 11626 stays inside the pod."},
          {"allowNamespaces",
           &NetworkPolicy::allow_namespaces,
           "Namespaces that may connect.", {.max_items = 64, .items = {a_namespace_called("web")}}},
          {"allowPodSelector", &NetworkPolicy::allow_pod_selector,
           "Pods of the same namespace that may connect."},
          {"allowCidrs",
           &NetworkPolicy::allow_cidrs,
           "Addresses that may connect.", {.max_items = 64,
            .items = {{.max_length = 64, .format = "cidr", .example = "10.0.0.0/8"}}}},
          {"allowMetricsScrape", &NetworkPolicy::allow_metrics_scrape,
           "Whether metricsNamespace may connect."},
          {"metricsNamespace", &NetworkPolicy::metrics_namespace, "Where Prometheus runs.",
           a_namespace_called("monitoring")},
  });
}

types::Table ProbeTimes::table() {
  return describe<ProbeTimes>(
      "When a pod is looked at. What is asked is not up for choice.",
      {
          {"initialDelaySeconds", &ProbeTimes::initial_delay_seconds,
           "How long to wait before the first look.",                                                 count_from(0, kSecondsMax)},
          {"periodSeconds",       &ProbeTimes::period_seconds,        "How often to look.",
           count_from(1,                                                                                            kSecondsMax)},
          {"timeoutSeconds",      &ProbeTimes::timeout_seconds,       "How long an answer may take.",
           count_from(1,                                                                                            kSecondsMax)},
          {"successThreshold",    &ProbeTimes::success_threshold,
           "How many good answers in a row count.",                                                   count_from(1, 1'000)      },
          {"failureThreshold",    &ProbeTimes::failure_threshold,
           "How many bad answers in a row count.",                                                    count_from(1, 100'000)    },
  });
}

types::Table ProbeOverrides::table() {
  return describe<ProbeOverrides>(
      "When pods are looked at.",
      {
          {"liveness", &ProbeOverrides::liveness, "Whether to restart it.", one_good_answer()},
          {"readiness", &ProbeOverrides::readiness, "Whether to send requests to it."},
          {"startup", &ProbeOverrides::startup, "Whether it has started.", one_good_answer()},
  });
}

std::span<const std::string_view> enum_names(StrategyType) {
  static constexpr std::string_view kNames[]{"rollingUpdate", "canary", "blueGreen"};
  return kNames;
}

types::Table Canary::table() {
  return describe<Canary>(
      "How a new version is tried before it takes over.",
      {
          {"weight", &Canary::weight, "Percent of the pods that have it at first.",
           count_from(1, 100)},
          {"checkIntervalSeconds", &Canary::check_interval_seconds,
           "How long it must be well before it is looked at.", count_from(1, kSecondsMax)},
          {"maxErrorRate",
           &Canary::max_error_rate,
           "What share of its pods may say that they are not well.", {.minimum = 0, .maximum = 1}},
          {"stepWeight", &Canary::step_weight,
           "Percent that are added when it was well; 0: it takes over at once.", count_from(0, 100)},
          {"maxWeight", &Canary::max_weight, "Percent at which it takes over.", count_from(1, 100)},
          {"successThreshold", &Canary::success_threshold,
           "How often in a row it must be well for the next step.", count_from(1, 1'000)},
  });
}

types::Table Strategy::table() {
  return describe<Strategy>(
      "How another version replaces the one that runs.",
      {
          {"type",
           &Strategy::type,
           "Pod by pod, or after a trial beside the old version; blueGreen is not possible here.", {.rules = {{.rule = "self != 'blueGreen'", .message = advice::kNoBlueGreen.text()}}}},
          {"canary", &Strategy::canary, "With type canary."},
  },
      {{.rule = "self.type == 'canary' || !has(self.canary)",
        .message = advice::kCanaryUnasked.text(),
        .field_path = ".canary",
        .reason = "FieldValueForbidden"}});
}

}  // namespace fixpoint::operators::stellar
