// SPDX-License-Identifier: Apache-2.0
#include "apiserver/body/decode.h"

#include "apiserver/body/body_type.h"
#include "apiserver/body/media_type.h"
#include "apiserver/body/protobuf_body.h"
#include "json/draft.h"
#include "json/parsing/go_parse.h"
#include "json/parsing/parse.h"
#include "json/print.h"
#include "json/yaml/yaml.h"
#include "kinds/schema_table.h"
#include "kube/crd/coerce.h"
#include "kube/go/text.h"
#include "kube/meta/metadata.h"
#include "kube/schema/default.h"
#include "kube/typed/read.h"
#include "kube/typed/typed.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace fixpoint::apiserver {
namespace {

using kube::Answer;
using kube::Status;

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

// What a body says it is, and what it should be.
struct StatedKind {
  std::string_view kind;
  std::string_view version;
  std::string_view wanted;
};

Status cannot_be_handled(const StatedKind& names, std::string_view why) {
  return kube::bad_request(std::string{names.kind} + " in version " +
                           kube::go_quoted(names.version) + " cannot be handled as a " +
                           std::string{names.wanted} + ": " + std::string{why});
}

struct Body {
  json::Value value;
  std::vector<std::string> duplicates;  // finished sentences
  std::string_view text = {};           // of JSON
  // Well-formed, yet with a number that no float holds: `value` is only apiVersion and kind, and
  // the number is wrong only where it is read.
  std::optional<Error> huge_number = std::nullopt;
};

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
    return std::unexpected(cannot_be_handled({envelope->kind, version->version, resource.kind.kind},
                                             object.error().message));
  }
  return Body{.value = *std::move(object), .duplicates = {}};
}

Status not_json(const Resource& resource, const Request& request, std::string_view why) {
  return unrecognized(resource, request.body,
                      "couldn't get version/kind; json parse error: " + std::string{why});
}

Answer<Body> parse_with_huge_number(const Resource& resource, const Request& request,
                                    const Error& error) {
  auto meta = read_type_meta(request.body);
  if (!meta) return std::unexpected(not_json(resource, request, meta.error().message));
  return Body{
      .value = *std::move(meta), .duplicates = {}, .text = request.body, .huge_number = error};
}

Answer<Body> parse_json_body(const Resource& resource, const Request& request) {
  auto parsed = json::parse_noting_duplicates(request.body);
  if (!parsed) {
    if (auto ok = json::go_check(request.body); !ok) {
      return std::unexpected(not_json(resource, request, ok.error().message));
    }
    return parse_with_huge_number(resource, request, parsed.error());
  }
  Body body{.value = std::move(parsed->value), .duplicates = {}, .text = request.body};
  for (const auto& path : parsed->duplicates) {
    body.duplicates.push_back("duplicate field \"" + path + "\"");
  }
  return body;
}

Answer<Body> parse_body(const Resource& resource, const Request& request) {
  if (auto ok = check_body_media(resource, request); !ok) return std::unexpected(ok.error());
  switch (media_type(request.content_type)) {
    case MediaType::Json: return parse_json_body(resource, request);
    case MediaType::Yaml: {
      auto parsed = parse_yaml_body(request.body);
      if (!parsed) {
        return std::unexpected(unrecognized(resource, request.body, parsed.error().message));
      }
      return Body{.value = std::move(parsed->value), .duplicates = std::move(parsed->duplicates)};
    }
    default: return parse_protobuf_body(resource, request);
  }
}

Answer<void> check_shape(const Resource& resource, const Request& request, json::View body) {
  if (const auto problem = type_meta_problem(body)) {
    return std::unexpected(unrecognized(resource, request.body, *problem));
  }
  if (auto version = kube::parse_group_version(body.get("apiVersion").as_string()); !version) {
    return std::unexpected(unrecognized(resource, request.body, version.error().message));
  }
  return {};
}

// The same kind in another version, or in another group: it is read as such before it is refused.
std::optional<Resource> other_version(const Resource& resource, json::View body) {
  if (resource.builtin == nullptr) return std::nullopt;
  const auto given = kube::gvk_of(body);
  const auto* found = kinds::find(given);
  if (found == nullptr || given == resource.kind || given.kind != resource.kind.kind) {
    return std::nullopt;
  }
  Resource other = resource;
  other.kind = given;
  other.builtin = found;
  other.schema = found->schema();
  return other;
}

Status other_version_refused(const Resource& resource, std::string_view given) {
  return kube::bad_request("the API version in the data (" + std::string{given} +
                           ") does not match the expected API version (" +
                           resource.kind.group_version().api_version() + ")");
}

// Built-in kinds fill in what is missing and refuse what is another registered or unknown type.
Answer<void> check_builtin_type(const Resource& resource, json::View body) {
  const auto problem = builtin_type_problem(resource, body);
  if (!problem) return {};
  const auto given = kube::gvk_of(body);
  const auto kind = given.kind.empty() ? resource.kind.kind : given.kind;
  const auto version = given.version.empty() ? resource.kind.version : given.version;
  return std::unexpected(cannot_be_handled({kind, version, resource.kind.kind}, *problem));
}

