// SPDX-License-Identifier: Apache-2.0
//
// The functions expressions may call: how the checker resolves them, and what they do.
//
// The list is that of Kubernetes 1.34 for expressions that are new (overloads.inc), so that one
// accepted here is accepted there. Functions of the authorizer are declared though nothing in a
// schema can call them: a wrong call is refused in the same words.
#pragma once

#include "cel/checking/type.h"
#include "cel/evaluation/value.h"

#include <span>
#include <string_view>
#include <vector>

namespace fixpoint::cel {

struct Overload {
  std::string_view id;
  bool member = false;
  std::vector<const Type*> args;  // the target first
  const Type* result = nullptr;
  int params = 0;  // distinct type parameters, A, B, …
};

// Of a call; the target of a member comes first.
using Args = std::span<const Value>;
using Implementation = Value (*)(Args args);

struct Function {
  std::string_view name;
  std::vector<Overload> overloads;
  Implementation run = nullptr;  // null for what the evaluator does itself
};

// nullptr when there is no such function.
const Function* find_function(std::string_view name);

// A library's share: its functions by name.
struct Native {
  std::string_view name;
  Implementation run;
};
std::span<const Native> operator_functions();
std::span<const Native> conversion_functions();
std::span<const Native> time_functions();
std::span<const Native> string_functions();
std::span<const Native> format_functions();
std::span<const Native> list_functions();
std::span<const Native> net_functions();
std::span<const Native> kube_functions();

// "no such overload: size(int)".
Value no_overload(std::string_view function, Args args);

}  // namespace fixpoint::cel
