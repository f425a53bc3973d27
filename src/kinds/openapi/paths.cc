// SPDX-License-Identifier: Apache-2.0
#include "kinds/openapi/paths.h"

#include "kinds/openapi/parameters.h"
#include "kinds/openapi/schemas.h"
#include "kinds/table.h"

#include <algorithm>
#include <span>
#include <vector>

namespace fixpoint::kinds {
namespace {

using MediaTypes = std::span<const std::string_view>;

constexpr std::string_view kAny[] = {"*/*"};
constexpr std::string_view kAnswers[] = {"application/json", "application/yaml",
                                         "application/vnd.kubernetes.protobuf"};
constexpr std::string_view kStreams[] = {
    "application/json", "application/yaml", "application/vnd.kubernetes.protobuf",
    "application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"};
constexpr std::string_view kLogs[] = {"text/plain", "application/json", "application/yaml",
                                      "application/vnd.kubernetes.protobuf"};
constexpr std::string_view kCustom[] = {"application/json", "application/yaml"};
constexpr std::string_view kPatches[] = {
    "application/json-patch+json", "application/merge-patch+json",
    "application/strategic-merge-patch+json", "application/apply-patch+yaml"};
constexpr std::string_view kCustomPatches[] = {
    "application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"};

constexpr std::string_view kDeleteOptions = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";
constexpr std::string_view kPatchDefinition = "io.k8s.apimachinery.pkg.apis.meta.v1.Patch";
constexpr std::string_view kStatusDefinition = "io.k8s.apimachinery.pkg.apis.meta.v1.Status";
constexpr std::string_view kWatchEvent = "io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent";

struct Code {
  std::string_view code;
  std::string_view description;
};
constexpr Code kCodes[] = {
    {"200", "OK"      },
    {"201", "Created" },
    {"202", "Accepted"},
};

struct Operation {
  std::string_view method;
  std::string_view action;  // x-kubernetes-action; empty for pages
  std::string id;
  std::string description;
  std::vector<Given> given;
  std::string body;  // definition; empty for none
  bool body_required = false;
  std::string answer;  // definition; empty for plain text
  MediaTypes consumes;
  MediaTypes produces;
  std::string_view codes;  // "200,201"
};

// What a connecting subresource calls each verb.
struct Method {
  std::string_view verb;
  std::string_view method;
  std::string_view word;
};
constexpr Method kMethods[] = {
    {"get",    "get",    "Get"   },
    {"create", "post",   "Post"  },
    {"delete", "delete", "Delete"},
    {"patch",  "patch",  "Patch" },
    {"update", "put",    "Put"   },
};
// Proxies take these too, without a verb in discovery.
constexpr Method kProxyMethods[] = {
    {"", "head",    "Head"   },
    {"", "options", "Options"},
};

bool has(const std::vector<std::string>& verbs, std::string_view verb) {
  return std::ranges::find(verbs, verb) != verbs.end();
}

std::string capital(std::string_view word) {
  std::string made{word};
  if (!made.empty() && made[0] >= 'a' && made[0] <= 'z')
    made[0] = static_cast<char>(made[0] - 'a' + 'A');
  return made;
}

std::string tag_of(const kube::GroupVersionKind& kind) {
  return operation_word(group_word(kind.group), FirstLetter::Lower) + "_" +
         operation_word(kind.version, FirstLetter::Lower);
}

class PathWriter {
 public:
  PathWriter(const OpenApiResource& resource, OpenApi version, JsonText& to)
      : resource_(resource),
        version_(version),
        to_(to),
        scope_(operation_word(group_word(resource.kind.group), FirstLetter::Upper) +
               operation_word(resource.kind.version, FirstLetter::Upper)),
        namespaced_(resource.namespaced ? "Namespaced" : "") {}

  void write() {
    const auto& kind = resource_.kind;
    const auto base = (kind.group.empty() ? "/api/" : "/apis/" + kind.group + "/") + kind.version;
    const std::string space = resource_.namespaced ? "/namespaces/{namespace}/" : "/";
    const auto collection = space + resource_.resource;
    if (resource_.namespaced && has(resource_.verbs, "list")) {
      path(base + "/" + resource_.resource, kind, {list("ForAllNamespaces", "")});
    }
    path(base + collection, kind, collection_operations());
    path(base + collection + "/{name}", kind, object_operations());
    for (const auto& sub : resource_.subresources) {
      subresource(base + collection + "/{name}/" + sub.name, sub);
    }
    if (has(resource_.verbs, "watch") && !resource_.custom) watches(base, collection);
  }