// As Kubernetes prints it again: "/v1" is the core group's v1.
std::string shown_version(std::string_view api_version) {
  const auto parsed = kube::parse_group_version(api_version);
  return parsed ? parsed->api_version() : std::string{api_version};
}

// The version that a body names, else the request's.
std::string stated_version(const Resource& resource, std::string_view api_version) {
  const auto parsed = kube::parse_group_version(api_version);
  return parsed && !parsed->version.empty() ? parsed->version : resource.kind.version;
}

Answer<void> check_custom_type(const Resource& resource, const Request& request, json::View body,
                               FieldValidation validation) {
  const std::string_view text = request.body;
  const auto kind = body.get("kind").as_string();
  const auto api_version = body.get("apiVersion").as_string();
  if (kind.empty()) {
    const auto version = stated_version(resource, api_version);
    const auto why = "Object 'Kind' is missing in '" + std::string{text} + "'";
    // Who does not ask about fields is answered by another decoder.
    return std::unexpected(
        validation == FieldValidation::Ignore
            ? cannot_be_handled({resource.kind.kind, version, resource.kind.kind}, why)
            : unrecognized(resource, text, why));
  }
  if (body.contains("apiVersion") && body.get("apiVersion").is_null()) {
    return std::unexpected(cannot_be_handled(
        {kind, "", resource.kind.kind},
        ".apiVersion accessor error: <nil> is of the type <nil>, expected string"));
  }
  // Another kind is validation's to find; another version's fields are looked at first.
  return {};
}

json::Value with_type(const Resource& resource, const json::Value& object) {
  json::Draft draft{object};
  draft["apiVersion"] = resource.kind.group_version().api_version();
  draft["kind"] = resource.kind.kind;
  return draft.freeze();
}

std::vector<std::string> sentences(const std::vector<kube::FieldProblem>& problems) {
  std::vector<std::string> out;
  for (const auto& problem : problems) out.push_back(problem.sentence());
  return out;
}

Result<Normalised> normalise_builtin(const Resource& resource, const json::Value& object) {
  const json::Value complete = with_type(resource, object);
  FP_TRY(typed, kube::decode_typed(*resource.schema, complete.view(), kube::Empties::AsSent));
  return Normalised{.object = std::move(typed.value),
                    .problems = sentences(typed.problems),
                    .inexact = typed.inexact};
}

// Of another version it is read as such; of a version that there is not it has no fields, and of
// another kind any. It is refused later.
const kube::CompiledSchema& schema_for(const Resource& resource, json::View object) {
  static const auto kAnything = kube::schemaless();
  static const auto kNothing = kube::fieldless();
  const auto given = kube::gvk_of(object);
  if (given.group_kind() != resource.kind.group_kind()) return kAnything;
  const auto* found = resource.schema_of(given.group_version().api_version());
  return found == nullptr ? kNothing : *found;
}

Result<Normalised> normalise_custom(const Resource& resource, const json::Value& object) {
  FP_TRY(coerced,
         kube::coerce_resource(object, schema_for(resource, object), kube::BadMeta::Refuse));
  Normalised normal{.object = std::move(coerced.value), .problems = {}};
  for (const auto& field : coerced.unknown_fields) {
    normal.problems.push_back("unknown field \"" + field + "\"");
  }
  return normal;
}

// The text is asked only when something is wrong: it takes longer and knows better.
Result<Normalised> normalise_body(const Resource& resource, Body body, Weakness weakness) {
  if (body.huge_number) {
    if (resource.builtin == nullptr) return std::unexpected(*body.huge_number);
    return normalise_text(resource, body.text, weakness);
  }
  auto normal = normalise(resource, body.value, weakness);
  const bool flawed =
      !normal || normal->inexact || !normal->problems.empty() || !body.duplicates.empty();
  if (flawed && resource.builtin != nullptr && !body.text.empty()) {
    return normalise_text(resource, body.text, weakness);
  }
  if (!normal) return normal;
  std::ranges::move(normal->problems, std::back_inserter(body.duplicates));
  normal->problems = std::move(body.duplicates);
  return normal;
}

}  // namespace

json::Value keep_reset(const Resource& resource, json::View given, json::Value decoded) {
  const json::View fields = given.get("metadata", "managedFields");
  if (resource.builtin == nullptr || !fields.is_array() || !fields.empty()) return decoded;
  json::Draft draft{std::move(decoded)};
  draft.object_at("metadata")["managedFields"] = json::Draft::array();
  return draft.freeze();
}

Result<Normalised> normalise(const Resource& resource, const json::Value& object,
                             Weakness weakness) {
  FP_TRY(normal, resource.builtin != nullptr ? normalise_builtin(resource, object)
                                             : normalise_custom(resource, object));
  if (weakness == Weakness::HidesUnknownFields) normal.problems.clear();
  if (weakness == Weakness::PrunesNothing && resource.builtin == nullptr) normal.object = object;
  return std::move(normal);
}

