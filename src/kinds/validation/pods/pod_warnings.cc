// SPDX-License-Identifier: Apache-2.0
//
// In the order in which a real server says it.
#include "kinds/validation/pods/pod_warnings.h"

#include "kinds/validation/network/ip_warnings.h"
#include "kinds/validation/pods/affinity.h"
#include "kinds/validation/pods/annotations.h"
#include "kinds/validation/pods/volume_warnings.h"
#include "kube/go/text.h"
#include "kube/meta/names.h"
#include "kube/scalars/quantity.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

using json::View;
using kube::FieldPath;

struct Advice {
  std::string_view about;
  std::string_view text;
};
constexpr std::array kOldLabels{
    Advice{"beta.kubernetes.io/arch",                       "deprecated since v1.14; use \"kubernetes.io/arch\" instead"},
    Advice{"beta.kubernetes.io/os",                         "deprecated since v1.14; use \"kubernetes.io/os\" instead"  },
    Advice{"failure-domain.beta.kubernetes.io/region",
           "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead"                                      },
    Advice{"failure-domain.beta.kubernetes.io/zone",
           "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead"                                        },
    Advice{"beta.kubernetes.io/instance-type",
           "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead"                                   },
    Advice{"app.kubernetes.io/created-by",                  "deprecated since v1.9"                                     },
    Advice{"scheduler.alpha.kubernetes.io/preferAvoidPods",
           "deprecated since v1.22; use Taints and Tolerations instead"                                                 },
    Advice{"node-role.kubernetes.io/master",
           "use \"node-role.kubernetes.io/control-plane\" instead"                                                      },
};
constexpr std::array kOldAnnotations{
    Advice{"scheduler.alpha.kubernetes.io/critical-pod",
           "non-functional in v1.16+; use the \"priorityClassName\" field instead"},
    Advice{"security.alpha.kubernetes.io/sysctls",
           "non-functional in v1.11+; use the \"sysctls\" field instead"          },
    Advice{"security.alpha.kubernetes.io/unsafe-sysctls",
           "non-functional in v1.11+; use the \"sysctls\" field instead"          },
};

constexpr std::string_view kNoSelector = "a null labelSelector results in matching no pod";

// All that is said of a pod, part by part.
class PodAdvice {
 public:
  PodAdvice(const PodPart& pod, Warnings& warnings)
      : spec_(pod.spec),
        annotations_(pod.metadata.get("annotations")),
        in_template_(pod.place != nullptr),
        spec_path_(pod.place == nullptr ? FieldPath{"spec"} : pod.place->child("spec")),
        metadata_path_(pod.place == nullptr ? FieldPath{"metadata"} : pod.place->child("metadata")),
        warnings_(warnings) {}

  void tell() {
    tell_labels();
    tell_spread();
    for (const auto& old : kOldAnnotations) {
      if (annotations_.contains(old.about)) tell_annotation(old.about, old.text);
    }
    tell_volumes();
    tell_aliases();
    tell_pull_secrets();
    const FieldPath overhead = spec_path_.child("overhead");
    for (const std::string_view name : {"memory", "ephemeral-storage"}) {
      warn_of_fraction(spec_.get("overhead", name), overhead.key(name), warnings_);
    }
    if (spec_.get("securityContext", "seccompProfile").is_null()) {
      tell_seccomp("seccomp.security.alpha.kubernetes.io/pod");
    }
    each_container([this](View container, const FieldPath& path) {
      tell_profiles(container);
      tell_amounts(container, path);
      tell_env(container.get("env"), path.child("env"));
    });
    each_container([this](View container, const FieldPath& path) {
      tell_ports(container.get("ports"), path.child("ports"));
    });
    each_container([this](View container, const FieldPath& path) {
      tell_port_names(container.get("ports"), path.child("ports"));
    });
    if (spec_.get("terminationGracePeriodSeconds").as_int() < 0) {
      warn(warnings_, spec_path_.child("terminationGracePeriodSeconds"),
           "must be >= 0; negative values are invalid and will be treated as 1");
    }
    tell_affinity("podAffinity");
    tell_affinity("podAntiAffinity");
    tell_addresses();
  }

