// SPDX-License-Identifier: Apache-2.0
//
// Networking, storage, nodes, coordination, scheduling, devices and flow control.
#include "kinds/rows.h"

namespace fixpoint::kinds {
namespace {

constexpr Row kNetworkingRows[] = {
    {"IngressClass", "ingressclasses", "", "", kCluster | kGeneration,
     schema<"networking.v1.IngressClass">},
    {"Ingress", "ingresses", "ing", "", kStatus | kGeneration, schema<"networking.v1.Ingress">},
    {"IPAddress", "ipaddresses", "ip", "", kCluster, schema<"networking.v1.IPAddress">, "",
     NameRule::PathSegment},
    {"NetworkPolicy", "networkpolicies", "netpol", "", kGeneration,
     schema<"networking.v1.NetworkPolicy">},
    {"ServiceCIDR", "servicecidrs", "", "", kCluster | kStatus,
     schema<"networking.v1.ServiceCIDR">},
};

constexpr Row kStorageRows[] = {
    {"CSIDriver",             "csidrivers",              "",    "", kCluster | kNeedsVersion | kShowsDeleted,
     schema<"storage.v1.CSIDriver">                                                                                                                },
    {"CSINode",               "csinodes",                "",    "", kCluster | kNeedsVersion | kShowsDeleted,
     schema<"storage.v1.CSINode">                                                                                                                  },
    {"CSIStorageCapacity",    "csistoragecapacities",    "",    "", kNeedsVersion,
     schema<"storage.v1.CSIStorageCapacity">                                                                                                       },
    {"StorageClass",          "storageclasses",          "sc",  "", kCluster | kShowsDeleted,
     schema<"storage.v1.StorageClass">                                                                                                             },
    {"VolumeAttachment",      "volumeattachments",       "",    "",
     kCluster | kStatus | kNeedsVersion | kShowsDeleted,                                                      schema<"storage.v1.VolumeAttachment">},
    {"VolumeAttributesClass", "volumeattributesclasses", "vac", "", kCluster | kShowsDeleted,
     schema<"storage.v1.VolumeAttributesClass">                                                                                                    },
};

constexpr Row kSchedulingRows[] = {
    {"PriorityClass", "priorityclasses", "pc", "", kCluster | kGeneration,
     schema<"scheduling.v1.PriorityClass">},
};

constexpr Row kCoordinationRows[] = {
    {"Lease", "leases", "", "", kCreateOnUpdate | kNeedsVersion, schema<"coordination.v1.Lease">},
};

constexpr Row kNodeRows[] = {
    {"RuntimeClass", "runtimeclasses", "", "", kCluster | kCreateOnUpdate | kNeedsVersion,
     schema<"node.v1.RuntimeClass">},
};

constexpr Row kDiscoveryRows[] = {
    {"EndpointSlice", "endpointslices", "", "", kGeneration, schema<"discovery.v1.EndpointSlice">},
};

constexpr Row kDeviceRows[] = {
    {"DeviceClass",           "deviceclasses",          "", "", kCluster | kGeneration | kShowsDeleted,
     schema<"resource.v1.DeviceClass">          },
    {"ResourceClaim",         "resourceclaims",         "", "", kStatus | kShowsDeleted,
     schema<"resource.v1.ResourceClaim">        },
    {"ResourceClaimTemplate", "resourceclaimtemplates", "", "", kShowsDeleted,
     schema<"resource.v1.ResourceClaimTemplate">},
    {"ResourceSlice",         "resourceslices",         "", "", kCluster | kGeneration | kShowsDeleted,
     schema<"resource.v1.ResourceSlice">        },
};

constexpr Row kFlowControlRows[] = {
    {"FlowSchema",                 "flowschemas",                 "", "", kCluster | kStatus | kGeneration,
     schema<"flowcontrol.v1.FlowSchema">                                                                                                                       },
    {"PriorityLevelConfiguration", "prioritylevelconfigurations", "", "",
     kCluster | kStatus | kGeneration,                                                                      schema<"flowcontrol.v1.PriorityLevelConfiguration">},
};

}  // namespace

void append_networking(std::vector<Kind>& to) {
  append_rows({"networking.k8s.io", "v1"}, kNetworkingRows, to);
}
void append_storage(std::vector<Kind>& to) {
  append_rows({"storage.k8s.io", "v1"}, kStorageRows, to);
}
void append_scheduling(std::vector<Kind>& to) {
  append_rows({"scheduling.k8s.io", "v1"}, kSchedulingRows, to);
}
void append_coordination(std::vector<Kind>& to) {
  append_rows({"coordination.k8s.io", "v1"}, kCoordinationRows, to);
}
void append_nodes(std::vector<Kind>& to) {
  append_rows({"node.k8s.io", "v1"}, kNodeRows, to);
}
void append_discovery(std::vector<Kind>& to) {
  append_rows({"discovery.k8s.io", "v1"}, kDiscoveryRows, to);
}
void append_devices(std::vector<Kind>& to) {
  append_rows({"resource.k8s.io", "v1"}, kDeviceRows, to);
}
void append_flow_control(std::vector<Kind>& to) {
  append_rows({"flowcontrol.apiserver.k8s.io", "v1"}, kFlowControlRows, to);
}

}  // namespace fixpoint::kinds
