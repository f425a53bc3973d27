// SPDX-License-Identifier: Apache-2.0
//
// TOML text: whatever is read prints as JSON that reads back to the same tree; whatever is not says
// where. What is a quorum is written by the operator so that it reads back the same.
#include "base/error.h"
#include "json/parsing/parse.h"
#include "json/print.h"
#include "json/toml/toml.h"
#include "operators/stellar/configuration/settings.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace fixpoint;
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto tree = json::parse_toml(text);
  if (!tree) {
    FP_CHECK(tree.error().kind == ErrorKind::Invalid);
    FP_CHECK(tree.error().message.starts_with("line "));
    return 0;
  }
  FP_CHECK(tree->is_object());
  // As text: a float without a fraction comes back as an integer.
  const auto printed = json::to_text(*tree);
  const auto again = json::parse(printed);
  FP_CHECK(again.has_value());
  FP_CHECK(json::to_text(*again) == printed);
  const auto quorum = operators::stellar::read_quorum(*tree);
  if (!quorum) return 0;
  operators::stellar::CaptiveCoreSettings settings;
  settings.quorum = *quorum;
  const auto written = json::parse_toml(captive_core_configuration(settings));
  FP_CHECK(written.has_value());
  FP_CHECK(operators::stellar::read_quorum(*written).value() == *quorum);
  // Whether core would take it is decided without falling over.
  const auto checked = operators::stellar::check_quorum(*quorum, {.is_validator = false});
  FP_CHECK(checked.has_value() || checked.error().kind == ErrorKind::Invalid);
  return 0;
}
