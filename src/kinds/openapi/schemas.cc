// SPDX-License-Identifier: Apache-2.0
#include "kinds/openapi/schemas.h"

#include "base/error.h"
#include "kinds/openapi/words.h"
#include "kinds/table.h"

#include <algorithm>
#include <functional>
#include <optional>

namespace fixpoint::kinds {
namespace {

constexpr std::string_view kExtensions =
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.";

// Types that the tables treat as one word have definitions of their own.
struct Special {
  std::string_view word;
  std::string_view definition;
  std::string_view v3;
  std::string_view v2;
};
constexpr Special kSpecials[] = {
    {"time",          "io.k8s.apimachinery.pkg.apis.meta.v1.Time",                                             R"("type":"string","format":"date-time")",
     R"("type":"string","format":"date-time")"                                                                                                                                                         },
    {"microtime",     "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime",
     R"("type":"string","format":"date-time")",                                                                                                           R"("type":"string","format":"date-time")"    },
    {"duration",      "io.k8s.apimachinery.pkg.apis.meta.v1.Duration",                                         R"("type":"string")",
     R"("type":"string")"                                                                                                                                                                              },
    {"quantity",      "io.k8s.apimachinery.pkg.api.resource.Quantity",
     R"("oneOf":[{"type":"string"},{"type":"number"}])",                                                                                                  R"("type":"string")"                         },
    {"int-or-string", "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
     R"("format":"int-or-string","oneOf":[{"type":"integer"},{"type":"string"}])",                                                                        R"("type":"string","format":"int-or-string")"},
    {"raw",           "io.k8s.apimachinery.pkg.runtime.RawExtension",                                          R"("type":"object")",
     R"("type":"object")"                                                                                                                                                                              },
    {"fields",        "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1",                                         R"("type":"object")",
     R"("type":"object")"                                                                                                                                                                              },
    {"json",          "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON",                         "",                                        ""                                           },
    {"",              "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray",       "",                                        ""                                           },
    {"",              "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool",        "",                                        ""                                           },
    {"",              "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray",
     "",                                                                                                                                                  ""                                           },
    {"",              "io.k8s.apimachinery.pkg.apis.meta.v1.Patch",                                            R"("type":"object")",                      R"("type":"object")"                         },
};

const Special* special_definition(std::string_view definition) {
  const auto found = std::ranges::find(kSpecials, definition, &Special::definition);
  return found == std::end(kSpecials) ? nullptr : &*found;
}

// A field's type taken apart: containers around a basic word or a definition.
struct TypeParts {
  std::string_view container;  // "[]", "map" or ""
  std::string_view inner;      // of a container
  std::string_view word;       // basic word
  std::string definition;
};

std::string definition_of(std::string_view word, std::string_view name) {
  if (word == "props-or") return std::string{kExtensions} + std::string{name};
  for (const auto& special : kSpecials) {
    if (!word.empty() && special.word == word) return std::string{special.definition};
  }
  const auto found = find_type(word);
  return found ? found->definition() : std::string{};
}

TypeParts take_apart(std::string_view type) {
  if (const auto colon = type.find(':');
      colon != std::string_view::npos && colon < type.find('[')) {
    type.remove_prefix(colon + 1);
  }
  if (type.starts_with("[]")) return {"[]", type.substr(2), {}, {}};
  if (type.starts_with("map[")) return {"map", type.substr(type.find(']') + 1), {}, {}};
  const auto equals = std::min(type.find('='), type.size());
  const auto word = type.substr(0, equals);
  return {{}, {}, word, definition_of(word, type.substr(std::min(equals + 1, type.size())))};
}

struct BasicType {
  std::string_view word;
  std::string_view type;
  std::string_view format;
};
constexpr BasicType kBasicTypes[] = {
    {"string",  "string",  ""      },
    {"bool",    "boolean", ""      },
    {"int",     "integer", "int32" },
    {"int32",   "integer", "int32" },
    {"int64",   "integer", "int64" },
    {"uint8",   "integer", "int32" },
    {"uint16",  "integer", "int32" },
    {"uint32",  "integer", "int64" },
    {"uint64",  "integer", "int64" },
    {"float64", "number",  "double"},
    {"bytes",   "string",  "byte"  },
};

class SchemaWriter {
 public:
  SchemaWriter(OpenApi version, JsonText& to) : version_(version), to_(to) {}

