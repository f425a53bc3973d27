// SPDX-License-Identifier: Apache-2.0
//
// The life of a StellarNode as a table: where it is, what a pass found, where that leads.
//
// conclude() moves along this table and in no other way; `fixpoint diagram stellar` draws it.
// Running is entered by InSync alone, which a pass finds only when every child is as wanted and the
// node itself said so in that pass: what an earlier status said counts for nothing. The one thing
// that keeps Running without a good answer is silence, and that for the grace period only.
#pragma once

#include "fsm/table.h"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace fixpoint::operators::stellar {

enum class Phase : std::uint8_t {
  Pending,
  Creating,
  WaitingForArchive,
  Syncing,
  Running,
  Degraded,
  Remediating,
  Suspended,
  Maintenance,
  Failed,
  Terminating,
  Canary,
};

// What one pass found, the first that holds.
enum class Finding : std::uint8_t {
  Deleted,           // the object is being deleted
  SpecRefused,       // check() found mistakes
  Blocked,           // a person must act: a foreign object, another network, a missing right
  Suspended,         // spec.suspended
  UnderMaintenance,  // spec.maintenanceMode
  ArchiveMissing,    // no history archive answers, and no pods run yet
  Incomplete,        // children are missing, changing, or their pods are not ready
  Stalled,           // the ledger stands still for too long: pods are restarted
  Unwell,            // the node says that it is not well
  Silent,            // the node does not answer
  CatchingUp,        // the node is well and behind
  InSync,            // the node is well and up to date
  OnTrial,           // the same, and another version is tried beside it
};

enum class Guard : std::uint8_t { Always, WithinGrace };

inline constexpr std::array<std::string_view, 12> kPhaseNames{
    "Pending",     "Creating",  "WaitingForArchive", "Syncing", "Running",     "Degraded",
    "Remediating", "Suspended", "Maintenance",       "Failed",  "Terminating", "Canary"};
inline constexpr std::array<std::string_view, 13> kFindingNames{
    "Deleted",        "SpecRefused", "Blocked", "Suspended", "UnderMaintenance",
    "ArchiveMissing", "Incomplete",  "Stalled", "Unwell",    "Silent",
    "CatchingUp",     "InSync",      "OnTrial"};
inline constexpr std::array<std::string_view, 2> kGuardNames{"Always", "WithinGrace"};

constexpr std::span<const std::string_view> enum_names(Phase) {
  return kPhaseNames;
}
constexpr std::span<const std::string_view> enum_names(Finding) {
  return kFindingNames;
}
constexpr std::span<const std::string_view> enum_names(Guard) {
  return kGuardNames;
}

inline constexpr fsm::Transition<Phase, Finding, Guard> kTransitions[]{
    {fsm::kEverywhere, Finding::Deleted, Phase::Terminating},
    {fsm::kEverywhere, Finding::SpecRefused, Phase::Failed},
    {fsm::kEverywhere, Finding::Blocked, Phase::Failed},
    {fsm::kEverywhere, Finding::Suspended, Phase::Suspended},
    {fsm::kEverywhere, Finding::UnderMaintenance, Phase::Maintenance},
    {fsm::kEverywhere, Finding::ArchiveMissing, Phase::WaitingForArchive},
    // Pods that were restarted because of a stall are not new ones.
    {Phase::Remediating, Finding::Incomplete, Phase::Remediating},
    {fsm::kEverywhere, Finding::Incomplete, Phase::Creating},
    // Only what was well can be degraded; what never was is still on its way.
    {{Phase::Running, Phase::Degraded, Phase::Remediating, Phase::Canary},
     Finding::Unwell,
     Phase::Degraded},
    {fsm::kEverywhere, Finding::Unwell, Phase::Syncing},
    {Phase::Running, Finding::Silent, Phase::Running, Guard::WithinGrace},
    {{Phase::Running, Phase::Degraded, Phase::Remediating, Phase::Canary},
     Finding::Silent,
     Phase::Degraded},
    {fsm::kEverywhere, Finding::Silent, Phase::Syncing},
    {fsm::kEverywhere, Finding::Stalled, Phase::Remediating},
    {fsm::kEverywhere, Finding::CatchingUp, Phase::Syncing},
    {fsm::kEverywhere, Finding::InSync, Phase::Running},
    {fsm::kEverywhere, Finding::OnTrial, Phase::Canary},
};

inline constexpr auto kLife =
    fsm::table<Phase, Finding, Guard>(Phase::Pending, kTransitions, Phase::Terminating);

static_assert(fsm::every_phase_reachable(kLife));
static_assert(fsm::every_phase_leavable(kLife));
static_assert(fsm::every_row_counts(kLife));
static_assert(fsm::answers_every_event(kLife, Phase::Running), "Running is never kept by default");

std::string_view to_string(Phase phase);
// What a status says; Pending where it says nothing or nothing known.
Phase phase_named(std::string_view name);

}  // namespace fixpoint::operators::stellar
