// SPDX-License-Identifier: Apache-2.0
//
// What the server's and the client's HTTP/2 sessions share around nghttp2. Internal to this folder.
#pragma once

#include "base/clock.h"
#include "net/http.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nghttp2/nghttp2.h>

namespace fixpoint::net {

// What one stream may send us ahead of our reading it; uploads are small and read at once.
inline constexpr std::int32_t kStreamWindowBytes = 1024 * 1024;
inline constexpr std::int32_t kConnectionWindowBytes = 4 * 1024 * 1024;

struct Http2Deleter {
  void operator()(nghttp2_session* session) const { nghttp2_session_del(session); }
  void operator()(nghttp2_session_callbacks* callbacks) const {
    nghttp2_session_callbacks_del(callbacks);
  }
  void operator()(nghttp2_option* option) const { nghttp2_option_del(option); }
};
using Http2SessionPtr = std::unique_ptr<nghttp2_session, Http2Deleter>;
using Http2CallbacksPtr = std::unique_ptr<nghttp2_session_callbacks, Http2Deleter>;
using Http2OptionPtr = std::unique_ptr<nghttp2_option, Http2Deleter>;

Http2CallbacksPtr new_http2_callbacks();
Http2OptionPtr new_http2_option();

// What nghttp2 hands over, as the text it is.
inline std::string_view text_of(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

// A header block for nghttp2, which copies it on submission. Headers that HTTP/2 forbids or that
// carry line breaks are left out.
class Http2HeaderBlock {
 public:
  void add(std::string_view name, std::string_view value);
  // The names must outlive the submission; upper case is lowered here.
  void add_all(const Headers& headers);
  const nghttp2_nv* data() const { return list_.data(); }
  std::size_t size() const { return list_.size(); }

 private:
  std::vector<nghttp2_nv> list_;
  std::vector<std::unique_ptr<std::string>> lowered_;
};

// Bytes nghttp2 wants to send, handed on in pieces of any size.
class Http2Output {
 public:
  // Copies up to size bytes; 0 when there is nothing now. Negative: the session is broken.
  std::ptrdiff_t pull(nghttp2_session* session, char* into, std::size_t size);
  bool empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;  // points into nghttp2's buffer until its next send
};

// A token bucket for frames that cost us work and do the peer no good.
class NuisanceBudget {
 public:
  NuisanceBudget(std::uint32_t burst, std::uint32_t per_second)
      : burst_(burst), per_second_(per_second), left_(burst) {}
  // False when the peer has used up its patience.
  bool spend(MonotonicInstant now);

 private:
  double burst_;
  double per_second_;
  double left_;
  MonotonicInstant last_{};
};

}  // namespace fixpoint::net
