// SPDX-License-Identifier: Apache-2.0
//
// The parameters of OpenAPI operations. v2 keeps most of them in one place, under names that a real
// server makes from their content; clients may know these names.
#pragma once

#include "kinds/openapi/json_text.h"
#include "kinds/openapi/openapi.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::kinds {

struct Parameter {
  std::string_view name;
  std::string_view in;      // "query" or "path"
  std::string_view type;    // "string", "boolean", "integer"
  std::string_view shared;  // the name under v2's "parameters"; empty: written where it is used
  std::string_view description;
};

// What an operation is given. In v2 the body is a parameter too.
struct Given {
  const Parameter* parameter = nullptr;  // null: the body
  std::string body;                      // definition
  bool required = false;                 // of the body

  std::string_view name() const { return parameter == nullptr ? "body" : parameter->name; }
  std::string_view in() const { return parameter == nullptr ? "body" : parameter->in; }
  bool operator==(const Given& other) const {
    const auto shared = [](const Given& of) {
      return of.parameter == nullptr ? std::string_view{of.body} : of.parameter->shared;
    };
    return name() == other.name() && in() == other.in() && shared(*this) == shared(other);
  }
};

std::span<const Parameter> read_parameters_of_custom();
std::span<const Parameter> list_parameters();
std::span<const Parameter> create_parameters();  // and replace
std::span<const Parameter> patch_parameters();
std::span<const Parameter> delete_parameters();
std::span<const Parameter> delete_collection_parameters();
std::span<const Parameter> log_parameters();
// Of a connecting subresource, by the kind of its options: "PodExecOptions".
std::span<const Parameter> connect_parameters(std::string_view options);

const Parameter& name_parameter();
const Parameter& namespace_parameter();
const Parameter& path_parameter();
const Parameter& pretty_parameter();

// Sorted, as they are listed.
void sort_given(std::vector<Given>& given);
void write_given(const Given& given, OpenApi version, JsonText& to);
// v2's "parameters".
void write_shared_parameters(JsonText& to);

}  // namespace fixpoint::kinds