Result<Normalised> normalise_text(const Resource& resource, std::string_view text,
                                  Weakness weakness) {
  FP_TRY(typed, kube::decode_typed_text(*resource.schema, text, kube::Empties::AsSent));
  Normalised normal{.object = with_type(resource, typed.value),
                    .problems = sentences(typed.problems)};
  if (weakness == Weakness::HidesUnknownFields) normal.problems.clear();
  return normal;
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

std::string strict_error(const std::vector<std::string>& problems) {
  std::string text = "strict decoding error: ";
  for (std::size_t i = 0; i < problems.size(); ++i) {
    if (i > 0) text += ", ";
    text += problems[i];
  }
  return text;
}

void add_warnings(std::vector<std::string> problems, std::vector<std::string>& warnings) {
  constexpr std::string_view kYaml = "yaml: unmarshal errors:\n";
  for (auto& problem : problems) {
    if (!problem.starts_with(kYaml)) {
      warnings.push_back(std::move(problem));
      continue;
    }
    for (std::string_view rest = std::string_view{problem}.substr(kYaml.size()); !rest.empty();) {
      const auto end = std::min(rest.find('\n'), rest.size());
      auto line = rest.substr(0, end);
      line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
      warnings.emplace_back(line);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
}

Status unknown_format(bool protobuf_too) {
  return kube::unsupported_media_type(
      "the body of the request was in an unknown format - accepted media types include: "
      "application/json, application/yaml" +
      std::string{protobuf_too ? ", application/vnd.kubernetes.protobuf" : ""});
}

kube::Answer<void> check_body_media(const Resource& resource, const Request& request) {
  switch (media_type(request.content_type)) {
    case MediaType::Json:
    case MediaType::Yaml: return {};
    case MediaType::Protobuf:
      if (resource.builtin != nullptr) return {};
      return std::unexpected(unknown_format(false));
    // A custom resource is not read as protobuf, yet it is said to be.
    default: return std::unexpected(unknown_format(true));
  }
}

namespace {

// The body as an object of the resource's type, with its problems told as the client asked.
Answer<json::Value> read_body(const Resource& resource, Body body, FieldValidation validation,
                              Weakness weakness, std::vector<std::string>& warnings) {
  // A custom resource is called what it calls itself.
  const json::Value given = body.value;
  const auto named = resource.builtin == nullptr ? kube::gvk_of(given) : resource.kind;
  const auto version = named.version.empty() ? resource.kind.version : named.version;
  auto normal = normalise_body(resource, std::move(body), weakness);
  if (!normal) {
    return std::unexpected(
        cannot_be_handled({named.kind, version, resource.kind.kind}, normal.error().message));
  }
  if (!normal->problems.empty() && validation == FieldValidation::Strict) {
    if (named.version.empty()) {
      return std::unexpected(
          kube::bad_request("Object 'apiVersion' is missing in 'object has no apiVersion field'"));
    }
    return std::unexpected(
        cannot_be_handled({named.kind, version, named.kind}, strict_error(normal->problems)));
  }
  if (validation == FieldValidation::Warn) add_warnings(normal->problems, warnings);
  return std::move(normal->object);
}

}  // namespace

kube::Answer<json::Value> decode_body(const Resource& resource, const Request& request,
                                      FieldValidation validation, Weakness weakness,
                                      std::vector<std::string>& warnings) {
  auto body = parse_body(resource, request);
  if (!body) return std::unexpected(body.error());
  if (auto shape = check_shape(resource, request, body->value); !shape) {
    return std::unexpected(shape.error());
  }
  if (const auto other = other_version(resource, body->value)) {
    auto read = read_body(*other, *std::move(body), validation, weakness, warnings);
    if (!read) return read;
    return std::unexpected(
        other_version_refused(resource, other->kind.group_version().api_version()));
  }
  auto type = resource.builtin != nullptr
                  ? check_builtin_type(resource, body->value)
                  : check_custom_type(resource, request, body->value, validation);
  if (!type) return std::unexpected(type.error());

  if (body->value.is_null()) body->value = json::Value::empty_object();
  const json::Value given = body->value;
  auto object = read_body(resource, *std::move(body), validation, weakness, warnings);
  if (!object) return object;
  if (resource.builtin == nullptr) {
    const auto api_version = given.get("apiVersion").as_string();
    if (api_version != resource.kind.group_version().api_version()) {
      return std::unexpected(other_version_refused(resource, shown_version(api_version)));
    }
  }
  return keep_reset(resource, given, with_defaults(resource, *object, weakness));
}

kube::Answer<json::Value> decode_body_as(const kube::GroupVersionKind& kind, const Request& request,
                                         FieldValidation validation, Weakness weakness,
                                         std::vector<std::string>& warnings) {
  static const kinds::Kind kNoHooks{};
  Resource resource;
  resource.kind = kind;
  resource.builtin = &kNoHooks;
  resource.schema = kinds::find_schema(kind);
  // An older version that reads the same has no table of its own.
  if (resource.schema == nullptr)
    resource.schema = kinds::find_schema({kind.group, "v1", kind.kind});
  FP_CHECK(resource.schema != nullptr);  // the subresources' kinds are all in the tables
  return decode_body(resource, request, validation, weakness, warnings);
}

}  // namespace fixpoint::apiserver
