// SPDX-License-Identifier: Apache-2.0
#include "operators/stellar/types/texts.h"

#include "operators/stellar/types/advice.h"

#include <utility>

namespace fixpoint::operators::stellar {
namespace {

using types::Limits;

// A label of the DNS, and labels with dots between them.
const std::string kLabel = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const std::string kLabels = kLabel + R"((\.)" + kLabel + ")*";

Limits formed(std::string pattern, const Advice& advice, std::string example,
              std::size_t length_max = kNameLengthMax) {
  return {.max_length = length_max,
          .pattern = std::move(pattern),
          .pattern_advice = advice.text(),
          .example = std::move(example)};
}

}  // namespace

Limits an_object_called(std::string example) {
  return formed("^" + kLabels + "$", advice::kObjectName, std::move(example));
}

Limits an_object_or_none(std::string example) {
  return formed("^(" + kLabels + ")?$", advice::kObjectName, std::move(example));
}

Limits a_namespace_called(std::string example) {
  constexpr std::size_t kLabelMax = 63;
  return formed("^" + kLabel + "$", advice::kNamespaceName, std::move(example), kLabelMax);
}

Limits a_host(std::string example) {
  return formed(R"(^(\*\.)?)" + kLabels + "$", advice::kHost, std::move(example));
}

Limits an_image_version(std::string example) {
  constexpr std::size_t kTagAndDigestMax = 256;
  auto limits = formed("^([A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@?sha256:[a-f0-9]{64})?$",
                       advice::kVersion, std::move(example), kTagAndDigestMax);
  limits.required = true;
  limits.min_length = 1;
  return limits;
}

types::Rule http_url() {
  return {.rule = R"(self.matches(r'^https?://[^/:?#\s]'))", .message = advice::kHttpUrl.text()};
}

types::Rule archive_url() {
  return {.rule = R"(self.matches(r'^https?://[^/:?#\s][^\s]*$'))",
          .message = advice::kArchiveUrl.text()};
}

}  // namespace fixpoint::operators::stellar
