// SPDX-License-Identifier: Apache-2.0
//
// Documents and paths; schemas are openapi_schemas.cc's.
#include "kinds/openapi.h"

#include "kinds/json_text.h"
#include "kinds/openapi_schemas.h"
#include "kinds/table.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

constexpr std::string_view kMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.";
constexpr std::string_view kVersion = "1.34";

struct Parameter {
  std::string_view name;
  std::string_view type;
  std::string_view description;
};

constexpr Parameter kDryRun{"dryRun", "string", "All: do everything but keep the change."};
constexpr Parameter kFieldManager{"fieldManager", "string",
                                  "Who makes the change, for the ownership of fields."};
constexpr Parameter kFieldValidation{
    "fieldValidation", "string",
    "What to do about unknown and duplicate fields: Ignore, Warn or Strict."};
constexpr Parameter kForce{"force", "boolean",
                           "Take over fields that other managers own. Apply only."};
constexpr Parameter kGracePeriod{"gracePeriodSeconds", "integer", "How long the object has to go."};
constexpr Parameter kOrphan{"orphanDependents", "boolean", "Deprecated: use propagationPolicy."};
constexpr Parameter kPropagation{"propagationPolicy", "string",
                                 "What happens to dependents: Orphan, Background or Foreground."};
constexpr Parameter kBookmarks{"allowWatchBookmarks", "boolean",
                               "Whether a watch may send bookmarks."};
constexpr Parameter kContinue{"continue", "string", "Where the page before ended."};
constexpr Parameter kFieldSelector{"fieldSelector", "string", "Choose by fields."};
constexpr Parameter kLabelSelector{"labelSelector", "string", "Choose by labels."};
constexpr Parameter kLimit{"limit", "integer", "Objects per page."};
constexpr Parameter kResourceVersion{"resourceVersion", "string",
                                     "How old the answer may be, or where a watch begins."};
constexpr Parameter kVersionMatch{"resourceVersionMatch", "string",
                                  "How resourceVersion is meant."};
constexpr Parameter kInitialEvents{"sendInitialEvents", "boolean",
                                   "Begin a watch with what is there."};
constexpr Parameter kTimeout{"timeoutSeconds", "integer", "How long the call may take."};
constexpr Parameter kWatch{"watch", "boolean", "Stream changes instead of answering once."};
constexpr Parameter kPretty{"pretty", "string", "true: print for people."};

constexpr Parameter kWriteParameters[] = {kDryRun, kFieldManager, kFieldValidation};
constexpr Parameter kPatchParameters[] = {kDryRun, kFieldManager, kFieldValidation, kForce};
constexpr Parameter kDeleteParameters[] = {kDryRun, kGracePeriod, kOrphan, kPropagation};
constexpr Parameter kListParameters[] = {
    kBookmarks,       kContinue,     kFieldSelector, kLabelSelector, kLimit,
    kResourceVersion, kVersionMatch, kInitialEvents, kTimeout,       kWatch};
constexpr Parameter kDeleteListParameters[] = {
    kContinue, kDryRun,      kFieldSelector,   kGracePeriod,  kLabelSelector, kLimit,
    kOrphan,   kPropagation, kResourceVersion, kVersionMatch, kInitialEvents, kTimeout};

constexpr std::string_view kAnswers[] = {"application/json", "application/yaml"};
constexpr std::string_view kPatches[] = {
    "application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json",
    "application/strategic-merge-patch+json"};

// One operation of a path.
struct Operation {
  std::string_view method;
  std::string_view action;  // x-kubernetes-action
  std::string_view verb;    // first word of the operationId
  std::string description;
  std::span<const Parameter> parameters;
  std::string body;    // definition; empty for none
  std::string answer;  // definition
  bool creates = false;
};

// "rbac.authorization.k8s.io", "v1" -> "RbacAuthorizationV1"; "" -> "CoreV1".
std::string camel(const kube::GroupVersionKind& kind) {
  std::string group = kind.group.empty() ? "core" : kind.group;
  if (group.ends_with(".k8s.io")) group.resize(group.size() - std::string_view{".k8s.io"}.size());
  group += "." + kind.version;
  std::string made;
  for (const auto part : split(group, '.')) {
    std::string word{part};
    if (!word.empty() && word[0] >= 'a' && word[0] <= 'z')
      word[0] = static_cast<char>(word[0] - 'a' + 'A');
    made += word;
  }
  return made;
}

class PathWriter {
 public:
  PathWriter(OpenApi version, JsonText& to) : version_(version), to_(to) {}

