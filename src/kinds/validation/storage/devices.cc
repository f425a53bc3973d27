// SPDX-License-Identifier: Apache-2.0
#include "kinds/validation/storage/devices.h"

#include "json/print.h"
#include "kinds/conversion/internal_form.h"
#include "kinds/validation/pods/affinity.h"
#include "kinds/validation/storage/csi.h"
#include "kinds/validation/storage/device_fields.h"
#include "kube/meta/metadata.h"

#include <map>

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

constexpr std::size_t kRequestsMax = 32;
constexpr std::size_t kConstraintsMax = 32;
constexpr std::size_t kConfigsMax = 32;
constexpr std::size_t kSelectorsMax = 32;
constexpr std::size_t kAlternativesMax = 8;
constexpr std::size_t kReservationsMax = 256;
constexpr std::size_t kExpressionBytesMax = 10 * 1024;
constexpr std::size_t kParametersBytesMax = 10 * 1024;
// Of a driver's word about a device.
constexpr std::size_t kConditionsMax = 8;
constexpr std::size_t kInterfaceBytesMax = 256;
constexpr std::size_t kHardwareBytesMax = 128;
constexpr std::size_t kInterfaceAddressesMax = 16;

constexpr std::string_view kNotARequest =
    "must be the name of a request in the claim or the name of a request and a subrequest "
    "separated by '/'";

// What is stored was measured when it came.
enum class Parameters : std::uint8_t { New, Stored };

// The names of a claim's requests, and of the alternatives of each.
using RequestNames = std::map<std::string, std::set<std::string>, std::less<>>;

RequestNames request_names_of(View devices) {
  RequestNames names;
  for (const View request : devices.get("requests").elements()) {
    auto& alternatives = names[std::string{request.get("name").as_string()}];
    for (const View each : request.get("firstAvailable").elements()) {
      alternatives.emplace(each.get("name").as_string());
    }
  }
  return names;
}

void check_request_reference(View name, const RequestNames& names, const FieldPath& path,
                             FieldErrors& errors) {
  const auto text = name.as_string();
  const auto slash = text.find('/');
  const auto rest = slash == std::string_view::npos ? "" : text.substr(slash + 1);
  if (rest.find('/') != std::string_view::npos) {
    note_invalid(path, text, kNotARequest, errors);
    return;
  }
  const auto first = text.substr(0, slash);
  kube::note_problems(path, first, kube::dns1123_label_problems, errors);
  if (slash != std::string_view::npos) {
    kube::note_problems(path, rest, kube::dns1123_label_problems, errors);
  }
  const auto found = names.find(first);
  const bool known = found != names.end() &&
                     (slash == std::string_view::npos || found->second.contains(std::string{rest}));
  if (!known) note_invalid(path, text, kNotARequest, errors);
}

void check_references(View list, const RequestNames& names, const FieldPath& path,
                      FieldErrors& errors) {
  check_set(list, kRequestsMax, "", path, errors, [&](View name, const FieldPath& here) {
    check_request_reference(name, names, here, errors);
  });
}

void check_selectors(View selectors, const FieldPath& path, FieldErrors& errors) {
  check_each(selectors, kSelectorsMax, path, errors, [&](View selector, const FieldPath& here) {
    const View cel = selector.get("cel");
    if (cel.is_null()) {
      note_required(here.child("cel"), errors);
      return;
    }
    const FieldPath cel_path = here.child("cel");
    if (cel.get("expression").as_string().size() > kExpressionBytesMax) {
      errors.push_back(kube::too_long(cel_path.child("expression"), kExpressionBytesMax));
    }
  });
}

void check_device_toleration(View toleration, const FieldPath& path, FieldErrors& errors) {
  if (const auto key = toleration.get("key").as_string(); !key.empty()) {
    kube::note_problems(path.child("key"), key, kube::qualified_name_problems, errors);
  }
  const auto op = toleration.get("operator").as_string();
  const auto value = toleration.get("value").as_string();
  if (op == "Exists") {
    if (!value.empty()) {
      note_invalid(path.child("value"), value, "must be empty for operator `Exists`", errors);
    }
  } else if (op == "Equal") {
    kube::note_problems(path.child("value"), value, kube::label_value_problems, errors);
  } else if (op.empty()) {
    note_required(path.child("operator"), errors);
  } else {
    note_unsupported(path.child("operator"), op, {"Equal", "Exists"}, errors);
  }
  const auto effect = toleration.get("effect").as_string();
  if (effect.empty() || effect == "NoSchedule" || effect == "NoExecute") return;
  note_unsupported(path.child("effect"), effect, {"NoExecute", "NoSchedule"}, errors);
}

