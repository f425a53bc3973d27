// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a watch: whatever they are and wherever they are cut, the same events come out.
#include "base/error.h"
#include "client/http/watch_decoder.h"
#include "json/print.h"

#include <string>
#include <vector>

namespace {

using namespace fixpoint;  // NOLINT: a program, not a header

std::vector<std::string> decoded(std::string_view bytes, std::size_t piece) {
  std::vector<std::string> told;
  client::WatchDecoder decoder{
      std::make_shared<const json::Shape>(json::Shape::all().without({"spec"})),
      [&](const client::WatchEvent& event) {
        FP_CHECK(event.object.is_object());
        told.push_back(std::to_string(static_cast<int>(event.type)) + json::to_text(event.object));
        return true;
      }};
  std::optional<client::CallError> error;
  while (!bytes.empty() && !error) {
    error = decoder.feed(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
  if (!error) error = decoder.finish();
  if (error) told.push_back(error->status.message);
  return told;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto whole = decoded(text, text.size() + 1);
  FP_CHECK(decoded(text, 1) == whole);
  FP_CHECK(decoded(text, 7) == whole);
  return 0;
}
