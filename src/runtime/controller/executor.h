// SPDX-License-Identifier: Apache-2.0
//
// Executor: carries out a plan, one effect at a time, and keeps authors from harm.
//
// How a child is written: created by POST when it is not there (an apply would silently adopt a
// namesake that appeared meanwhile), applied with force and its uid when it is there and differs,
// left alone when it is what is wanted. Deletes follow a live read, carry the uid, and are done
// when the object was seen gone. A step that fails ends its branch, not the others (rule 11).
// Read next: child.h for the marks, containment.h for "is what is wanted".
#pragma once

#include "runtime/controller/pass_state.h"

namespace fixpoint::runtime {

// Outcomes for every step, all Skipped, and the order of the branches.
void begin_plan(PassState& state, Plan plan);
// The whole plan ends in this failure before its first step.
void refuse_plan(PassState& state, StepFailure failure);
// True when every branch is done or given up; false when answers are wanted or the pass is over.
bool run_plan(PassState& state);
// True when the plan has a step that leaves something to clean up.
bool needs_cleanup(const Plan& plan);

// One step. Nothing: an answer is wanted.
std::optional<Outcome> run_step(PassState& state, const Step& step);

// A Kubernetes Event about the primary, unless it was said in the last pass. True when it is new.
bool say(PassState& state, EmitStep event);

// "ConfigMap ns/web".
std::string name_of(const ObjectRef& object);
// The newest state of an object, past the cache.
client::Call get_call(const client::Resource& resource, const kube::Key& key);
Outcome failed(StepFailure failure);
// The same of a call; the time that the server named is kept.
Outcome failed_call(PassState& state, const client::CallError& error);
Outcome waiting(std::string reason, std::string message);

}  // namespace fixpoint::runtime
