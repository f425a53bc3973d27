// SPDX-License-Identifier: Apache-2.0
#include "kinds/validate_registry.h"

#include "kinds/defaults_fields.h"
#include "kube/base64.h"
#include "kube/metadata.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

using json::Draft;

// The block is looked for, not parsed: keys and signatures are the signer's to judge.
void check_request(View request, const FieldPath& path, FieldErrors& errors) {
  const auto bytes = kube::from_base64(request.as_string()).value_or("");
  const auto begin = bytes.find("-----BEGIN CERTIFICATE REQUEST-----");
  const auto end = bytes.find("-----END CERTIFICATE REQUEST-----");
  if (begin != std::string::npos && end != std::string::npos && begin < end) return;
  note_invalid(path, request.as_string(), "PEM block type must be CERTIFICATE REQUEST", errors);
}

void check_usages(View usages, const FieldPath& path, FieldErrors& errors) {
  static const std::vector<std::string> kUsages{"any",
                                                "cert sign",
                                                "client auth",
                                                "code signing",
                                                "content commitment",
                                                "crl sign",
                                                "data encipherment",
                                                "decipher only",
                                                "digital signature",
                                                "email protection",
                                                "encipher only",
                                                "ipsec end system",
                                                "ipsec tunnel",
                                                "ipsec user",
                                                "key agreement",
                                                "key encipherment",
                                                "microsoft sgc",
                                                "netscape sgc",
                                                "ocsp signing",
                                                "s/mime",
                                                "server auth",
                                                "signing",
                                                "timestamping"};
  if (usages.empty()) note_required(path, errors);
  for (std::size_t i = 0; i < usages.size(); ++i) {
    check_one_of(usages[i], path.index(i), kUsages, errors);
    for (std::size_t j = 0; j < i; ++j) {
      if (!(usages[i] == usages[j])) continue;
      errors.push_back(kube::duplicate(path.index(i), usages[i]));
      break;
    }
  }
}

void check_signer(View signer, const FieldPath& path, FieldErrors& errors) {
  const auto name = signer.as_string();
  if (name.empty()) {
    note_required(path, errors);
    return;
  }
  const auto slash = name.find('/');
  if (slash == std::string_view::npos || name.find('/', slash + 1) != std::string_view::npos) {
    note_invalid(path, name,
                 "must be a fully qualified domain and path of the form 'example.com/signer-name'",
                 errors);
    return;
  }
  kube::note_problems(path, name.substr(0, slash), kube::dns1123_subdomain_problems, errors);
}

FieldErrors check_api_service(View object) {
  FieldErrors errors;
  const View spec = object.get("spec");
  const FieldPath path{"spec"};
  const FieldPath metadata{"metadata"};
  const auto name = kube::name_of(object);
  const auto wanted =
      fmt::format("{}.{}", spec.get("version").as_string(), spec.get("group").as_string());
  if (name != wanted) {
    note_invalid(metadata.child("name"), name,
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

FieldErrors validate_signing_request(View object) {
  FieldErrors errors;
  const View spec = object.get("spec");
  const FieldPath path{"spec"};
  check_request(spec.get("request"), path.child("request"), errors);
  check_usages(spec.get("usages"), path.child("usages"), errors);
  check_signer(spec.get("signerName"), path.child("signerName"), errors);
  constexpr std::int64_t kTenMinutes = 600;
  if (const View seconds = spec.get("expirationSeconds");
      !seconds.is_null() && seconds.as_int() < kTenMinutes) {
    note_invalid(path.child("expirationSeconds"), seconds,
                 "may not specify a duration less than 600 seconds (10 minutes)", errors);
  }
  return errors;
}

FieldErrors validate_signing_request_update(View object, View) {
  return validate_signing_request(object);
}

void prepare_signing_request(Draft& object, View old_object, const HookContext&) {
  if (old_object.is_null()) return;
  object["spec"] = Draft{old_object.get("spec")};
}

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
