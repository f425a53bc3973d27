// SPDX-License-Identifier: Apache-2.0
//
// What a server advises against in a pod, of its own or in a template.
#pragma once

#include "kinds/validation/warnings.h"
#include "kube/errors/field_error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::kinds {

struct PodPart {
  json::View spec;
  json::View metadata;
  // Of the template; empty for a pod of its own.
  const kube::FieldPath* place = nullptr;
};

void warn_of_pod(const PodPart& pod, Warnings& warnings);

// Why a label of nodes should not be used any more.
std::optional<std::string> deprecated_label(std::string_view key);
// `Checked`: also values that no label can have.
enum class TermValues : std::uint8_t { Unchecked, Checked };
void warn_of_node_term(json::View term, TermValues values, const kube::FieldPath& path,
                       Warnings& warnings);
// Amounts of bytes are whole.
void warn_of_fraction(json::View amount, const kube::FieldPath& path, Warnings& warnings);
void warn_of_claim(json::View claim_spec, const kube::FieldPath& path, Warnings& warnings);

}  // namespace fixpoint::kinds
