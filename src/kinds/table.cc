// SPDX-License-Identifier: Apache-2.0
#include "kinds/table.h"

#include "base/error.h"

#include <algorithm>
#include <array>

namespace fixpoint::kinds {
namespace {

constexpr TypeRow kAdmissionregistrationV1[] = {
#include "kinds/tables/admissionregistration_v1.inc"
};
constexpr TypeRow kApiextensionsV1[] = {
#include "kinds/tables/apiextensions_v1.inc"
};
constexpr TypeRow kApiregistrationV1[] = {
#include "kinds/tables/apiregistration_v1.inc"
};
constexpr TypeRow kAppsV1[] = {
#include "kinds/tables/apps_v1.inc"
};
constexpr TypeRow kAuthenticationV1[] = {
#include "kinds/tables/authentication_v1.inc"
};
constexpr TypeRow kAuthorizationV1[] = {
#include "kinds/tables/authorization_v1.inc"
};
constexpr TypeRow kAutoscalingV1[] = {
#include "kinds/tables/autoscaling_v1.inc"
};
constexpr TypeRow kAutoscalingV2[] = {
#include "kinds/tables/autoscaling_v2.inc"
};
constexpr TypeRow kBatchV1[] = {
#include "kinds/tables/batch_v1.inc"
};
constexpr TypeRow kCertificatesV1[] = {
#include "kinds/tables/certificates_v1.inc"
};
constexpr TypeRow kCoordinationV1[] = {
#include "kinds/tables/coordination_v1.inc"
};
constexpr TypeRow kCoreV1[] = {
#include "kinds/tables/core_v1.inc"
};
constexpr TypeRow kDiscoveryV1[] = {
#include "kinds/tables/discovery_v1.inc"
};
constexpr TypeRow kEventsV1[] = {
#include "kinds/tables/events_v1.inc"
};
constexpr TypeRow kFlowcontrolV1[] = {
#include "kinds/tables/flowcontrol_v1.inc"
};
constexpr TypeRow kMetaV1[] = {
#include "kinds/tables/meta_v1.inc"
};
constexpr TypeRow kNetworkingV1[] = {
#include "kinds/tables/networking_v1.inc"
};
constexpr TypeRow kNodeV1[] = {
#include "kinds/tables/node_v1.inc"
};
constexpr TypeRow kPolicyV1[] = {
#include "kinds/tables/policy_v1.inc"
};
constexpr TypeRow kRbacV1[] = {
#include "kinds/tables/rbac_v1.inc"
};
constexpr TypeRow kResourceV1[] = {
#include "kinds/tables/resource_v1.inc"
};
constexpr TypeRow kSchedulingV1[] = {
#include "kinds/tables/scheduling_v1.inc"
};
constexpr TypeRow kStorageV1[] = {
#include "kinds/tables/storage_v1.inc"
};
constexpr TypeRow kPkgVersion[] = {
#include "kinds/tables/pkg_version.inc"
};

constexpr Package kPackages[] = {
    {"admissionregistration.v1", "io.k8s.api.admissionregistration.v1.",                      kAdmissionregistrationV1},
    {"apiextensions.v1",         "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.",
     kApiextensionsV1                                                                                                 },
    {"apiregistration.v1",       "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.",
     kApiregistrationV1                                                                                               },
    {"apps.v1",                  "io.k8s.api.apps.v1.",                                       kAppsV1                 },
    {"authentication.v1",        "io.k8s.api.authentication.v1.",                             kAuthenticationV1       },
    {"authorization.v1",         "io.k8s.api.authorization.v1.",                              kAuthorizationV1        },
    {"autoscaling.v1",           "io.k8s.api.autoscaling.v1.",                                kAutoscalingV1          },
    {"autoscaling.v2",           "io.k8s.api.autoscaling.v2.",                                kAutoscalingV2          },
    {"batch.v1",                 "io.k8s.api.batch.v1.",                                      kBatchV1                },
    {"certificates.v1",          "io.k8s.api.certificates.v1.",                               kCertificatesV1         },
    {"coordination.v1",          "io.k8s.api.coordination.v1.",                               kCoordinationV1         },
    {"core.v1",                  "io.k8s.api.core.v1.",                                       kCoreV1                 },
    {"discovery.v1",             "io.k8s.api.discovery.v1.",                                  kDiscoveryV1            },
    {"events.v1",                "io.k8s.api.events.v1.",                                     kEventsV1               },
    {"flowcontrol.v1",           "io.k8s.api.flowcontrol.v1.",                                kFlowcontrolV1          },
    {"meta.v1",                  "io.k8s.apimachinery.pkg.apis.meta.v1.",                     kMetaV1                 },
    {"networking.v1",            "io.k8s.api.networking.v1.",                                 kNetworkingV1           },
    {"node.v1",                  "io.k8s.api.node.v1.",                                       kNodeV1                 },
    {"pkg.version",              "io.k8s.apimachinery.pkg.version.",                          kPkgVersion             },
    {"policy.v1",                "io.k8s.api.policy.v1.",                                     kPolicyV1               },
    {"rbac.v1",                  "io.k8s.api.rbac.v1.",                                       kRbacV1                 },
    {"resource.v1",              "io.k8s.api.resource.v1.",                                   kResourceV1             },
    {"scheduling.v1",            "io.k8s.api.scheduling.v1.",                                 kSchedulingV1           },
    {"storage.v1",               "io.k8s.api.storage.v1.",                                    kStorageV1              },
};

std::optional<TypeName> find_in(const Package& package, std::string_view name) {
  const auto found = std::ranges::lower_bound(package.types, name, {}, &TypeRow::name);
  if (found == package.types.end() || found->name != name) return std::nullopt;
  return TypeName{&package, &*found};
}

std::string_view take_word(std::string_view& line) {
  const auto space = std::min(line.find(' '), line.size());
  const auto word = line.substr(0, space);
  line.remove_prefix(std::min(space + 1, line.size()));
  return word;
}

// Letters, then field numbers joined by dots: "op2.5".
void read_flags(std::string_view flags, FieldRow& field) {
  auto number = field.field_numbers.begin();
  for (const char flag : flags) {
    if (flag >= '0' && flag <= '9') {
      *number = static_cast<std::uint8_t>(*number * 10 + (flag - '0'));
      continue;
    }
    switch (flag) {
      case '.':
        ++number;
        FP_CHECK(number != field.field_numbers.end());
        break;
      case 'o': field.omit_empty = true; break;
      case 'z': field.omit_zero = true; break;
      case 'p': field.pointer = true; break;
      case 'r': field.required = true; break;
      case 'k': field.list_key = true; break;
      default: FP_CHECK(flag == '-');
    }
  }
}

void read_attribute(std::string_view word, FieldRow& field) {
  const auto equals = std::min(word.find('='), word.size());
  const auto name = word.substr(0, equals);
  const auto value = word.substr(std::min(equals + 1, word.size()));
  if (name == "list") {
    const auto colon = std::min(value.find(':'), value.size());
    field.list_type = value.substr(0, colon);
    field.list_keys = value.substr(std::min(colon + 1, value.size()));
  } else if (name == "map") {
    field.map_type = value;
  } else if (name == "def") {
    field.default_json = value;
  } else if (name == "fmt") {
    field.format = value;
  } else if (name == "enum") {
    field.enumeration = value;
  } else if (name == "merge") {
    field.merge_key = value;
  } else if (name == "retain") {
    field.retain_keys = true;
  } else if (name == "replace") {
    field.replace = true;
  } else {
    FP_CHECK(name == "bare");
    field.bare = true;
  }
}

FieldRow read_field(std::string_view line) {
  FieldRow field;
  field.name = take_word(line);
  field.type = take_word(line);
  read_flags(take_word(line), field);
  while (!line.empty()) read_attribute(take_word(line), field);
  return field;
}

// What concerns the whole struct: "map=atomic union=type:exempt,limited".
void read_head(std::string_view line, TypeRows& rows) {
  while (!line.empty()) {
    const auto word = take_word(line);
    const auto equals = word.find('=');
    const auto value = word.substr(equals + 1);
    if (word.starts_with("map=")) {
      rows.map_type = value;
    } else {
      FP_CHECK(word.starts_with("union="));
      rows.discriminator = value.substr(0, value.find(':'));
      rows.union_members = value.substr(value.find(':') + 1);
    }
  }
}

}  // namespace

std::span<const Package> packages() {
  return kPackages;
}

std::string TypeName::definition() const {
  return std::string{package->definition} + std::string{type->name};
}

std::optional<TypeName> find_type(std::string_view name) {
  const auto dot = name.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  for (const auto& package : kPackages) {
    if (package.alias == name.substr(0, dot)) return find_in(package, name.substr(dot + 1));
  }
  return std::nullopt;
}

std::optional<TypeName> find_definition(std::string_view definition) {
  for (const auto& package : kPackages) {
    if (!definition.starts_with(package.definition)) continue;
    return find_in(package, definition.substr(package.definition.size()));
  }
  return std::nullopt;
}

TypeRows read_rows(std::string_view rows) {
  TypeRows read;
  for (const auto line : split(rows, '\n')) {
    if (line.starts_with("! ")) {
      read_head(line.substr(2), read);
    } else if (!line.empty()) {
      read.fields.push_back(read_field(line));
    }
  }
  return read;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const auto end = std::min(text.find(separator), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

}  // namespace fixpoint::kinds
