// SPDX-License-Identifier: Apache-2.0
//
// Content negotiation: in which form a client wants its answer.
#pragma once

#include "kube/status.h"

#include <cstdint>
#include <string_view>

namespace fixpoint::front {

enum class Encoding : std::uint8_t { Json, Yaml };
enum class Form : std::uint8_t { Object, Table, PartialObject };

struct Wanted {
  Encoding encoding = Encoding::Json;
  Form form = Form::Object;
};

// The first media type of an Accept header that this server speaks; 406 when there is none.
kube::Answer<Wanted> negotiate(std::string_view accept);

}  // namespace fixpoint::front