  void resource(const OpenApiResource& resource) {
    const auto& kind = resource.kind;
    const auto base = (kind.group.empty() ? "/api/" : "/apis/" + kind.group + "/") + kind.version;
    const auto collection =
        base + (resource.namespaced ? "/namespaces/{namespace}/" : "/") + resource.resource;
    if (resource.namespaced && has(resource, "list")) {
      path(base + "/" + resource.resource, resource, kind, {list_of(resource)}, "ForAllNamespaces");
    }
    path(collection, resource, kind, collection_operations(resource), "");
    path(collection + "/{name}", resource, kind, object_operations(resource), "");
    for (const auto& sub : resource.subresources) subresource(collection, resource, sub);
  }

 private:
  static bool has(const OpenApiResource& resource, std::string_view verb) {
    return std::ranges::find(resource.verbs, verb) != resource.verbs.end();
  }

  static Operation list_of(const OpenApiResource& resource) {
    return {"get",
            "list",
            "list",
            "list or watch objects of kind " + resource.kind.kind,
            kListParameters,
            "",
            resource.list_definition};
  }

  static std::vector<Operation> collection_operations(const OpenApiResource& resource) {
    std::vector<Operation> made;
    const auto& kind = resource.kind.kind;
    if (has(resource, "list")) made.push_back(list_of(resource));
    if (has(resource, "create")) {
      made.push_back({"post", "post", "create", "create one " + kind, kWriteParameters,
                      resource.definition, resource.definition, true});
    }
    if (has(resource, "deletecollection")) {
      made.push_back({"delete", "deletecollection", "deleteCollection",
                      "delete many of kind " + kind, kDeleteListParameters,
                      std::string{kMeta} + "DeleteOptions", std::string{kMeta} + "Status"});
    }
    return made;
  }

  static std::vector<Operation> object_operations(const OpenApiResource& resource) {
    auto made = read_write(resource.verbs, resource.kind.kind, resource.definition);
    if (has(resource, "delete")) {
      made.push_back({"delete", "delete", "delete", "delete one " + resource.kind.kind,
                      kDeleteParameters, std::string{kMeta} + "DeleteOptions",
                      std::string{kMeta} + "Status"});
    }
    return made;
  }

  static std::vector<Operation> read_write(const std::vector<std::string>& verbs,
                                           const std::string& kind, const std::string& definition) {
    std::vector<Operation> made;
    const auto can = [&](std::string_view verb) {
      return std::ranges::find(verbs, verb) != verbs.end();
    };
    if (can("get")) made.push_back({"get", "get", "read", "read one " + kind, {}, "", definition});
    if (can("update")) {
      made.push_back({"put", "put", "replace", "replace one " + kind, kWriteParameters, definition,
                      definition, true});
    }
    if (can("patch")) {
      made.push_back({"patch", "patch", "patch", "change part of one " + kind, kPatchParameters,
                      std::string{kMeta} + "Patch", definition, true});
    }
    return made;
  }

  void subresource(const std::string& collection, const OpenApiResource& resource,
                   const Subresource& sub) {
    if (sub.kind.kind.ends_with("Options") || sub.name == "log") return;
    const bool own = sub.kind == resource.kind;
    const auto definition = own ? resource.definition : definition_of(sub.kind);
    auto operations = read_write(sub.verbs, sub.name + " of " + resource.kind.kind, definition);
    if (std::ranges::find(sub.verbs, "create") != sub.verbs.end()) {
      operations.push_back({"post", "post", "create",
                            fmt::format("create {} of one {}", sub.name, resource.kind.kind),
                            kWriteParameters, definition, definition, true});
    }
    auto suffix = sub.name;
    suffix[0] = static_cast<char>(suffix[0] - 'a' + 'A');
    path(collection + "/{name}/" + sub.name, resource, sub.kind, operations, suffix);
  }

  void path(const std::string& at, const OpenApiResource& resource,
            const kube::GroupVersionKind& kind, const std::vector<Operation>& operations,
            std::string_view suffix) {
    if (operations.empty()) return;
    to_.key(at).open();
    for (const auto& operation : operations) this->operation(operation, resource, kind, suffix);
    to_.key("parameters").open_list();
    if (at.find("{name}") != std::string::npos) path_parameter("name", "Name of the object.");
    if (at.find("{namespace}") != std::string::npos) path_parameter("namespace", "The namespace.");
    query_parameter(kPretty);
    to_.close_list().close();
  }

