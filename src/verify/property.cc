// SPDX-License-Identifier: Apache-2.0
#include "verify/property.h"

namespace fixpoint::verify {

std::string_view to_string(PropertyKind kind) {
  switch (kind) {
    case PropertyKind::Always: return "always";
    case PropertyKind::Never: return "never";
    case PropertyKind::OnTransition: return "on transition";
    case PropertyKind::OnlyTransitions: return "only transitions";
    case PropertyKind::Sometimes: return "sometimes";
    case PropertyKind::LeadsTo: return "leads to";
    case PropertyKind::EventuallyStable: return "eventually stable";
    case PropertyKind::Quiescent: return "quiescent";
    case PropertyKind::Bounded: return "bounded";
  }
  return "?";
}

bool needs_graph(PropertyKind kind) {
  switch (kind) {
    case PropertyKind::LeadsTo:
    case PropertyKind::EventuallyStable:
    case PropertyKind::Quiescent:
    case PropertyKind::Bounded: return true;
    default: return false;
  }
}

}  // namespace fixpoint::verify
