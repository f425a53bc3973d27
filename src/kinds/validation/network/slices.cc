// SPDX-License-Identifier: Apache-2.0
//
// ResourceSlice: the devices that a driver has on a node, or on many.
#include "json/draft.h"
#include "kinds/conversion/internal_form.h"
#include "kinds/validation/pods/affinity.h"
#include "kinds/validation/storage/csi.h"
#include "kinds/validation/storage/device_fields.h"
#include "kinds/validation/storage/devices.h"

#include <algorithm>
#include <regex>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fixpoint::kinds {
namespace {

constexpr std::size_t kPoolBytesMax = 253;
constexpr std::size_t kIdentifierBytesMax = 32;
constexpr std::size_t kDevicesMax = 128;
constexpr std::size_t kAttributesMax = 32;
constexpr std::size_t kValueBytesMax = 64;

bool is_version(std::string_view text) {
  static const std::regex kSemanticVersion{
      R"((0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*))"
      R"((-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?)"
      R"((\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?)"};
  // Longer ones are too long as well; an expression must not be asked about them.
  constexpr std::size_t kAskedBytesMax = 256;
  return text.size() <= kAskedBytesMax &&
         std::regex_match(text.begin(), text.end(), kSemanticVersion);
}

void check_identifier(std::string_view name, const FieldPath& path, FieldErrors& errors) {
  if (name.size() > kIdentifierBytesMax) {
    errors.push_back(kube::too_long(path, kIdentifierBytesMax));
  }
  kube::note_problems(path, name, kube::c_identifier_problems, errors);
}

void check_attribute_domain(std::string_view domain, const FieldPath& path, FieldErrors& errors) {
  json::Draft text{domain};
  const json::Value value = text.freeze();
  check_driver_name(value, path, errors);
}

void check_attribute(View attribute, const FieldPath& path, FieldErrors& errors) {
  if (const View text = attribute.get("string"); text.as_string().size() > kValueBytesMax) {
    errors.push_back(kube::too_long(path.child("string"), kValueBytesMax));
  }
  if (const View version = attribute.get("version"); !version.is_null()) {
    const FieldPath here = path.child("version");
    if (!is_version(version.as_string())) {
      note_invalid(here, version, "must be a string compatible with semver.org spec 2.0.0", errors);
    }
    if (version.as_string().size() > kValueBytesMax) {
      errors.push_back(kube::too_long(here, kValueBytesMax));
    }
  }
  std::string shown;
  std::size_t values = 0;
  for (const auto& [field, name] : {
           std::pair{"int",     "IntValue"    },
           std::pair{"bool",    "BoolValue"   },
           std::pair{"string",  "StringValue" },
           std::pair{"version", "VersionValue"}
  }) {
    const View value = attribute.get(field);
    values += value.is_null() ? 0 : 1;
    shown += fmt::format("{}\"{}\":{}", shown.empty() ? "" : ",", name, kube::shown(value));
  }
  if (values == 0) note_required(path, errors, "exactly one value must be specified");
  if (values > 1) {
    errors.push_back(kube::invalid(path, "{" + shown + "}", "exactly one value must be specified"));
  }
}

// Which of these places are set, and whether what they say makes sense.
std::vector<std::string> places_of(View holder, const FieldPath& path, FieldErrors& errors) {
  std::vector<std::string> places;
  if (const View node = holder.get("nodeName"); !node.is_null()) {
    if (node.as_string().empty()) {
      note_invalid(path.child("nodeName"), node,
                   "must be either unset or set to a non-empty string", errors);
    } else {
      places.emplace_back("`nodeName`");
      kube::note_problems(path.child("nodeName"), node.as_string(),
                          kube::dns1123_subdomain_problems, errors);
    }
  }
  if (const View selector = holder.get("nodeSelector"); !selector.is_null()) {
    places.emplace_back("`nodeSelector`");
    const FieldPath here = path.child("nodeSelector");
    validate_node_selector(selector, here, errors);
    const View terms = selector.get("nodeSelectorTerms");
    if (terms.size() != 1) {
      std::string shown;
      for (const View term : terms.elements()) {
        shown += (shown.empty() ? "" : ",") + internal_text("NodeSelectorTerm", term);
      }
      errors.push_back(kube::invalid(here.child("nodeSelectorTerms"),
                                     terms.is_null() ? "null" : "[" + shown + "]",
                                     "must have exactly one node selector term"));
    }
  }
  for (const std::string_view flag : {"allNodes", "perDeviceNodeSelection"}) {
    const View set = holder.get(flag);
    if (set.is_null()) continue;
    if (set.as_bool()) {
      places.push_back(fmt::format("`{}`", flag));
    } else {
      note_invalid(path.child(flag), set, "must be either unset or set to true", errors);
    }
  }
  return places;
}

void check_device(View device, const FieldPath& path, FieldErrors& errors) {
  kube::note_problems(path.child("name"), device.get("name").as_string(),
                      kube::dns1123_label_problems, errors);
  const View attributes = device.get("attributes");
  const View capacity = device.get("capacity");
  if (const auto count = attributes.size() + capacity.size(); count > kAttributesMax) {
    errors.push_back(kube::invalid(
        path, std::to_string(count),
        fmt::format("the total number of attributes and capacities must not exceed {}",
                    kAttributesMax)));
  }
  const FieldPath attributes_path = path.child("attributes");
  for (const auto [name, attribute] : attributes.members()) {
    check_attribute_name(name, attributes_path.key(name), errors);
    check_attribute(attribute, attributes_path.key(name), errors);
  }
  const FieldPath capacity_path = path.child("capacity");
  for (const auto [name, amount] : capacity.members()) {
    check_attribute_name(name, capacity_path.key(name), errors);
  }
}

void check_pool(View pool, const FieldPath& path, FieldErrors& errors) {
  check_pool_name(pool.get("name").as_string(), path.child("name"), errors);
  if (pool.get("resourceSliceCount").as_int() <= 0) {
    errors.push_back(kube::invalid(path.child("resourceSliceCount"),
                                   std::to_string(pool.get("resourceSliceCount").as_int()),
                                   "must be greater than zero"));
  }
  if (pool.get("generation").as_int() < 0) {
    note_invalid(path.child("generation"), pool.get("generation"),
                 "must be greater than or equal to zero", errors);
  }
}

void check_places(View spec, const FieldPath& path, FieldErrors& errors) {
  constexpr std::string_view kOne =
      "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
  const auto places = places_of(spec, path, errors);
  if (places.empty()) {
    note_required(path, errors, kOne);
  } else if (places.size() > 1) {
    note_invalid(path, fmt::format("{{{}}}", fmt::join(places, ", ")),
                 fmt::format("{}, but multiple fields are set", kOne), errors);
  }
}

FieldErrors check_resource_slice(View object, View old_object) {
  FieldErrors errors;
  const FieldPath path{"spec"};
  const View spec = object.get("spec");
  check_driver_name(spec.get("driver"), path.child("driver"), errors);
  const FieldPath pool = path.child("pool");
  check_pool(spec.get("pool"), pool, errors);
  if (!old_object.is_null()) {
    const View before = old_object.get("spec");
    check_immutable(spec.get("pool", "name"), before.get("pool", "name"), pool.child("name"),
                    errors);
    check_immutable(spec.get("driver"), before.get("driver"), path.child("driver"), errors);
    check_immutable(spec.get("nodeName"), before.get("nodeName"), path.child("nodeName"), errors);
  }
  check_places(spec, path, errors);
  check_set(spec.get("devices"), kDevicesMax, "name", path.child("devices"), errors,
            [&](View device, const FieldPath& here) { check_device(device, here, errors); });
  return errors;
}

}  // namespace

