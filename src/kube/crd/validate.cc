// SPDX-License-Identifier: Apache-2.0
#include "kube/crd/validate.h"

#include "kube/crd/approval.h"
#include "kube/crd/go_json.h"
#include "kube/crd/schema.h"
#include "kube/crd/validate_conversion.h"
#include "kube/crd/validate_schema.h"
#include "kube/crd/validate_version.h"
#include "kube/go/text.h"
#include "kube/meta/names.h"
#include "kube/meta/validate_metadata.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

// What an update need not repair because the old CRD was already so.
struct Rules {
  SchemaRules schema;
  bool schema_in_every_version = true;
  // Until it is served, a definition may name certificates that are none.
  ConversionRules conversion{.valid_ca_bundle = false};
  bool immutable_names = false;
};

// True when `wrong` holds somewhere in a schema of the CRD.
bool somewhere(json::View schema, const std::function<bool(json::View)>& wrong) {
  if (!schema.is_object()) return false;
  if (wrong(schema)) return true;
  for (const std::string_view keyword : {"items", "not", "additionalProperties"}) {
    if (somewhere(schema.get(keyword), wrong)) return true;
  }
  for (const std::string_view keyword : {"allOf", "anyOf", "oneOf", "items"}) {
    for (const auto branch : schema.get(keyword).elements()) {
      if (somewhere(branch, wrong)) return true;
    }
  }
  for (const std::string_view keyword : {"properties", "patternProperties", "definitions"}) {
    for (auto [name, property] : schema.get(keyword).members()) {
      if (somewhere(property, wrong)) return true;
    }
  }
  return false;
}

bool any_schema(json::View spec, const std::function<bool(json::View)>& wrong) {
  return std::ranges::any_of(spec.get("versions").elements(), [&](json::View version) {
    const auto schema = version.get("schema", "openAPIV3Schema");
    return schema.is_object() && wrong(schema);
  });
}

bool non_structural(json::View schema) {
  return not_convertible(schema) || !validate_structural(schema, FieldPath{}).empty();
}

bool has_unpruned_default(json::View schema) {
  if (non_structural(schema)) return false;
  return std::ranges::any_of(validate_defaults(schema, true, FieldPath{}), [](const FieldError& e) {
    return e.detail == "must not have unknown fields";
  });
}

Rules rules_for_update(json::View old_crd) {
  const auto spec = old_crd.get("spec");
  const auto free_of = [&](const std::function<bool(json::View)>& wrong) {
    return !any_schema(spec, [&](json::View schema) { return somewhere(schema, wrong); });
  };
  Rules rules;
  rules.schema.structural = !any_schema(spec, non_structural);
  rules.schema.valid_types = free_of([](json::View schema) {
    const auto type = schema.get("type").as_string();
    return !type.empty() && !valid_type_name(type);
  });
  rules.schema.pruned_defaults = !any_schema(spec, has_unpruned_default);
  rules.schema.atomic_set_items = free_of(has_loose_set_items);
  rules.schema.list_map_keys =
      free_of([](json::View schema) { return !validate_list_keys(schema, FieldPath{}).empty(); });
  rules.schema_in_every_version = std::ranges::all_of(
      spec.get("versions").elements(),
      [](json::View version) { return version.get("schema", "openAPIV3Schema").is_object(); });
  rules.conversion.recognized_review_version =
      has_recognized_review_version(spec.get("conversion", "webhook", "conversionReviewVersions"));
  for (const auto condition : old_crd.get("status", "conditions").elements()) {
    if (condition.get("type").as_string() == "Established") {
      rules.immutable_names = condition.get("status").as_string() == "True";
    }
  }
  rules.conversion.valid_ca_bundle =
      rules.immutable_names &&
      ca_bundle_problem(spec.get("conversion", "webhook", "clientConfig", "caBundle")).empty();
  return rules;
}

// Kubernetes' internal form has what is the same in every version once, at the top.
MovedUp moved_up(json::View versions) {
  const auto same = [&](std::string_view field) {
    const auto first = versions[0].get(field);
    return std::ranges::all_of(versions.elements(), [&](json::View version) {
      const auto value = version.get(field);
      return value == first || (value.is_array() && first.is_null() && value.empty()) ||
             (value.is_null() && first.is_array() && first.empty());
    });
  };
  return {.schema = same("schema"),
          .subresources = same("subresources"),
          .columns = same("additionalPrinterColumns"),
          .selectable_fields = same("selectableFields")};
}

