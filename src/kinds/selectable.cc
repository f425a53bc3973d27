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
std::string text_of_path(View object) {
  return std::string{at(object, Path.text).as_string()};
}

template <TypeText Path>
std::string number_of_path(View object) {
  return std::to_string(at(object, Path.text).as_int());
}

template <TypeText Path>
std::string bool_of_path(View object) {
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

// Values are looked up in objects as they are stored: events of either group as those of the core.
constexpr SelectableRow kSelectableRows[] = {
    {"",                    "Pod",                       "spec.nodeName",                  text_of_path<"spec.nodeName">                 },
    {"",                    "Pod",                       "spec.host",                      text_of_path<"spec.nodeName">                 },
    {"",                    "Pod",                       "spec.restartPolicy",             text_of_path<"spec.restartPolicy">            },
    {"",                    "Pod",                       "spec.schedulerName",             text_of_path<"spec.schedulerName">            },
    {"",                    "Pod",                       "spec.serviceAccountName",        text_of_path<"spec.serviceAccountName">       },
    {"",                    "Pod",                       "spec.hostNetwork",               bool_of_path<"spec.hostNetwork">              },
    {"",                    "Pod",                       "status.phase",                   text_of_path<"status.phase">                  },
    {"",                    "Pod",                       "status.podIP",                   pod_address                                   },
    {"",                    "Pod",                       "status.podIPs",                  nothing                                       },
    {"",                    "Pod",                       "status.nominatedNodeName",       text_of_path<"status.nominatedNodeName">      },
    {"",                    "Node",                      "spec.unschedulable",             bool_of_path<"spec.unschedulable">            },
    {"",                    "ReplicationController",     "status.replicas",                number_of_path<"status.replicas">             },
    {"",                    "Namespace",                 "status.phase",                   text_of_path<"status.phase">                  },
    {"",                    "Secret",                    "type",                           text_of_path<"type">                          },
    {"",                    "Service",                   "spec.clusterIP",                 text_of_path<"spec.clusterIP">                },
    {"",                    "Service",                   "spec.type",                      text_of_path<"spec.type">                     },
    {"",                    "Event",                     "involvedObject.kind",            text_of_path<"involvedObject.kind">           },
    {"",                    "Event",                     "involvedObject.namespace",       text_of_path<"involvedObject.namespace">      },
    {"",                    "Event",                     "involvedObject.name",            text_of_path<"involvedObject.name">           },
    {"",                    "Event",                     "involvedObject.uid",             text_of_path<"involvedObject.uid">            },
    {"",                    "Event",                     "involvedObject.apiVersion",      text_of_path<"involvedObject.apiVersion">     },
    {"",                    "Event",                     "involvedObject.resourceVersion", text_of_path<"involvedObject.resourceVersion">},
    {"",                    "Event",                     "involvedObject.fieldPath",       text_of_path<"involvedObject.fieldPath">      },
    {"",                    "Event",                     "reason",                         text_of_path<"reason">                        },
    {"",                    "Event",                     "reportingComponent",             text_of_path<"reportingComponent">            },
    {"",                    "Event",                     "source",                         event_component                               },
    {"",                    "Event",                     "type",                           text_of_path<"type">                          },
    {kNewEvents,            "Event",                     "regarding.kind",                 text_of_path<"involvedObject.kind">           },
    {kNewEvents,            "Event",                     "regarding.namespace",            text_of_path<"involvedObject.namespace">      },
    {kNewEvents,            "Event",                     "regarding.name",                 text_of_path<"involvedObject.name">           },
    {kNewEvents,            "Event",                     "regarding.uid",                  text_of_path<"involvedObject.uid">            },
    {kNewEvents,            "Event",                     "regarding.apiVersion",           text_of_path<"involvedObject.apiVersion">     },
    {kNewEvents,            "Event",                     "regarding.resourceVersion",
     text_of_path<"involvedObject.resourceVersion">                                                                                      },
    {kNewEvents,            "Event",                     "regarding.fieldPath",            text_of_path<"involvedObject.fieldPath">      },
    {kNewEvents,            "Event",                     "reason",                         text_of_path<"reason">                        },
    {kNewEvents,            "Event",                     "reportingController",            text_of_path<"reportingComponent">            },
    {kNewEvents,            "Event",                     "type",                           text_of_path<"type">                          },
    {"batch",               "Job",                       "status.successful",              number_of_path<"status.succeeded">            },
    {"certificates.k8s.io", "CertificateSigningRequest", "spec.signerName",
     text_of_path<"spec.signerName">                                                                                                     },
    {"resource.k8s.io",     "ResourceSlice",             "spec.nodeName",                  text_of_path<"spec.nodeName">                 },
    {"resource.k8s.io",     "ResourceSlice",             "spec.driver",                    text_of_path<"spec.driver">                   },
};

}  // namespace

void attach_selectable_fields(Kind& kind) {
  for (const auto& row : kSelectableRows) {
    if (row.group != kind.gvk.group || row.kind != kind.gvk.kind) continue;
    kind.selectable_fields.push_back({std::string{row.field}, row.value});
  }
}

}  // namespace fixpoint::kinds