// What an exact request and an alternative have in common.
void check_wanted(View wanted, const FieldPath& path, FieldErrors& errors) {
  const auto name = wanted.get("deviceClassName").as_string();
  if (name.empty()) {
    note_required(path.child("deviceClassName"), errors);
  } else {
    kube::note_problems(path.child("deviceClassName"), name, kube::dns1123_subdomain_problems,
                        errors);
  }
  check_selectors(wanted.get("selectors"), path.child("selectors"), errors);
  const auto mode = wanted.get("allocationMode").as_string();
  const auto count = wanted.get("count").as_int();
  if (mode == "All") {
    if (count != 0) {
      note_invalid(path.child("count"), wanted.get("count"),
                   "must not be specified when allocationMode is 'All'", errors);
    }
  } else if (mode == "ExactCount") {
    if (count <= 0) {
      errors.push_back(
          kube::invalid(path.child("count"), std::to_string(count), "must be greater than zero"));
    }
  } else {
    note_unsupported(path.child("allocationMode"), mode, {"All", "ExactCount"}, errors);
  }
  const FieldPath list = path.child("tolerations");
  const View tolerations = wanted.get("tolerations");
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    check_device_toleration(tolerations[i], list.index(i), errors);
  }
}

void check_device_request(View request, const FieldPath& path, FieldErrors& errors) {
  kube::note_problems(path.child("name"), request.get("name").as_string(),
                      kube::dns1123_label_problems, errors);
  const View alternatives = request.get("firstAvailable");
  check_set(alternatives, kAlternativesMax, "name", path.child("firstAvailable"), errors,
            [&](View each, const FieldPath& here) {
              kube::note_problems(here.child("name"), each.get("name").as_string(),
                                  kube::dns1123_label_problems, errors);
              check_wanted(each, here, errors);
            });
  const View exactly = request.get("exactly");
  if (!exactly.is_null()) check_wanted(exactly, path.child("exactly"), errors);
  if (exactly.is_null() && alternatives.empty()) {
    note_required(path, errors, "exactly one of `exactly` or `firstAvailable` is required");
  } else if (!exactly.is_null() && !alternatives.empty()) {
    note_invalid(path, View{},
                 "exactly one of `exactly` or `firstAvailable` is required, but multiple fields "
                 "are set",
                 errors);
  }
}

void check_full_name(View name, const FieldPath& path, FieldErrors& errors) {
  const auto text = name.as_string();
  check_attribute_name(text, path, errors);
  if (!text.empty() && text.find('/') == std::string_view::npos) {
    note_invalid(path, text, "must include a domain", errors);
  }
}

void check_raw(View raw, Parameters parameters, const FieldPath& path, std::size_t bytes_max,
               FieldErrors& errors) {
  if (raw.is_null()) {
    note_required(path, errors);
  } else if (parameters == Parameters::New && json::to_text(raw).size() > bytes_max) {
    errors.push_back(kube::too_long(path, bytes_max));
  } else if (!raw.is_object()) {
    note_invalid(path, std::string_view{"<value omitted>"}, "must be a valid JSON object", errors);
  }
}

void check_configuration(View config, Parameters parameters, const FieldPath& path,
                         FieldErrors& errors) {
  const View opaque = config.get("opaque");
  const FieldPath here = path.child("opaque");
  if (opaque.is_null()) {
    note_required(here, errors);
    return;
  }
  check_driver_name(opaque.get("driver"), here.child("driver"), errors);
  check_raw(opaque.get("parameters"), parameters, here.child("parameters"), kParametersBytesMax,
            errors);
}

void check_device_claim(View spec, Parameters parameters, const FieldPath& spec_path,
                        FieldErrors& errors) {
  const View devices = spec.get("devices");
  const FieldPath path = spec_path.child("devices");
  const auto names = request_names_of(devices);
  check_set(devices.get("requests"), kRequestsMax, "name", path.child("requests"), errors,
            [&](View each, const FieldPath& here) { check_device_request(each, here, errors); });
  check_each(devices.get("constraints"), kConstraintsMax, path.child("constraints"), errors,
             [&](View each, const FieldPath& here) {
               check_references(each.get("requests"), names, here.child("requests"), errors);
               const View match = each.get("matchAttribute");
               if (match.is_null()) {
                 note_required(here.child("matchAttribute"), errors);
               } else {
                 check_full_name(match, here.child("matchAttribute"), errors);
               }
             });
  check_each(devices.get("config"), kConfigsMax, path.child("config"), errors,
             [&](View each, const FieldPath& here) {
               check_references(each.get("requests"), names, here.child("requests"), errors);
               check_configuration(each, parameters, here, errors);
             });
}