class SpecChecker {
 public:
  SpecChecker(json::View spec, const Rules& rules)
      : spec_(spec), rules_(rules), versions_(spec.get("versions")), moved_(moved_up(versions_)) {
    if (!spec.get("preserveUnknownFields").as_bool() || any_schema(spec, uses_extensions)) {
      rules_.schema.structural = true;
    }
  }

  FieldErrors run() {
    const FieldPath path{"spec"};
    group(path);
    scope(path);
    schemas_present(path);
    defaults_need_pruning(path);
    versions(path);
    top(path);
    append(errors_, validate_conversion(spec_.get("conversion"), rules_.conversion,
                                        path.child("conversion")));
    return std::move(errors_);
  }

 private:
  static bool uses_extensions(json::View root) {
    return somewhere(root, [](json::View schema) {
      return !schema.get("default").is_null() ||
             schema.get("x-kubernetes-embedded-resource").as_bool() ||
             schema.contains("x-kubernetes-preserve-unknown-fields") ||
             schema.get("x-kubernetes-int-or-string").as_bool() ||
             !schema.get("x-kubernetes-list-map-keys").empty() ||
             schema.contains("x-kubernetes-list-type") ||
             !schema.get("x-kubernetes-validations").empty();
    });
  }

  void group(const FieldPath& path) {
    const auto given = spec_.get("group").as_string();
    const auto at = path.child("group");
    if (given.empty()) {
      errors_.push_back(required(at, ""));
    } else if (const auto problems = dns1123_subdomain_problems(given); !problems.empty()) {
      errors_.push_back(invalid(at, shown(given), joined(problems, ",")));
    } else if (!given.contains('.')) {
      errors_.push_back(invalid(at, shown(given), "should be a domain with at least one dot"));
    }
  }

  void scope(const FieldPath& path) {
    const auto given = spec_.get("scope");
    const auto at = path.child("scope");
    if (given.as_string().empty()) {
      errors_.push_back(required(at, ""));
    } else if (given.as_string() != "Cluster" && given.as_string() != "Namespaced") {
      errors_.push_back(not_supported(at, given, {"Cluster", "Namespaced"}));
    }
  }

  void schemas_present(const FieldPath& path) {
    const auto at = path.child("versions");
    const bool pruning = !spec_.get("preserveUnknownFields").as_bool();
    std::size_t index = 0;
    for (const auto version : versions_.elements()) {
      const auto here = at.index(index++);
      if (version.get("schema", "openAPIV3Schema").is_object()) continue;
      const auto schema = here.child("schema");
      if (rules_.schema_in_every_version) {
        errors_.push_back(required(schema.child("openAPIV3Schema"), ""));
      } else if (pruning && version.get("served").as_bool()) {
        errors_.push_back(
            required(schema.child("openAPIV3Schema"), "because otherwise all fields are pruned"));
      }
    }
  }

  void defaults_need_pruning(const FieldPath& path) {
    if (!spec_.get("preserveUnknownFields").as_bool()) return;
    const auto has_default = [](json::View schema) { return !schema.get("default").is_null(); };
    if (any_schema(spec_, [&](json::View root) { return somewhere(root, has_default); })) {
      errors_.push_back(invalid(path.child("preserveUnknownFields"), std::string{"true"},
                                "must be false in order to use defaults in the schema"));
    }
  }

  void versions(const FieldPath& path) {
    const auto at = path.child("versions");
    std::size_t storage = 0;
    std::set<std::string_view> names;
    std::size_t index = 0;
    for (const auto version : versions_.elements()) {
      if (version.get("storage").as_bool()) ++storage;
      names.insert(version.get("name").as_string());
      one_version(version, at.index(index++));
    }
    const auto all = go_json_versions(versions_.is_array() ? versions_ : json::View{}, moved_);
    if (names.size() != versions_.size()) {
      errors_.push_back(invalid(at, all, "must contain unique version names"));
    }
    if (storage != 1) {
      errors_.push_back(
          invalid(at, all, "must have exactly one version marked as storage version"));
    }
    // The internal form also has the first version's name, and complains about it again.
    if (const auto first = versions_[0].get("name").as_string(); !first.empty()) {
      check_version_name(first, path.child("version"));
    }
  }

  void check_version_name(std::string_view name, const FieldPath& at) {
    if (const auto problems = dns1035_label_problems(name); !problems.empty()) {
      errors_.push_back(invalid(at, shown(name), joined(problems, ",")));
    }
  }

