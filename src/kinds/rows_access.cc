// SPDX-License-Identifier: Apache-2.0
//
// Who may do what, and what extends the API: RBAC, reviews, certificates, admission, CRDs, events.
#include "cel/rules/definition_rules.h"
#include "kinds/rows.h"
#include "kube/crd/crd.h"
#include "kube/crd/validate.h"

namespace fixpoint::kinds {
namespace {

constexpr Row kRbacRows[] = {
    {"ClusterRoleBinding", "clusterrolebindings", "", "", kCluster | kCreateOnUpdate,
     schema<"rbac.v1.ClusterRoleBinding">,                                                                           "", NameRule::PathSegment},
    {"ClusterRole",        "clusterroles",        "", "", kCluster | kCreateOnUpdate,
     schema<"rbac.v1.ClusterRole">,                                                                                  "", NameRule::PathSegment},
    {"RoleBinding",        "rolebindings",        "", "", kCreateOnUpdate,            schema<"rbac.v1.RoleBinding">, "",
     NameRule::PathSegment                                                                                                                    },
    {"Role",               "roles",               "", "", kCreateOnUpdate,            schema<"rbac.v1.Role">,        "", NameRule::PathSegment},
};

constexpr Row kAuthenticationRows[] = {
    {"SelfSubjectReview", "selfsubjectreviews", "", "", kCluster | kReview,
     schema<"authentication.v1.SelfSubjectReview">},
    {"TokenReview",       "tokenreviews",       "", "", kCluster | kReview,
     schema<"authentication.v1.TokenReview">      },
};

constexpr Row kAuthorizationRows[] = {
    {"LocalSubjectAccessReview", "localsubjectaccessreviews", "", "", kReview,
     schema<"authorization.v1.LocalSubjectAccessReview">},
    {"SelfSubjectAccessReview",  "selfsubjectaccessreviews",  "", "", kCluster | kReview,
     schema<"authorization.v1.SelfSubjectAccessReview"> },
    {"SelfSubjectRulesReview",   "selfsubjectrulesreviews",   "", "", kCluster | kReview,
     schema<"authorization.v1.SelfSubjectRulesReview">  },
    {"SubjectAccessReview",      "subjectaccessreviews",      "", "", kCluster | kReview,
     schema<"authorization.v1.SubjectAccessReview">     },
};

constexpr Row kCertificateRows[] = {
    {"CertificateSigningRequest", "certificatesigningrequests", "csr", "", kCluster | kStatus,
     schema<"certificates.v1.CertificateSigningRequest">, "approval:get,patch,update",
     NameRule::PathSegment},
};

constexpr unsigned kAdmissionTraits = kCluster | kGeneration | kNeedsVersion;

constexpr Row kAdmissionRows[] = {
    {"MutatingWebhookConfiguration",     "mutatingwebhookconfigurations",     "", "api-extensions",
     kAdmissionTraits,           schema<"admissionregistration.v1.MutatingWebhookConfiguration">    },
    {"ValidatingAdmissionPolicy",        "validatingadmissionpolicies",       "", "api-extensions",
     kAdmissionTraits | kStatus, schema<"admissionregistration.v1.ValidatingAdmissionPolicy">       },
    {"ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings", "", "api-extensions",
     kAdmissionTraits,           schema<"admissionregistration.v1.ValidatingAdmissionPolicyBinding">},
    {"ValidatingWebhookConfiguration",   "validatingwebhookconfigurations",   "", "api-extensions",
     kAdmissionTraits,           schema<"admissionregistration.v1.ValidatingWebhookConfiguration">  },
};

constexpr Row kApiExtensionRows[] = {
    {"CustomResourceDefinition", "customresourcedefinitions", "crd,crds", "api-extensions",
     kCluster | kStatus | kGeneration | kNeedsVersion,
     schema<"apiextensions.v1.CustomResourceDefinition">},
};

constexpr Row kApiRegistrationRows[] = {
    {"APIService", "apiservices", "", "api-extensions", kCluster | kStatus | kNeedsVersion,
     schema<"apiregistration.v1.APIService">, "", NameRule::PathSegment},
};

constexpr Row kEventRows[] = {
    {"Event", "events", "ev", "", kCreateOnUpdate, schema<"events.v1.Event">},
};

}  // namespace

void append_rbac(std::vector<Kind>& to) {
  append_rows({"rbac.authorization.k8s.io", "v1"}, kRbacRows, to);
}
void append_reviews(std::vector<Kind>& to) {
  append_rows({"authentication.k8s.io", "v1"}, kAuthenticationRows, to);
  append_rows({"authorization.k8s.io", "v1"}, kAuthorizationRows, to);
}
void append_certificates(std::vector<Kind>& to) {
  append_rows({"certificates.k8s.io", "v1"}, kCertificateRows, to);
}
void append_admission(std::vector<Kind>& to) {
  append_rows({"admissionregistration.k8s.io", "v1"}, kAdmissionRows, to);
}
void append_api_extensions(std::vector<Kind>& to) {
  append_rows({"apiextensions.k8s.io", "v1"}, kApiExtensionRows, to);
  Kind& definition = to.back();
  definition.set_defaults = kube::set_crd_defaults;
  definition.prepare = [](json::Draft& crd, json::View old_crd, const HookContext&) {
    kube::prepare_crd(crd, old_crd);
  };
  definition.validate = cel::validate_crd;
  definition.validate_update = cel::validate_crd_update;
  definition.validate_status_update = kube::validate_crd_status_update;
  definition.warnings = [](json::View crd) { return kube::crd_warnings(crd, {}); };
}
void append_api_registration(std::vector<Kind>& to) {
  append_rows({"apiregistration.k8s.io", "v1"}, kApiRegistrationRows, to);
}
void append_events(std::vector<Kind>& to) {
  append_rows({"events.k8s.io", "v1"}, kEventRows, to);
  to.back().stored_as = {"", "v1", "events"};
}

}  // namespace fixpoint::kinds
