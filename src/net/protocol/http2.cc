// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/http2.h"

#include "base/error.h"
#include "net/protocol/http1.h"
#include "net/protocol/server_session.h"

#include <algorithm>
#include <cstring>

namespace fixpoint::net {
namespace {

std::uint8_t* nghttp2_bytes_of(std::string_view text) {
  // nghttp2 takes pointers to mutable bytes and does not write through them.
  return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
}

bool has_upper(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
}

}  // namespace

Http2CallbacksPtr new_http2_callbacks() {
  nghttp2_session_callbacks* callbacks = nullptr;
  FP_CHECK(nghttp2_session_callbacks_new(&callbacks) == 0);
  return Http2CallbacksPtr(callbacks);
}

Http2OptionPtr new_http2_option() {
  nghttp2_option* option = nullptr;
  FP_CHECK(nghttp2_option_new(&option) == 0);
  nghttp2_option_set_no_closed_streams(option, 1);  // they serve only the priority tree
  return Http2OptionPtr(option);
}

void Http2HeaderBlock::add(std::string_view name, std::string_view value) {
  list_.push_back({nghttp2_bytes_of(name), nghttp2_bytes_of(value), name.size(), value.size(),
                   NGHTTP2_NV_FLAG_NONE});
}

void Http2HeaderBlock::add_all(const Headers& headers) {
  for (const auto& [name, value] : headers) {
    if (is_connection_header(name) || !is_token(name) || !is_field_value(value)) continue;
    if (!has_upper(name)) {
      add(name, value);
      continue;
    }
    lowered_.push_back(std::make_unique<std::string>(to_lower(name)));
    add(*lowered_.back(), value);
  }
}

std::ptrdiff_t Http2Output::pull(nghttp2_session* session, char* into, std::size_t size) {
  std::size_t used = 0;
  while (used < size) {
    if (rest_.empty()) {
      const std::uint8_t* data = nullptr;
      const auto count = nghttp2_session_mem_send(session, &data);
      if (count < 0) return count;
      if (count == 0) break;
      rest_ = {reinterpret_cast<const char*>(data), static_cast<std::size_t>(count)};
    }
    const auto count = std::min(rest_.size(), size - used);
    std::memcpy(into + used, rest_.data(), count);
    rest_.remove_prefix(count);
    used += count;
  }
  return static_cast<std::ptrdiff_t>(used);
}

bool NuisanceBudget::spend(MonotonicInstant now) {
  const std::chrono::duration<double> passed = now - last_;
  left_ = std::min(burst_, left_ + passed.count() * per_second_);
  last_ = now;
  if (left_ < 1) return false;
  left_ -= 1;
  return true;
}

}  // namespace fixpoint::net