 private:
  template <class Visit>
  void each_container(Visit visit) {
    for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
      const FieldPath path = spec_path_.child(list);
      const View containers = spec_.get(list);
      for (std::size_t i = 0; i < containers.size(); ++i) visit(containers[i], path.index(i));
    }
  }

  void tell_annotation(std::string_view key, std::string_view text) {
    const FieldPath path = metadata_path_.child("annotations");
    warn(warnings_, path.key(key), text);
  }

  void tell_labels() {
    const FieldPath selector = spec_path_.child("nodeSelector");
    for (const auto [key, value] : spec_.get("nodeSelector").members()) {
      if (const auto text = deprecated_label(key)) warn(warnings_, selector.key(key), *text);
    }
    const View node = spec_.get("affinity", "nodeAffinity");
    const FieldPath affinity = spec_path_.child("affinity");
    const FieldPath path = affinity.child("nodeAffinity");
    const FieldPath required = path.child(kRequiredAffinity);
    const FieldPath terms_path = required.child("nodeSelectorTerms");
    const View terms = node.get(kRequiredAffinity, "nodeSelectorTerms");
    for (std::size_t i = 0; i < terms.size(); ++i) {
      warn_of_node_term(terms[i], TermValues::Unchecked, terms_path.index(i), warnings_);
    }
    const FieldPath preferred_path = path.child(kPreferredAffinity);
    const View preferred = node.get(kPreferredAffinity);
    for (std::size_t i = 0; i < preferred.size(); ++i) {
      const FieldPath here = preferred_path.index(i);
      warn_of_node_term(preferred[i].get("preference"), TermValues::Checked,
                        here.child("preference"), warnings_);
    }
  }

  void tell_spread() {
    const FieldPath path = spec_path_.child("topologySpreadConstraints");
    const View constraints = spec_.get("topologySpreadConstraints");
    for (std::size_t i = 0; i < constraints.size(); ++i) {
      const FieldPath here = path.index(i);
      const auto key = constraints[i].get("topologyKey").as_string();
      if (const auto text = deprecated_label(key)) {
        warn(warnings_, here.child("topologyKey"), fmt::format("{} is {}", key, *text));
      }
      if (constraints[i].get("labelSelector").is_null()) {
        warn(warnings_, here.child("labelSelector"), kNoSelector);
      }
    }
  }

  void tell_volumes() {
    const FieldPath path = spec_path_.child("volumes");
    const View volumes = spec_.get("volumes");
    for (std::size_t i = 0; i < volumes.size(); ++i) {
      const FieldPath here = path.index(i);
      warn_of_old_volume(volumes[i], here, warnings_);
      const FieldPath ephemeral = here.child("ephemeral");
      const FieldPath claim = ephemeral.child("volumeClaimTemplate");
      warn_of_claim(volumes[i].get("ephemeral", "volumeClaimTemplate", "spec"), claim.child("spec"),
                    warnings_);
    }
    for (const View volume : volumes.elements()) warn_of_files(volume, warnings_);
  }

  void tell_aliases() {
    const FieldPath path = spec_path_.child("hostAliases");
    const View aliases = spec_.get("hostAliases");
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < aliases.size(); ++i) {
      const FieldPath here = path.index(i);
      const auto ip = aliases[i].get("ip").as_string();
      if (seen.insert(ip).second) continue;
      warn(warnings_, here.child("ip"), fmt::format("duplicate ip {}", kube::go_quoted(ip)));
    }
  }

  void tell_pull_secrets() {
    const FieldPath path = spec_path_.child("imagePullSecrets");
    const View secrets = spec_.get("imagePullSecrets");
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < secrets.size(); ++i) {
      const FieldPath here = path.index(i);
      const auto name = secrets[i].get("name").as_string();
      if (seen.insert(name).second) continue;
      warn(warnings_, here.child("name"), fmt::format("duplicate name {}", kube::go_quoted(name)));
    }
    for (std::size_t i = 0; i < secrets.size(); ++i) {
      const FieldPath here = path.index(i);
      if (!secrets[i].get("name").as_string().empty()) continue;
      warn(warnings_, here.child("name"), "invalid empty name \"\"");
    }
  }

  void tell_seccomp(const std::string& key) {
    if (!annotations_.contains(key)) return;
    tell_annotation(key, "non-functional in v1.27+; use the \"seccompProfile\" field instead");
  }

  void tell_profiles(View container) {
    const std::string name{container.get("name").as_string()};
    if (container.get("securityContext", "seccompProfile").is_null()) {
      tell_seccomp("container.seccomp.security.alpha.kubernetes.io/" + name);
    }
    const auto key = "container.apparmor.security.beta.kubernetes.io/" + name;
    if (!in_template_ || !annotations_.contains(key)) return;
    if (!container.get("securityContext", "appArmorProfile").is_null()) return;
    if (means_profile(annotations_.get(key).as_string())) return;
    tell_annotation(key, "deprecated since v1.30; use the \"appArmorProfile\" field instead");
  }

  // That the annotation says no more than the pod's own field.
  bool means_profile(std::string_view annotation) const {
    const View profile = spec_.get("securityContext", "appArmorProfile");
    const auto type = profile.get("type").as_string();
    if (annotation == "unconfined") return type == "Unconfined";
    if (annotation == "runtime/default") return type == "RuntimeDefault";
    return annotation.starts_with(kLocalProfile) && type == "Localhost" &&
           profile.get("localhostProfile").as_string() == annotation.substr(kLocalProfile.size());
  }

  void tell_amounts(View container, const FieldPath& path) {
    const FieldPath resources = path.child("resources");
    for (const std::string_view resource : {"memory", "ephemeral-storage"}) {
      for (const std::string_view kind : {"limits", "requests"}) {
        const FieldPath amounts = resources.child(kind);
        warn_of_fraction(container.get("resources", kind, resource), amounts.key(resource),
                         warnings_);
      }
    }
  }

  // A later variable that refers to the earlier one of its name continues it; any other hides it.
  void tell_env(View variables, const FieldPath& path) {
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < variables.size(); ++i) {
      const auto name = variables[i].get("name").as_string();
      if (names.insert(name).second) continue;
      const auto reference = fmt::format("$({})", name);
      const auto value = variables[i].get("value").as_string();
      const bool continues = variables[i].get("valueFrom").is_null() && value != reference &&
                             value.find(reference) != std::string_view::npos;
      if (continues) continue;
      warn(warnings_, path.index(i),
           fmt::format("hides previous definition of {}, which may be dropped when using apply",
                       kube::go_quoted(name)));
    }
  }

  struct Port {
    std::string where;
    std::string_view host_ip;
    std::int64_t host_port = 0;
  };

  void tell_ports(View ports, const FieldPath& path) {
    for (std::size_t i = 0; i < ports.size(); ++i) {
      const View port = ports[i];
      const Port mine{path.index(i).to_string(), port.get("hostIP").as_string(),
                      port.get("hostPort").as_int()};
      if (!mine.host_ip.empty() && mine.host_port == 0) {
        warnings_.push_back(fmt::format(
            "{}: hostIP set without hostPort: {{Name:{} HostPort:0 ContainerPort:{} "
            "Protocol:{} HostIP:{}}}",
            mine.where, port.get("name").as_string(), port.get("containerPort").as_int(),
            port.get("protocol").as_string(), mine.host_ip));
      }
      auto& others = ports_[{port.get("containerPort").as_int(), port.get("protocol").as_string()}];
      for (const auto& other : others) tell_port_pair(mine, other);
      others.push_back(mine);
    }
  }

  void tell_port_pair(const Port& mine, const Port& other) {
    std::string_view how;
    if (mine.host_ip == other.host_ip && mine.host_port == other.host_port) {
      how = "duplicate";
    } else if (mine.host_port == 0 || other.host_port == 0) {
      how = "overlapping";
    } else if (mine.host_port == other.host_port && mine.host_ip.empty() != other.host_ip.empty()) {
      how = "dangerously ambiguous";
    } else {
      return;
    }
    warnings_.push_back(
        fmt::format("{}: {} port definition with {}", mine.where, how, other.where));
  }

  void tell_port_names(View ports, const FieldPath& path) {
    for (std::size_t i = 0; i < ports.size(); ++i) {
      const auto name = ports[i].get("name").as_string();
      if (name.empty()) continue;
      const auto where = path.index(i).to_string();
      const auto [first, fresh] = port_names_.emplace(name, where);
      if (fresh) continue;
      warnings_.push_back(
          fmt::format("{}: duplicate port name {} with {}, services and probes that select ports "
                      "by name will use {}",
                      where, kube::go_quoted(name), first->second, first->second));
    }
  }

  void tell_affinity(std::string_view kind) {
    const FieldPath affinity = spec_path_.child("affinity");
    const FieldPath path = affinity.child(kind);
    const FieldPath required_path = path.child(kRequiredAffinity);
    const View required = spec_.get("affinity", kind, kRequiredAffinity);
    for (std::size_t i = 0; i < required.size(); ++i) {
      const FieldPath here = required_path.index(i);
      if (!required[i].get("labelSelector").is_null()) continue;
      warn(warnings_, here.child("labelSelector"), kNoSelector);
    }
    const FieldPath preferred_path = path.child(kPreferredAffinity);
    const View preferred = spec_.get("affinity", kind, kPreferredAffinity);
    for (std::size_t i = 0; i < preferred.size(); ++i) {
      const FieldPath here = preferred_path.index(i);
      const FieldPath term = here.child("podAffinityTerm");
      if (!preferred[i].get("podAffinityTerm", "labelSelector").is_null()) continue;
      warn(warnings_, term.child("labelSelector"), kNoSelector);
    }
  }

  void tell_addresses() {
    const FieldPath dns = spec_path_.child("dnsConfig");
    const FieldPath servers_path = dns.child("nameservers");
    const View servers = spec_.get("dnsConfig", "nameservers");
    for (std::size_t i = 0; i < servers.size(); ++i) {
      warn_of_ip(servers[i].as_string(), servers_path.index(i), warnings_);
    }
    warn_of_ips(spec_.get("hostAliases"), spec_path_.child("hostAliases"), warnings_);
  }

  View spec_;
  View annotations_;
  bool in_template_;
  FieldPath spec_path_;
  FieldPath metadata_path_;
  Warnings& warnings_;
  std::map<std::pair<std::int64_t, std::string_view>, std::vector<Port>> ports_;
  std::map<std::string_view, std::string> port_names_;
};

}  // namespace

