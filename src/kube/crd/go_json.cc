// SPDX-License-Identifier: Apache-2.0
#include "kube/crd/go_json.h"

#include "json/print.h"

#include <array>
#include <string_view>

namespace fixpoint::kube {
namespace {

// How Go prints a field of a struct, given what the JSON has for it.
enum class GoShape : std::uint8_t {
  Text,       // "" when absent
  Flag,       // false when absent
  Number,     // 0 when absent
  Pointer,    // the JSON as it is, null when absent: pointers, slices of scalars
  Schema,     // *JSONSchemaProps
  Schemas,    // []JSONSchemaProps
  ByName,     // map[string]JSONSchemaProps
  OrArray,    // items
  OrBool,     // additionalProperties
  OrStrings,  // dependencies
  Docs,
  Rules,
  Wrapped,  // CustomResourceValidation
  Subresources,
  Scale,
  Columns,
  Selectable,
};

struct GoField {
  std::string_view go_name;
  std::string_view json_name;
  GoShape shape;
};

constexpr std::array kSchema{
    GoField{"ID",                     "id",                                   GoShape::Text     },
    GoField{"Schema",                 "$schema",                              GoShape::Text     },
    GoField{"Ref",                    "$ref",                                 GoShape::Pointer  },
    GoField{"Description",            "description",                          GoShape::Text     },
    GoField{"Type",                   "type",                                 GoShape::Text     },
    GoField{"Nullable",               "nullable",                             GoShape::Flag     },
    GoField{"Format",                 "format",                               GoShape::Text     },
    GoField{"Title",                  "title",                                GoShape::Text     },
    GoField{"Default",                "default",                              GoShape::Pointer  },
    GoField{"Maximum",                "maximum",                              GoShape::Pointer  },
    GoField{"ExclusiveMaximum",       "exclusiveMaximum",                     GoShape::Flag     },
    GoField{"Minimum",                "minimum",                              GoShape::Pointer  },
    GoField{"ExclusiveMinimum",       "exclusiveMinimum",                     GoShape::Flag     },
    GoField{"MaxLength",              "maxLength",                            GoShape::Pointer  },
    GoField{"MinLength",              "minLength",                            GoShape::Pointer  },
    GoField{"Pattern",                "pattern",                              GoShape::Text     },
    GoField{"MaxItems",               "maxItems",                             GoShape::Pointer  },
    GoField{"MinItems",               "minItems",                             GoShape::Pointer  },
    GoField{"UniqueItems",            "uniqueItems",                          GoShape::Flag     },
    GoField{"MultipleOf",             "multipleOf",                           GoShape::Pointer  },
    GoField{"Enum",                   "enum",                                 GoShape::Pointer  },
    GoField{"MaxProperties",          "maxProperties",                        GoShape::Pointer  },
    GoField{"MinProperties",          "minProperties",                        GoShape::Pointer  },
    GoField{"Required",               "required",                             GoShape::Pointer  },
    GoField{"Items",                  "items",                                GoShape::OrArray  },
    GoField{"AllOf",                  "allOf",                                GoShape::Schemas  },
    GoField{"OneOf",                  "oneOf",                                GoShape::Schemas  },
    GoField{"AnyOf",                  "anyOf",                                GoShape::Schemas  },
    GoField{"Not",                    "not",                                  GoShape::Schema   },
    GoField{"Properties",             "properties",                           GoShape::ByName   },
    GoField{"AdditionalProperties",   "additionalProperties",                 GoShape::OrBool   },
    GoField{"PatternProperties",      "patternProperties",                    GoShape::ByName   },
    GoField{"Dependencies",           "dependencies",                         GoShape::OrStrings},
    GoField{"AdditionalItems",        "additionalItems",                      GoShape::OrBool   },
    GoField{"Definitions",            "definitions",                          GoShape::ByName   },
    GoField{"ExternalDocs",           "externalDocs",                         GoShape::Docs     },
    GoField{"Example",                "example",                              GoShape::Pointer  },
    GoField{"XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", GoShape::Pointer  },
    GoField{"XEmbeddedResource",      "x-kubernetes-embedded-resource",       GoShape::Flag     },
    GoField{"XIntOrString",           "x-kubernetes-int-or-string",           GoShape::Flag     },
    GoField{"XListMapKeys",           "x-kubernetes-list-map-keys",           GoShape::Pointer  },
    GoField{"XListType",              "x-kubernetes-list-type",               GoShape::Pointer  },
    GoField{"XMapType",               "x-kubernetes-map-type",                GoShape::Pointer  },
    GoField{"XValidations",           "x-kubernetes-validations",             GoShape::Rules    },
};

constexpr std::array kDocs{
    GoField{"Description", "description", GoShape::Text},
    GoField{"URL",         "url",         GoShape::Text}
};
constexpr std::array kRule{
    GoField{"Rule",              "rule",              GoShape::Text   },
    GoField{"Message",           "message",           GoShape::Text   },
    GoField{"MessageExpression", "messageExpression", GoShape::Text   },
    GoField{"Reason",            "reason",            GoShape::Pointer},
    GoField{"FieldPath",         "fieldPath",         GoShape::Text   },
    GoField{"OptionalOldSelf",   "optionalOldSelf",   GoShape::Pointer}
};
constexpr std::array kWrapped{
    GoField{"OpenAPIV3Schema", "openAPIV3Schema", GoShape::Schema}
};
constexpr std::array kSubresources{
    GoField{"Status", "status", GoShape::Pointer},
    GoField{"Scale",  "scale",  GoShape::Scale  }
};
constexpr std::array kScale{
    GoField{"SpecReplicasPath",   "specReplicasPath",   GoShape::Text   },
    GoField{"StatusReplicasPath", "statusReplicasPath", GoShape::Text   },
    GoField{"LabelSelectorPath",  "labelSelectorPath",  GoShape::Pointer}
};
constexpr std::array kColumn{
    GoField{"Name",        "name",        GoShape::Text  },
    GoField{"Type",        "type",        GoShape::Text  },
    GoField{"Format",      "format",      GoShape::Text  },
    GoField{"Description", "description", GoShape::Text  },
    GoField{"Priority",    "priority",    GoShape::Number},
    GoField{"JSONPath",    "jsonPath",    GoShape::Text  }
};
constexpr std::array kSelectable{
    GoField{"JSONPath", "jsonPath", GoShape::Text}
};
constexpr std::array kVersion{
    GoField{"Name",                     "name",                     GoShape::Text        },
    GoField{"Served",                   "served",                   GoShape::Flag        },
    GoField{"Storage",                  "storage",                  GoShape::Flag        },
    GoField{"Deprecated",               "deprecated",               GoShape::Flag        },
    GoField{"DeprecationWarning",       "deprecationWarning",       GoShape::Pointer     },
    GoField{"Schema",                   "schema",                   GoShape::Wrapped     },
    GoField{"Subresources",             "subresources",             GoShape::Subresources},
    GoField{"AdditionalPrinterColumns", "additionalPrinterColumns", GoShape::Columns     },
    GoField{"SelectableFields",         "selectableFields",         GoShape::Selectable  },
};

class GoJsonPrinter {
 public:
  explicit GoJsonPrinter(const MovedUp& moved) : moved_(moved) {}