 private:
  std::string id(std::string_view verb, std::string_view after) const {
    return std::string{verb} + scope_ + std::string{after};
  }
  std::string named(std::string_view suffix = "") const {
    return namespaced_ + resource_.kind.kind + std::string{suffix};
  }
  MediaTypes answers() const {
    return resource_.custom ? MediaTypes{kCustom} : MediaTypes{kAnswers};
  }
  MediaTypes bodies() const { return resource_.custom ? MediaTypes{kCustom} : MediaTypes{kAny}; }

  static std::vector<Given> given(std::span<const Parameter> parameters) {
    std::vector<Given> made;
    for (const auto& parameter : parameters) made.push_back({.parameter = &parameter, .body = {}});
    made.push_back({.parameter = &pretty_parameter(), .body = {}});
    return made;
  }

  Operation read(std::string id, std::string_view what, std::string answer) const {
    const auto parameters =
        resource_.custom ? read_parameters_of_custom() : std::span<const Parameter>{};
    return {.method = "get",
            .action = "get",
            .id = std::move(id),
            .description = "Read " + std::string{what},
            .given = given(parameters),
            .body = {},
            .answer = std::move(answer),
            .consumes = bodies(),
            .produces = answers(),
            .codes = "200"};
  }

  Operation list(std::string_view suffix, std::string_view in) const {
    return {.method = "get",
            .action = "list",
            .id = id("list", std::string{in} + resource_.kind.kind + std::string{suffix}),
            .description = "List or watch objects of kind " + resource_.kind.kind,
            .given = given(list_parameters()),
            .body = {},
            .answer = resource_.list_definition,
            .consumes = bodies(),
            .produces = resource_.custom ? MediaTypes{kCustom} : MediaTypes{kStreams},
            .codes = "200"};
  }

  Operation write(std::string_view method, std::string id, std::string_view what,
                  const std::string& definition) const {
    const bool patches = method == "patch";
    const MediaTypes patch_types =
        resource_.custom ? MediaTypes{kCustomPatches} : MediaTypes{kPatches};
    const std::string_view patch_codes = resource_.custom ? "200" : "200,201";
    return {.method = method,
            .action = method,
            .id = std::move(id),
            .description = std::string{what},
            .given = given(patches ? patch_parameters() : create_parameters()),
            .body = patches ? std::string{kPatchDefinition} : definition,
            .body_required = true,
            .answer = definition,
            .consumes = patches ? patch_types : bodies(),
            .produces = answers(),
            .codes = patches            ? patch_codes
                     : method == "post" ? "200,201,202"
                                        : "200,201"};
  }

  Operation remove(std::string_view action, std::string id, std::string_view what,
                   std::span<const Parameter> parameters, std::string_view body,
                   std::string_view answer, std::string_view codes) const {
    return {.method = "delete",
            .action = action,
            .id = std::move(id),
            .description = std::string{what},
            .given = given(parameters),
            .body = std::string{body},
            .answer = std::string{answer},
            .consumes = bodies(),
            .produces = answers(),
            .codes = codes};
  }

  std::vector<Operation> collection_operations() const {
    std::vector<Operation> made;
    if (has(resource_.verbs, "list")) made.push_back(list("", namespaced_));
    if (has(resource_.verbs, "create")) {
      made.push_back(write("post", id("create", named()), "Create one " + resource_.kind.kind,
                           resource_.definition));
    }
    if (has(resource_.verbs, "deletecollection")) {
      // A custom resource's is described as a list: so does a real server.
      const bool custom = resource_.custom;
      made.push_back(remove("deletecollection", id("delete", "Collection" + named()),
                            "Delete many of kind " + resource_.kind.kind,
                            custom ? list_parameters() : delete_collection_parameters(),
                            custom ? "" : kDeleteOptions, kStatusDefinition, "200"));
    }
    return made;
  }

  std::vector<Operation> object_operations() const {
    auto made = read_write(resource_.verbs, resource_.kind.kind, resource_.definition, "");
    if (has(resource_.verbs, "delete")) {
      made.push_back(remove("delete", id("delete", named()), "Delete one " + resource_.kind.kind,
                            delete_parameters(), kDeleteOptions,
                            resource_.shows_deleted ? resource_.definition : kStatusDefinition,
                            "200,202"));
    }
    return made;
  }

