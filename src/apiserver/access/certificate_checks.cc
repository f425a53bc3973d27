// SPDX-License-Identifier: Apache-2.0
#include "apiserver/access/certificate_checks.h"

#include "kube/scalars/base64.h"

#include <algorithm>

namespace fixpoint::apiserver {
namespace {

std::string bytes_at(json::View object, std::string_view holder, std::string_view key) {
  return kube::from_base64(object.get(holder, key).as_string()).value_or("");
}

}  // namespace

void note_bad_pair(WriteCall& call, json::View object) {
  if (call.certificates == nullptr || call.resource.prefix != "secrets/") return;
  if (object.get("type").as_string() != "kubernetes.io/tls") return;
  auto problem = call.certificates->pair_problem(bytes_at(object, "data", "tls.crt"),
                                                 bytes_at(object, "data", "tls.key"));
  if (!problem.empty()) call.warnings.push_back(std::move(problem));
}

void add_request_problem(const WriteCall& call, json::View object, kube::FieldErrors& errors) {
  if (call.certificates == nullptr ||
      call.resource.prefix != "certificatesigningrequests.certificates.k8s.io/") {
    return;
  }
  const auto known = [](const kube::FieldError& error) { return error.field == "spec.request"; };
  if (std::ranges::any_of(errors, known)) return;
  const auto problem = call.certificates->request_problem(bytes_at(object, "spec", "request"));
  if (problem.empty()) return;
  // After what is wrong with the metadata, before all else.
  const auto place = std::ranges::find_if(
      errors, [](const kube::FieldError& error) { return !error.field.starts_with("metadata"); });
  const kube::FieldPath spec{"spec"};
  errors.insert(place,
                kube::invalid(spec.child("request"), object.get("spec", "request"), problem));
}

}  // namespace fixpoint::apiserver
