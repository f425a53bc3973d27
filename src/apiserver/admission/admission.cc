// SPDX-License-Identifier: Apache-2.0
#include "apiserver/admission/admission.h"

#include "apiserver/admission/admission_pod.h"
#include "apiserver/admission/limit_range.h"
#include "apiserver/admission/quota.h"
#include "apiserver/admission/signers.h"
#include "kinds/validation/signing_request.h"
#include "kube/meta/metadata.h"

#include <array>

namespace fixpoint::apiserver {
namespace {

using kube::Answer;

constexpr std::string_view kSigningRequests = "certificatesigningrequests.certificates.k8s.io/";
constexpr std::array<std::string_view, 3> kImmortalNamespaces{"default", "kube-system",
                                                              "kube-public"};

kube::Status namespace_terminating(const AdmissionCall& call) {
  auto status = kube::forbidden(call.resource.group_resource(), call.shown_name(),
                                "unable to create new content in namespace " +
                                    std::string{call.ns} + " because it is being terminated");
  status.details->causes.push_back(
      {.reason = "NamespaceTerminating",
       .message = "namespace " + std::string{call.ns} + " is being terminated",
       .field = "metadata.namespace"});
  return status;
}

}  // namespace

Answer<void> admit_namespace(const AdmissionCall& call, const store::Snapshot& snapshot) {
  if (call.verb == "delete") {
    if (call.resource.prefix != "namespaces/") return {};
    for (const auto immortal : kImmortalNamespaces) {
      if (call.name != immortal) continue;
      return std::unexpected(kube::forbidden(call.resource.group_resource(), call.shown_name(),
                                             "this namespace may not be deleted"));
    }
    return {};
  }
  if (call.ns.empty() || !call.resource.namespaced) return {};
  const auto home = snapshot.find("namespaces//" + std::string{call.ns});
  if (!home && call.environment.weakness == Weakness::AllowsCreateInMissingNamespace) return {};
  if (!home) return std::unexpected(kube::not_found({"", "namespaces"}, call.ns));
  // What is there already may change to the end.
  if (call.verb == "create" && home->body.get("status", "phase").as_string() == "Terminating" &&
      call.environment.weakness != Weakness::AllowsCreateInTerminatingNamespace) {
    return std::unexpected(namespace_terminating(call));
  }
  return {};
}

namespace {

// Who asks for a certificate is not theirs to say.
void set_requester(const AdmissionCall& call, json::Draft& csr) {
  auto& spec = csr.object_at("spec");
  for (const auto key : {"uid", "groups", "extra"}) spec.erase(key);
  spec["username"] = call.user.name;
  if (!call.user.uid.empty()) spec["uid"] = call.user.uid;
  for (const auto& group : call.user.groups) spec.array_at("groups").push_back(group);
}

// Nobody gets a certificate of the group that may do everything from the server's own signer.
Answer<void> check_subject(const AdmissionCall& call, const json::Value& csr) {
  constexpr std::string_view kSigner = "kubernetes.io/kube-apiserver-client";
  if (csr.get("spec", "signerName").as_string() != kSigner) return {};
  if (!kinds::asks_for_masters(csr)) return {};
  return std::unexpected(kube::forbidden(
      call.resource.group_resource(), call.shown_name(),
      "use of " + std::string{kSigner} + " signer with system:masters group is not allowed"));
}

}  // namespace

Answer<void> admit_mutating(const AdmissionCall& call, const store::Snapshot& snapshot,
                            json::Draft& object, json::View old_object) {
  const bool creates = old_object.is_null();
  set_limit_range_defaults(call, snapshot, object);
  if (call.resource.prefix == "pods/" && creates) {
    if (auto ok = set_priority(call, snapshot, object); !ok) return ok;
    add_default_tolerations(object);
    if (auto ok = set_runtime_class(call, snapshot, object); !ok) return ok;
  }
  if (call.resource.prefix == "persistentvolumeclaims/" && creates) {
    set_default_storage_class(snapshot, object);
    if (call.environment.weakness != Weakness::LeavesClaimsUnprotected) {
      add_finalizer(object, kClaimFinalizer);
    }
  }
  if (call.resource.prefix == "ingresses.networking.k8s.io/" && creates) {
    set_default_ingress_class(snapshot, object);
  }
  if (call.resource.prefix == "persistentvolumes/" && creates &&
      call.environment.weakness != Weakness::LeavesVolumesUnprotected) {
    add_finalizer(object, kVolumeFinalizer);
  }
  if (call.resource.prefix == "volumeattributesclasses.storage.k8s.io/" && creates) {
    add_finalizer(object, kAttributesFinalizer);
  }
  if (call.resource.prefix == kSigningRequests && creates) {
    set_requester(call, object);
    return check_subject(call, object.freeze());
  }
  return {};
}

Answer<void> admit_validating(const AdmissionCall& call, store::Store& store, json::View object,
                              json::View old_object) {
  if (auto ok = check_limit_ranges(call, store.latest(), object, old_object); !ok) return ok;
  if (call.resource.prefix == "pods/" && old_object.is_null()) {
    if (auto ok = check_overhead(call, store.latest(), object); !ok) return ok;
  }
  if (call.resource.prefix == "persistentvolumeclaims/" && call.subresource.empty() &&
      !old_object.is_null()) {
    if (auto ok = check_claim_growth(call, store.latest(), object, old_object); !ok) return ok;
  }
  if (call.resource.prefix == kSigningRequests) {
    if (auto ok = check_signer(call, store.latest(), object, old_object); !ok) return ok;
  }
  return charge_quota(call, store, object, old_object);
}

}  // namespace fixpoint::apiserver