std::optional<std::string> deprecated_label(std::string_view key) {
  const auto* at = std::ranges::find(kOldLabels, key, &Advice::about);
  if (at == kOldLabels.end()) return std::nullopt;
  return std::string{at->text};
}

void warn_of_node_term(View term, TermValues values, const FieldPath& path, Warnings& warnings) {
  const FieldPath list = path.child("matchExpressions");
  const View expressions = term.get("matchExpressions");
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    const FieldPath here = list.index(i);
    const auto key = expressions[i].get("key").as_string();
    if (const auto text = deprecated_label(key)) {
      warn(warnings, here.child("key"), fmt::format("{} is {}", key, *text));
    }
    if (values == TermValues::Unchecked) continue;
    const FieldPath values_path = here.child("values");
    const View wanted = expressions[i].get("values");
    for (std::size_t j = 0; j < wanted.size(); ++j) {
      for (const auto& problem : kube::label_value_problems(wanted[j].as_string())) {
        warn(warnings, values_path.index(j),
             fmt::format("{} is invalid, {}", wanted[j].as_string(), problem));
      }
    }
  }
}

void warn_of_fraction(View amount, const FieldPath& path, Warnings& warnings) {
  const auto quantity = kube::Quantity::parse(amount.as_string());
  if (!quantity || quantity->whole_to_go()) return;
  warn(warnings, path,
       fmt::format("fractional byte value {} is invalid, must be an integer",
                   kube::go_quoted(amount.as_string())));
}

void warn_of_claim(View claim_spec, const FieldPath& path, Warnings& warnings) {
  const FieldPath resources = path.child("resources");
  for (const std::string_view kind : {"requests", "limits"}) {
    const FieldPath amounts = resources.child(kind);
    warn_of_fraction(claim_spec.get("resources", kind, "storage"), amounts.key("storage"),
                     warnings);
  }
}

void warn_of_pod(const PodPart& pod, Warnings& warnings) {
  PodAdvice{pod, warnings}.tell();
}

}  // namespace fixpoint::kinds
