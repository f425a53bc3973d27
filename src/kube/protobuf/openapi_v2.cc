// SPDX-License-Identifier: Apache-2.0
#include "kube/protobuf/openapi_v2.h"

#include "json/yaml/yaml.h"
#include "kube/protobuf/wire.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string_view>

namespace fixpoint::kube {
namespace {

// --- what is written ---

void put_varint(std::string& to, std::uint64_t value) {
  while (value >= 0x80U) {
    to += static_cast<char>(value | 0x80U);
    value >>= 7U;
  }
  to += static_cast<char>(value);
}

void put_key(std::string& to, std::uint32_t number, Wire wire) {
  put_varint(to, (std::uint64_t{number} << 3U) | static_cast<std::uint64_t>(wire));
}

void put_bytes(std::string& to, std::uint32_t number, std::string_view bytes) {
  put_key(to, number, Wire::Bytes);
  put_varint(to, bytes.size());
  to += bytes;
}

void put_integer(std::string& to, std::uint32_t number, std::uint64_t value) {
  put_key(to, number, Wire::Varint);
  put_varint(to, value);
}

void put_double(std::string& to, std::uint32_t number, double value) {
  put_key(to, number, Wire::Fixed64);
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (unsigned shift = 0; shift < 64; shift += 8) to += static_cast<char>(bits >> shift);
}

// --- the messages ---

enum class FieldForm : std::uint8_t { Text, Flag, Whole, Number, Any, Anys, Message };

struct MessageRules;

struct FieldRule {
  std::string_view key;
  std::uint32_t number = 0;
  FieldForm form = FieldForm::Text;
  const MessageRules* message = nullptr;
};

// The one of several messages that a value is, and the fields of those around it, outermost first.
struct MessageChoice {
  std::span<const std::uint32_t> around;
  const MessageRules* message = nullptr;  // null: a flag, which has the only number of `around`
};

// Of each message those of these that it has.
struct MessageRules {
  std::span<const FieldRule> fields = {};
  std::uint32_t extensions = 0;          // "x-…", each with its name
  std::uint32_t members = 0;             // all other members, each with its name
  const MessageRules* member = nullptr;  // what such a member is
  std::uint32_t elements = 0;  // of a list, or the one thing that stands for a list of one
  const MessageRules* element = nullptr;  // what an element is; text where this is null
  MessageChoice (*choose)(json::View) = nullptr;
};

// Schemas hold schemas.
extern const MessageRules kSchemaMessage;

constexpr std::uint32_t kNamedName = 1;  // of everything that has one beside its value
constexpr std::uint32_t kNamedValue = 2;
constexpr std::uint32_t kAnyYaml = 2;  // of an Any

constexpr FieldRule kReferenceFields[] = {
    {"$ref",        1, FieldForm::Text},
    {"description", 2, FieldForm::Text},
};
constexpr MessageRules kReferenceMessage{.fields = kReferenceFields};

constexpr MessageRules kTextsMessage{.elements = 1};
constexpr MessageRules kSchemasMessage{.elements = 1, .element = &kSchemaMessage};
constexpr MessageRules kPropertiesMessage{.members = 1, .member = &kSchemaMessage};

constexpr std::uint32_t kFieldOne[] = {1};
constexpr std::uint32_t kFieldTwo[] = {2};

// {schema = 1 | boolean = 2}
MessageChoice schema_or_flag(json::View value) {
  if (value.is_bool()) return {kFieldTwo, nullptr};
  return {kFieldOne, &kSchemaMessage};
}
constexpr MessageRules kAdditionalMessage{.choose = schema_or_flag};

constexpr FieldRule kLinkFields[] = {
    {"description", 1, FieldForm::Text},
    {"url",         2, FieldForm::Text},
};
constexpr MessageRules kLinkMessage{.fields = kLinkFields, .extensions = 3};

constexpr FieldRule kSchemaFields[] = {
    {"$ref", 1, FieldForm::Text},
    {"format", 2, FieldForm::Text},
    {"title", 3, FieldForm::Text},
    {"description", 4, FieldForm::Text},
    {"default", 5, FieldForm::Any},
    {"multipleOf", 6, FieldForm::Number},
    {"maximum", 7, FieldForm::Number},
    {"exclusiveMaximum", 8, FieldForm::Flag},
    {"minimum", 9, FieldForm::Number},
    {"exclusiveMinimum", 10, FieldForm::Flag},
    {"maxLength", 11, FieldForm::Whole},
    {"minLength", 12, FieldForm::Whole},
    {"pattern", 13, FieldForm::Text},
    {"maxItems", 14, FieldForm::Whole},
    {"minItems", 15, FieldForm::Whole},
    {"uniqueItems", 16, FieldForm::Flag},
    {"maxProperties", 17, FieldForm::Whole},
    {"minProperties", 18, FieldForm::Whole},
    {"required", 19, FieldForm::Text},
    {"enum", 20, FieldForm::Anys},
    {"additionalProperties", 21, FieldForm::Message, &kAdditionalMessage},
    {"type", 22, FieldForm::Message, &kTextsMessage},
    {"items", 23, FieldForm::Message, &kSchemasMessage},
    {"allOf", 24, FieldForm::Message, &kSchemaMessage},
    {"properties", 25, FieldForm::Message, &kPropertiesMessage},
    {"readOnly", 27, FieldForm::Flag},
    {"externalDocs", 29, FieldForm::Message, &kLinkMessage},
    {"example", 30, FieldForm::Any},
};
constinit const MessageRules kSchemaMessage{.fields = kSchemaFields, .extensions = 31};

// Of parameters in the path and in the query, which differ by one field in the middle.
constexpr FieldRule kPathParameterFields[] = {
    {"required",    1,  FieldForm::Flag},
    {"in",          2,  FieldForm::Text},
    {"description", 3,  FieldForm::Text},
    {"name",        4,  FieldForm::Text},
    {"type",        5,  FieldForm::Text},
    {"format",      6,  FieldForm::Text},
    {"default",     9,  FieldForm::Any },
    {"pattern",     16, FieldForm::Text},
    {"uniqueItems", 19, FieldForm::Flag},
    {"enum",        20, FieldForm::Anys},
};
constexpr MessageRules kPathParameterMessage{.fields = kPathParameterFields, .extensions = 22};

constexpr FieldRule kQueryParameterFields[] = {
    {"required",    1,  FieldForm::Flag},
    {"in",          2,  FieldForm::Text},
    {"description", 3,  FieldForm::Text},
    {"name",        4,  FieldForm::Text},
    {"type",        6,  FieldForm::Text},
    {"format",      7,  FieldForm::Text},
    {"default",     10, FieldForm::Any },
    {"pattern",     17, FieldForm::Text},
    {"uniqueItems", 20, FieldForm::Flag},
    {"enum",        21, FieldForm::Anys},
};
constexpr MessageRules kQueryParameterMessage{.fields = kQueryParameterFields, .extensions = 23};

constexpr FieldRule kBodyParameterFields[] = {
    {"description", 1, FieldForm::Text},
    {"name", 2, FieldForm::Text},
    {"in", 3, FieldForm::Text},
    {"required", 4, FieldForm::Flag},
    {"schema", 5, FieldForm::Message, &kSchemaMessage},
};
constexpr MessageRules kBodyParameterMessage{.fields = kBodyParameterFields, .extensions = 6};

// {body = 1 | other = 2 {header = 1 | form = 2 | query = 3 | path = 4}}; there are no others here.
MessageChoice sort_of_parameter(json::View value) {
  static constexpr std::uint32_t kInQuery[] = {2, 3};
  static constexpr std::uint32_t kInPath[] = {2, 4};
  const auto place = value.get("in").as_string();
  if (place == "body") return {kFieldOne, &kBodyParameterMessage};
  if (place == "path") return {kInPath, &kPathParameterMessage};
  return {kInQuery, &kQueryParameterMessage};
}
constexpr MessageRules kParameterMessage{.choose = sort_of_parameter};
constexpr MessageRules kParametersMessage{.members = 1, .member = &kParameterMessage};

MessageChoice parameter_or_reference(json::View value) {
  if (!value.get("$ref").is_null()) return {kFieldTwo, &kReferenceMessage};
  return {kFieldOne, &kParameterMessage};
}
constexpr MessageRules kParameterItemMessage{.choose = parameter_or_reference};

MessageChoice only_schema(json::View) {
  return {kFieldOne, &kSchemaMessage};
}
constexpr MessageRules kAnswerSchemaMessage{.choose = only_schema};

constexpr FieldRule kAnswerFields[] = {
    {"description", 1, FieldForm::Text},
    {"schema", 2, FieldForm::Message, &kAnswerSchemaMessage},
};
constexpr MessageRules kAnswerMessage{.fields = kAnswerFields, .extensions = 5};

MessageChoice answer_or_reference(json::View value) {
  if (!value.get("$ref").is_null()) return {kFieldTwo, &kReferenceMessage};
  return {kFieldOne, &kAnswerMessage};
}
constexpr MessageRules kAnswerItemMessage{.choose = answer_or_reference};
constexpr MessageRules kAnswersMessage{
    .extensions = 2, .members = 1, .member = &kAnswerItemMessage};

constexpr MessageRules kRequirementMessage{.members = 1, .member = &kTextsMessage};

constexpr FieldRule kOperationFields[] = {
    {"tags", 1, FieldForm::Text},
    {"summary", 2, FieldForm::Text},
    {"description", 3, FieldForm::Text},
    {"externalDocs", 4, FieldForm::Message, &kLinkMessage},
    {"operationId", 5, FieldForm::Text},
    {"produces", 6, FieldForm::Text},
    {"consumes", 7, FieldForm::Text},
    {"parameters", 8, FieldForm::Message, &kParameterItemMessage},
    {"responses", 9, FieldForm::Message, &kAnswersMessage},
    {"schemes", 10, FieldForm::Text},
    {"deprecated", 11, FieldForm::Flag},
    {"security", 12, FieldForm::Message, &kRequirementMessage},
};
constexpr MessageRules kOperationMessage{.fields = kOperationFields, .extensions = 13};

constexpr FieldRule kPathFields[] = {
    {"$ref", 1, FieldForm::Text},
    {"get", 2, FieldForm::Message, &kOperationMessage},
    {"put", 3, FieldForm::Message, &kOperationMessage},
    {"post", 4, FieldForm::Message, &kOperationMessage},
    {"delete", 5, FieldForm::Message, &kOperationMessage},
    {"options", 6, FieldForm::Message, &kOperationMessage},
    {"head", 7, FieldForm::Message, &kOperationMessage},
    {"patch", 8, FieldForm::Message, &kOperationMessage},
    {"parameters", 9, FieldForm::Message, &kParameterItemMessage},
};
constexpr MessageRules kPathMessage{.fields = kPathFields, .extensions = 10};
constexpr MessageRules kPathsMessage{.extensions = 1, .members = 2, .member = &kPathMessage};

constexpr FieldRule kInfoFields[] = {
    {"title",          1, FieldForm::Text},
    {"version",        2, FieldForm::Text},
    {"description",    3, FieldForm::Text},
    {"termsOfService", 4, FieldForm::Text},
};
constexpr MessageRules kInfoMessage{.fields = kInfoFields, .extensions = 7};

// Of the ways to say who one is, the one that there is here: a key in a header.
constexpr FieldRule kApiKeyFields[] = {
    {"type",        1, FieldForm::Text},
    {"name",        2, FieldForm::Text},
    {"in",          3, FieldForm::Text},
    {"description", 4, FieldForm::Text},
};
constexpr MessageRules kApiKeyMessage{.fields = kApiKeyFields, .extensions = 5};

MessageChoice only_api_key(json::View) {
  return {kFieldTwo, &kApiKeyMessage};
}
constexpr MessageRules kSecurityItemMessage{.choose = only_api_key};
constexpr MessageRules kSecurityMessage{.members = 1, .member = &kSecurityItemMessage};

constexpr FieldRule kDocumentFields[] = {
    {"swagger", 1, FieldForm::Text},
    {"info", 2, FieldForm::Message, &kInfoMessage},
    {"host", 3, FieldForm::Text},
    {"basePath", 4, FieldForm::Text},
    {"schemes", 5, FieldForm::Text},
    {"consumes", 6, FieldForm::Text},
    {"produces", 7, FieldForm::Text},
    {"paths", 8, FieldForm::Message, &kPathsMessage},
    {"definitions", 9, FieldForm::Message, &kPropertiesMessage},
    {"parameters", 10, FieldForm::Message, &kParametersMessage},
    {"security", 12, FieldForm::Message, &kRequirementMessage},
    {"securityDefinitions", 13, FieldForm::Message, &kSecurityMessage},
    {"externalDocs", 15, FieldForm::Message, &kLinkMessage},
};
constexpr MessageRules kDocumentMessage{.fields = kDocumentFields, .extensions = 16};

// --- from a tree to its message ---

std::string message_of(json::View value, const MessageRules& message);

std::string any_message(json::View value) {
  std::string made;
  put_bytes(made, kAnyYaml, json::to_yaml(value));
  return made;
}

void put_named(std::string& to, std::uint32_t number, std::string_view name,
               std::string_view value) {
  std::string named;
  if (!name.empty()) put_bytes(named, kNamedName, name);
  put_bytes(named, kNamedValue, value);
  put_bytes(to, number, named);
}

// What is zero, false or empty is not written: that is what its absence means.
void put_scalar(std::string& to, const FieldRule& rule, json::View value) {
  if (rule.form == FieldForm::Flag && value.as_bool()) put_integer(to, rule.number, 1);
  if (rule.form == FieldForm::Whole && value.as_int() != 0) {
    put_integer(to, rule.number, static_cast<std::uint64_t>(value.as_int()));
  }
  if (rule.form == FieldForm::Number && value.as_double() != 0) {
    put_double(to, rule.number, value.as_double());
  }
}

void put_field(std::string& to, const FieldRule& rule, json::View value) {
  switch (rule.form) {
    case FieldForm::Text: return put_bytes(to, rule.number, value.as_string());
    case FieldForm::Any:
    case FieldForm::Anys: return put_bytes(to, rule.number, any_message(value));
    case FieldForm::Message: return put_bytes(to, rule.number, message_of(value, *rule.message));
    case FieldForm::Flag:
    case FieldForm::Whole:
    case FieldForm::Number: return put_scalar(to, rule, value);
  }
}

// Whether a list is one value of the field, not several.
bool takes_whole_list(const FieldRule& rule) {
  return rule.form == FieldForm::Any ||
         (rule.form == FieldForm::Message && rule.message->elements != 0);
}

void put_member(std::string& to, const MessageRules& message, std::string_view key,
                json::View value) {
  if (key.starts_with("x-") && message.extensions != 0) {
    return put_named(to, message.extensions, key, any_message(value));
  }
  const auto rule = std::ranges::find(message.fields, key, &FieldRule::key);
  if (rule != message.fields.end()) {
    if (!value.is_array() || takes_whole_list(*rule)) return put_field(to, *rule, value);
    for (const auto element : value.elements()) put_field(to, *rule, element);
    return;
  }
  if (message.members != 0) {
    put_named(to, message.members, key, message_of(value, *message.member));
  }
}

void put_element(std::string& to, const MessageRules& message, json::View element) {
  put_bytes(to, message.elements,
            message.element == nullptr ? std::string{element.as_string()}
                                       : message_of(element, *message.element));
}

std::string message_of(json::View value, const MessageChoice& choice) {
  std::string made;
  if (choice.message == nullptr) {
    put_integer(made, choice.around.front(), value.as_bool() ? 1 : 0);
    return made;
  }
  made = message_of(value, *choice.message);
  for (auto i = choice.around.size(); i-- > 0;) {
    std::string outer;
    put_bytes(outer, choice.around[i], made);
    made = std::move(outer);
  }
  return made;
}

std::string message_of(json::View value, const MessageRules& message) {
  if (message.choose != nullptr) return message_of(value, message.choose(value));
  std::string made;
  if (message.elements == 0) {
    for (const auto& [key, member] : value.members()) put_member(made, message, key, member);
  } else if (value.is_array()) {
    for (const auto element : value.elements()) put_element(made, message, element);
  } else {
    put_element(made, message, value);
  }
  return made;
}

}  // namespace

std::string openapi_v2_protobuf(json::View document) {
  return message_of(document, kDocumentMessage);
}

}  // namespace fixpoint::kube