void check_pool_name(std::string_view name, const FieldPath& path, FieldErrors& errors) {
  if (name.empty()) {
    note_required(path, errors);
    return;
  }
  if (name.size() > kPoolBytesMax) errors.push_back(kube::too_long(path, kPoolBytesMax));
  for (;;) {
    const auto end = name.find('/');
    kube::note_problems(path, name.substr(0, end), kube::dns1123_subdomain_problems, errors);
    if (end == std::string_view::npos) return;
    name.remove_prefix(end + 1);
  }
}

void check_attribute_name(std::string_view name, const FieldPath& path, FieldErrors& errors) {
  if (name.empty()) {
    note_required(path, errors, "name required");
    return;
  }
  const auto slash = name.find('/');
  if (slash == std::string_view::npos) {
    check_identifier(name, path, errors);
    return;
  }
  const auto id = name.substr(slash + 1);
  if (id.find('/') != std::string_view::npos) return;  // a real server looks at two parts only
  if (slash == 0) {
    note_required(path, errors, "the domain must not be empty");
  } else {
    check_attribute_domain(name.substr(0, slash), path, errors);
  }
  if (id.empty()) {
    note_required(path, errors, "the name must not be empty");
  } else {
    check_identifier(id, path, errors);
  }
}

FieldErrors validate_resource_slice(View object) {
  return check_resource_slice(object, {});
}

FieldErrors validate_resource_slice_update(View object, View old_object) {
  return check_resource_slice(object, old_object);
}

}  // namespace fixpoint::kinds
