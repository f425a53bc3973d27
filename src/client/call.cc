// SPDX-License-Identifier: Apache-2.0
#include "client/call.h"

#include <utility>

namespace fixpoint::client {

std::string_view to_string(Verb verb) {
  switch (verb) {
    case Verb::Get: return "get";
    case Verb::Create: return "create";
    case Verb::Update: return "update";
    case Verb::Patch:
    case Verb::Apply: return "patch";
    case Verb::Delete: return "delete";
    case Verb::DeleteCollection: return "deletecollection";
  }
  std::unreachable();
}

std::string_view to_string(Fate fate) {
  switch (fate) {
    case Fate::Refused: return "refused";
    case Fate::NotSent: return "not sent";
    case Fate::Unknown: return "unknown";
  }
  std::unreachable();
}

}  // namespace fixpoint::client
