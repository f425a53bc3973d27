// SPDX-License-Identifier: Apache-2.0
#include "apiserver/admission/signers.h"

#include "apiserver/access/rbac.h"

namespace fixpoint::apiserver {
namespace {

using kube::Answer;

bool may_use(const AdmissionCall& call, const store::Snapshot& snapshot, std::string_view verb,
             std::string_view signer) {
  const auto holds = [&](std::string name) {
    const Attempt attempt{.verb = std::string{verb},
                          .group = "certificates.k8s.io",
                          .resource = "signers",
                          .subresource = {},
                          .ns = {},
                          .name = std::move(name),
                          .path = {}};
    return authorize(snapshot, call.user, attempt).allowed;
  };
  return holds(std::string{signer}) ||
         holds(std::string{signer.substr(0, signer.find('/'))} + "/*");
}

}  // namespace

Answer<void> check_signer(const AdmissionCall& call, const store::Snapshot& snapshot,
                          json::View request, json::View old_request) {
  const bool approves = call.subresource == "approval";
  const bool signs = call.subresource == "status";
  if ((!approves && !signs) || old_request.is_null()) return {};
  const auto same = [&](std::string_view field) {
    return request.get("status", field) == old_request.get("status", field);
  };
  if (signs && same("certificate") && same("conditions")) return {};
  const std::string_view verb = approves ? "approve" : "sign";
  const auto signer = (approves ? request : old_request).get("spec", "signerName").as_string();
  if (may_use(call, snapshot, verb, signer)) return {};
  return std::unexpected(kube::forbidden(call.resource.group_resource(), call.shown_name(),
                                         "user not permitted to " + std::string{verb} +
                                             " requests with signerName \"" + std::string{signer} +
                                             "\""));
}

}  // namespace fixpoint::apiserver
