// SPDX-License-Identifier: Apache-2.0
#include "kube/crd/crd.h"

#include "json/strings.h"
#include "kube/crd/schema.h"
#include "kube/go/text.h"
#include "kube/meta/names.h"
#include "kube/schema/validate_format.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <tuple>

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

CustomNames read_names(json::View names) {
  return {.plural = std::string{names.get("plural").as_string()},
          .singular = std::string{names.get("singular").as_string()},
          .kind = std::string{names.get("kind").as_string()},
          .list_kind = std::string{names.get("listKind").as_string()},
          .short_names = json::strings_of(names.get("shortNames")),
          .categories = json::strings_of(names.get("categories"))};
}

CustomColumn read_column(json::View column) {
  CustomColumn out{.name = std::string{column.get("name").as_string()},
                   .type = std::string{column.get("type").as_string()},
                   .format = std::string{column.get("format").as_string()},
                   .description = std::string{column.get("description").as_string()},
                   .priority = static_cast<int>(column.get("priority").as_int()),
                   .json_path = std::string{column.get("jsonPath").as_string()}};
  if (out.description.empty()) {
    out.description =
        fmt::format("Custom resource definition column (in JSONPath format): {}", out.json_path);
  }
  return out;
}

// What a version without columns of its own shows.
CustomColumn age_column() {
  return {.name = "Age",
          .type = "date",
          .format = "",
          .description = "When the object was created, in the server's time (RFC 3339, UTC).",
          .priority = 0,
          .json_path = ".metadata.creationTimestamp"};
}

std::optional<ScalePaths> read_scale(json::View subresources) {
  const auto scale = subresources.get("scale");
  if (!scale.is_object()) return std::nullopt;
  return ScalePaths{.spec_replicas = std::string{scale.get("specReplicasPath").as_string()},
                    .status_replicas = std::string{scale.get("statusReplicasPath").as_string()},
                    .label_selector = std::string{scale.get("labelSelectorPath").as_string()}};
}

// Names the newest version that is served, newer and not deprecated, if there is one.
std::string default_deprecation(std::string_view version, json::View spec) {
  const auto group = spec.get("group").as_string();
  const auto kind = spec.get("names", "kind").as_string();
  std::string_view better;
  for (const auto other : spec.get("versions").elements()) {
    const auto name = other.get("name").as_string();
    if (!other.get("served").as_bool() || other.get("deprecated").as_bool()) continue;
    if (newer_version(name, version) && (better.empty() || newer_version(name, better))) {
      better = name;
    }
  }
  auto text = fmt::format("{}/{} {} is deprecated", group, version, kind);
  if (!better.empty()) text += fmt::format("; use {}/{} {}", group, better, kind);
  return text;
}

CustomVersion read_version(json::View version, json::View spec) {
  CustomVersion out;
  out.name = version.get("name").as_string();
  out.served = version.get("served").as_bool();
  out.storage = version.get("storage").as_bool();
  out.deprecated = version.get("deprecated").as_bool();
  if (out.deprecated) {
    const auto given = version.find("deprecationWarning");
    out.deprecation_warning = given && given->is_string() ? std::string{given->as_string()}
                                                          : default_deprecation(out.name, spec);
  }
  out.schema = version.get("schema", "openAPIV3Schema");
  out.has_status = version.get("subresources", "status").is_object();
  out.scale = read_scale(version.get("subresources"));
  for (const auto column : version.get("additionalPrinterColumns").elements()) {
    out.columns.push_back(read_column(column));
  }
  if (out.columns.empty()) out.columns.push_back(age_column());
  for (const auto field : version.get("selectableFields").elements()) {
    out.selectable_fields.emplace_back(field.get("jsonPath").as_string());
  }
  return out;
}

bool condition_true(json::View crd, std::string_view type) {
  for (const auto condition : crd.get("status", "conditions").elements()) {
    if (condition.get("type").as_string() == type) {
      return condition.get("status").as_string() == "True";
    }
  }
  return false;
}

