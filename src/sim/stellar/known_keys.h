// SPDX-License-Identifier: Apache-2.0
//
// The keys that programs know, each with the form of its value.
#pragma once

#include "base/error.h"
#include "json/value.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace fixpoint::sim {

enum class Form : std::uint8_t {
  Boolean,
  Integer,
  Number,
  Text,
  Texts,
  Integers,
  TextOrTexts,
  Table,
  Tables,
  Anything,
};
bool has_form(json::View value, Form form);

struct KnownKey {
  std::string_view name;
  Form form;
};

// In order of name. What a core that is no test build takes.
std::span<const KnownKey> core_keys();
// What Horizon and RPC let through to a core of their own.
std::span<const KnownKey> captive_core_keys();
std::span<const KnownKey> rpc_keys();

const KnownKey* find_key(std::span<const KnownKey> keys, std::string_view name);

}  // namespace fixpoint::sim
