// SPDX-License-Identifier: Apache-2.0
#include "cluster/loops/service_account_controller.h"

#include "cluster/loops/namespace_controller.h"
#include "json/draft.h"
#include "json/print.h"
#include "kube/meta/metadata.h"

namespace fixpoint::cluster {
namespace {

void create_if_absent(Api& api, std::string_view ns, const kube::GroupVersionKind& kind,
                      std::string_view name, json::Draft object) {
  const auto resource = api.kinds().find(api.latest(), kind);
  FP_CHECK(resource.has_value());
  if (api.latest().find(resource->key(ns, name))) return;
  auto request = request_for(*resource, apiserver::Verb::Create, ns, "");
  object.object_at("metadata")["name"] = name;
  const json::Value body = object.freeze();
  request.body = json::to_text(body);
  (void)api.call(request);  // refused when somebody was faster or the namespace goes: both are fine
}

constexpr std::string_view kRootCertificates = "kube-root-ca.crt";
constexpr std::string_view kDescription = "kubernetes.io/description";

json::Draft root_certificates(std::string_view authority_pem) {
  json::Draft object = json::Draft::object();
  object.object_at("metadata").object_at("annotations")[kDescription] =
      "Contains a CA bundle that can be used to verify the kube-apiserver when using internal "
      "endpoints such as the internal service IP or kubernetes.default.svc. No other usage is "
      "guaranteed across distributions of Kubernetes clusters.";
  object.object_at("data")["ca.crt"] = authority_pem;
  return object;
}

// What a person made of it goes: pods trust the server by what it says.
void restore_certificates(Api& api, std::string_view ns, const json::Draft& wanted) {
  const auto found =
      api.latest().find("configmaps/" + std::string{ns} + "/" + std::string{kRootCertificates});
  if (!found || kube::being_deleted(found->body)) return;
  const json::Value meant = wanted.freeze();
  const json::View described = found->body.get("metadata", "annotations", kDescription);
  if (found->body.get("data") == meant.get("data") && !described.as_string().empty()) return;
  json::Draft object{found->body};
  object["data"] = json::Draft{meant.get("data")};
  object.object_at("metadata").object_at("annotations")[kDescription] =
      json::Draft{meant.get("metadata", "annotations", kDescription)};
  send_update(api, object);
}

}  // namespace

void ServiceAccountController::begin(Api& api) {
  api.latest().scan(kNamespaces, {}, [&](const store::RecordRef& record) {
    namespaces_.add(record->key);
    return true;
  });
}

void ServiceAccountController::observe(const store::Event& event) {
  const auto parts = split_key(event.key());
  if (parts.prefix == kNamespaces && event.after) namespaces_.add(event.after->key);
  const bool account_went =
      parts.prefix == "serviceaccounts/" && parts.name == "default" && !event.after;
  if (account_went || (parts.prefix == "configmaps/" && parts.name == kRootCertificates)) {
    namespaces_.add(std::string{kNamespaces} + "/" + std::string{parts.ns});
  }
}

bool ServiceAccountController::step(Api& api) {
  const auto key = namespaces_.take();
  if (!key) return false;
  const auto record = api.latest().find(*key);
  if (!record || kube::being_deleted(record->body)) return true;
  const auto ns = kube::name_of(record->body);
  create_if_absent(api, ns, {"", "v1", "ServiceAccount"}, "default", json::Draft::object());
  create_if_absent(api, ns, {"", "v1", "ConfigMap"}, kRootCertificates,
                   root_certificates(authority_pem_));
  restore_certificates(api, ns, root_certificates(authority_pem_));
  return true;
}

}  // namespace fixpoint::cluster
