// SPDX-License-Identifier: Apache-2.0
//
// Weakness: one rule of the API, switched off on purpose. Only tests and the verifier do so, to
// show that their checks notice; a served cluster always has None.
//
// Each enumerator names what the weakened server gets wrong; the rules and their numbers are those
// of docs/CONFORMANCE.md. Most of them are asked about where the rule is kept; those that only make
// a validation silent are a table in weakness.cc.
#pragma once

#include "kube/errors/field_error.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace fixpoint::apiserver {

enum class Weakness : std::uint8_t {
  None,
  // Writes: 1 to 12.
  KeepsVersionOnChange,
  IgnoresResourceVersionOnUpdate,
  AllowsUnversionedUpdateOfCustom,
  RefusesUnversionedUpdate,
  IgnoresUidOnUpdate,
  TakesUidFromPatch,
  BumpsVersionOnNoOp,
  IgnoresResourceVersionOnPatch,
  MergePatchMergesLists,
  AllowsStrategicPatchOfCustom,
  AllowsVersionOnCreate,
  CreateReplaces,
  AllowsCreateOverTerminating,
  GeneratesOneName,
  KeepsUidOnCreate,
  KeepsCreationTimeOnCreate,
  KeepsGenerationOnCreate,
  KeepsStatusOnCreate,
  MainWriteChangesStatus,
  MainWriteChangesCreationTime,
  StatusWriteChangesSpec,
  StatusWriteChangesMetadata,
  StatusWriteDropsMetadata,
  NeverBumpsGeneration,
  BumpsGenerationOnMetadata,
  BumpsGenerationOnStatus,
  StatusFieldDoesNotCount,
  DeploymentIgnoresAnnotations,
  DeletionKeepsGeneration,
  LetsClientSetGeneration,
  AllowsLongAnnotations,
  StoresAnySize,
  // Deletion: 13 to 22.
  StampsInsteadOfRemoving,
  IgnoresFinalizersOnDelete,
  StampsAgain,
  RemovesDeletionTimestamp,
  LengthensGrace,
  AllowsNewFinalizerWhileDeleting,
  RefusesEditsWhileDeleting,
  KeepsObjectWithoutFinalizers,
  IgnoresDeletePreconditionUid,
  IgnoresDeletePreconditionVersion,
  DeleteOfAbsentSucceeds,
  RefusesSecondDelete,
  KeepsFirstPropagation,
  IgnoresGraceOfSpec,
  GivesGraceToUnscheduled,
  GivesGraceToFinished,
  IgnoresGraceZero,
  ForegroundAddsNoFinalizer,
  OrphanAddsNoFinalizer,
  JobsDoNotOrphan,
  AllowsTwoControllers,
  LeavesClaimsUnprotected,
  LeavesVolumesUnprotected,
  AllowsCreateInTerminatingNamespace,
  RefusesUpdateInTerminatingNamespace,
  AllowsCreateInMissingNamespace,
  RemovesNamespaceAtOnce,
  // Validation, admission, limits: 23 to 28.
  SkipsSchema,
  PrunesNothing,
  HidesUnknownFields,
  DefaultsNoCustom,
  DefaultsNoBuiltIn,
  AllowsSelectorChange,
  AllowsStatefulSetChange,
  AllowsJobTemplateChange,
  AllowsPodSpecChange,
  AllowsClaimSpecChange,
  AllowsClusterIpChange,
  AllowsImmutableDataChange,
  ForgetsRatcheting,
  IgnoresQuota,
  ChargesNoQuota,
  // Server-side apply: 29 to 31.
  ApplyDoesNotCreate,
  ApplyIgnoresUidOfAbsent,
  ApplyNeverConflicts,
  IgnoresForce,
  ApplyKeepsOmittedFields,
  UpdateTakesNoOwnership,
  ApplyReplacesLists,
  StatusApplySharesOwnership,
  OwnsResetFields,
  // Reads, lists, watches: 32 to 37.
  IgnoresExactVersion,
  AllowsFutureVersion,
  PagesTheCache,
  PagesAreNotOneSnapshot,
  ListsBackwards,
  WatchForgetsDeletions,
  WatchRepeats,
  WatchStartsNow,
  NoInitialEvents,
  NoInitialEventsEnd,
  LeavingIsModified,
  EnteringIsModified,
  KeepsUidOnRecreate,
};

struct WeaknessRow {
  Weakness weakness;
  int rule;
  std::string_view what;  // "ignores the resourceVersion of a PUT"
};

// All but None, in the order of their rules.
std::span<const WeaknessRow> weaknesses();

// Takes out what a server of this weakness does not find wrong.
void overlook(Weakness weakness, kube::FieldErrors& errors);

}  // namespace fixpoint::apiserver
