// SPDX-License-Identifier: Apache-2.0
#include "apiserver/decode.h"

#include "apiserver/media_type.h"
#include "apiserver/protobuf_body.h"
#include "json/draft.h"
#include "json/parse.h"
#include "json/print.h"
#include "json/yaml.h"
#include "kube/crd_coerce.h"
#include "kube/default.h"
#include "kube/metadata.h"
#include "kube/typed.h"

namespace fixpoint::apiserver {
namespace {

using kube::Answer;
using kube::Status;

// Go's name for the anonymous struct that reads apiVersion and kind; clients see it.
constexpr std::string_view kTypeMetaGoType =
    "struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string "
    "\"json:\\\"kind,omitempty\\\"\" }";

// How a refused body is quoted: text if it looks like JSON, else hexadecimal; at most 30 bytes.
std::string summary_of(std::string_view body) {
  constexpr std::size_t kShownBytes = 30;
  if (body.empty()) return "<empty>";
  if (body.front() == '{') {
    if (body.size() > kShownBytes) return std::string{body.substr(0, kShownBytes)} + " ...";
    return std::string{body};
  }
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const char c : body.substr(0, kShownBytes)) {
    const auto byte = static_cast<unsigned char>(c);
    hex += kDigits[byte >> 4U];
    hex += kDigits[byte & 0xfU];
  }
  if (body.size() > kShownBytes) hex += " ...";
  return hex;
}

Status unrecognized(const Resource& resource, std::string_view body, std::string_view why) {
  return kube::bad_request("the object provided is unrecognized (must be of type " +
                           resource.kind.kind + "): " + std::string{why} + " (" + summary_of(body) +
                           ")");
}

Status cannot_be_handled(const Resource& resource, std::string_view kind, std::string_view version,
                         std::string_view why) {
  return kube::bad_request(std::string{kind} + " in version \"" + std::string{version} +
                           "\" cannot be handled as a " + resource.kind.kind + ": " +
                           std::string{why});
}

struct Body {
  json::Value value;
  std::vector<std::string> duplicates;  // finished sentences
};

Status unknown_format(const Resource& resource) {
  const std::string_view also =
      resource.builtin != nullptr ? ", application/vnd.kubernetes.protobuf" : "";
  return kube::unsupported_media_type(
      "the body of the request was in an unknown format - accepted media types include: "
      "application/json, application/yaml" +
      std::string{also});
}

// Fields that the tables do not have are dropped without a word, strict or not: protobuf clients
// may be newer than the server.
Answer<Body> parse_protobuf_body(const Resource& resource, const Request& request) {
  auto envelope = open_envelope(request.body, resource.kind);
  if (!envelope) {
    return std::unexpected(unrecognized(resource, request.body, envelope.error().message));
  }
  auto object = object_in(*envelope);
  if (!object) {
    auto version = kube::parse_group_version(envelope->api_version);
    if (!version) return std::unexpected(kube::bad_request(version.error().message));
    return std::unexpected(
        cannot_be_handled(resource, envelope->kind, version->version, object.error().message));
  }
  return Body{.value = *std::move(object), .duplicates = {}};
}

Answer<Body> parse_body(const Resource& resource, const Request& request) {
  switch (media_type(request.content_type)) {
    case MediaType::Json: {
      auto parsed = json::parse_noting_duplicates(request.body);
      if (!parsed) {
        return std::unexpected(
            unrecognized(resource, request.body,
                         "couldn't get version/kind; json parse error: " + parsed.error().message));
      }
      Body body{.value = std::move(parsed->value), .duplicates = {}};
      for (const auto& path : parsed->duplicates) {
        body.duplicates.push_back("duplicate field \"" + path + "\"");
      }
      return body;
    }
    case MediaType::Yaml: {
      auto parsed = parse_yaml_body(request.body);
      if (!parsed) {
        return std::unexpected(unrecognized(resource, request.body, parsed.error().message));
      }
      return Body{.value = std::move(parsed->value), .duplicates = std::move(parsed->duplicates)};
    }
    case MediaType::Protobuf:
      if (resource.builtin != nullptr) return parse_protobuf_body(resource, request);
      [[fallthrough]];
    default: return std::unexpected(unknown_format(resource));
  }
}

Answer<void> check_shape(const Resource& resource, std::string_view text, json::View body) {
  const auto refuse = [&](std::string_view what, std::string_view where) {
    return std::unexpected(
        unrecognized(resource, text,
                     "couldn't get version/kind; json parse error: json: cannot unmarshal " +
                         std::string{what} + " into Go " + std::string{where}));
  };
  if (body.is_null()) return {};  // Go reads null as an empty object
  if (!body.is_object()) {
    const auto type = body.is_bool()     ? "bool"
                      : body.is_number() ? "number"
                                         : json::to_string(body.type());
    return refuse(type, "value of type " + std::string{kTypeMetaGoType});
  }
  for (const auto key : {"apiVersion", "kind"}) {
    const json::View member = body.get(key);
    if (member.is_null() || member.is_string()) continue;
    const auto type = member.is_bool()     ? "bool"
                      : member.is_number() ? "number"
                                           : json::to_string(member.type());
    return refuse(type, "struct field ." + std::string{key} + " of type string");
  }
  return {};
}

// Built-in kinds fill in what is missing and refuse what is another registered or unknown type.
Answer<void> check_builtin_type(const Resource& resource, json::View body) {
  const auto problem = builtin_type_problem(resource, body);
  if (!problem) return {};
  const auto given = kube::gvk_of(body);
  const std::string expected = resource.kind.group_version().api_version();
  if (given.kind == resource.kind.kind && kinds::find(given) != nullptr) {
    return std::unexpected(
        kube::bad_request("the API version in the data (" + given.group_version().api_version() +
                          ") does not match the expected API version (" + expected + ")"));
  }
  const auto kind = given.kind.empty() ? resource.kind.kind : given.kind;
  const auto version = given.version.empty() ? resource.kind.version : given.version;
  return std::unexpected(cannot_be_handled(resource, kind, version, *problem));
}

Answer<void> check_custom_type(const Resource& resource, std::string_view text, json::View body) {
  const auto kind = body.get("kind").as_string();
  const auto api_version = body.get("apiVersion").as_string();
  if (kind.empty()) {
    return std::unexpected(
        unrecognized(resource, text, "Object 'Kind' is missing in '" + std::string{text} + "'"));
  }
  const std::string expected = resource.kind.group_version().api_version();
  if (api_version != expected) {
    return std::unexpected(
        kube::bad_request("the API version in the data (" + std::string{api_version} +
                          ") does not match the expected API version (" + expected + ")"));
  }
  if (kind != resource.kind.kind) {
    return std::unexpected(kube::invalid({resource.kind.group, std::string{kind}},
                                         body.get("metadata", "name").as_string(),
                                         {kube::invalid(kube::FieldPath{"kind"}, body.get("kind"),
                                                        "must be " + resource.kind.kind)}));
  }
  return {};
}

Result<Normalised> normalise_builtin(const Resource& resource, const json::Value& object) {
  json::Draft draft{object};
  draft["apiVersion"] = resource.kind.group_version().api_version();
  draft["kind"] = resource.kind.kind;
  const json::Value complete = draft.freeze();
  FP_TRY(typed, kube::decode_typed(*resource.schema, complete.view()));
  return Normalised{.object = std::move(typed.value),
                    .unknown_fields = std::move(typed.unknown_fields)};
}

Result<Normalised> normalise_custom(const Resource& resource, const json::Value& object) {
  FP_TRY(coerced, kube::coerce_resource(object, resource.custom->schemas[resource.version],
                                        kube::BadMeta::Refuse));
  return Normalised{.object = std::move(coerced.value),
                    .unknown_fields = std::move(coerced.unknown_fields)};
}

}  // namespace

