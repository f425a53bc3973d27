// SPDX-License-Identifier: Apache-2.0
#include "kinds/openapi/words.h"

#include <map>

namespace fixpoint::kinds {
namespace {

using Words = std::map<std::string_view, std::string_view>;

const Words& written_types() {
  static const Words words{
      {"Binding",                          "Puts a pod on a node."                                                   },
      {"CSIDriver",                        "What a storage driver of the cluster can do."                            },
      {"CSINode",                          "The storage drivers on a node."                                          },
      {"CSIStorageCapacity",               "How much storage a driver has left in one place."                        },
      {"CertificateSigningRequest",        "Asks for a certificate to be signed."                                    },
      {"ClusterRole",                      "Permissions for the whole cluster."                                      },
      {"ClusterRoleBinding",               "Gives a cluster role to users, groups and service accounts."             },
      {"ComponentStatus",                  "Health of a control plane component. Deprecated."                        },
      {"ConfigMap",                        "Configuration data, as keys and values, for pods to use."                },
      {"Container",                        "One container of a pod: an image and how to run it."                     },
      {"ContainerPort",                    "A port that a container listens on."                                     },
      {"ControllerRevision",               "One past or present state of a controller's template. Immutable."        },
      {"CronJob",                          "Starts jobs on a schedule."                                              },
      {"CustomResourceDefinition",         "Adds a kind to the API."                                                 },
      {"DaemonSet",                        "Keeps one pod on every chosen node."                                     },
      {"DeleteOptions",                    "How an object should be deleted."                                        },
      {"Deployment",                       "Keeps a number of equal pods running and rolls out changes to them."     },
      {"DeploymentStrategy",               "How old pods are replaced by new ones."                                  },
      {"Duration",                         "A length of time, such as 1h30m."                                        },
      {"EndpointSlice",                    "Some of the addresses behind a service."                                 },
      {"Endpoints",                        "The addresses behind a service. Deprecated: use EndpointSlice."          },
      {"EnvVar",                           "An environment variable of a container."                                 },
      {"Event",                            "Something that happened to an object."                                   },
      {"Eviction",                         "Asks a pod to leave its node, as far as disruption budgets allow."       },
      {"FieldsV1",                         "A set of fields, as a trie: f:<name>, k:<keys>, v:<value>, i:<index>."   },
      {"HorizontalPodAutoscaler",          "Scales a workload by its metrics."                                       },
      {"IPAddress",                        "An address that a service uses."                                         },
      {"Ingress",                          "Routes HTTP from outside to services."                                   },
      {"IngressClass",                     "A kind of ingress and who implements it."                                },
      {"IntOrString",                      "A number, or a text such as a port's name or a percentage."              },
      {"JSON",                             "Any JSON value."                                                         },
      {"JSONSchemaProps",                  "A JSON schema."                                                          },
      {"JSONSchemaPropsOrArray",           "A JSON schema, or a list of them."                                       },
      {"JSONSchemaPropsOrBool",            "A JSON schema, or true or false."                                        },
      {"JSONSchemaPropsOrStringArray",     "A JSON schema, or a list of names."                                      },
      {"Job",                              "Runs pods until enough of them have succeeded."                          },
      {"LabelSelector",                    "Chooses objects by their labels. Empty chooses all, absent chooses none."},
      {"Lease",                            "Says who holds a role, and until when."                                  },
      {"LimitRange",                       "Limits and defaults for what pods and claims of a namespace ask for."    },
      {"ListMeta",                         "Metadata of a list."                                                     },
      {"LocalSubjectAccessReview",         "Asks whether somebody may do something in one namespace."                },
      {"ManagedFieldsEntry",               "The fields that one manager owns."                                       },
      {"MicroTime",                        "A point in time, with microseconds."                                     },
      {"MutatingWebhookConfiguration",     "Webhooks that may change objects on their way in."                       },
      {"Namespace",                        "A scope for names, permissions and quotas."                              },
      {"NetworkPolicy",                    "Which traffic is allowed to and from pods."                              },
      {"Node",                             "A machine that runs pods."                                               },
      {"ObjectMeta",                       "Metadata that all stored objects have."                                  },
      {"ObjectReference",                  "Names another object."                                                   },
      {"OwnerReference",                   "Names an owner: when all owners are gone, the object is deleted."        },
      {"Patch",                            "A change to an object, in one of the patch formats."                     },
      {"PersistentVolume",                 "A piece of storage of the cluster."                                      },
      {"PersistentVolumeClaim",            "Asks for storage, and stands for it once it is there."                   },
      {"Pod",                              "Containers that run together on one node."                               },
      {"PodDisruptionBudget",              "How many pods of a set may be evicted at once."                          },
      {"PodSpec",                          "Which containers a pod runs, and how."                                   },
      {"PodTemplate",                      "A template that pods are made from."                                     },
      {"PodTemplateSpec",                  "Metadata and spec of pods to be made."                                   },
      {"PriorityClass",                    "A name for a priority of pods."                                          },
      {"Quantity",                         "An amount, such as 100m, 2, 1.5Gi or 12e6."                              },
      {"RawExtension",                     "Any JSON object."                                                        },
      {"ReplicaSet",                       "Keeps a number of equal pods running."                                   },
      {"ReplicationController",            "Keeps a number of equal pods running. Prefer Deployment."                },
      {"ResourceQuota",                    "Limits what a namespace may use in total."                               },
      {"ResourceRequirements",             "What a container asks for, and what it may use at most."                 },
      {"Role",                             "Permissions inside one namespace."                                       },
      {"RoleBinding",                      "Gives a role to users, groups and service accounts in one namespace."    },
      {"RuntimeClass",                     "A way to run containers."                                                },
      {"Scale",                            "The number of replicas of a workload."                                   },
      {"Secret",                           "Confidential data, as keys and values. Values are base64."               },
      {"SelfSubjectAccessReview",          "Asks whether the asker may do something."                                },
      {"SelfSubjectReview",                "Tells the asker who they are."                                           },
      {"SelfSubjectRulesReview",           "Lists what the asker may do in a namespace."                             },
      {"Service",                          "A stable address in front of a set of pods."                             },
      {"ServiceAccount",                   "An identity for what runs in pods."                                      },
      {"ServiceCIDR",                      "A range that service addresses are taken from."                          },
      {"ServicePort",                      "A port of a service."                                                    },
      {"StatefulSet",                      "Keeps pods with stable names and storage, in order."                     },
      {"Status",                           "The answer of a call that returns no object."                            },
      {"StorageClass",                     "A kind of storage and how volumes of it are made."                       },
      {"SubjectAccessReview",              "Asks whether somebody may do something."                                 },
      {"Time",                             "A point in time, to the second."                                         },
      {"TokenRequest",                     "Asks for a token of a service account."                                  },
      {"TokenReview",                      "Asks whose token it is."                                                 },
      {"ValidatingAdmissionPolicy",        "Rules, as CEL expressions, that objects must meet."                      },
      {"ValidatingAdmissionPolicyBinding", "Puts an admission policy to use."                                        },
      {"ValidatingWebhookConfiguration",   "Webhooks that may refuse objects on their way in."                       },
      {"Volume",                           "Storage that containers of the pod may mount."                           },
      {"VolumeAttachment",                 "Attaches a volume to a node."                                            },
      {"VolumeAttributesClass",            "Settings of volumes that may change while they exist."                   },
      {"VolumeMount",                      "Where a container sees a volume."                                        },
      {"WatchEvent",                       "One change seen by a watch."                                             },
  };
  return words;
}

// "Type.field" first, then "field" for the fields that mean the same everywhere.
const Words& written_fields() {
  static const Words words{
      {"apiVersion",                             "The version of the API that the object is written in."           },
      {"kind",                                   "What kind of object it is."                                      },
      {"metadata",                               "Name, namespace, labels and what else all objects have."         },
      {"spec",                                   "The wanted state."                                               },
      {"status",                                 "The state last seen. Set by the system."                         },
      {"items",                                  "The objects."                                                    },
      {"name",                                   "The name."                                                       },
      {"namespace",                              "The namespace."                                                  },
      {"labels",                                 "Keys and values to select objects by."                           },
      {"annotations",                            "Keys and values for tools; not for selecting."                   },
      {"selector",                               "Which objects it is about, by their labels."                     },
      {"conditions",                             "The latest observations, one per type."                          },
      {"replicas",                               "How many there are or should be."                                },
      {"template",                               "What new ones are made from."                                    },
      {"data",                                   "The content, by key."                                            },
      {"type",                                   "Which type it is."                                               },
      {"reason",                                 "Why, in one word for machines."                                  },
      {"message",                                "What happened, for people."                                      },
      {"observedGeneration",                     "The generation of the spec that the status is about."            },
      {"lastTransitionTime",                     "When the status last changed."                                   },
      {"immutable",                              "Whether the content is fixed for ever."                          },
      {"resources",                              "What is asked for, and what may be used at most."                },
      {"limits",                                 "The most that may be used, by resource."                         },
      {"requests",                               "What is reserved, by resource."                                  },
      {"ObjectMeta.name",                        "Unique within the namespace and kind. Cannot be changed."        },
      {"ObjectMeta.generateName",
       "Prefix of a name for the server to complete when there is no name."                                        },
      {"ObjectMeta.namespace",                   "The scope of the name. Cannot be changed."                       },
      {"ObjectMeta.uid",
       "Unique for ever, even among objects that had the same name. Set by the system."                            },
      {"ObjectMeta.resourceVersion",
       "Changes with every change. Send it back to change only what you read."                                     },
      {"ObjectMeta.generation",                  "Counts the changes of the wanted state. Set by the system."      },
      {"ObjectMeta.creationTimestamp",           "When the object was created. Set by the system."                 },
      {"ObjectMeta.deletionTimestamp",
       "When the object will go or was asked to go. Set by the system."                                            },
      {"ObjectMeta.deletionGracePeriodSeconds",
       "How long the object has to go. Set by the system."                                                         },
      {"ObjectMeta.finalizers",                  "Who must be done before the object goes away."                   },
      {"ObjectMeta.ownerReferences",             "Objects without which this one makes no sense."                  },
      {"ObjectMeta.managedFields",               "Which manager owns which fields. Set by the system."             },
      {"ObjectMeta.selfLink",                    "No longer used."                                                 },
      {"LabelSelector.matchLabels",              "Labels that must be there with these values."                    },
      {"LabelSelector.matchExpressions",         "Further requirements; all must hold."                            },
      {"ConfigMap.data",                         "Text values by key."                                             },
      {"ConfigMap.binaryData",                   "Binary values by key, in base64."                                },
      {"Secret.data",                            "Values by key, in base64."                                       },
      {"Secret.stringData",                      "Values by key as plain text. Written into data, never read back."},
      {"DeploymentSpec.replicas",                "How many pods are wanted. 1 if not given."                       },
      {"DeploymentSpec.selector",                "Which pods belong to it. Must match the template's labels."      },
      {"DeploymentSpec.template",                "The pods to run."                                                },
      {"DeploymentSpec.strategy",                "How old pods are replaced by new ones."                          },
      {"DeploymentSpec.paused",                  "Whether changes are not rolled out for now."                     },
      {"DeploymentSpec.revisionHistoryLimit",
       "How many old replica sets are kept to roll back to. 10 if not given."                                      },
      {"DeploymentSpec.minReadySeconds",         "How long a pod must be ready to count as available."             },
      {"DeploymentSpec.progressDeadlineSeconds",
       "After how long without progress it counts as failed. 600 if not given."                                    },
      {"DeploymentStrategy.type",                "Recreate or RollingUpdate, which is the default."                },
      {"DeploymentStrategy.rollingUpdate",       "Settings of RollingUpdate."                                      },
      {"RollingUpdateDeployment.maxSurge",
       "How many pods above the wanted number there may be, as a number or percentage. 25% if not "
       "given."                                                                                                    },
      {"RollingUpdateDeployment.maxUnavailable",
       "How many pods below the wanted number there may be, as a number or percentage. 25% if not "
       "given."                                                                                                    },
      {"StatefulSetSpec.serviceName",
       "The service that gives the pods their names in the network."                                               },
      {"StatefulSetSpec.volumeClaimTemplates",   "Claims that every pod gets one of each."                         },
      {"StatefulSetSpec.podManagementPolicy",
       "OrderedReady starts and stops pods one by one, Parallel all at once."                                      },
      {"PodSpec.containers",                     "The containers. At least one."                                   },
      {"PodSpec.initContainers",                 "Containers that run before the others, one after the other."     },
      {"PodSpec.volumes",                        "Storage that the containers may mount."                          },
      {"PodSpec.nodeName",                       "The node that the pod runs on."                                  },
      {"PodSpec.nodeSelector",                   "Labels that the node must have."                                 },
      {"PodSpec.restartPolicy",                  "Always, OnFailure or Never. Always if not given."                },
      {"PodSpec.serviceAccountName",             "The identity of the pod."                                        },
      {"PodSpec.tolerations",                    "Taints of nodes that the pod does not mind."                     },
      {"PodSpec.affinity",                       "Where the pod would like to run, or must not."                   },
      {"PodSpec.terminationGracePeriodSeconds",  "How long the pod has to stop. 30 if not given."                  },
      {"Container.name",                         "Unique among the pod's containers."                              },
      {"Container.image",                        "The image to run."                                               },
      {"Container.command",                      "The program, in place of the image's entry point."               },
      {"Container.args",                         "Arguments, in place of the image's."                             },
      {"Container.env",                          "Environment variables."                                          },
      {"Container.envFrom",                      "Sources of many environment variables at once."                  },
      {"Container.ports",                        "Ports that the container listens on."                            },
      {"Container.volumeMounts",                 "Where volumes appear in the container."                          },
      {"Container.livenessProbe",                "Restarts the container when it fails."                           },
      {"Container.readinessProbe",               "Takes the container out of services while it fails."             },
      {"Container.startupProbe",                 "Holds the other probes back until it succeeds."                  },
      {"Container.imagePullPolicy",              "Always, Never or IfNotPresent."                                  },
      {"Container.workingDir",                   "The working directory."                                          },
      {"ContainerPort.containerPort",            "The port's number in the container."                             },
      {"ServiceSpec.type",
       "ClusterIP, NodePort, LoadBalancer or ExternalName. ClusterIP if not given."                                },
      {"ServiceSpec.ports",                      "The ports that are served."                                      },
      {"ServiceSpec.selector",                   "Labels of the pods behind the service."                          },
      {"ServiceSpec.clusterIP",                  "The address in the cluster; None for no address of its own."     },
      {"ServicePort.port",                       "The port of the service."                                        },
      {"ServicePort.targetPort",
       "The port of the pods, by number or name. The same as port if not given."                                   },
      {"ServicePort.nodePort",                   "The port on every node."                                         },
      {"ServicePort.protocol",                   "TCP, UDP or SCTP. TCP if not given."                             },
      {"JobSpec.completions",                    "How many pods must succeed."                                     },
      {"JobSpec.parallelism",                    "How many pods run at once."                                      },
      {"JobSpec.backoffLimit",                   "How many failures are borne. 6 if not given."                    },
      {"CronJobSpec.schedule",                   "When to start, in cron form."                                    },
      {"CronJobSpec.jobTemplate",                "The jobs to start."                                              },
      {"CronJobSpec.suspend",                    "Whether nothing more is started."                                },
      {"CustomResourceDefinitionSpec.group",     "The API group of the new kind."                                  },
      {"CustomResourceDefinitionSpec.names",     "The names of the new kind."                                      },
      {"CustomResourceDefinitionSpec.scope",     "Namespaced or Cluster."                                          },
      {"CustomResourceDefinitionSpec.versions",  "The versions of the new kind."                                   },
  };
  return words;
}

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

// "podManagementPolicy" -> "pod management policy"; runs of capitals (IP, CIDR) stay together.
std::string spaced(std::string_view name) {
  std::string made;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool acronym = (i + 1 < name.size() && is_upper(name[i + 1])) || i + 1 == name.size();
    if (is_upper(name[i])) {
      const bool after_small = i > 0 && !is_upper(name[i - 1]);
      const bool starts_word = i + 1 < name.size() && !is_upper(name[i + 1]) && i > 0;
      if (after_small || starts_word) made += ' ';
      made += acronym ? name[i] : static_cast<char>(name[i] - 'A' + 'a');
    } else {
      made += name[i];
    }
  }
  return made;
}

std::string sentence(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text + ".";
}

std::string with_article(std::string_view type) {
  const bool vowel =
      !type.empty() && std::string_view{"AEIO"}.find(type[0]) != std::string_view::npos;
  return (vowel ? "an " : "a ") + std::string{type};
}

bool take_suffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix) || text.size() == suffix.size()) return false;
  text.remove_suffix(suffix.size());
  return true;
}

}  // namespace

