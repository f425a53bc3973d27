// SPDX-License-Identifier: Apache-2.0
//
// Texts of a form that Kubernetes, or a program, insists on: what they look like, and what people
// are told about one that does not. Refused here, or Kubernetes refuses what is made of it.
#pragma once

#include "types/table.h"

#include <cstddef>
#include <string>

namespace fixpoint::operators::stellar {

inline constexpr std::size_t kNameLengthMax = 253;
inline constexpr std::size_t kUrlLengthMax = 2'048;

// The name of an object of the cluster, as most kinds take it.
types::Limits an_object_called(std::string example);
// The same, or empty for none.
types::Limits an_object_or_none(std::string example);
types::Limits a_namespace_called(std::string example);
// A name of the DNS, or all below one.
types::Limits a_host(std::string example);
// What an image is asked for by.
types::Limits an_image_version(std::string example);
// Of a server that is asked by HTTP, and of a history archive. As rules only: check.cc takes them
// apart.
types::Rule http_url();
types::Rule archive_url();

}  // namespace fixpoint::operators::stellar
