// SPDX-License-Identifier: Apache-2.0
#include "apiserver/request.h"

#include <algorithm>

namespace fixpoint::apiserver {

std::string_view to_string(Verb verb) {
  switch (verb) {
    case Verb::Get: return "get";
    case Verb::List: return "list";
    case Verb::Watch: return "watch";
    case Verb::Create: return "create";
    case Verb::Update: return "update";
    case Verb::Patch: return "patch";
    case Verb::Delete: return "delete";
    case Verb::DeleteCollection: return "deletecollection";
  }
  std::unreachable();
}

bool User::in_group(std::string_view group) const {
  return std::ranges::find(groups, group) != groups.end();
}

const User& system_user() {
  static const User user{
      .name = "system:fixpoint",
      .uid = {},
      .groups = {"system:masters", "system:authenticated"},
      .extra = {}
  };
  return user;
}

std::optional<std::string_view> Request::given(std::string_view key) const {
  for (const auto& [parameter_name, value] : query) {
    if (parameter_name == key) return value;
  }
  return std::nullopt;
}

bool query_truth(std::string_view value) {
  constexpr std::string_view kFalse = "false";
  const auto same = [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b;
  };
  return value != "0" && !std::ranges::equal(value, kFalse, same);
}

Response failure(const kube::Status& status, std::vector<std::string> warnings) {
  Response response;
  response.warnings = std::move(warnings);
  response.code = status.code;
  response.body = kube::to_json(status);
  return response;
}

}  // namespace fixpoint::apiserver
