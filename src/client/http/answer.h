// SPDX-License-Identifier: Apache-2.0
//
// What an HTTP answer says: a Status, warnings, when to come again; and what a caller may conclude.
#pragma once

#include "base/clock.h"
#include "client/call.h"
#include "net/http.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::client {

struct HttpAnswer {
  int code = 0;
  net::Headers headers;
  std::string body;
  std::size_t wire_bytes = 0;  // of the body, before it was unpacked

  bool ok() const { return code >= 200 && code < 300; }
};

// The Status in the body, or one made up from the code where a proxy answered something else.
kube::Status status_of(int code, std::string_view body);
kube::Status read_status(json::View status);

// The texts of the `Warning: 299 - "text"` headers.
std::vector<std::string> warnings_of(const net::Headers& headers);
// In seconds, as Kubernetes sends it; nothing when absent or a date, which only proxies send.
std::optional<Duration> retry_after_of(const net::Headers& headers);

CallError not_sent(std::string message);
CallError unknown(std::string message);
// An answer that is no success: what became of a request that asked for a change or did not.
CallError refusal(const HttpAnswer& answer, bool is_read);

// The answer as the caller of `call` gets it.
Reply reply_of(HttpAnswer answer);

}  // namespace fixpoint::client
