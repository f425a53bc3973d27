// SPDX-License-Identifier: Apache-2.0
#include "apiserver/read/table.h"

#include "base/rfc3339.h"
#include "json/draft.h"
#include "kube/crd/simple_json_path.h"
#include "kube/meta/metadata.h"
#include "kube/scalars/duration.h"

namespace fixpoint::apiserver {
namespace {

json::Draft definition(const kinds::Column& column) {
  return json::Draft::object({
      {"name",        column.name       },
      {"type",        column.type       },
      {"format",      column.format     },
      {"description", column.description},
      {"priority",    column.priority   }
  });
}

kinds::Column name_column() {
  return {.name = "Name",
          .type = "string",
          .format = "name",
          .description = "The object's name, unique among its kind in its namespace",
          .priority = 0};
}

// A custom resource has its name first, then what its CRD asks for, else its age.
std::vector<kinds::Column> custom_columns(const kube::CustomVersion& version) {
  std::vector<kinds::Column> columns{name_column()};
  for (const auto& column : version.columns) {
    columns.push_back({.name = column.name,
                       .type = column.type,
                       .format = column.format,
                       .description = column.description,
                       .priority = column.priority});
  }
  return columns;
}

json::Draft custom_cells(const kube::CustomVersion& version, json::View object, Instant now) {
  json::Draft cells = json::Draft::array();
  cells.push_back(kube::name_of(object));
  for (const auto& column : version.columns) {
    const auto path = kube::SimpleJsonPath::parse(column.json_path);
    cells.push_back(path ? kube::table_cell(*path, column.type, object, now) : json::Draft{});
  }
  return cells;
}

// Kinds without a printer of their own show name and creation time.
json::Draft plain_cells(json::View object) {
  json::Draft cells = json::Draft::array();
  cells.push_back(kube::name_of(object));
  cells.push_back(kube::creation_timestamp_of(object));
  return cells;
}

json::Draft cells_of(const Resource& resource, json::View object, Instant now) {
  if (resource.builtin == nullptr) return custom_cells(*resource.custom_version(), object, now);
  if (resource.builtin->cells == nullptr) return plain_cells(object);
  json::Draft cells = json::Draft::array();
  for (auto& cell : resource.builtin->cells(object, now)) cells.push_back(std::move(cell));
  return cells;
}

std::vector<kinds::Column> columns_of(const Resource& resource) {
  if (resource.builtin == nullptr) return custom_columns(*resource.custom_version());
  if (!resource.builtin->columns.empty()) return resource.builtin->columns;
  return {
      name_column(),
      {.name = "Created At",
          .type = "date",
          .format = "",
          .description = "When the object was created",
          .priority = 0}
  };
}

}  // namespace

kube::Answer<IncludeObject> parse_include_object(std::string_view text) {
  if (text.empty() || text == "Metadata") return IncludeObject::Metadata;
  if (text == "None") return IncludeObject::None;
  if (text == "Object") return IncludeObject::Object;
  return std::unexpected(
      kube::bad_request("Unable to convert to Table as requested: includeObject: Invalid value: " +
                        kube::shown(text) + ": must be 'Metadata', 'Object', 'None', or empty"));
}

namespace {

// What is a field inside the server and an annotation only where the whole object is printed: a
// daemon set's count of templates, and what version 1 has no fields for in an autoscaler.
struct PrintedNote {
  std::string_view api_version;
  std::string_view kind;
  std::string_view annotation;
};
constexpr PrintedNote kPrintedNotes[] = {
    {"apps/v1",        "DaemonSet",               "deprecated.daemonset.template.generation"  },
    {"autoscaling/v1", "HorizontalPodAutoscaler", "autoscaling.alpha.kubernetes.io/behavior"  },
    {"autoscaling/v1", "HorizontalPodAutoscaler", "autoscaling.alpha.kubernetes.io/conditions"},
    {"autoscaling/v1", "HorizontalPodAutoscaler",
     "autoscaling.alpha.kubernetes.io/current-metrics"                                        },
    {"autoscaling/v1", "HorizontalPodAutoscaler", "autoscaling.alpha.kubernetes.io/metrics"   },
};

json::Draft printed_metadata(json::View object) {
  json::Draft metadata{object.get("metadata")};
  for (const auto& note : kPrintedNotes) {
    if (object.get("kind").as_string() != note.kind ||
        object.get("apiVersion").as_string() != note.api_version) {
      continue;
    }
    if (json::Draft* annotations = metadata.find("annotations"); annotations != nullptr) {
      annotations->erase(note.annotation);
      if (annotations->empty()) metadata.erase("annotations");
    }
  }
  return metadata;
}

}  // namespace

json::Value partial_object(json::View object, std::string_view version) {
  return json::Draft::object({
                                 {"kind",       "PartialObjectMetadata" },
                                 {"apiVersion", version                 },
                                 {"metadata",   printed_metadata(object)}
  })
      .freeze();
}

json::Value partial_list(const std::vector<json::Value>& objects, json::View metadata,
                         std::string_view version) {
  json::Draft items = objects.empty() ? json::Draft{} : json::Draft::array();  // none are null
  for (const auto& object : objects) items.push_back(partial_object(object, version));
  return json::Draft::object({
                                 {"kind",       "PartialObjectMetadataList"},
                                 {"apiVersion", version                    },
                                 {"metadata",   json::Draft{metadata}      },
                                 {"items",      std::move(items)           }
  })
      .freeze();
}

namespace {

bool has_default_columns(const Resource& resource) {
  const auto& columns = columns_of(resource);
  return columns.size() == 2 && columns[1].name == "Created At";
}

// kubectl leaves out what has come to its end where it is told so.
void note_end(json::View pod, json::Draft& row) {
  const auto phase = pod.get("status", "phase").as_string();
  if (phase != "Succeeded" && phase != "Failed") return;
  row["conditions"] = json::Draft::array({
      json::Draft::object(
          {{"type", "Completed"},
                           {"status", "True"},
                           {"reason", phase},
                           {"message",
            phase == "Failed" ? "The pod failed." : "The pod has completed successfully."}}
          )
  });
}

struct Row {
  json::Draft cells;
  json::Value object;
};

json::Draft table_with(const std::vector<kinds::Column>& columns, std::vector<Row> rows,
                       json::View metadata, const TableOptions& options) {
  json::Draft table = json::Draft::object();
  table["kind"] = "Table";
  table["apiVersion"] = options.version;
  table["metadata"] = json::Draft{metadata};
  if (options.columns == Columns::Named) {
    auto& named = table.array_at("columnDefinitions");
    for (const auto& column : columns) named.push_back(definition(column));
  } else {
    table["columnDefinitions"] = json::Draft{};
  }
  auto& shown = table.array_at("rows");
  for (auto& each : rows) {
    json::Draft row = json::Draft::object();
    row["cells"] = std::move(each.cells);
    switch (options.include) {
      case IncludeObject::None: row["object"] = json::Draft{}; break;
      case IncludeObject::Metadata:
        row["object"] = partial_object(each.object, options.version);
        break;
      case IncludeObject::Object: row["object"] = each.object; break;
    }
    shown.push_back(std::move(row));
  }
  return table;
}

// A custom kind's scale has two of its columns in the form of its own.
std::vector<kinds::Column> scale_columns(const Resource& resource) {
  auto name = name_column();
  if (!resource.custom) name.format = "";
  return {
      name,
      {.name = "Desired",
        .type = "integer",
        .format = "",
        .description = "How many are wanted",
        .priority = 0},
      {.name = "Available",
        .type = "integer",
        .format = "",
        .description = "How many were seen",
        .priority = 0},
      {.name = "Age",
        .type = resource.custom ? "date" : "string",
        .format = "",
        .description = "The time since the object was created",
        .priority = 0}
  };
}

}  // namespace

json::Value table_of(const Resource& resource, const std::vector<json::Value>& objects,
                     json::View metadata, const TableOptions& options) {
  std::vector<Row> rows;
  rows.reserve(objects.size());
  for (const auto& object : objects) {
    rows.push_back({cells_of(resource, object, options.now), object});
  }
  json::Draft table = table_with(columns_of(resource), std::move(rows), metadata, options);
  // Only a kind that has columns of its own makes its rows beforehand.
  if (objects.empty() && resource.builtin != nullptr && has_default_columns(resource)) {
    table["rows"] = json::Draft{};
  }
  if (resource.prefix == "pods/") {
    auto row = table.array_at("rows").elements().begin();
    for (const auto& object : objects) note_end(object, *row++);
  }
  return table.freeze();
}

json::Value scale_table_of(const Resource& resource, const json::Value& scale, json::View metadata,
                           const TableOptions& options) {
  json::Draft cells = json::Draft::array();
  cells.push_back(kube::name_of(scale));
  cells.push_back(scale.get("spec", "replicas").as_int());
  cells.push_back(scale.get("status", "replicas").as_int());
  const auto created = kube::SimpleJsonPath::parse(".metadata.creationTimestamp");
  FP_CHECK(created.has_value());
  cells.push_back(kube::table_cell(*created, "date", scale, options.now));
  std::vector<Row> rows;
  rows.push_back({std::move(cells), scale});
  return table_with(scale_columns(resource), std::move(rows), metadata, options).freeze();
}

}  // namespace fixpoint::apiserver
