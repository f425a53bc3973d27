// SPDX-License-Identifier: Apache-2.0
#include "front/bootstrap/bootstrap.h"

#include "base/rfc3339.h"
#include "front/bootstrap/roles.h"
#include "json/draft.h"
#include "json/parsing/parse.h"
#include "json/print.h"
#include "kube/meta/metadata.h"

namespace fixpoint::front {
namespace {

// True when it was not there before.
Result<bool> create_object(Service& service, std::string_view text, std::string_view manager) {
  FP_TRY(object, json::parse(text));
  const auto kind = kube::gvk_of(object);
  const auto resource = service.core().kinds().find(service.store().latest(), kind);
  FP_CHECK(resource.has_value());  // every bootstrap object is of a built-in kind
  // Looked up first: that a service's address is taken is found before that its name is.
  const auto key = resource->key(kube::namespace_of(object), kube::name_of(object));
  if (service.store().latest().find(key)) return false;
  apiserver::Request request;
  request.verb = apiserver::Verb::Create;
  request.resource = resource->path;
  request.ns = std::string{kube::namespace_of(object)};
  request.body = std::string{text};
  request.user = apiserver::system_user();
  request.user_agent = manager;
  const auto response = service.run(request);
  if (response.ok()) return true;
  return fail(ErrorKind::Internal, "create " + kind.kind + " " +
                                       std::string{kube::name_of(object)} + ": " +
                                       std::string{response.body.get("message").as_string()});
}

// A flow schema's status says whether the level is there that it names. Of ours it is.
Result<void> settle_flow_schema(Service& service, std::string_view text, Instant now) {
  FP_TRY(schema, json::parse(text));
  if (schema.get("kind").as_string() != "FlowSchema") return {};
  const std::string level{schema.get("spec", "priorityLevelConfiguration", "name").as_string()};
  const auto body =
      json::Draft::object(
          {
              {"apiVersion", schema.get("apiVersion")                              },
              {"kind",       schema.get("kind")                                    },
              {"metadata",   json::Draft::object({{"name", kube::name_of(schema)}})},
              {"status",     json::Draft::object(
                             {{"conditions", json::Draft::array({json::Draft::object({
                                                 {"type", "Dangling"},
                                                 {"status", "False"},
                                                 {"reason", "Found"},
                                                 {"lastTransitionTime", format_seconds(now)},
                                                 {"message",
                                                  "This FlowSchema references the "
                                                  "PriorityLevelConfiguration object named \"" +
                                                      level + "\" and it exists"},
                                             })})}})       }
  })
          .freeze();
  apiserver::Request request;
  request.verb = apiserver::Verb::Patch;
  request.resource = {"flowcontrol.apiserver.k8s.io", "v1", "flowschemas"};
  request.name = std::string{kube::name_of(schema)};
  request.subresource = "status";
  request.query = {
      {"fieldManager", "api-priority-and-fairness-config-consumer-v1"},
      {"force",        "true"                                        }
  };
  request.content_type = "application/apply-patch+yaml";
  request.body = json::to_text(body);
  request.user = apiserver::system_user();
  const auto response = service.run(request);
  if (response.ok()) return {};
  return fail(ErrorKind::Internal, "status of FlowSchema " + request.name + ": " +
                                       std::string{response.body.get("message").as_string()});
}

// Since when it is noted which tokens in Secrets are used: a controller asks before it removes one
// that nobody used.
std::string token_tracking(Instant now) {
  const auto since = json::Draft::object({
      {"since", format_seconds(now).substr(0, 10)}
  });
  const auto metadata = json::Draft::object({
      {"name",      "kube-apiserver-legacy-service-account-token-tracking"},
      {"namespace", "kube-system"                                         }
  });
  const auto object =
      json::Draft::object(
          {
              {"apiVersion", "v1"       },
              {"kind",       "ConfigMap"},
              {"metadata",   metadata   },
              {"data",       since      }
  })
          .freeze();
  return json::to_text(object);
}

std::string_view next_line(std::string_view& rest) {
  const auto end = rest.find('\n');
  const auto line = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return line;
}

}  // namespace

Result<void> bootstrap(Service& service, Instant now) {
  for (std::string_view rest = kBootstrapObjects; !rest.empty();) {
    FP_TRY_VOID(create_object(service, next_line(rest), "fixpoint"));
  }
  for (const std::string& role : default_roles()) {
    FP_TRY_VOID(create_object(service, role, "fixpoint"));
  }
  FP_TRY_VOID(create_object(service, token_tracking(now), "fixpoint"));
  for (std::string_view rest = kFlowObjects; !rest.empty();) {
    const auto line = next_line(rest);
    FP_TRY(made, create_object(service, line, "api-priority-and-fairness-config-producer-v1"));
    if (made) FP_TRY_VOID(settle_flow_schema(service, line, now));
  }
  return {};
}

}  // namespace fixpoint::front
