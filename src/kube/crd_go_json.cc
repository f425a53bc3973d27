// SPDX-License-Identifier: Apache-2.0
#include "kube/crd_go_json.h"

#include "json/print.h"

#include <array>
#include <string_view>

namespace fixpoint::kube {
namespace {

// How Go prints a field of a struct, given what the JSON has for it.
enum class Shape : std::uint8_t {
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

struct Field {
  std::string_view go_name;
  std::string_view json_name;
  Shape shape;
};

constexpr std::array kSchema{
    Field{"ID",                     "id",                                   Shape::Text     },
    Field{"Schema",                 "$schema",                              Shape::Text     },
    Field{"Ref",                    "$ref",                                 Shape::Pointer  },
    Field{"Description",            "description",                          Shape::Text     },
    Field{"Type",                   "type",                                 Shape::Text     },
    Field{"Nullable",               "nullable",                             Shape::Flag     },
    Field{"Format",                 "format",                               Shape::Text     },
    Field{"Title",                  "title",                                Shape::Text     },
    Field{"Default",                "default",                              Shape::Pointer  },
    Field{"Maximum",                "maximum",                              Shape::Pointer  },
    Field{"ExclusiveMaximum",       "exclusiveMaximum",                     Shape::Flag     },
    Field{"Minimum",                "minimum",                              Shape::Pointer  },
    Field{"ExclusiveMinimum",       "exclusiveMinimum",                     Shape::Flag     },
    Field{"MaxLength",              "maxLength",                            Shape::Pointer  },
    Field{"MinLength",              "minLength",                            Shape::Pointer  },
    Field{"Pattern",                "pattern",                              Shape::Text     },
    Field{"MaxItems",               "maxItems",                             Shape::Pointer  },
    Field{"MinItems",               "minItems",                             Shape::Pointer  },
    Field{"UniqueItems",            "uniqueItems",                          Shape::Flag     },
    Field{"MultipleOf",             "multipleOf",                           Shape::Pointer  },
    Field{"Enum",                   "enum",                                 Shape::Pointer  },
    Field{"MaxProperties",          "maxProperties",                        Shape::Pointer  },
    Field{"MinProperties",          "minProperties",                        Shape::Pointer  },
    Field{"Required",               "required",                             Shape::Pointer  },
    Field{"Items",                  "items",                                Shape::OrArray  },
    Field{"AllOf",                  "allOf",                                Shape::Schemas  },
    Field{"OneOf",                  "oneOf",                                Shape::Schemas  },
    Field{"AnyOf",                  "anyOf",                                Shape::Schemas  },
    Field{"Not",                    "not",                                  Shape::Schema   },
    Field{"Properties",             "properties",                           Shape::ByName   },
    Field{"AdditionalProperties",   "additionalProperties",                 Shape::OrBool   },
    Field{"PatternProperties",      "patternProperties",                    Shape::ByName   },
    Field{"Dependencies",           "dependencies",                         Shape::OrStrings},
    Field{"AdditionalItems",        "additionalItems",                      Shape::OrBool   },
    Field{"Definitions",            "definitions",                          Shape::ByName   },
    Field{"ExternalDocs",           "externalDocs",                         Shape::Docs     },
    Field{"Example",                "example",                              Shape::Pointer  },
    Field{"XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", Shape::Pointer  },
    Field{"XEmbeddedResource",      "x-kubernetes-embedded-resource",       Shape::Flag     },
    Field{"XIntOrString",           "x-kubernetes-int-or-string",           Shape::Flag     },
    Field{"XListMapKeys",           "x-kubernetes-list-map-keys",           Shape::Pointer  },
    Field{"XListType",              "x-kubernetes-list-type",               Shape::Pointer  },
    Field{"XMapType",               "x-kubernetes-map-type",                Shape::Pointer  },
    Field{"XValidations",           "x-kubernetes-validations",             Shape::Rules    },
};

constexpr std::array kDocs{
    Field{"Description", "description", Shape::Text},
    Field{"URL",         "url",         Shape::Text}
};
constexpr std::array kRule{
    Field{"Rule",              "rule",              Shape::Text   },
    Field{"Message",           "message",           Shape::Text   },
    Field{"MessageExpression", "messageExpression", Shape::Text   },
    Field{"Reason",            "reason",            Shape::Pointer},
    Field{"FieldPath",         "fieldPath",         Shape::Text   },
    Field{"OptionalOldSelf",   "optionalOldSelf",   Shape::Pointer}
};
constexpr std::array kWrapped{
    Field{"OpenAPIV3Schema", "openAPIV3Schema", Shape::Schema}
};
constexpr std::array kSubresources{
    Field{"Status", "status", Shape::Pointer},
    Field{"Scale",  "scale",  Shape::Scale  }
};
constexpr std::array kScale{
    Field{"SpecReplicasPath",   "specReplicasPath",   Shape::Text   },
    Field{"StatusReplicasPath", "statusReplicasPath", Shape::Text   },
    Field{"LabelSelectorPath",  "labelSelectorPath",  Shape::Pointer}
};
constexpr std::array kColumn{
    Field{"Name",        "name",        Shape::Text  },
    Field{"Type",        "type",        Shape::Text  },
    Field{"Format",      "format",      Shape::Text  },
    Field{"Description", "description", Shape::Text  },
    Field{"Priority",    "priority",    Shape::Number},
    Field{"JSONPath",    "jsonPath",    Shape::Text  }
};
constexpr std::array kSelectable{
    Field{"JSONPath", "jsonPath", Shape::Text}
};
constexpr std::array kVersion{
    Field{"Name",                     "name",                     Shape::Text        },
    Field{"Served",                   "served",                   Shape::Flag        },
    Field{"Storage",                  "storage",                  Shape::Flag        },
    Field{"Deprecated",               "deprecated",               Shape::Flag        },
    Field{"DeprecationWarning",       "deprecationWarning",       Shape::Pointer     },
    Field{"Schema",                   "schema",                   Shape::Wrapped     },
    Field{"Subresources",             "subresources",             Shape::Subresources},
    Field{"AdditionalPrinterColumns", "additionalPrinterColumns", Shape::Columns     },
    Field{"SelectableFields",         "selectableFields",         Shape::Selectable  },
};

class Printer {
 public:
  explicit Printer(const MovedUp& moved) : moved_(moved) {}