// v, major, then alpha or beta with a minor; anything else is not a Kubernetes version.
struct VersionRank {
  int stability = 0;  // 0: not a version, 1 alpha, 2 beta, 3 stable
  int major = 0;
  int minor = 0;
};

VersionRank rank(std::string_view name) {
  const auto number = [&](int& into) {
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), into);
    if (error != std::errc{} || into < 0) return false;
    name.remove_prefix(static_cast<std::size_t>(end - name.data()));
    return true;
  };
  VersionRank out;
  if (!name.starts_with('v')) return {};
  name.remove_prefix(1);
  if (!number(out.major)) return {};
  if (name.empty()) return {3, out.major, 0};
  if (name.starts_with("alpha")) out.stability = 1;
  if (name.starts_with("beta")) out.stability = 2;
  if (out.stability == 0) return {};
  name.remove_prefix(out.stability == 1 ? 5 : 4);
  if (!number(out.minor) || !name.empty()) return {};
  return out;
}

bool object_or_absent(const json::Draft* draft) {
  return draft == nullptr || draft->is_null() || draft->is_object();
}

void add_stored_version(json::Draft& crd) {
  const auto spec = crd["spec"].freeze();
  for (const auto version : spec.get("versions").elements()) {
    if (!version.get("storage").as_bool()) continue;
    const auto name = version.get("name").as_string();
    auto& stored = crd.object_at("status").array_at("storedVersions");
    const auto same = [&](const json::Draft& each) { return each.as_string() == name; };
    if (std::ranges::none_of(stored.elements(), same)) stored.push_back(name);
    return;
  }
}

// The order of Kubernetes' own traversal, so that several warnings come as they do there.
void unrecognized_formats(json::View schema, std::vector<std::string>& out) {
  if (!schema.is_object()) return;
  const auto format = schema.get("format").as_string();
  if (!format.empty() && schema.get("type").as_string() == "string" &&
      format_named(format) == Format::None) {
    out.emplace_back(format);
  }
  unrecognized_formats(schema.get("items"), out);
  for (const std::string_view branches : {"allOf", "anyOf", "oneOf"}) {
    for (const auto branch : schema.get(branches).elements()) unrecognized_formats(branch, out);
  }
  unrecognized_formats(schema.get("not"), out);
  for (auto [name, property] : schema.get("properties").members()) {
    unrecognized_formats(property, out);
  }
  unrecognized_formats(schema.get("additionalProperties"), out);
}

std::vector<std::string> unrecognized_formats_of(json::View crd) {
  std::vector<std::string> out;
  for (const auto version : crd.get("spec", "versions").elements()) {
    const auto schema = version.get("schema", "openAPIV3Schema");
    if (!nests_too_deep(schema)) unrecognized_formats(schema, out);
  }
  return out;
}

}  // namespace

const CustomVersion* CustomResource::version(std::string_view name) const {
  const auto found = std::ranges::find(versions, name, &CustomVersion::name);
  return found == versions.end() ? nullptr : &*found;
}

const CustomVersion* CustomResource::storage_version() const {
  const auto found = std::ranges::find(versions, true, &CustomVersion::storage);
  return found == versions.end() ? nullptr : &*found;
}

CustomResource read_custom_resource(json::View crd) {
  const auto spec = crd.get("spec");
  const auto status = crd.get("status");
  CustomResource out;
  out.group = spec.get("group").as_string();
  out.names = read_names(spec.get("names"));
  out.accepted_names = read_names(status.get("acceptedNames"));
  out.scope = spec.get("scope").as_string() == "Namespaced" ? Scope::Namespaced : Scope::Cluster;
  out.preserve_unknown_fields = spec.get("preserveUnknownFields").as_bool();
  out.webhook_conversion = spec.get("conversion", "strategy").as_string() == "Webhook";
  for (const auto version : spec.get("versions").elements()) {
    out.versions.push_back(read_version(version, spec));
  }
  out.stored_versions = json::strings_of(status.get("storedVersions"));
  out.names_accepted = condition_true(crd, "NamesAccepted");
  out.established = condition_true(crd, "Established");
  out.terminating = condition_true(crd, "Terminating");
  return out;
}

