// SPDX-License-Identifier: Apache-2.0
#include "front/answers/shape.h"

#include "front/answers/answer.h"
#include "json/draft.h"
#include "json/print.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace fixpoint::front {
namespace {

using apiserver::Response;

std::string_view api_version(MetaVersion version) {
  return version == MetaVersion::V1 ? apiserver::kMetaVersion : "meta.k8s.io/v1beta1";
}

json::Value object_metadata(json::View object) {
  json::Draft metadata = json::Draft::object();
  // What is not stored has no version.
  const auto version = object.get("metadata", "resourceVersion").as_string();
  if (!version.empty()) metadata["resourceVersion"] = version;
  return metadata.freeze();
}

// The type as Go names it: "*core.Secret", "*unstructured.UnstructuredList".
std::string go_type(const apiserver::Resource& resource, std::string_view suffix) {
  if (resource.custom) return "*unstructured.Unstructured" + std::string{suffix};
  const std::string_view group = resource.error_kind().group.empty()
                                     ? std::string_view{"core"}
                                     : std::string_view{resource.kind.group};
  // The package of a group's internal types is the first word of the group, with few exceptions.
  std::string_view package = group.substr(0, group.find('.'));
  if (package == "events") package = "core";
  return "*" + std::string{package} + "." + resource.kind.kind + std::string{suffix};
}

bool is_scale(const Shape& shape) {
  return shape.subresource == "scale";
}

std::string go_type_of_one(const Shape& shape) {
  if (!is_scale(shape)) return go_type(shape.resource, "");
  return shape.resource.custom ? "*v1.Scale" : "*autoscaling.Scale";
}

std::optional<kube::Status> wrong_form(const Shape& shape, bool is_list) {
  // An object without a Go type of its own may be a list for all a real server knows, until it
  // looks for the items.
  if (shape.wanted.form == Form::PartialList && !is_list && shape.resource.custom &&
      !is_scale(shape)) {
    return kube::unreasoned(500, "content is not a list");
  }
  if (shape.wanted.form == Form::PartialObject && is_list) {
    return kube::not_acceptable(
        "you requested PartialObjectMetadata, but the requested object is a list (" +
        go_type(shape.resource, "List") + ")");
  }
  if (shape.wanted.form == Form::PartialList && !is_list) {
    return kube::not_acceptable(
        "you requested PartialObjectMetadataList, but the requested object is not a list (" +
        go_type_of_one(shape) + ")");
  }
  return std::nullopt;
}

}  // namespace

Response shaped(const Shape& shape, Response response) {
  const bool is_status = !response.list && response.body.get("kind").as_string() == "Status";
  if (shape.wanted.form == Form::Object || is_status) return response;
  const bool is_list = response.list.has_value();
  if (auto status = wrong_form(shape, is_list)) return apiserver::failure(*status);

  std::vector<json::Value> objects;
  json::Value metadata;
  if (is_list) {
    for (const auto& record : response.list->items) {
      objects.push_back(
          apiserver::shown(shape.resource, apiserver::in_version(shape.resource, record->body)));
    }
    metadata = list_metadata(*response.list);
  } else {
    objects.push_back(response.body);
    metadata = object_metadata(response.body);
  }
  const auto version = api_version(shape.wanted.meta);
  if (shape.wanted.form == Form::Table) {
    auto include = apiserver::parse_include_object(shape.include_object);
    if (!include) return apiserver::failure(include.error());
    const apiserver::TableOptions options{.include = *include,
                                          .columns = apiserver::Columns::Named,
                                          .now = shape.now,
                                          .version = version};
    response.body =
        is_scale(shape)
            ? apiserver::scale_table_of(shape.resource, objects.front(), metadata, options)
            : apiserver::table_of(shape.resource, objects, metadata, options);
  } else {
    response.body = is_list ? apiserver::partial_list(objects, metadata, version)
                            : apiserver::partial_object(objects.front(), version);
  }
  response.list.reset();
  return response;
}

namespace {

std::string event_line(const apiserver::WatchEvent& event, json::View object) {
  std::string line = R"({"type":")";
  line += to_string(event.type);
  line += R"(","object":)";
  json::print(object, line);
  line += "}\n";
  return line;
}

}  // namespace

std::function<std::string(const apiserver::WatchEvent&)> event_printer(EventShape shape) {
  return [shape = std::move(shape)](const apiserver::WatchEvent& event) {
    const auto form = shape.wanted.form;
    if (form == Form::Object || event.type == apiserver::WatchEventType::Error) {
      return event_line(event, event.object);
    }
    const auto version = api_version(shape.wanted.meta);
    if (form == Form::PartialList) return std::string{};
    if (form == Form::PartialObject) {
      const json::Value partial = apiserver::partial_object(event.object, version);
      return event_line(event, partial);
    }
    const json::Value metadata = object_metadata(event.object);
    const json::Value table = apiserver::table_of(shape.resource, {event.object}, metadata,
                                                  {.include = shape.include,
                                                   .columns = shape.columns,
                                                   .now = shape.clock.wall(),
                                                   .version = version});
    return event_line(event, table);
  };
}

}  // namespace fixpoint::front
