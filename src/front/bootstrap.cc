// SPDX-License-Identifier: Apache-2.0
#include "front/bootstrap.h"

#include "json/parse.h"
#include "kube/metadata.h"

namespace fixpoint::front {
namespace {

Result<void> create_object(Service& service, std::string_view text) {
  FP_TRY(object, json::parse(text));
  const auto kind = kube::gvk_of(object);
  const auto resource = service.core().kinds().find(service.store().latest(), kind);
  FP_CHECK(resource.has_value());  // every bootstrap object is of a built-in kind
  apiserver::Request request;
  request.verb = apiserver::Verb::Create;
  request.resource = resource->path;
  request.ns = std::string{kube::namespace_of(object)};
  request.body = std::string{text};
  request.user = apiserver::system_user();
  request.user_agent = "fixpoint";
  const auto response = service.run(request);
  if (response.ok() || response.code == 409) return {};
  return fail(ErrorKind::Internal, "create " + kind.kind + " " +
                                       std::string{kube::name_of(object)} + ": " +
                                       std::string{response.body.get("message").as_string()});
}

}  // namespace

Result<void> bootstrap(Service& service) {
  std::string_view rest = kBootstrapObjects;
  while (!rest.empty()) {
    const auto end = rest.find('\n');
    FP_TRY_VOID(create_object(service, rest.substr(0, end)));
    rest.remove_prefix(end + 1);
  }
  return {};
}

}  // namespace fixpoint::front