  void one_version(json::View version, const FieldPath& at) {
    check_version_name(version.get("name").as_string(), at.child("name"));
    append(errors_, validate_deprecation(version, at.child("deprecationWarning")));
    if (!moved_.schema) {
      schema(version.get("schema"), version.get("subresources", "status").is_object(),
             at.child("schema"));
    }
    if (!moved_.subresources) {
      append(errors_, validate_subresources(version.get("subresources"), at.child("subresources")));
    }
    if (!moved_.columns) {
      append(errors_, validate_columns(version.get("additionalPrinterColumns"),
                                       at.child("additionalPrinterColumns")));
    }
    if (moved_.selectable_fields || version.get("selectableFields").empty()) return;
    const auto fields_at = at.child("selectableFields");
    // A schema that moved to the top is missed here.
    const auto schema = version.get("schema", "openAPIV3Schema");
    if (moved_.schema || !schema.is_object()) {
      errors_.push_back(invalid(fields_at, std::string{"\"\""},
                                "may only be set when `version.schema.openAPIV3Schema` is not "
                                "included"));
      return;
    }
    append(errors_, validate_selectable_fields(version.get("selectableFields"), schema, fields_at));
  }

  // What moved to the top, and the names.
  void top(const FieldPath& path) {
    const auto names = spec_.get("names");
    const auto names_at = path.child("names");
    for (const std::string_view field : {"plural", "singular", "kind", "listKind"}) {
      if (names.get(field).as_string().empty()) {
        errors_.push_back(required(names_at.child(field), ""));
      }
    }
    append(errors_, validate_names(names, names_at));
    const auto first = versions_[0];
    if (moved_.schema) {
      const bool any_status = std::ranges::any_of(versions_.elements(), [](json::View version) {
        return version.get("subresources", "status").is_object();
      });
      schema(first.get("schema"), any_status, path.child("validation"));
    }
    if (moved_.subresources) {
      append(errors_, validate_subresources(first.get("subresources"), path.child("subresources")));
    }
    if (moved_.columns) {
      append(errors_, validate_columns(first.get("additionalPrinterColumns"),
                                       path.child("additionalPrinterColumns")));
    }
    if (moved_.selectable_fields) {
      append(errors_, validate_selectable_fields(first.get("selectableFields"),
                                                 first.get("schema", "openAPIV3Schema"),
                                                 path.child("selectableFields")));
    }
  }

  void schema(json::View validation, bool has_status, const FieldPath& path) {
    const auto given = validation.get("openAPIV3Schema");
    if (!given.is_object()) return;
    const auto at = path.child("openAPIV3Schema");
    if (has_status) append(errors_, validate_root_with_status(given, at));
    if (given.get("nullable").as_bool()) {
      errors_.push_back(forbidden(at.child("nullable"), "nullable cannot be true at the root"));
    }
    append(errors_, validate_schema(given, rules_.schema, at));
  }

  json::View spec_;
  Rules rules_;
  json::View versions_;
  MovedUp moved_;
  FieldErrors errors_;
};

FieldErrors validate_stored_versions(json::View crd) {
  const auto path = FieldPath{"status"};
  const auto at = path.child("storedVersions");
  const auto stored = crd.get("status", "storedVersions");
  if (stored.empty()) {
    return {invalid(at, stored.is_array() ? std::string{"[]"} : std::string{"null"},
                    "must have at least one stored version")};
  }
  FieldErrors errors;
  std::vector<std::string_view> left;
  for (const auto version : stored.elements()) left.push_back(version.as_string());
  for (const auto version : crd.get("spec", "versions").elements()) {
    const auto name = version.get("name").as_string();
    const auto found = std::ranges::find(left, name);
    if (version.get("storage").as_bool() && found == left.end()) {
      errors.push_back(invalid(at, stored, fmt::format("must have the storage version {}", name)));
    }
    if (found != left.end()) *found = "";
  }
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (left[i].empty()) continue;
    errors.push_back(invalid(
        at.index(i), shown(left[i]),
        fmt::format("missing from spec.versions; {0} was previously a storage version, and must "
                    "remain in spec.versions until a storage migration ensures no data remains "
                    "persisted in {0} and removes {0} from status.storedVersions",
                    left[i])));
  }
  return errors;
}

FieldErrors validate_approval(json::View crd, json::View old_crd) {
  if (!protected_group(crd.get("spec", "group").as_string())) return {};
  const auto approval = approval_of(crd);
  if (!old_crd.is_null() && approval_of(old_crd).state == approval.state) return {};
  const FieldPath metadata{"metadata"};
  const auto annotations = metadata.child("annotations");
  const auto at = annotations.key(kApprovalAnnotation);
  if (approval.state == Approval::Missing) return {required(at, approval.reason)};
  if (approval.state != Approval::Invalid) return {};
  return {
      invalid(at, crd.get("metadata", "annotations").get(kApprovalAnnotation), approval.reason)};
}