bool newer_version(std::string_view a, std::string_view b) {
  const auto rank_a = rank(a);
  const auto rank_b = rank(b);
  if (rank_a.stability == 0 && rank_b.stability == 0) return a < b;
  return std::tie(rank_a.stability, rank_a.major, rank_a.minor) >
         std::tie(rank_b.stability, rank_b.major, rank_b.minor);
}

void set_crd_defaults(json::Draft& crd) {
  // Decoding refuses other shapes before this; what gets here anyway is left for validation.
  if (!object_or_absent(&crd) || !object_or_absent(crd.find("spec")) ||
      !object_or_absent(crd.find("spec", "names")) || !object_or_absent(crd.find("status"))) {
    return;
  }
  auto& spec = crd.object_at("spec");
  auto& names = spec.object_at("names");
  const auto text = [&](std::string_view key) -> std::string {
    const auto* found = names.find(key);
    return found == nullptr ? std::string{} : std::string{found->as_string()};
  };
  const auto kind = text("kind");
  if (text("singular").empty() && !kind.empty()) names["singular"] = lower_case(kind);
  if (text("listKind").empty() && !kind.empty()) names["listKind"] = kind + "List";
  auto& conversion = spec["conversion"];
  if (conversion.is_null())
    conversion = json::Draft::object({
        {"strategy", "None"}
    });
  if (auto* service = conversion.find("webhook", "clientConfig", "service");
      service != nullptr && service->is_object() && !service->contains("port")) {
    (*service)["port"] = 443;
  }
  const auto* stored = crd.find("status", "storedVersions");
  if (stored == nullptr || stored->is_null() || (stored->is_array() && stored->empty())) {
    add_stored_version(crd);
  }
}

void prepare_crd(json::Draft& crd, json::View old_crd) {
  if (old_crd.is_null()) {
    crd["status"] = json::Draft::object({
        {"acceptedNames", json::Draft::object({{"kind", ""}, {"plural", ""}})},
        {"conditions",    json::Draft{}                                      }
    });
  } else if (const auto status = old_crd.find("status")) {
    crd["status"] = json::Draft{*status};
  } else {
    crd.erase("status");
  }
  add_stored_version(crd);
}

std::vector<std::string> crd_warnings(json::View crd, json::View old_crd) {
  const auto before = unrecognized_formats_of(old_crd);
  std::vector<std::string> out;
  for (const auto& format : unrecognized_formats_of(crd)) {
    if (std::ranges::find(before, format) != before.end()) continue;
    auto text = fmt::format("unrecognized format {}", shown(format));
    // The server sends each warning once.
    if (std::ranges::find(out, text) == out.end()) out.push_back(std::move(text));
  }
  return out;
}

std::vector<std::string> custom_resource_warnings(json::View object, json::View old_object) {
  std::set<std::string_view> added;
  for (const auto each : object.get("metadata", "finalizers").elements()) {
    added.insert(each.as_string());
  }
  for (const auto each : old_object.get("metadata", "finalizers").elements()) {
    added.erase(each.as_string());
  }
  std::vector<std::string> out;
  for (const auto name : added) {
    const auto about = fmt::format("metadata.finalizers: {}: ", shown(name));
    for (const auto& problem : qualified_name_problems(name)) out.push_back(about + problem);
    if (name.contains('/') || name == "orphan" || name == "foregroundDeletion" ||
        name == "kubernetes") {
      continue;
    }
    out.push_back(
        fmt::format("{}prefer a domain-qualified finalizer name {}to avoid accidental "
                    "conflicts with other finalizer writers",
                    about, name.contains('.') ? "including a path (/) " : ""));
  }
  return out;
}

}  // namespace fixpoint::kube