void check_result(View result, const RequestNames& names, const FieldPath& path,
                  FieldErrors& errors) {
  check_request_reference(result.get("request"), names, path.child("request"), errors);
  check_driver_name(result.get("driver"), path.child("driver"), errors);
  check_pool_name(result.get("pool").as_string(), path.child("pool"), errors);
  kube::note_problems(path.child("device"), result.get("device").as_string(),
                      kube::dns1123_label_problems, errors);
}

void check_allocation(View allocation, const RequestNames& names, const FieldPath& path,
                      FieldErrors& errors) {
  const FieldPath devices = path.child("devices");
  check_each(allocation.get("devices", "results"), kRequestsMax, devices.child("results"), errors,
             [&](View each, const FieldPath& here) { check_result(each, names, here, errors); });
  // Of the class and of the claim.
  check_each(allocation.get("devices", "config"), 2 * kConfigsMax, devices.child("config"), errors,
             [&](View each, const FieldPath& here) {
               const auto source = each.get("source").as_string();
               if (source.empty()) {
                 note_required(here.child("source"), errors);
               } else if (source != "FromClaim" && source != "FromClass") {
                 note_unsupported(here.child("source"), source, {"FromClaim", "FromClass"}, errors);
               }
               check_references(each.get("requests"), names, here.child("requests"), errors);
               check_configuration(each, Parameters::New, here, errors);
             });
  if (const View selector = allocation.get("nodeSelector"); !selector.is_null()) {
    validate_node_selector(selector, path.child("nodeSelector"), errors);
  }
}

std::string device_id(View device) {
  return fmt::format("{}/{}/{}", device.get("driver").as_string(), device.get("pool").as_string(),
                     device.get("device").as_string());
}

void check_device_status(View device, const std::set<std::string>& allocated, const FieldPath& path,
                         FieldErrors& errors) {
  check_driver_name(device.get("driver"), path.child("driver"), errors);
  check_pool_name(device.get("pool").as_string(), path.child("pool"), errors);
  kube::note_problems(path.child("device"), device.get("device").as_string(),
                      kube::dns1123_label_problems, errors);
  if (!allocated.contains(device_id(device))) {
    errors.push_back(kube::invalid(
        path,
        fmt::format(R"({{"DeviceID":{{"Driver":{},"Pool":{},"Device":{}}},"ShareID":""}})",
                    kube::shown(device.get("driver").as_string()),
                    kube::shown(device.get("pool").as_string()),
                    kube::shown(device.get("device").as_string())),
        "must be an allocated device in the claim"));
  }
  if (const auto count = device.get("conditions").size(); count > kConditionsMax) {
    errors.push_back(kube::too_many(path.child("conditions"), count, kConditionsMax));
  }
  if (const View data = device.get("data"); !data.is_null()) {
    check_raw(data, Parameters::New, path.child("data"), kParametersBytesMax, errors);
  }
  const FieldPath network = path.child("networkData");
  const View said = device.get("networkData");
  if (said.get("interfaceName").as_string().size() > kInterfaceBytesMax) {
    errors.push_back(kube::too_long(network.child("interfaceName"), kInterfaceBytesMax));
  }
  if (said.get("hardwareAddress").as_string().size() > kHardwareBytesMax) {
    errors.push_back(kube::too_long(network.child("hardwareAddress"), kHardwareBytesMax));
  }
  check_set(said.get("ips"), kInterfaceAddressesMax, "", network.child("ips"), errors,
            [](View, const FieldPath&) {});
}