std::optional<std::string> builtin_type_problem(const Resource& resource, json::View body) {
  const auto kind = body.get("kind").as_string();
  const auto api_version = body.get("apiVersion").as_string();
  const std::string expected = resource.kind.group_version().api_version();
  const bool same_kind = kind.empty() || kind == resource.kind.kind;
  if (same_kind && (api_version.empty() || api_version == expected)) return std::nullopt;

  const std::string shown_kind{kind.empty() ? std::string_view{resource.kind.kind} : kind};
  const std::string shown_version{api_version.empty() ? std::string_view{expected} : api_version};
  auto parsed = kube::parse_group_version(shown_version);
  if (!parsed) return parsed.error().message;
  if (kinds::find(kube::GroupVersionKind{parsed->group, parsed->version, shown_kind}) == nullptr) {
    return "no kind \"" + shown_kind + "\" is registered for version \"" + shown_version +
           "\" in scheme \"pkg/runtime/scheme.go:110\"";
  }
  const auto& group = resource.kind.group;
  const std::string internal = group.empty() ? "core" : group.substr(0, group.find('.'));
  return "converting (" + parsed->version + "." + shown_kind + ") to (" + internal + "." +
         resource.kind.kind + "): unknown conversion";
}

Result<Normalised> normalise(const Resource& resource, const json::Value& object,
                             Weakness weakness) {
  FP_TRY(normal, resource.builtin != nullptr ? normalise_builtin(resource, object)
                                             : normalise_custom(resource, object));
  if (weakness == Weakness::HidesUnknownFields) normal.unknown_fields.clear();
  if (weakness == Weakness::PrunesNothing && resource.builtin == nullptr) normal.object = object;
  return std::move(normal);
}

