// SPDX-License-Identifier: Apache-2.0
#include "apiserver/media_type.h"

#include <string>

namespace fixpoint::apiserver {

MediaType media_type(std::string_view content_type) {
  if (content_type.starts_with(';')) return MediaType::Other;
  content_type = content_type.substr(0, content_type.find(';'));
  while (!content_type.empty() && content_type.back() == ' ') content_type.remove_suffix(1);
  // Types of objects are compared as Go's mime package gives them; types of patches as they are.
  std::string lower{content_type};
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (lower.empty() || lower == "application/json") return MediaType::Json;
  if (lower == "application/yaml") return MediaType::Yaml;
  if (lower == "application/vnd.kubernetes.protobuf") return MediaType::Protobuf;
  if (content_type == "application/json-patch+json") return MediaType::JsonPatch;
  if (content_type == "application/merge-patch+json") return MediaType::MergePatch;
  if (content_type == "application/strategic-merge-patch+json") return MediaType::StrategicPatch;
  if (content_type == "application/apply-patch+yaml") return MediaType::ApplyPatch;
  return MediaType::Other;
}

}  // namespace fixpoint::apiserver
