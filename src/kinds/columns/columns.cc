// SPDX-License-Identifier: Apache-2.0
#include "kinds/columns/columns.h"

#include "kinds/columns/cells.h"
#include "kinds/table.h"

#include <algorithm>
#include <map>

namespace fixpoint::kinds {
namespace {

// What a column shows, by its name: columns of one name show the same thing in every kind.
const std::map<std::string_view, std::string_view>& descriptions() {
  static const std::map<std::string_view, std::string_view> words{
      {"Access Modes",             "How the volume may be mounted."                               },
      {"Active",                   "Jobs that are running now."                                   },
      {"Address",                  "Addresses of the load balancer."                              },
      {"AddressType",              "What kind of address the endpoints have."                     },
      {"Age",                      "Time since the object was created."                           },
      {"Allowed Disruptions",      "Pods that may be evicted right now."                          },
      {"AllowVolumeExpansion",     "Whether claims of the class may grow."                        },
      {"Attached",                 "Whether the volume is attached."                              },
      {"Attacher",                 "The driver that attaches the volume."                         },
      {"AttachRequired",           "Whether volumes must be attached before use."                 },
      {"Available",                "Whether it is available."                                     },
      {"Capacity",                 "Size of the volume."                                          },
      {"CIDRs",                    "The address ranges."                                          },
      {"Claim",                    "The claim that the volume is bound to."                       },
      {"Class",                    "The class that implements it."                                },
      {"Cluster-IP",               "The address inside the cluster."                              },
      {"Completions",              "Pods that succeeded, of those wanted."                        },
      {"Condition",                "State of the request."                                        },
      {"Container-Runtime",        "The container runtime and its version."                       },
      {"Containers",               "Names of the template's containers."                          },
      {"Controller",               "The controller that owns or implements it."                   },
      {"Count",                    "How many times it happened."                                  },
      {"Created At",               "Time at which the object was created."                        },
      {"Current",                  "How many there are now."                                      },
      {"Data",                     "Number of entries."                                           },
      {"Desired",                  "How many are wanted."                                         },
      {"DriverName",               "The driver that the class belongs to."                        },
      {"Drivers",                  "Number of drivers on the node."                               },
      {"Duration",                 "How long the job has been or was running."                    },
      {"Endpoints",                "Addresses behind it."                                         },
      {"Error",                    "Last error."                                                  },
      {"External-IP",              "Addresses outside the cluster."                               },
      {"First Seen",               "Time since it first happened."                                },
      {"Global-Default",           "Whether pods without a class get this one."                   },
      {"Groups",                   "Groups that are bound to the role."                           },
      {"Handler",                  "The runtime's own name of the configuration."                 },
      {"Holder",                   "Who holds the lease."                                         },
      {"Hosts",                    "Host names that are routed."                                  },
      {"IP",                       "The pod's address."                                           },
      {"Images",                   "Images of the template's containers."                         },
      {"Internal-IP",              "The node's address inside the cluster."                       },
      {"Kernel-Version",           "The kernel of the node."                                      },
      {"Last Schedule",            "Time since a job was last started."                           },
      {"Last Seen",                "Time since it last happened."                                 },
      {"Limit",                    "Used and allowed limits."                                     },
      {"Max Unavailable",          "How many pods may be down at once."                           },
      {"MaxPods",                  "Most pods that will run."                                     },
      {"Message",                  "What happened, in words."                                     },
      {"Min Available",            "How many pods must stay up."                                  },
      {"MinPods",                  "Fewest pods that will run."                                   },
      {"Modes",                    "Volume life cycles that the driver supports."                 },
      {"Name",                     "Name of the object, unique for its kind and namespace."       },
      {"Node",                     "The node it is on."                                           },
      {"Node Selector",            "Labels of the nodes that are chosen."                         },
      {"Nominated Node",           "The node on which room is being made."                        },
      {"OS-Image",                 "The operating system of the node."                            },
      {"Object",                   "The object it is about."                                      },
      {"PV",                       "The volume."                                                  },
      {"ParamKind",                "The kind of the parameters."                                  },
      {"ParamRef",                 "The object that holds the parameters."                        },
      {"Parameters",               "The object that configures the class."                        },
      {"ParentRef",                "The object that the address belongs to."                      },
      {"Pod Labels",               "Labels of pods made from the template."                       },
      {"Pod-Selector",             "The pods it applies to."                                      },
      {"PodInfoOnMount",           "Whether mounts are told about their pod."                     },
      {"PolicyName",               "The policy that is bound."                                    },
      {"Port(s)",                  "Ports that are served."                                       },
      {"Ports",                    "Ports that are served."                                       },
      {"PreemptionPolicy",         "Whether pods of the class push out others."                   },
      {"Provisioner",              "Who makes volumes of the class."                              },
      {"Readiness Gates",          "Extra readiness conditions that are true, of those asked for."},
      {"Ready",                    "How many are ready."                                          },
      {"Reason",                   "Why, in one word."                                            },
      {"Reclaim Policy",           "What happens to the volume after its claim is gone."          },
      {"ReclaimPolicy",            "What happens to volumes after their claim is gone."           },
      {"Reference",                "What is being scaled."                                        },
      {"Replicas",                 "Pods that are running now."                                   },
      {"Request",                  "Used and allowed requests and counts."                        },
      {"RequestedDuration",        "How long the certificate should be valid."                    },
      {"Requestor",                "Who made the request."                                        },
      {"RequiresRepublish",        "Whether volumes are published again and again."               },
      {"Restarts",                 "How many times containers were restarted."                    },
      {"Revision",                 "The revision's number."                                       },
      {"Role",                     "The role that is bound."                                      },
      {"Roles",                    "What the node is for."                                        },
      {"Schedule",                 "When jobs start, in cron form."                               },
      {"Secrets",                  "Number of secrets."                                           },
      {"Selector",                 "Labels of the pods that belong to it."                        },
      {"Service",                  "The service behind it."                                       },
      {"ServiceAccounts",          "Service accounts that are bound to the role."                 },
      {"SignerName",               "Who should sign."                                             },
      {"Source",                   "Who reported it."                                             },
      {"Status",                   "State of the object."                                         },
      {"StorageCapacity",          "Whether the driver reports capacity."                         },
      {"StorageClass",             "The storage class."                                           },
      {"Subobject",                "The field of the object it is about."                         },
      {"Suspend",                  "Whether no more jobs are started."                            },
      {"Targets",                  "Metrics now and as wanted."                                   },
      {"Timezone",                 "The zone in which the schedule is read."                      },
      {"TokenRequests",            "Audiences of the tokens that mounts get."                     },
      {"Type",                     "The object's type."                                           },
      {"Up-to-date",               "How many have the newest template."                           },
      {"Users",                    "Users that are bound to the role."                            },
      {"Validations",              "Number of rules."                                             },
      {"Value",                    "The priority; higher is more important."                      },
      {"Version",                  "Version of the node's agent."                                 },
      {"Volume",                   "The volume that is bound."                                    },
      {"VolumeAttributesClass",    "The volume attributes class."                                 },
      {"VolumeBindingMode",        "When volumes are made and bound."                             },
      {"VolumeMode",               "Whether the volume is a file system or a block device."       },
      {"DistinguisherMethod",      "What tells the flows of a schema apart."                      },
      {"Driver",                   "The driver that offers the devices."                          },
      {"HandSize",                 "Queues that one flow may use."                                },
      {"MatchingPrecedence",       "Which schema comes first; the lowest number does."            },
      {"MissingPL",                "Whether its priority level is missing."                       },
      {"NominalConcurrencyShares", "Its share of what is served at once."                         },
      {"Pool",                     "The pool that the devices belong to."                         },
      {"PriorityLevel",            "The priority level of its requests."                          },
      {"QueueLengthLimit",         "Most requests that wait in one queue."                        },
      {"Queues",                   "Queues of the priority level."                                },
      {"State",                    "Whether it is allocated, reserved or pending."                },
      {"Webhooks",                 "Number of webhooks."                                          },
  };
  return words;
}

Column read_column(std::string_view text) {
  Column column;
  if (text.starts_with('*')) {
    column.priority = 1;
    text.remove_prefix(1);
  }
  const auto parts = split(text, ':');
  column.name = parts[0];
  column.type = parts.size() > 1 ? parts[1] : "string";
  if (parts.size() > 2) column.format = parts[2];
  if (column.name == "Name") column.format = "name";
  if (const auto found = descriptions().find(column.name); found != descriptions().end()) {
    column.description = found->second;
  }
  return column;
}

Cells name_and_time(json::View object, Instant) {
  return {name_cell(object), json::Draft{object.get("metadata", "creationTimestamp").as_string()}};
}

constexpr Printer kFallback{"", "", "Name,Created At:date", name_and_time};

const Printer& printer_of(const Kind& kind) {
  for (const auto printers : {core_printers(), pod_printers(), workload_printers(),
                              network_printers(), storage_printers(), access_printers()}) {
    for (const auto& printer : printers) {
      if (printer.group == kind.gvk.group && printer.kind == kind.gvk.kind) return printer;
    }
  }
  return kFallback;
}

}  // namespace

void attach_columns(Kind& kind) {
  const auto& printer = printer_of(kind);
  kind.columns.clear();
  for (const auto text : split(printer.columns, ',')) kind.columns.push_back(read_column(text));
  kind.cells = printer.cells;
}

}  // namespace fixpoint::kinds