  void property(std::string_view owner, const FieldRow& field) {
    const auto parts = take_apart(field.type);
    to_.key(field.name).open();
    if (field.bare) {
      to_.member("$ref", reference_to(parts.definition, version_)).close();
      return;
    }
    to_.member("description", field_description(owner, field.name));
    type(parts, field);
    if (!field.default_json.empty()) {
      default_value(field.default_json);
    } else if (is_struct(parts) && !field.pointer) {
      default_value("{}");
    }
    if (parts.container.empty()) enumeration(field);
    extensions(field);
    to_.close();
  }

 private:
  bool is_struct(const TypeParts& parts) const {
    return !parts.definition.empty() && special_definition(parts.definition) == nullptr;
  }

  // Writes the members that say the type into the open object.
  void type(const TypeParts& parts, const FieldRow& field) {
    if (parts.container == "[]") {
      to_.member("type", "array");
      to_.key("items");
      element(take_apart(parts.inner), field);
    } else if (parts.container == "map") {
      to_.member("type", "object");
      to_.key("additionalProperties");
      element(take_apart(parts.inner), field);
    } else if (!parts.definition.empty()) {
      reference(parts.definition);
    } else {
      basic(parts.word, field.format);
    }
  }

  void element(const TypeParts& parts, const FieldRow& list) {
    to_.open();
    if (!parts.definition.empty() && !is_struct(parts)) {
      to_.member("$ref", reference_to(parts.definition, version_)).close();
      return;
    }
    type(parts, FieldRow{});
    if (is_struct(parts)) {
      default_value("{}");
    } else if (parts.word == "string") {
      default_value(R"("")");
    } else if (parts.word == "int32" || parts.word == "int64") {
      default_value("0");
    }
    enumeration(list);
    to_.close();
  }

  // v2 has none.
  void default_value(std::string_view json) {
    if (version_ == OpenApi::V3) to_.key("default").raw(json);
  }

  // A reference may stand beside other members only in a list of one (v3).
  void reference(std::string_view definition) {
    const auto target = reference_to(definition, version_);
    if (version_ == OpenApi::V2) {
      to_.member("$ref", target);
    } else {
      to_.key("allOf").open_list().open().member("$ref", target).close().close_list();
    }
  }

  void basic(std::string_view word, std::string_view format) {
    const auto found = std::ranges::find(kBasicTypes, word, &BasicType::word);
    FP_CHECK(found != std::end(kBasicTypes));
    to_.member("type", found->type);
    const auto shown = format.empty() ? found->format : format;
    if (!shown.empty()) to_.member("format", shown);
  }

  void enumeration(const FieldRow& field) {
    if (field.enumeration.empty()) return;
    to_.key("enum").open_list();
    for (const auto value : split(field.enumeration, ',')) {
      std::string spaced{value};
      std::ranges::replace(spaced, '_', ' ');
      to_.string(spaced);
    }
    to_.close_list();
  }

  void extensions(const FieldRow& field) {
    if (!field.list_keys.empty()) {
      to_.key("x-kubernetes-list-map-keys").open_list();
      for (const auto key : split(field.list_keys, ',')) to_.string(key);
      to_.close_list();
    }
    if (!field.list_type.empty()) to_.member("x-kubernetes-list-type", field.list_type);
    if (!field.map_type.empty()) to_.member("x-kubernetes-map-type", field.map_type);
    if (field.merge_key && !field.merge_key->empty()) {
      to_.member("x-kubernetes-patch-merge-key", *field.merge_key);
    }
    if (field.replace) to_.member("x-kubernetes-patch-strategy", "replace");
    if (field.merge_key || field.retain_keys) {
      to_.member("x-kubernetes-patch-strategy", !field.merge_key    ? "retainKeys"
                                                : field.retain_keys ? "merge,retainKeys"
                                                                    : "merge");
    }
  }