Result<YamlBody> parse_yaml_body(std::string_view text) {
  auto strict = json::parse_yaml(text, json::Duplicates::Refuse);
  if (strict) return YamlBody{.value = *std::move(strict), .duplicates = {}};
  FP_TRY(value, json::parse_yaml(text, json::Duplicates::KeepLast));
  return YamlBody{.value = std::move(value), .duplicates = {std::move(strict).error().message}};
}

Result<json::Value> parse_unchecked(const Request& request,
                                    const kube::GroupVersionKind& expected) {
  switch (media_type(request.content_type)) {
    case MediaType::Yaml: return json::parse_yaml(request.body, json::Duplicates::KeepLast);
    case MediaType::Protobuf: {
      FP_TRY(envelope, open_envelope(request.body, expected));
      // Only a delete tells what is wrong without a word about kinds, and checks the kind itself.
      return expected.kind == "DeleteOptions" ? object_in(envelope) : object_in(envelope, expected);
    }
    default: return json::parse(request.body);
  }
}

json::Value with_defaults(const Resource& resource, const json::Value& object, Weakness weakness) {
  if (weakness ==
      (resource.builtin == nullptr ? Weakness::DefaultsNoCustom : Weakness::DefaultsNoBuiltIn)) {
    return object;
  }
  if (resource.builtin == nullptr) {
    const auto& schema = *resource.custom->schemas[resource.version].declared;
    return kube::set_defaults(object, schema);
  }
  if (resource.builtin->set_defaults == nullptr) return object;
  json::Draft draft{object};
  resource.builtin->set_defaults(draft);
  return draft.freeze();
}

std::vector<std::string> field_problems(const std::vector<std::string>& duplicates,
                                        const std::vector<std::string>& unknown) {
  std::vector<std::string> problems = duplicates;
  for (const auto& field : unknown) problems.push_back("unknown field \"" + field + "\"");
  return problems;
}

std::string strict_error(const std::vector<std::string>& problems) {
  std::string text = "strict decoding error: ";
  for (std::size_t i = 0; i < problems.size(); ++i) {
    if (i > 0) text += ", ";
    text += problems[i];
  }
  return text;
}

kube::Answer<json::Value> decode_body(const Resource& resource, const Request& request,
                                      FieldValidation validation, Weakness weakness,
                                      std::vector<std::string>& warnings) {
  auto body = parse_body(resource, request);
  if (!body) return std::unexpected(body.error());
  if (auto shape = check_shape(resource, request.body, body->value); !shape) {
    return std::unexpected(shape.error());
  }
  auto type = resource.builtin != nullptr ? check_builtin_type(resource, body->value)
                                          : check_custom_type(resource, request.body, body->value);
  if (!type) return std::unexpected(type.error());

  const json::Value object = body->value.is_null() ? json::Value::empty_object() : body->value;
  auto normal = normalise(resource, object, weakness);
  if (!normal) {
    return std::unexpected(cannot_be_handled(resource, resource.kind.kind, resource.kind.version,
                                             normal.error().message));
  }
  const auto problems = field_problems(body->duplicates, normal->unknown_fields);
  if (!problems.empty() && validation == FieldValidation::Strict) {
    return std::unexpected(cannot_be_handled(resource, resource.kind.kind, resource.kind.version,
                                             strict_error(problems)));
  }
  if (validation == FieldValidation::Warn) {
    warnings.insert(warnings.end(), problems.begin(), problems.end());
  }
  return with_defaults(resource, normal->object, weakness);
}

}  // namespace fixpoint::apiserver
