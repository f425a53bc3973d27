// SPDX-License-Identifier: Apache-2.0
//
// What a real server fills in before it validates: namespaces, claims, volumes, services, jobs.
#pragma once

#include "json/draft.h"
#include "json/value.h"
#include "kinds/kind.h"

namespace fixpoint::kinds {

// Finalizing is the one write that changes a namespace's own finalizers, and only them.
void prepare_namespace_finalize(json::Draft& object, json::View old_object,
                                const HookContext& context);
void prepare_namespace(json::Draft& object, json::View old_object, const HookContext& context);
void prepare_persistent_volume(json::Draft& object, json::View old_object,
                               const HookContext& context);
void prepare_persistent_volume_claim(json::Draft& object, json::View old_object,
                                     const HookContext& context);
// Gives up what only its old type had. Addresses and node ports are the server's, which has handed
// them out before this.
void prepare_service(json::Draft& object, json::View old_object, const HookContext& context);
void show_service(json::Draft& object);
// A node is not ready until somebody says so.
void prepare_node(json::Draft& object, json::View old_object, const HookContext& context);
// Counts the changes of the template in an annotation, as version 1 of the API did in a field.
void prepare_daemon_set(json::Draft& object, json::View old_object, const HookContext& context);
// A reference to a secret is its name.
void prepare_service_account(json::Draft& object, json::View old_object,
                             const HookContext& context);
// Extended resources by devices are behind a gate that is shut.
void prepare_device_class(json::Draft& object, json::View old_object, const HookContext& context);
// So are devices that share counters, have places or taints of their own, or are given out twice.
void prepare_resource_slice(json::Draft& object, json::View old_object, const HookContext& context);
// Coordinated election is behind a gate that is shut: its fields are dropped.
void prepare_lease(json::Draft& object, json::View old_object, const HookContext& context);
// How often a node looks at its driver is behind a gate that is shut.
void prepare_csi_driver(json::Draft& object, json::View old_object, const HookContext& context);
// A job's selector and labels come from its uid, unless its author manages them.
void prepare_job(json::Draft& object, json::View old_object, const HookContext& context);
// A Job without labels has its template's.
void complete_job(json::Draft& object);

// A new annotation makes a new generation of a deployment too, and a new label one of a slice.
bool deployment_generation_changes(json::View object, json::View old_object);
bool endpoint_slice_generation_changes(json::View object, json::View old_object);
bool csi_driver_generation_changes(json::View object, json::View old_object);
// Made once, and then left at that.
bool priority_class_generation_changes(json::View object, json::View old_object);

}  // namespace fixpoint::kinds
