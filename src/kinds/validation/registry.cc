// SPDX-License-Identifier: Apache-2.0
#include "kinds/validation/registry.h"

#include "kinds/defaults/fields.h"

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

using json::Draft;

FieldErrors check_api_service(View object) {
  FieldErrors errors;
  const View spec = object.get("spec");
  const FieldPath path{"spec"};
  const FieldPath metadata{"metadata"};
  const auto wanted =
      fmt::format("{}.{}", spec.get("version").as_string(), spec.get("group").as_string());
  for (const std::string_view field : {"generateName", "name"}) {
    const auto name = object.get("metadata", field).as_string();
    if (name.empty() || name == wanted) continue;
    note_invalid(metadata.child(field), name,
                 fmt::format("must be `spec.version+\".\"+spec.group`: {}", kube::shown(wanted)),
                 errors);
  }
  struct Priority {
    std::string_view field;
    std::int64_t below;
  };
  for (const auto& [field, below] : {
           Priority{"groupPriorityMinimum", 20000},
           Priority{"versionPriority",      1000 }
  }) {
    const auto value = spec.get(field).as_int();
    if (value > 0 && value <= below) continue;
    errors.push_back(kube::invalid(path.child(field), std::to_string(value),
                                   fmt::format("must be positive and less than {}", below)));
  }
  const View service = spec.get("service");
  if (service.is_null()) return errors;
  const FieldPath here = path.child("service");
  require_text(service.get("namespace"), here.child("namespace"), errors);
  require_text(service.get("name"), here.child("name"), errors);
  return errors;
}

}  // namespace

FieldErrors validate_controller_revision(View object) {
  FieldErrors errors;
  check_nonnegative(object.get("revision"), FieldPath{"revision"}, errors);
  const View data = object.get("data");
  if (data.is_null()) {
    note_required(FieldPath{"data"}, errors, "data is mandatory");
  } else if (!data.is_object()) {
    note_required(FieldPath{"data"}, errors, "data must be a valid JSON object");
  }
  return errors;
}

FieldErrors validate_controller_revision_update(View object, View old_object) {
  FieldErrors errors;
  check_nonnegative(object.get("revision"), FieldPath{"revision"}, errors);
  check_immutable(object.get("data"), old_object.get("data"), FieldPath{"data"}, errors);
  return errors;
}

void set_defaults_api_service(Draft& object) {
  if (Draft* service = object.find("spec", "service"); service != nullptr && service->is_object()) {
    default_to(*service, "port", 443);
  }
}

FieldErrors validate_api_service(View object) {
  return check_api_service(object);
}

FieldErrors validate_api_service_update(View object, View) {
  return check_api_service(object);
}

}  // namespace fixpoint::kinds