  void operation(const Operation& operation, const OpenApiResource& resource,
                 const kube::GroupVersionKind& kind, std::string_view suffix) {
    auto tag =
        (resource.kind.group.empty() ? "core" : resource.kind.group) + "_" + resource.kind.version;
    std::ranges::replace(tag, '.', '_');
    to_.key(operation.method).open();
    to_.key("tags").open_list().string(tag).close_list();
    to_.member("description", operation.description);
    to_.member("operationId",
               fmt::format("{}{}{}{}{}", operation.verb, camel(resource.kind),
                           resource.namespaced && suffix != "ForAllNamespaces" ? "Namespaced" : "",
                           resource.kind.kind, suffix));
    parameters(operation, resource);
    responses(operation);
    to_.member("x-kubernetes-action", operation.action);
    to_.key("x-kubernetes-group-version-kind").open();
    to_.member("group", kind.group)
        .member("kind", kind.kind)
        .member("version", kind.version)
        .close();
    to_.close();
  }

  void parameters(const Operation& operation, const OpenApiResource& resource) {
    const bool body_inside = version_ == OpenApi::V2 && !operation.body.empty();
    if (!operation.parameters.empty() || body_inside) {
      to_.key("parameters").open_list();
      if (body_inside) body_parameter(operation);
      for (const auto& parameter : operation.parameters) query_parameter(parameter);
      to_.close_list();
    }
    if (version_ == OpenApi::V2) return media_types(operation, resource);
    if (operation.body.empty()) return;
    to_.key("requestBody").open().key("content").open();
    for (const auto type : body_types(operation, resource)) content(type, operation.body);
    to_.close();
    if (operation.method != "delete") to_.key("required").boolean(true);
    to_.close();
  }

  static std::vector<std::string_view> body_types(const Operation& operation,
                                                  const OpenApiResource& resource) {
    if (operation.method != "patch") return {"*/*"};
    std::vector<std::string_view> types{std::begin(kPatches), std::end(kPatches)};
    if (!resource.strategic_merge) types.pop_back();
    return types;
  }

  void media_types(const Operation& operation, const OpenApiResource& resource) {
    to_.key("consumes").open_list();
    for (const auto type : body_types(operation, resource)) to_.string(type);
    to_.close_list().key("produces").open_list();
    for (const auto type : kAnswers) to_.string(type);
    to_.close_list();
  }

  void body_parameter(const Operation& operation) {
    to_.open().member("in", "body").member("name", "body");
    if (operation.method != "delete") to_.key("required").boolean(true);
    to_.key("schema").open().member("$ref", reference_to(operation.body, version_)).close().close();
  }

  void query_parameter(const Parameter& parameter) {
    to_.open()
        .member("name", parameter.name)
        .member("in", "query")
        .member("description", parameter.description);
    parameter_type(parameter.type);
    to_.close();
  }

  void path_parameter(std::string_view name, std::string_view description) {
    to_.open().member("name", name).member("in", "path").member("description", description);
    to_.key("required").boolean(true);
    parameter_type("string");
    to_.close();
  }

  void parameter_type(std::string_view type) {
    if (version_ == OpenApi::V3) to_.key("schema").open();
    to_.member("type", type).key("uniqueItems").boolean(true);
    if (version_ == OpenApi::V3) to_.close();
  }

  void content(std::string_view type, const std::string& definition) {
    to_.key(type).open().key("schema").open();
    to_.member("$ref", reference_to(definition, version_)).close().close();
  }

  void response(std::string_view code, std::string_view description,
                const std::string& definition) {
    to_.key(code).open().member("description", description);
    if (version_ == OpenApi::V2 && !definition.empty()) {
      to_.key("schema").open().member("$ref", reference_to(definition, version_)).close();
    } else if (!definition.empty()) {
      to_.key("content").open();
      for (const auto type : kAnswers) content(type, definition);
      to_.close();
    }
    to_.close();
  }

  void responses(const Operation& operation) {
    to_.key("responses").open();
    response("200", "OK", operation.answer);
    if (operation.creates) response("201", "Created", operation.answer);
    response("401", "Unauthorized", "");
    to_.close();
  }

  static std::string definition_of(const kube::GroupVersionKind& kind);

  OpenApi version_;
  JsonText& to_;
};

// The tables name a package by the first word of its group.
std::string type_name(const kube::GroupVersionKind& kind) {
  const auto group = kind.group.empty() ? "core" : kind.group.substr(0, kind.group.find('.'));
  return group + "." + kind.version + "." + kind.kind;
}

