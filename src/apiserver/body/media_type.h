// SPDX-License-Identifier: Apache-2.0
//
// The media types of request bodies.
#pragma once

#include <cstdint>
#include <string_view>

namespace fixpoint::apiserver {

enum class MediaType : std::uint8_t {
  Json,
  Yaml,
  Protobuf,
  JsonPatch,
  MergePatch,
  StrategicPatch,
  ApplyPatch,
  Other,
};

// Parameters (`; charset=utf-8`) are ignored; an empty type is JSON, as kubectl's raw calls send
// it.
MediaType media_type(std::string_view content_type);

}  // namespace fixpoint::apiserver
