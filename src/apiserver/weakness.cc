// SPDX-License-Identifier: Apache-2.0
#include "apiserver/weakness.h"

#include <algorithm>
#include <array>

namespace fixpoint::apiserver {
namespace {

using enum Weakness;

constexpr auto kWeaknessRows = std::to_array<WeaknessRow>({
    {KeepsVersionOnChange,                1,  "a changed object keeps its resourceVersion"             },
    {IgnoresResourceVersionOnUpdate,      2,  "a PUT with an old resourceVersion wins"                 },
    {AllowsUnversionedUpdateOfCustom,     2,  "a custom resource takes a PUT without a resourceVersion"},
    {RefusesUnversionedUpdate,            2,  "a built-in kind refuses a PUT without a resourceVersion"},
    {IgnoresUidOnUpdate,                  3,  "a PUT with another uid changes the object"              },
    {TakesUidFromPatch,                   3,  "a PATCH changes the uid"                                },
    {BumpsVersionOnNoOp,                  4,  "a write that changes nothing is a new version"          },
    {IgnoresResourceVersionOnPatch,       5,  "a PATCH with an old resourceVersion wins"               },
    {MergePatchMergesLists,               5,  "a merge patch merges lists"                             },
    {AllowsStrategicPatchOfCustom,        5,  "a custom resource takes strategic merge patches"        },
    {AllowsVersionOnCreate,               6,  "a POST may bring a resourceVersion"                     },
    {CreateReplaces,                      6,  "a POST of a taken name replaces the object"             },
    {AllowsCreateOverTerminating,         6,  "a POST replaces an object that is being deleted"        },
    {GeneratesOneName,                    7,  "generateName always makes the same name"                },
    {KeepsUidOnCreate,                    8,  "the creator chooses the uid"                            },
    {KeepsCreationTimeOnCreate,           8,  "the creator chooses the creation time"                  },
    {KeepsGenerationOnCreate,             8,  "the creator chooses the generation"                     },
    {KeepsStatusOnCreate,                 8,  "the creator writes the status"                          },
    {MainWriteChangesStatus,              9,  "a main write changes the status"                        },
    {MainWriteChangesCreationTime,        9,  "a write changes the creation time"                      },
    {StatusWriteChangesSpec,              9,  "a status write changes the spec"                        },
    {StatusWriteChangesMetadata,          9,  "a status write of a custom resource changes metadata"   },
    {StatusWriteDropsMetadata,            9,  "a status write of a built-in kind changes no metadata"  },
    {NeverBumpsGeneration,                10, "the generation never moves"                             },
    {BumpsGenerationOnMetadata,           10, "the generation moves with labels"                       },
    {BumpsGenerationOnStatus,             10, "the generation moves with the status"                   },
    {StatusFieldDoesNotCount,             10, "without the subresource, status does not count as spec" },
    {DeploymentIgnoresAnnotations,        10, "a Deployment's generation ignores annotations"          },
    {DeletionKeepsGeneration,             10, "the deletion stamp does not move the generation"        },
    {LetsClientSetGeneration,             10, "a write sets the generation"                            },
    {AllowsLongAnnotations,               12, "annotations may be of any length"                       },
    {StoresAnySize,                       12, "objects may be of any size"                             },
    {StampsInsteadOfRemoving,             13, "an object without finalizers is only stamped"           },
    {IgnoresFinalizersOnDelete,           13, "an object with finalizers is removed at once"           },
    {StampsAgain,                         13, "a second DELETE stamps again"                           },
    {RemovesDeletionTimestamp,            13, "a write takes the deletion stamp away"                  },
    {LengthensGrace,                      13, "a later DELETE gives a pod more time"                   },
    {AllowsNewFinalizerWhileDeleting,     14, "a stamped object takes new finalizers"                  },
    {RefusesEditsWhileDeleting,           14, "a stamped object takes no edits"                        },
    {KeepsObjectWithoutFinalizers,        15, "a stamped object outlives its last finalizer"           },
    {IgnoresDeletePreconditionUid,        16, "DELETE ignores the uid it is told to expect"            },
    {IgnoresDeletePreconditionVersion,    16,
     "DELETE ignores the resourceVersion it is told to expect"                                         },
    {DeleteOfAbsentSucceeds,              16, "DELETE of what is not there succeeds"                   },
    {RefusesSecondDelete,                 16, "DELETE of a stamped object fails"                       },
    {KeepsFirstPropagation,               16, "a second DELETE cannot change the propagation"          },
    {IgnoresGraceOfSpec,                  17, "every pod gets 30 seconds"                              },
    {GivesGraceToUnscheduled,             17, "a pod on no node gets its grace"                        },
    {GivesGraceToFinished,                17, "a finished pod gets its grace"                          },
    {IgnoresGraceZero,                    17, "grace 0 is no order to remove at once"                  },
    {ForegroundAddsNoFinalizer,           18, "foreground deletion does not wait"                      },
    {OrphanAddsNoFinalizer,               18, "orphaning deletion does not wait"                       },
    {JobsDoNotOrphan,                     18, "a Job's pods are not orphaned by default"               },
    {AllowsTwoControllers,                20, "two owners control"                                     },
    {LeavesClaimsUnprotected,             21, "a claim is made without its finalizer"                  },
    {LeavesVolumesUnprotected,            21, "a volume is made without its finalizer"                 },
    {AllowsCreateInTerminatingNamespace,  22, "a terminating namespace takes new objects"              },
    {RefusesUpdateInTerminatingNamespace, 22, "a terminating namespace takes no updates"               },
    {AllowsCreateInMissingNamespace,      22, "objects are made in a namespace that is not there"      },
    {RemovesNamespaceAtOnce,              22, "DELETE of a namespace removes it at once"               },
    {SkipsSchema,                         23, "the schema's errors are not found"                      },
    {PrunesNothing,                       24, "unknown fields of custom resources stay"                },
    {HidesUnknownFields,                  24, "unknown fields are not reported"                        },
    {DefaultsNoCustom,                    25, "a schema's defaults are not set"                        },
    {DefaultsNoBuiltIn,                   25, "a built-in kind's defaults are not set"                 },
    {AllowsSelectorChange,                26, "a Deployment's selector changes"                        },
    {AllowsStatefulSetChange,             26, "a StatefulSet's fixed fields change"                    },
    {AllowsJobTemplateChange,             26, "a Job's template changes"                               },
    {AllowsPodSpecChange,                 26, "a Pod's fixed fields change"                            },
    {AllowsClaimSpecChange,               26, "a claim's fixed fields change"                          },
    {AllowsClusterIpChange,               26, "a Service's clusterIP changes"                          },
    {AllowsImmutableDataChange,           26, "immutable ConfigMaps and Secrets change"                },
    {ForgetsRatcheting,                   26, "an old invalid value may not be kept"                   },
    {IgnoresQuota,                        28, "quotas are not asked"                                   },
    {ChargesNoQuota,                      28, "quotas are not charged"                                 },
    {ApplyDoesNotCreate,                  29, "apply needs the object to be there"                     },
    {ApplyIgnoresUidOfAbsent,             29, "apply with a uid creates another object"                },
    {ApplyNeverConflicts,                 29, "apply changes what others own"                          },
    {IgnoresForce,                        29, "a forced apply conflicts"                               },
    {ApplyKeepsOmittedFields,             30, "fields left out of an apply stay"                       },
    {UpdateTakesNoOwnership,              30, "a PUT takes no ownership"                               },
    {ApplyReplacesLists,                  31, "apply replaces lists that have keys"                    },
    {StatusApplySharesOwnership,          31, "apply to status is owned as apply to the object"        },
    {OwnsResetFields,                     31, "fields that the server resets are owned"                },
    {IgnoresExactVersion,                 32, "a list at an exact version is of the newest"            },
    {AllowsFutureVersion,                 32, "a version of the future is answered at once"            },
    {PagesTheCache,                       32, "resourceVersion=0 makes pages"                          },
    {PagesAreNotOneSnapshot,              33, "later pages are of a later state"                       },
    {ListsBackwards,                      33, "lists are not in the order of their keys"               },
    {WatchForgetsDeletions,               34, "a watch does not tell of deletions"                     },
    {WatchRepeats,                        34, "a watch from a version tells of that version again"     },
    {WatchStartsNow,                      34, "a watch from a version begins with the next change"     },
    {NoInitialEvents,                     34, "a watch without a version does not tell what there is"  },
    {NoInitialEventsEnd,                  35, "a streaming list does not say where it ends"            },
    {LeavingIsModified,                   36, "an object that leaves the selection is MODIFIED"        },
    {EnteringIsModified,                  36, "an object that enters the selection is MODIFIED"        },
    {KeepsUidOnRecreate,                  37, "an object made again has its old uid"                   },
});

// A field error is overlooked when its field begins and its detail has this in it.
struct Overlooked {
  Weakness weakness;
  std::string_view field;
  std::string_view detail;
};

constexpr auto kOverlooked = std::to_array<Overlooked>({
    {TakesUidFromPatch,               "metadata.uid",               "immutable"                        },
    {MainWriteChangesCreationTime,    "metadata.creationTimestamp", "immutable"                        },
    {AllowsLongAnnotations,           "metadata.annotations",       ""                                 },
    {RemovesDeletionTimestamp,        "metadata.deletion",          "immutable"                        },
    {AllowsNewFinalizerWhileDeleting, "metadata.finalizers",        "no new finalizers"                },
    {AllowsTwoControllers,            "metadata.ownerReferences",   "Only one reference"               },
    {SkipsSchema,                     "spec",                       ""                                 },
    {AllowsSelectorChange,            "spec.selector",              "immutable"                        },
    {AllowsStatefulSetChange,         "spec",                       "updates to statefulset spec"      },
    {AllowsJobTemplateChange,         "spec.template",              "immutable"                        },
    {AllowsPodSpecChange,             "spec",                       "pod updates may not change fields"},
    {AllowsClaimSpecChange,           "spec",                       "spec is immutable after creation" },
    {AllowsClusterIpChange,           "spec.clusterIP",             "may not change once set"          },
    {AllowsImmutableDataChange,       "",                           "immutable when `immutable` is set"},
});

}  // namespace

std::span<const WeaknessRow> weaknesses() {
  return kWeaknessRows;
}

void overlook(Weakness weakness, kube::FieldErrors& errors) {
  const auto row = std::ranges::find(kOverlooked, weakness, &Overlooked::weakness);
  if (row == kOverlooked.end()) return;
  std::erase_if(errors, [&](const kube::FieldError& error) {
    return error.field.starts_with(row->field) && error.detail.contains(row->detail);
  });
}

}  // namespace fixpoint::apiserver
