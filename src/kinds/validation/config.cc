// SPDX-License-Identifier: Apache-2.0
#include "kinds/validation/config.h"

#include "json/parsing/parse.h"
#include "kinds/validation/fields.h"
#include "kube/meta/metadata.h"
#include "kube/scalars/base64.h"

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

constexpr std::string_view kImmutableData = "field is immutable when `immutable` is set";

std::size_t decoded_size(View base64_text) {
  const auto text = base64_text.as_string();
  const auto padding = text.ends_with("==") ? 2U : (text.ends_with("=") ? 1U : 0U);
  return text.size() / 4 * 3 - padding;
}

void check_immutable_data(View object, View old_object, const std::vector<std::string>& fields,
                          FieldErrors& errors) {
  if (!old_object.get("immutable").as_bool()) return;
  if (!object.get("immutable").as_bool()) {
    note_forbidden(FieldPath{"immutable"}, kImmutableData, errors);
  }
  for (const auto& field : fields) {
    const View now = object.get(field);
    const View before = old_object.get(field);
    // An empty map is not the same as none, but where the default is an empty one.
    const bool defaulted = field == "data" && object.get("kind").as_string() == "ConfigMap";
    if (now == before || (defaulted && now.empty() && before.empty())) continue;
    note_forbidden(FieldPath{field}, kImmutableData, errors);
  }
}

void require_key(View data, std::string_view key, FieldErrors& errors) {
  const FieldPath path{"data"};
  if (!data.contains(key)) note_required(path.key(key), errors);
}

// A registry's credentials must be a JSON object; what they are stays unsaid.
void check_docker_config(View data, std::string_view key, FieldErrors& errors) {
  require_key(data, key, errors);
  if (!data.contains(key)) return;
  const auto bytes = kube::from_base64(data.get(key).as_string()).value_or("");
  const auto parsed = json::parse(bytes);
  const FieldPath path{"data"};
  if (!parsed) {
    note_invalid(path.key(key), "<secret contents redacted>", parsed.error().message, errors);
  } else if (!parsed->is_object() && !parsed->is_null()) {
    const auto type = json::to_string(parsed->type());
    note_invalid(
        path.key(key), "<secret contents redacted>",
        fmt::format("json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
                    type == "boolean" ? "bool" : (type == "integer" ? "number" : type)),
        errors);
  }
}

void check_secret_type(View secret, FieldErrors& errors) {
  const View data = secret.get("data");
  const auto type = secret.get("type").as_string();
  if (type == "kubernetes.io/service-account-token") {
    constexpr std::string_view kAccountName = "kubernetes.io/service-account.name";
    const FieldPath metadata{"metadata"};
    const FieldPath annotations = metadata.child("annotations");
    if (kube::annotation_of(secret, kAccountName).empty())
      note_required(annotations.key(kAccountName), errors);
  } else if (type == "kubernetes.io/dockercfg") {
    check_docker_config(data, ".dockercfg", errors);
  } else if (type == "kubernetes.io/dockerconfigjson") {
    check_docker_config(data, ".dockerconfigjson", errors);
  } else if (type == "kubernetes.io/basic-auth") {
    if (data.contains("username") || data.contains("password")) return;
    require_key(data, "username", errors);
    require_key(data, "password", errors);
  } else if (type == "kubernetes.io/ssh-auth") {
    const FieldPath path{"data"};
    if (data.get("ssh-privatekey").as_string().empty()) {
      note_required(path.key("ssh-privatekey"), errors);
    }
  } else if (type == "kubernetes.io/tls") {
    require_key(data, "tls.crt", errors);
    require_key(data, "tls.key", errors);
  }
}

void check_finalizer(std::string_view name, const FieldPath& path, FieldErrors& errors) {
  kube::note_problems(path, name, kube::qualified_name_problems, errors);
  if (name.find('/') == std::string_view::npos && name != "kubernetes" && name != "orphan" &&
      name != "foregroundDeletion") {
    note_invalid(path, name, "name is neither a standard finalizer name nor is it fully qualified",
                 errors);
  }
}

}  // namespace

FieldErrors validate_config_map(View object) {
  FieldErrors errors;
  std::size_t bytes = 0;
  const View binary = object.get("binaryData");
  const FieldPath data_path{"data"};
  for (const auto [key, value] : object.get("data").members()) {
    kube::note_problems(data_path.key(key), key, kube::config_map_key_problems, errors);
    if (binary.contains(key)) {
      note_invalid(data_path.key(key), key, "duplicate of key present in binaryData", errors);
    }
    bytes += value.as_string().size();
  }
  const FieldPath binary_path{"binaryData"};
  for (const auto [key, value] : binary.members()) {
    kube::note_problems(binary_path.key(key), key, kube::config_map_key_problems, errors);
    bytes += decoded_size(value);
  }
  if (bytes > kConfigBytesMax) {
    // The whole object has no path, and a real server prints its emptiness so.
    auto error = kube::too_long(FieldPath{}, kConfigBytesMax);
    error.field = "[]";
    errors.push_back(std::move(error));
  }
  return errors;
}

FieldErrors validate_config_map_update(View object, View old_object) {
  FieldErrors errors;
  check_immutable_data(object, old_object, {"data", "binaryData"}, errors);
  kube::append(errors, validate_config_map(object));
  return errors;
}

FieldErrors validate_secret(View object) {
  FieldErrors errors;
  std::size_t bytes = 0;
  const FieldPath path{"data"};
  for (const auto [key, value] : object.get("data").members()) {
    kube::note_problems(path.key(key), key, kube::config_map_key_problems, errors);
    bytes += decoded_size(value);
  }
  if (bytes > kConfigBytesMax) errors.push_back(kube::too_long(path, kConfigBytesMax));
  check_secret_type(object, errors);
  return errors;
}

FieldErrors validate_secret_update(View object, View old_object) {
  FieldErrors errors;
  check_immutable(object.get("type"), old_object.get("type"), FieldPath{"type"}, errors);
  check_immutable_data(object, old_object, {"data"}, errors);
  kube::append(errors, validate_secret(object));
  return errors;
}

FieldErrors validate_namespace(View object) {
  FieldErrors errors;
  const FieldPath spec{"spec"};
  const FieldPath path = spec.child("finalizers");
  for (const View each : object.get("spec", "finalizers").elements()) {
    check_finalizer(each.as_string(), path, errors);
  }
  return errors;
}

FieldErrors validate_namespace_update(View object, View) {
  return validate_namespace(object);
}

FieldErrors validate_namespace_finalize(View object, View) {
  FieldErrors errors;
  const FieldPath spec{"spec"};
  const FieldPath path = spec.child("finalizers");
  const View finalizers = object.get("spec", "finalizers");
  for (std::size_t i = 0; i < finalizers.size(); ++i) {
    check_finalizer(finalizers[i].as_string(), path.index(i), errors);
  }
  return errors;
}

FieldErrors validate_namespace_status_update(View object, View) {
  FieldErrors errors;
  const FieldPath status{"status"};
  const FieldPath path = status.child("Phase");
  const auto phase = object.get("status", "phase").as_string();
  if (!kube::being_deleted(object) && phase != "Active") {
    note_invalid(path, phase, "may only be 'Active' if `deletionTimestamp` is empty", errors);
  }
  if (kube::being_deleted(object) && phase != "Terminating") {
    note_invalid(path, phase, "may only be 'Terminating' if `deletionTimestamp` is not empty",
                 errors);
  }
  return errors;
}

}  // namespace fixpoint::kinds
