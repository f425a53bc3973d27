// SPDX-License-Identifier: Apache-2.0
//
// Descriptions of types and fields, for OpenAPI and `kubectl explain`: written ones for what people
// look up most, and for the rest a phrase made from the name.
#pragma once

#include <string>
#include <string_view>

namespace fixpoint::kinds {

// "DeploymentSpec" -> "The wanted state of a Deployment."
std::string type_description(std::string_view type);
std::string field_description(std::string_view type, std::string_view field);

}  // namespace fixpoint::kinds