  template <std::size_t N>
  void structure(const std::array<GoField, N>& fields, json::View from) {
    out += '{';
    for (std::size_t i = 0; i < N; ++i) {
      if (i > 0) out += ',';
      name(fields[i].go_name);
      field(fields[i].shape, from.get(fields[i].json_name));
    }
    out += '}';
  }

  template <class Print>
  void list(json::View from, const Print& print) {
    if (!from.is_array()) {
      out += "null";
      return;
    }
    out += '[';
    bool first = true;
    for (const auto element : from.elements()) {
      if (!first) out += ',';
      first = false;
      print(element);
    }
    out += ']';
  }

  std::string out;

 private:
  void name(std::string_view text) {
    json::print_string(text, out);
    out += ':';
  }

  template <class Print>
  void map(json::View from, const Print& print) {
    if (!from.is_object()) {
      out += "null";
      return;
    }
    out += '{';
    bool first = true;
    for (auto [key, value] : from.members()) {
      if (!first) out += ',';
      first = false;
      name(key);
      print(value);
    }
    out += '}';
  }

  template <std::size_t N>
  void optional(const std::array<GoField, N>& fields, json::View from) {
    if (from.is_null()) {
      out += "null";
    } else {
      structure(fields, from);
    }
  }

  template <std::size_t N>
  void structures(const std::array<GoField, N>& fields, json::View from) {
    list(from, [&](json::View each) { structure(fields, each); });
  }

