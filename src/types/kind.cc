// SPDX-License-Identifier: Apache-2.0
#include "types/kind.h"

#include "types/encode.h"
#include "types/schema.h"

#include <algorithm>
#include <cctype>

namespace fixpoint::types {
namespace {

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

json::Draft text_schema(std::string_view doc) {
  return json::Draft::object({
      {"type",        "string"},
      {"description", doc     }
  });
}

// metav1.Condition, as every kind of Kubernetes' own has it.
json::Draft condition_schema() {
  constexpr std::string_view kTypePattern =
      R"(^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?)"
      R"((([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$)";
  auto type = text_schema("What the condition is about, in CamelCase.");
  type["maxLength"] = 316;
  type["pattern"] = kTypePattern;
  auto status = text_schema("Whether it holds: True, False or Unknown.");
  status["enum"] = json::Draft::array({"True", "False", "Unknown"});
  auto reason = text_schema("Why it last changed, in one word of CamelCase.");
  reason["minLength"] = 1;
  reason["maxLength"] = 1024;
  reason["pattern"] = "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$";
  auto message = text_schema("The same for people.");
  message["maxLength"] = 32768;
  auto changed = text_schema("When it last changed from one status to another.");
  changed["format"] = "date-time";
  return json::Draft::object({
      {"type",        "object"                                                          },
      {"description", "One aspect of the object's state."                               },
      {"required",
       json::Draft::array({"lastTransitionTime", "message", "reason", "status", "type"})},
      {"properties",
       json::Draft::object({
           {"type", std::move(type)},
           {"status", std::move(status)},
           {"reason", std::move(reason)},
           {"message", std::move(message)},
           {"lastTransitionTime", std::move(changed)},
           {"observedGeneration",
            json::Draft::object({{"type", "integer"},
                                 {"format", "int64"},
                                 {"minimum", 0},
                                 {"description", "The generation that was looked at."}})},
       })                                                                               },
  });
}

json::Draft status_schema(const Table* table) {
  auto schema = table == nullptr ? json::Draft::object({
                                       {"type", "object"}
  })
                                 : schema_of(*table);
  auto& properties = schema.object_at("properties");
  if (!properties.contains("conditions")) {
    properties["conditions"] = json::Draft::object({
        {"type",                       "array"                                     },
        {"description",                "The state of the object, aspect by aspect."},
        {"x-kubernetes-list-type",     "map"                                       },
        {"x-kubernetes-list-map-keys", json::Draft::array({"type"})                },
        {"items",                      condition_schema()                          },
    });
  }
  if (!properties.contains("observedGeneration")) {
    properties["observedGeneration"] = json::Draft::object({
        {"type",        "integer"                                              },
        {"format",      "int64"                                                },
        {"description", "The generation of the spec that this status is about."},
    });
  }
  return schema;
}

// Only the name may be narrowed in a CRD's metadata.
json::Draft metadata_schema(const Kind& kind) {
  auto schema = json::Draft::object({
      {"type", "object"}
  });
  if (kind.name_length_max) {
    schema["properties"] = json::Draft::object({
        {"name",
         json::Draft::object({{"type", "string"},
                              {"maxLength", static_cast<std::int64_t>(*kind.name_length_max)}})}
    });
  }
  return schema;
}

json::Draft columns_of(const Version& version) {
  auto list = json::Draft::array();
  const auto all =
      version.columns.empty() ? std::vector{ready_column(), age_column()} : version.columns;
  for (const auto& column : all) {
    auto& entry = list.push_back(json::Draft::object({
        {"name",     column.name},
        {"type",     column.type},
        {"jsonPath", column.path}
    }));
    if (!column.doc.empty()) entry["description"] = column.doc;
    if (column.priority != 0) entry["priority"] = column.priority;
  }
  return list;
}

json::Draft subresources_of(const Version& version) {
  auto all = json::Draft::object({
      {"status", json::Draft::object()}
  });
  if (version.scale) {
    auto& scale = all["scale"];
    scale = json::Draft::object({
        {"specReplicasPath",   version.scale->spec_replicas  },
        {"statusReplicasPath", version.scale->status_replicas}
    });
    if (!version.scale->label_selector.empty()) {
      scale["labelSelectorPath"] = version.scale->label_selector;
    }
  }
  return all;
}

json::Draft version_of(const Kind& kind, const Version& version) {
  auto entry = json::Draft::object({
      {"name",         version.name                                                              },
      {"served",       version.served                                                            },
      {"storage",      version.storage                                                           },
      {"schema",       json::Draft::object({{"openAPIV3Schema", open_api_schema(kind, version)}})},
      {"subresources", subresources_of(version)                                                  },
  });
  if (version.deprecated) entry["deprecated"] = true;
  if (!version.deprecation_warning.empty()) {
    entry["deprecationWarning"] = version.deprecation_warning;
  }
  entry["additionalPrinterColumns"] = columns_of(version);
  for (const auto& path : version.selectable_fields) {
    entry.array_at("selectableFields")
        .push_back(json::Draft::object({
            {"jsonPath", path}
    }));
  }
  return entry;
}

json::Draft names_of(const Kind& kind) {
  auto names = json::Draft::object({
      {"kind",     kind.name                                               },
      {"listKind", kind.name + "List"                                      },
      {"plural",   kind.plural                                             },
      {"singular", kind.singular.empty() ? lower(kind.name) : kind.singular},
  });
  if (!kind.short_names.empty()) names["shortNames"] = text_list(kind.short_names);
  if (!kind.categories.empty()) names["categories"] = text_list(kind.categories);
  return names;
}

}  // namespace

Column ready_column() {
  return {.name = "Ready",
          .path = ".status.conditions[?(@.type=='Ready')].status",
          .doc = "Whether it is as its spec wants it."};
}

Column age_column() {
  return {.name = "Age", .path = ".metadata.creationTimestamp", .type = "date"};
}

const Version& Kind::storage_version() const {
  const auto found = std::ranges::find_if(versions, &Version::storage);
  FP_CHECK(found != versions.end());
  return *found;
}

kube::GroupVersionKind Kind::gvk() const {
  return {.group = group, .version = storage_version().name, .kind = name};
}

json::Value open_api_schema(const Kind& kind, const Version& version) {
  auto properties = json::Draft::object({
      {"apiVersion", text_schema("The version of the schema that this object is written in.")},
      {"kind",       text_schema("The kind of this object.")                                 },
      {"metadata",   metadata_schema(kind)                                                   },
      {"status",     status_schema(version.status)                                           },
  });
  auto schema = json::Draft::object({
      {"type", "object"}
  });
  if (!kind.doc.empty()) schema["description"] = kind.doc;
  if (version.spec != nullptr) {
    auto& spec = properties["spec"];
    spec = schema_of(*version.spec);
    if (has_required(*version.spec)) {
      schema["required"] = json::Draft::array({"spec"});
    } else if (auto whole = encode(*version.spec, version.spec->defaults); !whole.empty()) {
      spec["default"] = std::move(whole);
    }
  }
  schema["properties"] = std::move(properties);
  if (!version.rules.empty()) schema["x-kubernetes-validations"] = rules_of(version.rules);
  return schema.freeze();
}

json::Value crd(const Kind& kind) {
  auto versions = json::Draft::array();
  for (const auto& version : kind.versions) versions.push_back(version_of(kind, version));
  return json::Draft::object(
             {
                 {"apiVersion", "apiextensions.k8s.io/v1"                       },
                 {"kind",       "CustomResourceDefinition"                      },
                 {"metadata",   json::Draft::object({{"name", kind.crd_name()}})},
                 {"spec",
                  json::Draft::object({
                      {"group", kind.group},
                      {"names", names_of(kind)},
                      {"scope", kind.scope == kube::Scope::Namespaced ? "Namespaced" : "Cluster"},
                      {"versions", std::move(versions)},
                  })                                                            },
  })
      .freeze();
}

}  // namespace fixpoint::types
