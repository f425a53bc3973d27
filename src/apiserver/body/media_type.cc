// SPDX-License-Identifier: Apache-2.0
#include "apiserver/body/media_type.h"

#include "kube/scalars/quoted_string.h"

#include <algorithm>
#include <string>

namespace fixpoint::apiserver {

namespace {

bool is_token_char(char c) {
  constexpr std::string_view kSeparators = "()<>@,;:\\\"/[]?=";
  return c > ' ' && c < 0x7f && kSeparators.find(c) == std::string_view::npos;
}

bool skip_token(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() && is_token_char(text[length])) ++length;
  text.remove_prefix(length);
  return length > 0;
}

// `; a=b; c="d"`, with one semicolon too many at the end forgiven, as Go's mime package reads it.
bool well_formed_parameters(std::string_view text) {
  while (true) {
    kube::skip_blanks(text);
    if (text.empty()) return true;
    if (text.front() != ';') return false;
    text.remove_prefix(1);
    kube::skip_blanks(text);
    if (text.empty()) return true;
    if (!skip_token(text) || !text.starts_with('=')) return false;
    text.remove_prefix(1);
    if (text.starts_with('"') ? !kube::take_quoted(text) : !skip_token(text)) return false;
  }
}

}  // namespace

MediaType media_type(std::string_view content_type) {
  if (content_type.starts_with(';')) return MediaType::Other;
  const auto end = std::min(content_type.find(';'), content_type.size());
  const bool readable = well_formed_parameters(content_type.substr(end));
  content_type = content_type.substr(0, end);
  while (!content_type.empty() && content_type.back() == ' ') content_type.remove_suffix(1);
  // Types of objects are compared as Go's mime package gives them; types of patches as they are.
  std::string lower{content_type};
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (lower.empty()) return MediaType::Json;
  if (readable && lower == "application/json") return MediaType::Json;
  if (readable && lower == "application/yaml") return MediaType::Yaml;
  if (readable && lower == "application/vnd.kubernetes.protobuf") return MediaType::Protobuf;
  if (content_type == "application/json-patch+json") return MediaType::JsonPatch;
  if (content_type == "application/merge-patch+json") return MediaType::MergePatch;
  if (content_type == "application/strategic-merge-patch+json") return MediaType::StrategicPatch;
  if (content_type == "application/apply-patch+yaml") return MediaType::ApplyPatch;
  return MediaType::Other;
}

}  // namespace fixpoint::apiserver
