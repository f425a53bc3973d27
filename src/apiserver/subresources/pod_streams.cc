// SPDX-License-Identifier: Apache-2.0
#include "apiserver/subresources/pod_streams.h"

#include "apiserver/body/options.h"
#include "base/rfc3339.h"
#include "kube/errors/field_error.h"
#include "kube/errors/status.h"
#include "kube/go/scalars.h"
#include "kube/meta/metadata.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

namespace fixpoint::apiserver {
namespace {

using kube::Answer;
using kube::FieldPath;

constexpr std::array<std::string_view, 4> kStreams{"attach", "exec", "log", "portforward"};

Answer<void> check_log_options(const Request& request) {
  kube::FieldErrors errors;
  struct LogBound {
    std::string_view key;
    std::int64_t least;
    std::string_view why;
  };
  if (const auto time = request.parameter("sinceTime"); !time.empty()) {
    if (auto read = kube::canonical_time(time); !read) {
      return std::unexpected(kube::bad_request(read.error().message));
    }
  }
  bool since = false;
  for (const auto& [key, least, why] : {
           LogBound{"tailLines",    0, "must be greater than or equal to 0"},
           LogBound{"limitBytes",   1, "must be greater than 0"            },
           LogBound{"sinceSeconds", 1, "must be greater than 0"            }
  }) {
    auto value = parse_int_parameter(request, key);
    if (!value) return std::unexpected(value.error());
    if (!*value) continue;
    since = since || key == "sinceSeconds";
    if (**value < least) {
      const auto given = json::Value::integer(**value);
      errors.push_back(kube::invalid(FieldPath{key}, given, std::string{why}));
    }
  }
  if (since && !request.parameter("sinceTime").empty()) {
    auto both = kube::forbidden(FieldPath{},
                                "at most one of `sinceTime` or `sinceSeconds` may be specified");
    both.field = "[]";  // the emptiness of a path, as a real server prints it
    errors.insert(errors.begin(), std::move(both));
  }
  if (request.given("stream")) {
    errors.push_back(kube::forbidden(FieldPath{"stream"}, "may not be specified"));
  }
  if (errors.empty()) return {};
  return std::unexpected(kube::invalid({"", "PodLogOptions"}, request.name, errors));
}

// In the order in which a real server lists them.
std::vector<std::string_view> container_names(json::View spec) {
  std::vector<std::string_view> names;
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    for (const json::View container : spec.get(list).elements()) {
      names.push_back(container.get("name").as_string());
    }
  }
  return names;
}

// Which container is meant: the only one, or the one that is named and exists.
Answer<void> check_container(const Request& request, json::View pod) {
  const json::View spec = pod.get("spec");
  const std::string name{kube::name_of(pod)};
  const auto names = container_names(spec);
  const auto wanted = request.parameter("container");
  if (!wanted.empty()) {
    if (std::ranges::find(names, wanted) != names.end()) return {};
    return std::unexpected(
        kube::bad_request("container " + std::string{wanted} + " is not valid for pod " + name));
  }
  if (spec.get("containers").size() == 1) return {};
  return std::unexpected(kube::bad_request(
      fmt::format("a container name must be specified for pod {}, choose one of: [{}]", name,
                  fmt::join(names, " "))));
}

// Where the kubelet would be asked.
kube::Status unreachable(json::View pod, const Resource& pods, const store::Store& store) {
  const std::string node{pod.get("spec", "nodeName").as_string()};
  // Kubernetes names the resource at hand, not nodes.
  if (!store.latest().find("nodes//" + node)) return kube::not_found(pods.group_resource(), node);
  return kube::internal_error("no kubelet runs on node " + kube::shown(node));
}

Answer<void> connect(const Request& request, const Resource& pods, const store::Store& store,
                     json::View pod) {
  if (request.subresource != "portforward") {
    if (auto ok = check_container(request, pod); !ok) return ok;
  }
  if (pod.get("spec", "nodeName").as_string().empty()) {
    if (request.subresource == "log") return {};
    return std::unexpected(kube::bad_request("pod " + std::string{kube::name_of(pod)} +
                                             " does not have a host assigned"));
  }
  return std::unexpected(unreachable(pod, pods, store));
}

}  // namespace

bool is_pod_stream(const Resource& resource, std::string_view subresource) {
  return resource.prefix == "pods/" && std::ranges::find(kStreams, subresource) != kStreams.end();
}

Response pod_stream(const Request& request, const Resource& pods, const store::Store& store) {
  if (request.subresource == "log") {
    if (auto ok = check_log_options(request); !ok) return failure(ok.error());
  }
  if (request.subresource == "portforward") {
    if (auto ports = parse_ports(request.query); !ports) return failure(ports.error());
  }
  const auto record = store.latest().find(pods.key(request.ns, request.name));
  if (!record) return failure(kube::not_found(pods.group_resource(), request.name));
  if (auto ok = connect(request, pods, store, record->body); !ok) return failure(ok.error());
  Response response;
  response.code = 204;  // nothing was written yet
  response.visible = record->modified;
  return response;
}

}  // namespace fixpoint::apiserver