  template <std::size_t N>
  void structure(const std::array<Field, N>& fields, json::View from) {
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
  void optional(const std::array<Field, N>& fields, json::View from) {
    if (from.is_null()) {
      out += "null";
    } else {
      structure(fields, from);
    }
  }

  template <std::size_t N>
  void structures(const std::array<Field, N>& fields, json::View from) {
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

  void field(Shape shape, json::View value) {
    switch (shape) {
      case Shape::Text: return json::print_string(value.as_string(), out);
      case Shape::Flag: out += value.as_bool() ? "true" : "false"; return;
      case Shape::Number: out += std::to_string(value.as_int()); return;
      case Shape::Pointer: return json::print(value, out);
      case Shape::Schema: return optional(kSchema, value);
      case Shape::Schemas: return structures(kSchema, value);
      case Shape::ByName: return map(value, [&](json::View each) { structure(kSchema, each); });
      case Shape::OrArray:
        if (value.is_null()) {
          out += "null";
        } else {
          either("Schema", value.is_object() ? value : json::View{}, "JSONSchemas",
                 value.is_array() ? value : json::View{});
        }
        return;
      case Shape::OrBool: return or_bool(value);
      case Shape::OrStrings:
        return map(value, [&](json::View each) {
          either("Schema", each.is_object() ? each : json::View{}, "Property",
                 each.is_array() ? each : json::View{});
        });
      case Shape::Docs: return optional(kDocs, value);
      case Shape::Rules: return structures(kRule, value);
      case Shape::Wrapped: return optional(kWrapped, moved_.schema ? json::View{} : value);
      case Shape::Subresources:
        return optional(kSubresources, moved_.subresources ? json::View{} : value);
      case Shape::Scale: return optional(kScale, value);
      case Shape::Columns: return structures(kColumn, moved_.columns ? json::View{} : value);
      case Shape::Selectable:
        return structures(kSelectable, moved_.selectable_fields ? json::View{} : value);
    }
  }

  MovedUp moved_;

 public:
  void schema(json::View from) { structure(kSchema, from); }
  void items(json::View from) { field(Shape::OrArray, from); }
  void versions(json::View from) { structures(kVersion, from); }
};

}  // namespace

std::string go_json_schema(json::View schema) {
  Printer printer{{}};
  printer.schema(schema);
  return std::move(printer.out);
}

std::string go_json_rule(json::View rule) {
  Printer printer{{}};
  printer.structure(kRule, rule);
  return std::move(printer.out);
}

std::string go_json_items(json::View items) {
  Printer printer{{}};
  printer.items(items);
  return std::move(printer.out);
}

std::string go_json_versions(json::View versions, const MovedUp& moved) {
  Printer printer{moved};
  printer.versions(versions);
  return std::move(printer.out);
}

}  // namespace fixpoint::kube