void check_claim_status(View object, View old_object, FieldErrors& errors) {
  const FieldPath path{"status"};
  const View status = object.get("status");
  check_set(status.get("reservedFor"), kReservationsMax, "uid", path.child("reservedFor"), errors,
            [&](View each, const FieldPath& here) {
              for (const std::string_view field : {"resource", "name", "uid"}) {
                if (each.get(field).as_string().empty()) note_required(here.child(field), errors);
              }
            });
  const View allocation = status.get("allocation");
  std::set<std::string> allocated;
  for (const View result : allocation.get("devices", "results").elements()) {
    allocated.insert(device_id(result));
  }
  check_each(status.get("devices"), kUnbounded, path.child("devices"), errors,
             [&](View each, const FieldPath& here) {
               check_device_status(each, allocated, here, errors);
             });
  if (!status.get("reservedFor").empty() && allocation.is_null()) {
    note_forbidden(path.child("reservedFor"), "may not be specified when `allocated` is not set",
                   errors);
  }
  const View before = old_object.get("status", "allocation");
  if (!before.is_null() && !allocation.is_null()) {
    if (!(before == allocation)) {
      errors.push_back(kube::invalid(path.child("allocation"),
                                     internal_text("AllocationResult", allocation),
                                     std::string{kImmutable}));
    }
  } else if (!allocation.is_null()) {
    check_allocation(allocation, request_names_of(object.get("spec", "devices")),
                     path.child("allocation"), errors);
  }
}

void check_template(View spec, Parameters parameters, FieldErrors& errors) {
  const FieldPath path{"spec"};
  const FieldPath metadata_path = path.child("metadata");
  const View metadata = spec.get("metadata");
  kube::append(errors, kube::validate_annotations(metadata.get("annotations"),
                                                  metadata_path.child("annotations")));
  kube::append(errors,
               kube::validate_labels(metadata.get("labels"), metadata_path.child("labels")));
  for (const std::string_view field : {"name", "generateName", "namespace", "uid",
                                       "resourceVersion", "ownerReferences", "finalizers"}) {
    const View value = metadata.get(field);
    const bool set = value.is_array() ? !value.empty() : !value.as_string().empty();
    if (set) note_forbidden(metadata_path.child(field), "cannot be set", errors);
  }
  check_device_claim(spec.get("spec"), parameters, path.child("spec"), errors);
}

FieldErrors check_class(View object, Parameters parameters) {
  FieldErrors errors;
  const FieldPath path{"spec"};
  const View spec = object.get("spec");
  check_selectors(spec.get("selectors"), path.child("selectors"), errors);
  check_each(spec.get("config"), kConfigsMax, path.child("config"), errors,
             [&](View each, const FieldPath& here) {
               check_configuration(each, parameters, here, errors);
             });
  return errors;
}

}  // namespace

FieldErrors validate_device_class(View object) {
  return check_class(object, Parameters::New);
}

// The whole of a changed object is looked at as at a new one first.
FieldErrors validate_device_class_update(View object, View old_object) {
  FieldErrors errors = validate_device_class(object);
  const bool same = object.get("spec", "config") == old_object.get("spec", "config");
  kube::append(errors, check_class(object, same ? Parameters::Stored : Parameters::New));
  return errors;
}

FieldErrors validate_resource_claim(View object) {
  FieldErrors errors;
  check_device_claim(object.get("spec"), Parameters::New, FieldPath{"spec"}, errors);
  return errors;
}

FieldErrors validate_resource_claim_update(View object, View old_object) {
  FieldErrors errors = validate_resource_claim(object);
  const View spec = object.get("spec");
  if (!(spec == old_object.get("spec"))) {
    errors.push_back(kube::invalid(FieldPath{"spec"}, internal_text("ResourceClaimSpec", spec),
                                   std::string{kImmutable}));
  }
  check_device_claim(spec, Parameters::Stored, FieldPath{"spec"}, errors);
  return errors;
}

FieldErrors validate_resource_claim_status_update(View object, View old_object) {
  FieldErrors errors;
  check_claim_status(object, old_object, errors);
  return errors;
}

FieldErrors validate_resource_claim_template(View object) {
  FieldErrors errors;
  check_template(object.get("spec"), Parameters::New, errors);
  return errors;
}

FieldErrors validate_resource_claim_template_update(View object, View old_object) {
  FieldErrors errors = validate_resource_claim_template(object);
  const View spec = object.get("spec");
  if (!(spec == old_object.get("spec"))) {
    errors.push_back(kube::invalid(FieldPath{"spec"},
                                   internal_text("ResourceClaimTemplateSpec", spec),
                                   std::string{kImmutable}));
  }
  check_template(spec, Parameters::Stored, errors);
  return errors;
}

}  // namespace fixpoint::kinds
