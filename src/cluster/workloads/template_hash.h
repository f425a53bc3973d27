// SPDX-License-Identifier: Apache-2.0
//
// The short hashes by which the sets and revisions of a template are named.
#pragma once

#include "json/value.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::cluster {

// A number in letters and digits that spell no words.
std::string safe_encode(std::uint32_t number);

// Of a pod template; another `collision` count gives another hash.
std::string template_hash(json::View pod_template, std::optional<std::int64_t> collision);

// Of the data of a ControllerRevision, as its text.
std::string revision_hash(std::string_view data, std::int64_t collision);

}  // namespace fixpoint::cluster
