// SPDX-License-Identifier: Apache-2.0
//
// YAML text: whatever is read can be printed as YAML and as JSON and reads back to the same tree.
#include "base/error.h"
#include "json/parsing/parse.h"
#include "json/print.h"
#include "json/yaml/yaml.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace fixpoint::json;
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto strict = parse_yaml(text);
  const auto loose = parse_yaml(text, Duplicates::KeepLast);
  // Strict refuses more, and otherwise reads the same.
  FP_CHECK(loose.has_value() || !strict.has_value());
  if (strict) FP_CHECK(*strict == *loose);
  if (loose) {
    FP_CHECK(*parse(to_text(*loose)) == *loose);
    const auto again = parse_yaml(to_yaml(*loose));
    FP_CHECK(again.has_value());
    FP_CHECK(*again == *loose);
  }
  if (const auto documents = parse_yaml_documents(text)) {
    FP_CHECK(strict.has_value());
    if (!strict->is_null()) FP_CHECK(documents->front() == *strict);
  }
  return 0;
}