std::string builtin_definition(const kube::GroupVersionKind& kind) {
  const auto found = find_type(type_name(kind));
  return found ? found->definition() : std::string{};
}

std::string PathWriter::definition_of(const kube::GroupVersionKind& kind) {
  return builtin_definition(kind);
}

using KindsOfDefinition = std::map<std::string, std::vector<kube::GroupVersionKind>, std::less<>>;

void add(std::vector<kube::GroupVersionKind>& kinds, const kube::GroupVersionKind& kind) {
  if (std::ranges::find(kinds, kind) == kinds.end()) kinds.push_back(kind);
}

// Which kinds each definition is the body of. Options belong to every group version.
KindsOfDefinition kinds_of_definitions(const OpenApiDocument& document) {
  KindsOfDefinition made;
  for (const auto& kind : all()) made[builtin_definition(kind.gvk)].push_back(kind.gvk);
  std::set<kube::GroupVersion> versions;
  for (const auto& resource : document.resources) {
    versions.insert(resource.kind.group_version());
    add(made[resource.definition], resource.kind);
    auto list = resource.kind;
    list.kind += "List";
    made[resource.list_definition].push_back(std::move(list));
    for (const auto& sub : resource.subresources) add(made[builtin_definition(sub.kind)], sub.kind);
  }
  for (const std::string_view name : {"DeleteOptions", "WatchEvent"}) {
    for (const auto& version : versions) {
      made[std::string{kMeta} + std::string{name}].push_back(
          {version.group, version.version, std::string{name}});
    }
  }
  made[std::string{kMeta} + "Status"].push_back({"", "v1", "Status"});
  return made;
}

std::vector<std::string> roots_of(const OpenApiDocument& document) {
  auto roots = document.definitions;
  for (const std::string_view name : {"DeleteOptions", "Status", "Patch", "WatchEvent"}) {
    roots.push_back(std::string{kMeta} + std::string{name});
  }
  for (const auto& resource : document.resources) {
    roots.push_back(resource.definition);
    roots.push_back(resource.list_definition);
    for (const auto& sub : resource.subresources) roots.push_back(builtin_definition(sub.kind));
  }
  return roots;
}

void write_schemas(const OpenApiDocument& document, OpenApi version, JsonText& to) {
  const auto kinds = kinds_of_definitions(document);
  static const std::vector<kube::GroupVersionKind> none;
  for (const auto& definition : reachable(roots_of(document))) {
    const auto found = kinds.find(definition);
    write_definition(definition, found == kinds.end() ? none : found->second, version, to);
  }
  for (const auto& [name, text] : document.extra) to.key(name).raw(text);
}

OpenApiResource resource_of(const Kind& kind) {
  auto list = kind.gvk;
  list.kind += "List";
  return {kind.gvk,
          kind.resource,
          kind.namespaced,
          kind.verbs,
          kind.subresources,
          builtin_definition(kind.gvk),
          builtin_definition(list)};
}

}  // namespace

std::string openapi_text(const OpenApiDocument& document, OpenApi version) {
  JsonText text;
  text.open();
  text.member(version == OpenApi::V3 ? "openapi" : "swagger",
              version == OpenApi::V3 ? "3.0.0" : "2.0");
  text.key("info").open().member("title", "Kubernetes").member("version", kVersion).close();
  text.key("paths").open();
  PathWriter writer{version, text};
  for (const auto& resource : document.resources) writer.resource(resource);
  text.close();
  if (version == OpenApi::V3) text.key("components").open();
  text.key(version == OpenApi::V3 ? "schemas" : "definitions").open();
  write_schemas(document, version, text);
  text.close();
  if (version == OpenApi::V3) text.close();
  text.close();
  return text.take();
}

OpenApiDocument builtin_document(const kube::GroupVersion& version) {
  OpenApiDocument document;
  for (const auto& kind : all()) {
    if (kind.gvk.group_version() == version) document.resources.push_back(resource_of(kind));
  }
  return document;
}

std::string openapi_v3(const kube::GroupVersion& version) {
  const auto document = builtin_document(version);
  return document.resources.empty() ? std::string{} : openapi_text(document, OpenApi::V3);
}

std::string openapi_v2() {
  OpenApiDocument document;
  for (const auto& kind : all()) document.resources.push_back(resource_of(kind));
  return openapi_text(document, OpenApi::V2);
}

}  // namespace fixpoint::kinds