  void either(std::string_view first, json::View schema, std::string_view second, json::View rest) {
    out += '{';
    name(first);
    optional(kSchema, schema);
    out += ',';
    name(second);
    if (rest.is_array() && second == "JSONSchemas") {
      structures(kSchema, rest);
    } else {
      json::print(rest, out);
    }
    out += '}';
  }

  void or_bool(json::View from) {
    if (from.is_null()) {
      out += "null";
      return;
    }
    out += R"({"Allows":)";
    out += from.is_object() || from.as_bool() ? "true" : "false";
    out += R"(,"Schema":)";
    optional(kSchema, from.is_object() ? from : json::View{});
    out += '}';
  }

  void field(GoShape shape, json::View value) {
    switch (shape) {
      case GoShape::Text: return json::print_string(value.as_string(), out);
      case GoShape::Flag: out += value.as_bool() ? "true" : "false"; return;
      case GoShape::Number: out += std::to_string(value.as_int()); return;
      case GoShape::Pointer: return json::print(value, out);
      case GoShape::Schema: return optional(kSchema, value);
      case GoShape::Schemas: return structures(kSchema, value);
      case GoShape::ByName: return map(value, [&](json::View each) { structure(kSchema, each); });
      case GoShape::OrArray:
        if (value.is_null()) {
          out += "null";
        } else {
          either("Schema", value.is_object() ? value : json::View{}, "JSONSchemas",
                 value.is_array() ? value : json::View{});
        }
        return;
      case GoShape::OrBool: return or_bool(value);
      case GoShape::OrStrings:
        return map(value, [&](json::View each) {
          either("Schema", each.is_object() ? each : json::View{}, "Property",
                 each.is_array() ? each : json::View{});
        });
      case GoShape::Docs: return optional(kDocs, value);
      case GoShape::Rules: return structures(kRule, value);
      case GoShape::Wrapped: return optional(kWrapped, moved_.schema ? json::View{} : value);
      case GoShape::Subresources:
        return optional(kSubresources, moved_.subresources ? json::View{} : value);
      case GoShape::Scale: return optional(kScale, value);
      case GoShape::Columns: return structures(kColumn, moved_.columns ? json::View{} : value);
      case GoShape::Selectable:
        return structures(kSelectable, moved_.selectable_fields ? json::View{} : value);
    }
  }

  MovedUp moved_;

 public:
  void schema(json::View from) { structure(kSchema, from); }
  void items(json::View from) { field(GoShape::OrArray, from); }
  void versions(json::View from) { structures(kVersion, from); }
};

}  // namespace

std::string go_json_schema(json::View schema) {
  GoJsonPrinter printer{{}};
  printer.schema(schema);
  return std::move(printer.out);
}

std::string go_json_rule(json::View rule) {
  GoJsonPrinter printer{{}};
  printer.structure(kRule, rule);
  return std::move(printer.out);
}

std::string go_json_items(json::View items) {
  GoJsonPrinter printer{{}};
  printer.items(items);
  return std::move(printer.out);
}

std::string go_json_versions(json::View versions, const MovedUp& moved) {
  GoJsonPrinter printer{moved};
  printer.versions(versions);
  return std::move(printer.out);
}

}  // namespace fixpoint::kube