FieldErrors validate_preserving(json::View crd, json::View old_crd) {
  if (old_crd.get("spec", "preserveUnknownFields").as_bool()) return {};
  if (!crd.get("spec", "preserveUnknownFields").as_bool()) return {};
  const FieldPath spec{"spec"};
  return {invalid(spec.child("preserveUnknownFields"), std::string{"true"},
                  "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in "
                  "spec.versions[*].schema instead")};
}

FieldErrors validate_status(json::View crd) {
  const FieldPath path{"status"};
  return validate_names(crd.get("status", "acceptedNames"), path.child("acceptedNames"));
}

FieldErrors validate_rest(json::View crd, json::View old_crd) {
  auto errors = validate_status(crd);
  append(errors, validate_stored_versions(crd));
  append(errors, validate_approval(crd, old_crd));
  append(errors, validate_preserving(crd, old_crd));
  return errors;
}

// The name says what the CRD defines.
void check_name(json::View crd, FieldErrors& errors) {
  const auto name = crd.get("metadata", "name").as_string();
  const auto wanted = fmt::format("{}.{}", crd.get("spec", "names", "plural").as_string(),
                                  crd.get("spec", "group").as_string());
  if (name.empty() || name == wanted) return;
  const FieldPath metadata{"metadata"};
  auto error =
      invalid(metadata.child("name"), shown(name), "must be spec.names.plural+\".\"+spec.group");
  // After the other complaints about the name, before those about the rest of the metadata.
  const auto last = std::ranges::find_if(errors.rbegin(), errors.rend(), [](const FieldError& e) {
    return e.field == "metadata.name";
  });
  errors.insert(last == errors.rend() ? errors.begin() : last.base(), std::move(error));
}

// Nothing here recurses into a schema before this has said that it may.
FieldErrors too_deep(json::View crd) {
  FieldErrors errors;
  const FieldPath spec{"spec"};
  const auto versions = spec.child("versions");
  std::size_t index = 0;
  for (const auto version : crd.get("spec", "versions").elements()) {
    const auto here = versions.index(index++);
    if (!nests_too_deep(version.get("schema"))) continue;
    errors.push_back(
        forbidden(here.child("schema"),
                  fmt::format("must not nest more than {} levels deep", kSchemaDepthMax)));
  }
  return errors;
}

}  // namespace

FieldErrors validate_crd(json::View crd, RuleCheck rule_check) {
  if (auto errors = too_deep(crd); !errors.empty()) return errors;
  auto errors =
      validate_object_meta(crd, name_is_dns_subdomain, Scope::Cluster, FieldPath{"metadata"});
  check_name(crd, errors);
  Rules rules;
  rules.schema.rule_check = rule_check;
  append(errors, SpecChecker(crd.get("spec"), rules).run());
  append(errors, validate_rest(crd, {}));
  return errors;
}

FieldErrors validate_crd_update(json::View crd, json::View old_crd, RuleCheck rule_check) {
  if (auto errors = too_deep(crd); !errors.empty()) return errors;
  auto rules = rules_for_update(old_crd);
  rules.schema.rule_check = rule_check;
  auto errors = validate_object_meta_update(crd, old_crd, FieldPath{"metadata"});
  append(errors, SpecChecker(crd.get("spec"), rules).run());
  const FieldPath path{"spec"};
  const auto names = path.child("names");
  const auto keep = [&](const FieldPath& at, json::View now, json::View old) {
    append(errors, validate_immutable(now, old, at));
  };
  const auto spec = crd.get("spec");
  const auto old_spec = old_crd.get("spec");
  if (rules.immutable_names) {
    keep(path.child("scope"), spec.get("scope"), old_spec.get("scope"));
    keep(names.child("kind"), spec.get("names", "kind"), old_spec.get("names", "kind"));
  }
  keep(path.child("group"), spec.get("group"), old_spec.get("group"));
  keep(names.child("plural"), spec.get("names", "plural"), old_spec.get("names", "plural"));
  append(errors, validate_rest(crd, old_crd));
  return errors;
}

FieldErrors validate_crd_status_update(json::View crd, json::View old_crd) {
  auto errors = validate_object_meta_update(crd, old_crd, FieldPath{"metadata"});
  append(errors, validate_status(crd));
  return errors;
}

}  // namespace fixpoint::kube
