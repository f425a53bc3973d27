// SPDX-License-Identifier: Apache-2.0
#include "apiserver/media_type.h"

namespace fixpoint::apiserver {

MediaType media_type(std::string_view content_type) {
  content_type = content_type.substr(0, content_type.find(';'));
  while (!content_type.empty() && content_type.back() == ' ') content_type.remove_suffix(1);
  if (content_type.empty() || content_type == "application/json") return MediaType::Json;
  if (content_type == "application/yaml") return MediaType::Yaml;
  if (content_type == "application/vnd.kubernetes.protobuf") return MediaType::Protobuf;
  if (content_type == "application/json-patch+json") return MediaType::JsonPatch;
  if (content_type == "application/merge-patch+json") return MediaType::MergePatch;
  if (content_type == "application/strategic-merge-patch+json") return MediaType::StrategicPatch;
  if (content_type == "application/apply-patch+yaml") return MediaType::ApplyPatch;
  return MediaType::Other;
}

}  // namespace fixpoint::apiserver
