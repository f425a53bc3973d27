// SPDX-License-Identifier: Apache-2.0
//
// Two ways, as in Kubernetes: JSON and merge patches work on the text of the object, whose result
// is decoded like a body; a strategic patch works on the tree of a built-in object, whose result is
// converted and never was a text.
#include "apiserver/write/patched.h"

#include "apiserver/body/body_type.h"
#include "apiserver/body/decode.h"
#include "apiserver/body/media_type.h"
#include "json/draft.h"
#include "json/parsing/go_parse.h"
#include "json/parsing/parse.h"
#include "json/patch/merge_patch.h"
#include "json/patch/patch.h"
#include "json/patch/pointer.h"
#include "kube/go/order.h"
#include "kube/go/value.h"
#include "kube/meta/metadata.h"
#include "kube/strategic/merge.h"
#include "kube/typed/convert.h"

#include <algorithm>
#include <iterator>

namespace fixpoint::apiserver {
namespace {

using kube::Answer;
using Sentences = std::vector<std::string>;

// A patch that is well-formed but whose result is no object of the kind.
kube::Status rejected(std::string_view shown_value, std::string why) {
  return kube::invalid(
      {}, "", {kube::invalid(kube::FieldPath{"patch"}, kube::shown(shown_value), std::move(why))});
}

// Problems are the refusal, warnings, or nothing, as the client asked.
Answer<void> tell(WriteCall& call, Sentences problems, std::string_view shown_value) {
  if (problems.empty()) return {};
  if (call.options.validation == FieldValidation::Strict) {
    return std::unexpected(rejected(shown_value, strict_error(problems)));
  }
  if (call.options.validation == FieldValidation::Warn) {
    add_warnings(std::move(problems), call.warnings);
  }
  return {};
}

void append(Sentences& to, Sentences from) {
  std::ranges::move(from, std::back_inserter(to));
}

// --- the patch itself ---

kube::Status undecodable_patch(std::string_view why) {
  return kube::bad_request("error decoding patch: " + std::string{why});
}

// Kubernetes decodes the operations once for their unknown fields alone.
const kube::Schema& operations_schema() {
  static const auto arena = make_ref<kube::SchemaArena>();
  static const auto* const schema = [] {
    const auto node = [](kube::GoKind kind, std::string_view go_type) {
      auto* made = arena->make();
      made->go_kind = kind;
      made->go_type = go_type;
      return made;
    };
    auto* text = node(kube::GoKind::String, "string");
    auto* any = node(kube::GoKind::Json, "interface {}");
    auto* operation = node(kube::GoKind::Struct, "jsonPatchOp");
    operation->definition = "handlers.jsonPatchOp";
    for (const auto* name : {"op", "path", "from", "value"}) {
      kube::Property property;
      property.name = name;
      property.schema = property.name == "value" ? any : text;
      operation->properties.push_back(std::move(property));
    }
    auto* list = node(kube::GoKind::Slice, "[]handlers.jsonPatchOp");
    list->items = operation;
    return list;
  }();
  return *schema;
}

struct Change {
  json::Value object;
  json::Value touched;  // for kube::patched_text()
  Sentences problems;
};

void touch(json::Draft& root, std::string_view pointer) {
  json::Draft* at = &root;
  const auto slash = pointer.find('/');
  if (slash == std::string_view::npos) return;
  pointer.remove_prefix(slash + 1);
  for (auto end = pointer.find('/'); end != std::string_view::npos; end = pointer.find('/')) {
    json::Draft& child = (*at)[json::unescape_token(pointer.substr(0, end))];
    if (!child.is_object()) child = json::Draft::object();
    at = &child;
    pointer.remove_prefix(end + 1);
  }
  json::Draft& leaf = (*at)[json::unescape_token(pointer)];
  if (!leaf.is_object()) leaf = true;
}

// Of operations that applied: their pointers are no deeper than the object.
json::Value touched_by(json::View operations) {
  auto touched = json::Draft::object();
  for (const auto operation : operations.elements()) {
    touch(touched, operation.get("path").as_string());
    const auto op = operation.get("op").as_string();
    if (op == "move" || op == "copy") touch(touched, operation.get("from").as_string());
  }
  return touched.freeze();
}

kube::Status does_not_apply() {
  kube::Status status;
  status.code = 422;
  status.reason = "Invalid";
  status.message = "the server rejected our request due to an error in our request";
  status.details.emplace();
  return status;
}

Answer<Change> change_by_operations(const WriteCall& call, const json::Value& live) {
  const std::string_view body = call.request.body;
  Change change;
  if (call.options.validation != FieldValidation::Ignore) {
    if (auto ok = json::go_check(body); !ok)
      return std::unexpected(undecodable_patch(ok.error().message));
    auto read = kube::read_object(operations_schema(), body);
    if (!read) return std::unexpected(undecodable_patch(read.error().message));
    for (const auto& problem : read->problems) {
      change.problems.push_back("json patch " + problem.sentence());
    }
  }
  // Whoever ignores unknown fields meets another decoder, which says less.
  const auto refuse = [&](const std::string& why) {
    if (call.options.validation != FieldValidation::Ignore) return undecodable_patch(why);
    constexpr std::pair<std::string_view, std::string_view> kNames[] = {
        {"[]handlers.jsonPatchOp", "jsonpatch.Patch"    },
        {"handlers.jsonPatchOp",   "jsonpatch.Operation"},
    };
    for (const auto& [strict, plain] : kNames) {
      if (!why.ends_with(strict)) continue;
      return kube::bad_request(why.substr(0, why.size() - strict.size()) + std::string{plain});
    }
    return kube::bad_request(why);
  };
  auto patch = json::parse(body);
  if (!patch) return std::unexpected(refuse(patch.error().message));
  auto patched = json::apply_patch(live, *patch);
  if (!patched) {
    switch (patched.error().kind) {
      case ErrorKind::Invalid: return std::unexpected(refuse(patched.error().message));
      case ErrorKind::Exhausted:
        return std::unexpected(kube::request_entity_too_large(patched.error().message));
      default: return std::unexpected(does_not_apply());
    }
  }
  change.object = *std::move(patched);
  change.touched = touched_by(*patch);
  return change;
}

struct PatchObject {
  json::Value value;
  Sentences duplicates;
};

// `prefix` begins the refusal.
Answer<PatchObject> parse_patch_object(std::string_view body, std::string_view prefix) {
  auto patch = json::parse_noting_duplicates(body);
  if (!patch) {
    return std::unexpected(kube::bad_request(std::string{prefix} + patch.error().message));
  }
  const json::View view = patch->value;
  if (!view.is_object() && !view.is_null()) {
    const auto type = view.is_bool()     ? "bool"
                      : view.is_number() ? "number"
                                         : json::to_string(view.type());
    return std::unexpected(kube::bad_request(std::string{prefix} + "json: cannot unmarshal " +
                                             std::string{type} +
                                             " into Go value of type map[string]interface {}"));
  }
  PatchObject parsed{.value = std::move(patch->value), .duplicates = {}};
  for (const auto& path : patch->duplicates) {
    parsed.duplicates.push_back("duplicate field \"" + path + "\"");
  }
  return parsed;
}

// Whoever ignores unknown fields meets a decoder that takes a list for the whole new object and
// says nothing more about anything else.
Answer<Change> change_without_object(std::string_view body) {
  auto patch = json::parse(body);
  if (!patch || !patch->is_array()) {
    return std::unexpected(kube::bad_request("Invalid JSON Patch"));
  }
  return Change{.object = *patch, .touched = {}, .problems = {}};
}

Answer<Change> change_by_merge(const WriteCall& call, const json::Value& live) {
  auto patch = parse_patch_object(call.request.body, "error decoding patch: ");
  if (!patch && call.options.validation == FieldValidation::Ignore) {
    return change_without_object(call.request.body);
  }
  if (!patch) return std::unexpected(patch.error());
  if (patch->value.is_null()) return std::unexpected(kube::bad_request("Invalid JSON Patch"));
  auto merged = json::apply_merge_patch(live, patch->value);
  if (call.environment.weakness == Weakness::MergePatchMergesLists) {
    auto listed = kube::strategic_merge(*call.resource.schema, live, patch->value);
    if (!listed) return std::unexpected(listed.error());
    merged = *std::move(listed);
  }
  return Change{.object = std::move(merged),
                .touched = patch->value,
                .problems = std::move(patch->duplicates)};
}

// --- its result ---

// Without an apiVersion the result is decoded as the type that Kubernetes has inside, none of whose
// fields has a JSON name.
Answer<json::Value> decode_internal(WriteCall& call, const Change& change, std::string_view text) {
  const auto kind = change.object.get("kind").as_string();
  const auto& group = call.resource.kind.group;
  if (!kind.empty() && kind != call.resource.kind.kind) {
    const bool known = std::ranges::any_of(kinds::all(), [&](const kinds::Kind& other) {
      return other.gvk.group == group && other.gvk.kind == kind;
    });
    if (!known) {
      return std::unexpected(rejected(
          text, "no kind \"" + std::string{kind} + "\" is registered for the internal version of " +
                    "group \"" + group + "\" in scheme \"pkg/runtime/scheme.go:110\""));
    }
    const auto internal = internal_group(call.resource);
    return std::unexpected(rejected(text, "converting (" + internal + "." + std::string{kind} +
                                              ") to (" + internal + "." + call.resource.kind.kind +
                                              "): unknown conversion"));
  }
  Sentences problems = change.problems;
  for (const auto [key, member] : change.object.members()) {
    if (key == "kind" || key == "apiVersion") continue;
    problems.push_back("unknown field \"" + std::string{key} + "\"");
  }
  if (auto ok = tell(call, std::move(problems), text); !ok) return std::unexpected(ok.error());
  return json::Value::empty_object();
}

Answer<json::Value> decode_changed(WriteCall& call, Change change) {
  const Resource& resource = call.resource;
  const bool builtin = resource.builtin != nullptr;
  const auto weakness = call.environment.weakness;
  const auto text =
      kube::patched_text(builtin ? resource.schema : nullptr, change.object, change.touched);
  if (const auto problem = type_meta_problem(change.object)) {
    return std::unexpected(rejected(text, *problem));
  }
  if (change.object.is_null()) change.object = json::Value::empty_object();
  if (builtin && change.object.get("apiVersion").as_string().empty()) {
    return decode_internal(call, change, text);
  }
  if (builtin) {
    if (const auto problem = builtin_type_problem(resource, change.object)) {
      return std::unexpected(rejected(text, *problem));
    }
  } else if (change.object.get("kind").as_string().empty()) {
    return std::unexpected(rejected(text, "Object 'Kind' is missing in '" + text + "'"));
  }
  auto normal = normalise(resource, change.object, weakness);
  if (builtin && (!normal || !normal->problems.empty())) {
    normal = normalise_text(resource, text, weakness);
  }
  if (!normal) return std::unexpected(rejected(text, normal.error().message));
  append(change.problems, std::move(normal->problems));
  call.given = change.object;
  if (auto ok = tell(call, std::move(change.problems), text); !ok) {
    return std::unexpected(ok.error());
  }
  return keep_reset(resource, change.object, with_defaults(resource, normal->object, weakness));
}

Answer<json::Value> changed_strategically(WriteCall& call, const json::Value& live) {
  auto patch = parse_patch_object(call.request.body, "");
  if (!patch) return std::unexpected(patch.error());
  auto merged = kube::strategic_merge(*call.resource.schema, live, patch->value);
  if (!merged) return std::unexpected(merged.error());

  // Only a weakened server gets here with a custom resource.
  if (call.resource.builtin == nullptr) {
    return decode_changed(call, {.object = *std::move(merged), .touched = patch->value});
  }
  const auto shown = kube::go_printed(patch->value);
  auto converted = kube::convert_tree(*call.resource.schema, *merged);
  if (!converted) return std::unexpected(rejected(shown, converted.error().message));
  Sentences problems = std::move(patch->duplicates);
  for (const auto& problem : converted->problems) problems.push_back(problem.sentence());
  if (auto ok = tell(call, std::move(problems), shown); !ok) return std::unexpected(ok.error());

  auto normal = normalise(call.resource, converted->object.freeze(), call.environment.weakness);
  if (!normal) return std::unexpected(rejected(shown, normal.error().message));
  call.given = *merged;
  return keep_reset(call.resource, *merged,
                    with_defaults(call.resource, normal->object, call.environment.weakness));
}

}  // namespace

Answer<json::Value> patched_object(WriteCall& call, const json::Value& live) {
  const auto type = media_type(call.request.content_type);
  if (type == MediaType::StrategicPatch) return changed_strategically(call, live);
  auto change =
      type == MediaType::JsonPatch ? change_by_operations(call, live) : change_by_merge(call, live);
  if (!change) return std::unexpected(change.error());
  return decode_changed(call, *std::move(change));
}

Answer<void> check_patched_type(const WriteCall& call, json::View patched) {
  if (call.resource.builtin != nullptr) return {};
  if (patched.get("apiVersion").as_string().empty()) {
    return std::unexpected(
        kube::internal_error("Object 'apiVersion' is missing in 'object has no apiVersion field'"));
  }
  return {};
}

}  // namespace fixpoint::apiserver
