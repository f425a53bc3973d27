// SPDX-License-Identifier: Apache-2.0
#include "front/negotiate.h"

#include <optional>
#include <string>

namespace fixpoint::front {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Takes what stands before the next separator off the front.
std::string_view take(std::string_view& text, char separator) {
  const auto end = std::min(text.find(separator), text.size());
  const auto part = trim(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

struct Parameters {
  std::string_view as;
  std::string_view group;
  std::string_view version;
};

Parameters parameters_of(std::string_view text) {
  Parameters found;
  while (!text.empty()) {
    auto pair = take(text, ';');
    const auto key = take(pair, '=');
    if (key == "as") found.as = pair;
    if (key == "g") found.group = pair;
    if (key == "v") found.version = pair;
  }
  return found;
}

std::optional<Form> form_of(const Parameters& parameters) {
  if (parameters.as.empty()) return Form::Object;
  if (parameters.group != "meta.k8s.io" || parameters.version != "v1") return std::nullopt;
  if (parameters.as == "Table") return Form::Table;
  if (parameters.as == "PartialObjectMetadata" || parameters.as == "PartialObjectMetadataList") {
    return Form::PartialObject;
  }
  return std::nullopt;
}

std::optional<Encoding> encoding_of(std::string_view type) {
  if (type == "application/json" || type == "*/*" || type == "application/*") return Encoding::Json;
  if (type == "application/yaml") return Encoding::Yaml;
  return std::nullopt;
}

}  // namespace

kube::Answer<Wanted> negotiate(std::string_view accept) {
  if (trim(accept).empty()) return Wanted{};
  while (!accept.empty()) {
    auto choice = take(accept, ',');
    const auto encoding = encoding_of(take(choice, ';'));
    const auto form = form_of(parameters_of(choice));
    if (encoding && form) return Wanted{.encoding = *encoding, .form = *form};
  }
  return std::unexpected(kube::not_acceptable(
      "only the following media types are accepted: application/json, application/yaml, "
      "application/vnd.kubernetes.protobuf"));
}

}  // namespace fixpoint::front
