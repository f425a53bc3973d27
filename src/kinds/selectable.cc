// SPDX-License-Identifier: Apache-2.0
#include "kinds/selectable.h"

#include "kinds/rows.h"

#include <algorithm>
#include <string>

namespace fixpoint::kinds {
namespace {

using json::View;

View at(View object, std::string_view path) {
  while (!path.empty()) {
    const auto dot = std::min(path.find('.'), path.size());
    object = object.get(path.substr(0, dot));
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return object;
}

// The value at a path, as selectors compare it.
template <TypeText Path>
std::string text_at(View object) {
  return std::string{at(object, Path.text).as_string()};
}

template <TypeText Path>
std::string number_at(View object) {
  return std::to_string(at(object, Path.text).as_int());
}

template <TypeText Path>
std::string bool_at(View object) {
  return at(object, Path.text).as_bool() ? "true" : "false";
}

std::string pod_address(View pod) {
  return std::string{pod.get("status", "podIPs")[0].get("ip").as_string()};
}

// Selectors may name it, but nothing is ever compared with it.
std::string nothing(View) {
  return {};
}

std::string event_component(View event) {
  const auto component = event.get("source", "component").as_string();
  return std::string{component.empty() ? event.get("reportingComponent").as_string() : component};
}

struct SelectableRow {
  std::string_view group;
  std::string_view kind;
  std::string_view field;
  std::string (*value)(View);
};

constexpr std::string_view kNewEvents = "events.k8s.io";

constexpr SelectableRow kSelectableRows[] = {
    {"",                    "Pod",                       "spec.nodeName",                  text_at<"spec.nodeName">                 },
    {"",                    "Pod",                       "spec.host",                      text_at<"spec.nodeName">                 },
    {"",                    "Pod",                       "spec.restartPolicy",             text_at<"spec.restartPolicy">            },
    {"",                    "Pod",                       "spec.schedulerName",             text_at<"spec.schedulerName">            },
    {"",                    "Pod",                       "spec.serviceAccountName",        text_at<"spec.serviceAccountName">       },
    {"",                    "Pod",                       "spec.hostNetwork",               bool_at<"spec.hostNetwork">              },
    {"",                    "Pod",                       "status.phase",                   text_at<"status.phase">                  },
    {"",                    "Pod",                       "status.podIP",                   pod_address                              },
    {"",                    "Pod",                       "status.podIPs",                  nothing                                  },
    {"",                    "Pod",                       "status.nominatedNodeName",       text_at<"status.nominatedNodeName">      },
    {"",                    "Node",                      "spec.unschedulable",             bool_at<"spec.unschedulable">            },
    {"",                    "ReplicationController",     "status.replicas",                number_at<"status.replicas">             },
    {"",                    "Namespace",                 "status.phase",                   text_at<"status.phase">                  },
    {"",                    "Secret",                    "type",                           text_at<"type">                          },
    {"",                    "Service",                   "spec.clusterIP",                 text_at<"spec.clusterIP">                },
    {"",                    "Service",                   "spec.type",                      text_at<"spec.type">                     },
    {"",                    "Event",                     "involvedObject.kind",            text_at<"involvedObject.kind">           },
    {"",                    "Event",                     "involvedObject.namespace",       text_at<"involvedObject.namespace">      },
    {"",                    "Event",                     "involvedObject.name",            text_at<"involvedObject.name">           },
    {"",                    "Event",                     "involvedObject.uid",             text_at<"involvedObject.uid">            },
    {"",                    "Event",                     "involvedObject.apiVersion",      text_at<"involvedObject.apiVersion">     },
    {"",                    "Event",                     "involvedObject.resourceVersion", text_at<"involvedObject.resourceVersion">},
    {"",                    "Event",                     "involvedObject.fieldPath",       text_at<"involvedObject.fieldPath">      },
    {"",                    "Event",                     "reason",                         text_at<"reason">                        },
    {"",                    "Event",                     "reportingComponent",             text_at<"reportingComponent">            },
    {"",                    "Event",                     "source",                         event_component                          },
    {"",                    "Event",                     "type",                           text_at<"type">                          },
    {kNewEvents,            "Event",                     "regarding.kind",                 text_at<"regarding.kind">                },
    {kNewEvents,            "Event",                     "regarding.namespace",            text_at<"regarding.namespace">           },
    {kNewEvents,            "Event",                     "regarding.name",                 text_at<"regarding.name">                },
    {kNewEvents,            "Event",                     "regarding.uid",                  text_at<"regarding.uid">                 },
    {kNewEvents,            "Event",                     "regarding.apiVersion",           text_at<"regarding.apiVersion">          },
    {kNewEvents,            "Event",                     "regarding.resourceVersion",      text_at<"regarding.resourceVersion">     },
    {kNewEvents,            "Event",                     "regarding.fieldPath",            text_at<"regarding.fieldPath">           },
    {kNewEvents,            "Event",                     "reason",                         text_at<"reason">                        },
    {kNewEvents,            "Event",                     "reportingController",            text_at<"reportingController">           },
    {kNewEvents,            "Event",                     "type",                           text_at<"type">                          },
    {"batch",               "Job",                       "status.successful",              number_at<"status.succeeded">            },
    {"certificates.k8s.io", "CertificateSigningRequest", "spec.signerName",
     text_at<"spec.signerName">                                                                                                     },
    {"resource.k8s.io",     "ResourceSlice",             "spec.nodeName",                  text_at<"spec.nodeName">                 },
    {"resource.k8s.io",     "ResourceSlice",             "spec.driver",                    text_at<"spec.driver">                   },
};

}  // namespace

void attach_selectable_fields(Kind& kind) {
  for (const auto& row : kSelectableRows) {
    if (row.group != kind.gvk.group || row.kind != kind.gvk.kind) continue;
    kind.selectable_fields.push_back({std::string{row.field}, row.value});
  }
}

}  // namespace fixpoint::kinds