std::string type_description(std::string_view type) {
  if (const auto found = written_types().find(type); found != written_types().end()) {
    return std::string{found->second};
  }
  if (take_suffix(type, "Spec")) return "The wanted state of " + with_article(type) + ".";
  if (take_suffix(type, "Status")) return "The state last seen of " + with_article(type) + ".";
  if (take_suffix(type, "List")) return "A list of objects of kind " + std::string{type} + ".";
  if (take_suffix(type, "Condition")) return "An observation of " + with_article(type) + ".";
  return sentence(spaced(type));
}

std::string field_description(std::string_view type, std::string_view field) {
  const auto& words = written_fields();
  const auto full = std::string{type} + "." + std::string{field};
  if (const auto found = words.find(full); found != words.end()) return std::string{found->second};
  if (const auto found = words.find(field); found != words.end()) return std::string{found->second};
  if (take_suffix(field, "Seconds")) return sentence(spaced(field) + ", in seconds");
  if (take_suffix(field, "Refs")) return sentence("references to the " + spaced(field));
  if (take_suffix(field, "Ref")) return sentence("reference to the " + spaced(field));
  if (take_suffix(field, "Name")) return sentence("name of the " + spaced(field));
  return sentence(spaced(field));
}

}  // namespace fixpoint::kinds
