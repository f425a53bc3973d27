// SPDX-License-Identifier: Apache-2.0
//
// The requests that the parts of the story have in common, and how their answers are shown.
#pragma once

#include "base/error.h"
#include "cli/demo/page.h"
#include "cli/demo/session.h"
#include "json/value.h"

#include <functional>
#include <string>
#include <string_view>

namespace fixpoint::cli::demo {

// Where the definitions of custom kinds lie.
inline constexpr std::string_view kDefinitions =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

// The server did something that it should not.
std::unexpected<Error> wrong(std::string message);

Call get(std::string_view target);
Call get_table(std::string_view target);
Call merge_patch(std::string_view target, std::string_view body);
Call post(std::string_view target, std::string body);
Call remove(std::string_view target);

// Server-side apply of one object.
Result<json::Value> apply(Session& session, std::string_view target, std::string_view yaml,
                          std::string_view manager);
// As `kubectl get` prints it.
Result<void> show_table(Session& session, const Page& page, std::string_view target);

// Watches one object from its present state until it is so, and gives it as it is then.
using Holds = std::function<bool(json::View object)>;
Result<json::Value> until(Session& session, std::string_view what, std::string_view collection,
                          std::string_view name, const Holds& holds);

}  // namespace fixpoint::cli::demo
