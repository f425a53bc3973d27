// SPDX-License-Identifier: Apache-2.0
#include "cluster/autoscaling/scale.h"

#include "apiserver/resource.h"
#include "kinds/kind.h"
#include "kube/selectors/label_selector.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace fixpoint::cluster::autoscaling {
namespace {

using json::View;

constexpr std::string_view kDefinitions = "customresourcedefinitions.apiextensions.k8s.io/";

// A resource, and where its objects keep their numbers.
struct Shape {
  kube::GroupVersionResource resource;
  bool scales = false;
  std::string wanted = ".spec.replicas";
  std::string replicas = ".status.replicas";
  std::string selector = {};  // empty: spec.selector, as an object or as plain labels
};

// ".spec.replicas"
View at_path(View object, std::string_view path) {
  while (!path.empty()) {
    path.remove_prefix(1);
    const auto end = std::min(path.find('.'), path.size());
    object = object.get(path.substr(0, end));
    path.remove_prefix(end);
  }
  return object;
}

std::optional<Shape> builtin_shape(const kube::GroupVersionKind& kind) {
  const auto* known = kinds::find(kind);
  if (known == nullptr) return std::nullopt;
  return Shape{
      .resource = {kind.group, kind.version, known->resource},
      .scales = known->subresource("scale") != nullptr
  };
}

std::optional<Shape> custom_shape(const Reader& reader, const kube::GroupVersionKind& kind) {
  std::optional<Shape> found;
  reader.snapshot().scan(kDefinitions, {}, [&](const store::RecordRef& record) {
    const View spec = record->body.get("spec");
    if (spec.get("group").as_string() != kind.group ||
        spec.get("names", "kind").as_string() != kind.kind) {
      return true;
    }
    for (const View version : spec.get("versions").elements()) {
      if (version.get("name").as_string() != kind.version) continue;
      const View scale = version.get("subresources", "scale");
      found = Shape{
          .resource = {kind.group, kind.version,
                       std::string{spec.get("names", "plural").as_string()}},
          .scales = !scale.is_null(),
          .wanted = std::string{scale.get("specReplicasPath").as_string()},
          .replicas = std::string{scale.get("statusReplicasPath").as_string()},
          .selector = std::string{scale.get("labelSelectorPath").as_string("none")}
      };
    }
    return !found;
  });
  return found;
}

std::string selector_text(View object, const Shape& shape) {
  if (!shape.selector.empty()) return std::string{at_path(object, shape.selector).as_string()};
  const View given = object.get("spec", "selector");
  if (shape.resource.group.empty()) return kube::LabelSelector::from_labels(given).to_string();
  const auto selector = kube::LabelSelector::from_object(given);
  return selector ? selector->to_string() : std::string{};
}

}  // namespace

Result<Scale> read_scale(const Reader& reader, std::string_view ns, const ScaleReference& of) {
  FP_TRY(version, kube::parse_group_version(of.api_version));
  const kube::GroupVersionKind kind{version.group, version.version, std::string{of.kind}};
  auto shape = builtin_shape(kind);
  if (!shape) shape = custom_shape(reader, kind);
  if (!shape) {
    return fail(ErrorKind::Invalid, fmt::format("no matches for kind \"{}\" in version \"{}\"",
                                                of.kind, of.api_version));
  }
  const auto name = version.group.empty()
                        ? shape->resource.resource
                        : fmt::format("{}.{}", shape->resource.resource, version.group);
  if (!shape->scales) {
    return fail(ErrorKind::Invalid, name + " does not implement the scale subresource");
  }
  auto record = reader.find(apiserver::key_prefix(shape->resource.group, shape->resource.resource),
                            ns, of.name);
  if (!record) {
    return fail(ErrorKind::NotFound, fmt::format("{} \"{}\" not found", name, of.name));
  }
  const View object = record->body;
  const bool builtin = shape->selector.empty();
  Scale scale{.resource = shape->resource,
              .wanted = at_path(object, shape->wanted).as_int(builtin ? 1 : 0),
              .replicas = at_path(object, shape->replicas).as_int(),
              .selector = selector_text(object, *shape)};
  scale.record = std::move(record);
  return scale;
}

}  // namespace fixpoint::cluster::autoscaling