  OpenApi version_;
  JsonText& to_;
};

void write_kinds(const std::vector<kube::GroupVersionKind>& kinds, JsonText& to) {
  if (kinds.empty()) return;
  to.key("x-kubernetes-group-version-kind").open_list();
  for (const auto& kind : kinds) {
    to.open()
        .member("group", kind.group)
        .member("kind", kind.kind)
        .member("version", kind.version)
        .close();
  }
  to.close_list();
}

void write_union(const TypeRows& rows, JsonText& to) {
  to.key("x-kubernetes-unions").open_list().open();
  to.member("discriminator", rows.discriminator).key("fields-to-discriminateBy").open();
  for (const auto member : split(rows.union_members, ',')) {
    std::string value{member};
    value[0] = static_cast<char>(value[0] - 'a' + 'A');
    to.member(member, value);
  }
  to.close().close().close_list();
}

void write_special(const Special& special, OpenApi version, JsonText& to) {
  const auto name = special.definition.substr(special.definition.rfind('.') + 1);
  std::string text = "{\"description\":";
  JsonText description;
  description.string(type_description(name));
  text += description.take();
  const auto members = version == OpenApi::V3 ? special.v3 : special.v2;
  if (!members.empty()) text += ",";
  text += members;
  to.raw(text + "}");
}

}  // namespace

std::string reference_to(std::string_view definition, OpenApi version) {
  return std::string{version == OpenApi::V3 ? "#/components/schemas/" : "#/definitions/"} +
         std::string{definition};
}

// The tables name a package by the first word of its group.
std::string builtin_definition(const kube::GroupVersionKind& kind) {
  const auto group = kind.group.empty() ? "core" : kind.group.substr(0, kind.group.find('.'));
  const auto found = find_type(group + "." + kind.version + "." + kind.kind);
  return found ? found->definition() : std::string{};
}

std::set<std::string> reachable(const std::vector<std::string>& definitions) {
  std::set<std::string> found;
  std::vector<std::string> waiting = definitions;
  while (!waiting.empty()) {
    auto definition = std::move(waiting.back());
    waiting.pop_back();
    const auto type = find_definition(definition);
    if (!type && special_definition(definition) == nullptr) continue;
    if (!found.insert(definition).second || !type) continue;
    for (const auto& field : read_rows(type->type->rows).fields) {
      auto parts = take_apart(field.type);
      while (!parts.container.empty()) parts = take_apart(parts.inner);
      if (!parts.definition.empty()) waiting.push_back(std::move(parts.definition));
    }
  }
  return found;
}

void write_definition(std::string_view definition, const std::vector<kube::GroupVersionKind>& kinds,
                      OpenApi version, JsonText& to) {
  to.key(definition);
  if (const auto* special = special_definition(definition))
    return write_special(*special, version, to);
  const auto type = find_definition(definition);
  FP_CHECK(type.has_value());
  auto rows = read_rows(type->type->rows);
  to.open().member("description", type_description(type->type->name)).member("type", "object");
  if (std::ranges::any_of(rows.fields, &FieldRow::required)) {
    to.key("required").open_list();
    for (const auto& field : rows.fields) {
      if (field.required) to.string(field.name);
    }
    to.close_list();
  }
  std::ranges::sort(rows.fields, {}, &FieldRow::name);
  if (!rows.fields.empty()) {
    to.key("properties").open();
    SchemaWriter writer{version, to};
    for (const auto& field : rows.fields) writer.property(type->type->name, field);
    to.close();
  }
  write_kinds(kinds, to);
  if (!rows.map_type.empty()) to.member("x-kubernetes-map-type", rows.map_type);
  if (!rows.union_members.empty()) write_union(rows, to);
  to.close();
}

}  // namespace fixpoint::kinds