  std::vector<Operation> read_write(const std::vector<std::string>& verbs, const std::string& what,
                                    const std::string& definition, std::string_view suffix) const {
    std::vector<Operation> made;
    if (has(verbs, "get")) made.push_back(read(id("read", named(suffix)), what, definition));
    if (has(verbs, "update")) {
      made.push_back(write("put", id("replace", named(suffix)), "Replace " + what, definition));
    }
    if (has(verbs, "patch")) {
      made.push_back(
          write("patch", id("patch", named(suffix)), "Change part of " + what, definition));
    }
    return made;
  }

  void subresource(const std::string& at, const Subresource& sub) {
    if (sub.kind.kind.ends_with("Options")) return connect(at, sub);
    const auto suffix = capital(sub.name);
    if (sub.name == "log") return path(at, sub.kind, {log(suffix)});
    const auto definition =
        sub.kind == resource_.kind ? resource_.definition : builtin_definition(sub.kind);
    const auto what = sub.name + " of one " + resource_.kind.kind;
    auto operations = read_write(sub.verbs, what, definition, suffix);
    if (has(sub.verbs, "create")) {
      operations.push_back(
          write("post", id("create", named(suffix)), "Create " + what, definition));
    }
    path(at, resource_.custom ? resource_.kind : sub.kind, std::move(operations));
  }

  Operation log(std::string_view suffix) const {
    auto made = read(id("read", named(suffix)), "what a container printed", "");
    made.given = given(log_parameters());
    made.produces = kLogs;
    return made;
  }

  void connect(const std::string& at, const Subresource& sub) {
    const bool proxy = sub.name == "proxy";
    std::vector<Operation> operations;
    std::vector<Operation> with_path;
    const auto add = [&](const Method& method) {
      const auto after = std::string{method.word} + named(capital(sub.name));
      operations.push_back(connection(method, sub, id("connect", after)));
      if (!proxy) return;
      with_path.push_back(connection(method, sub, id("connect", after + "WithPath")));
      with_path.back().given.push_back({.parameter = &path_parameter(), .body = {}});
    };
    for (const auto& method : kMethods) {
      if (has(sub.verbs, method.verb)) add(method);
    }
    if (proxy) std::ranges::for_each(kProxyMethods, add);
    path(at, sub.kind, std::move(operations));
    path(at + "/{path}", sub.kind, std::move(with_path));
  }

  Operation connection(const Method& method, const Subresource& sub, std::string id) const {
    auto parameters = given(connect_parameters(sub.kind.kind));
    parameters.pop_back();  // what comes back is not ours to print
    return {.method = method.method,
            .action = "connect",
            .id = std::move(id),
            .description = "Connect to " + sub.name + " of one " + resource_.kind.kind,
            .given = std::move(parameters),
            .body = {},
            .answer = {},
            .consumes = kAny,
            .produces = kAny,
            .codes = "200"};
  }

  // Deprecated paths, still described.
  void watches(const std::string& base, const std::string& collection) {
    const auto watch = [&](std::string_view action, const std::string& after) {
      auto made = list("", "");
      made.action = action;
      made.id = id("watch", after);
      made.description = "Deprecated: list with the parameter watch.";
      made.answer = kWatchEvent;
      return made;
    };
    const auto& kind = resource_.kind;
    if (resource_.namespaced) {
      path(base + "/watch/" + resource_.resource, kind,
           {watch("watchlist", kind.kind + "ListForAllNamespaces")});
    }
    path(base + "/watch" + collection, kind, {watch("watchlist", named("List"))});
    path(base + "/watch" + collection + "/{name}", kind, {watch("watch", named())});
  }

  void path(const std::string& at, const kube::GroupVersionKind& kind,
            std::vector<Operation> operations) {
    if (operations.empty()) return;
    for (auto& operation : operations) complete(at, operation);
    std::vector<Given> common;
    for (const auto& each : operations.front().given) {
      const auto has_it = [&](const Operation& operation) {
        return std::ranges::find(operation.given, each) != operation.given.end();
      };
      if (each.parameter != nullptr && std::ranges::all_of(operations, has_it)) {
        common.push_back(each);
      }
    }
    to_.key(at).open();
    for (auto& operation : operations) {
      std::erase_if(operation.given, [&](const Given& each) {
        return std::ranges::find(common, each) != common.end();
      });
      this->operation(operation, kind);
    }
    parameters(common);
    to_.close();
  }

  // What follows from the path, and in v2 the body.
  void complete(const std::string& at, Operation& operation) const {
    auto& list = operation.given;
    if (at.find("{name}") != std::string::npos)
      list.push_back({.parameter = &name_parameter(), .body = {}});
    if (at.find("{namespace}") != std::string::npos)
      list.push_back({.parameter = &namespace_parameter(), .body = {}});
    if (version_ == OpenApi::V2 && !operation.body.empty())
      list.push_back({.body = operation.body, .required = operation.body_required});
    sort_given(list);
  }

