// SPDX-License-Identifier: Apache-2.0
#include "kube/crd/coerce.h"

#include "json/draft.h"
#include "kube/errors/field_error.h"
#include "kube/schema/prune.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

// Metadata as the decoder leaves it, or nothing when it is so already.
Result<std::optional<json::Draft>> changed_meta(json::View resource, BadMeta bad,
                                                const std::string& prefix,
                                                std::vector<std::string>& unknown) {
  const auto metadata = resource.find("metadata");
  if (!metadata || is_coerced_object_meta(*metadata)) return std::nullopt;
  FP_TRY(coerced, coerce_object_meta(*metadata, bad));
  for (const auto& path : coerced.unknown_fields) unknown.push_back(prefix + path);
  const auto frozen = coerced.metadata.freeze();
  if (frozen.view() == *metadata) return std::nullopt;
  return std::move(coerced.metadata);
}

// Embedded resources: the same rules, but errors name the field.
class EmbeddedCoercer {
 public:
  explicit EmbeddedCoercer(BadMeta bad) : bad_(bad) {}

  std::optional<FieldError> run(json::Draft& value, const Schema* schema, Place place,
                                const std::string& path) {
    if (schema == nullptr) return std::nullopt;
    const bool is_resource = place == Place::Resource || schema->embedded_resource;
    if (!is_resource && !schema->contains_resource) return std::nullopt;
    if (value.is_object()) {
      if (is_resource) {
        if (auto error = resource(value, path)) return error;
      }
      for (auto& entry : value.members()) {
        const auto* property = schema->property(entry.key);
        const auto* next = property != nullptr ? property->schema : schema->additional_properties;
        if (auto error = run(entry.value, next, Place::Field, child(path, entry.key))) return error;
      }
    } else if (value.is_array()) {
      std::size_t index = 0;
      for (auto& element : value.elements()) {
        const auto at = fmt::format("{}[{}]", path, index++);
        if (auto error = run(element, schema->items, Place::Field, at)) return error;
      }
    }
    return std::nullopt;
  }

  std::vector<std::string> unknown;

 private:
  static std::string child(const std::string& path, std::string_view key) {
    return path.empty() ? std::string{key} : fmt::format("{}.{}", path, key);
  }

  std::optional<FieldError> resource(json::Draft& value, const std::string& path) {
    for (const std::string_view key : {"apiVersion", "kind"}) {
      auto* member = value.find(key);
      if (member == nullptr || member->is_string()) continue;
      if (bad_ == BadMeta::Refuse) {
        const auto frozen = member->freeze();
        return invalid(FieldPath{child(path, key)}, frozen, "must be a string");
      }
      value.erase(key);
    }
    const auto frozen = value.freeze();
    const auto at = child(path, "metadata");
    auto changed = changed_meta(frozen, bad_, at + ".", unknown);
    if (!changed) {
      if (bad_ == BadMeta::Drop) return std::nullopt;  // left for validation to find
      return invalid(FieldPath{at}, frozen.get("metadata"), changed.error().message);
    }
    if (*changed) value["metadata"] = std::move(**changed);
    return std::nullopt;
  }

  BadMeta bad_;
};

}  // namespace

Result<CoercedResource> coerce_resource(const json::Value& object, const CompiledSchema& schema,
                                        BadMeta bad) {
  CoercedResource out;
  FP_TRY(metadata, changed_meta(object, bad, "metadata.", out.unknown_fields));
  auto pruned = prune(object, *schema.declared, Place::Resource);
  out.value = drop_nulls(pruned.value, *schema.declared);
  std::ranges::move(pruned.unknown_fields, std::back_inserter(out.unknown_fields));
  if (!metadata && !schema.declared->contains_resource) return out;

  json::Draft draft{out.value};
  EmbeddedCoercer embedded{bad};
  if (const auto error = embedded.run(draft, schema.declared, Place::Field, {})) {
    return fail(ErrorKind::Invalid, error->to_string());
  }
  std::ranges::sort(embedded.unknown);
  std::ranges::move(embedded.unknown, std::back_inserter(out.unknown_fields));
  if (metadata) draft["metadata"] = std::move(*metadata);
  out.value = draft.freeze();
  return out;
}

std::optional<FieldError> coerce_embedded(json::Draft& value, const Schema& schema, Place place,
                                          BadMeta bad, const std::string& path) {
  return EmbeddedCoercer{bad}.run(value, &schema, place, path);
}

}  // namespace fixpoint::kube