  void parameters(const std::vector<Given>& list) {
    if (list.empty()) return;
    to_.key("parameters").open_list();
    for (const auto& each : list) write_given(each, version_, to_);
    to_.close_list();
  }

  void operation(const Operation& operation, const kube::GroupVersionKind& kind);

  const OpenApiResource& resource_;
  OpenApi version_;
  JsonText& to_;
  std::string scope_;       // "CoreV1"
  std::string namespaced_;  // "Namespaced" or nothing
};

void write_strings(std::string_view name, MediaTypes strings, JsonText& to) {
  if (strings.empty()) return;
  to.key(name).open_list();
  for (const auto each : strings) to.string(each);
  to.close_list();
}

void write_schema(const std::string& definition, OpenApi version, JsonText& to) {
  to.key("schema").open();
  if (definition.empty()) {
    to.member("type", "string");
  } else {
    to.member("$ref", reference_to(definition, version));
  }
  to.close();
}

void write_content(const std::string& definition, MediaTypes types, JsonText& to) {
  to.key("content").open();
  for (const auto type : types) {
    to.key(type).open();
    write_schema(definition, OpenApi::V3, to);
    to.close();
  }
  to.close();
}

// Members of every operation, without its parameters; the object stays open.
void open_operation(const Operation& operation, std::string_view tag, OpenApi version,
                    JsonText& to) {
  to.key(operation.method).open();
  to.key("tags").open_list().string(tag).close_list();
  to.member("description", operation.description).member("operationId", operation.id);
  if (version == OpenApi::V2) {
    constexpr std::string_view kSchemes[] = {"https"};
    write_strings("consumes", operation.consumes, to);
    write_strings("produces", operation.produces, to);
    write_strings("schemes", kSchemes, to);
  } else if (!operation.body.empty()) {
    to.key("requestBody").open();
    write_content(operation.body, operation.consumes, to);
    if (operation.body_required) to.key("required").boolean(true);
    to.close();
  }
  to.key("responses").open();
  for (const auto& [code, description] : kCodes) {
    if (operation.codes.find(code) == std::string_view::npos) continue;
    to.key(code).open().member("description", description);
    if (version == OpenApi::V2) {
      write_schema(operation.answer, version, to);
    } else {
      write_content(operation.answer, operation.produces, to);
    }
    to.close();
  }
  to.key("401").open().member("description", "Unauthorized").close().close();
}

void PathWriter::operation(const Operation& operation, const kube::GroupVersionKind& kind) {
  open_operation(operation, tag_of(resource_.kind), version_, to_);
  parameters(operation.given);
  to_.member("x-kubernetes-action", operation.action);
  to_.key("x-kubernetes-group-version-kind").open();
  to_.member("group", kind.group).member("kind", kind.kind).member("version", kind.version).close();
  to_.close();
}

}  // namespace

std::string operation_word(std::string_view text, FirstLetter first) {
  std::string made;
  bool upper = first == FirstLetter::Upper;
  for (const char letter : text) {
    const bool small = letter >= 'a' && letter <= 'z';
    const bool digit = letter >= '0' && letter <= '9';
    const bool large = letter >= 'A' && letter <= 'Z';
    if (small || large || letter == '_' || (digit && !made.empty())) {
      made += upper && small ? static_cast<char>(letter - 'a' + 'A') : letter;
      upper = false;
    } else {
      upper = true;
    }
  }
  return made;
}

std::string_view group_word(std::string_view group) {
  if (group.empty()) return "core";
  constexpr std::string_view kSuffix = ".k8s.io";
  if (group.ends_with(kSuffix)) group.remove_suffix(kSuffix.size());
  return group;
}

void write_paths(const OpenApiResource& resource, OpenApi version, JsonText& to) {
  PathWriter{resource, version, to}.write();
}

void write_page(const OpenApiPage& page, OpenApi version, JsonText& to) {
  const Operation operation{.method = "get",
                            .action = {},
                            .id = page.operation,
                            .description = page.description,
                            .given = {},
                            .body = {},
                            .answer = page.definition,
                            .consumes = page.consumes,
                            .produces = page.produces,
                            .codes = "200"};
  to.key(page.path).open();
  open_operation(operation, page.tag, version, to);
  to.close().close();
}

}  // namespace fixpoint::kinds
