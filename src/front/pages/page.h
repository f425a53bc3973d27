// SPDX-License-Identifier: Apache-2.0
//
// Page: an answer that is no resource.
#pragma once

#include "json/print.h"
#include "json/value.h"
#include "net/http.h"

#include <string>
#include <utility>

namespace fixpoint::front {

struct Page {
  int code = 200;
  net::Headers headers;
  std::string body;
};

inline Page text_page(int code, std::string body) {
  return {.code = code,
          .headers = {{"content-type", "text/plain; charset=utf-8"}},
          .body = std::move(body)};
}
inline Page json_page(json::View body) {
  return {.code = 200,
          .headers = {{"content-type", "application/json"}},
          .body = json::to_text(body) + "\n"};
}

}  // namespace fixpoint::front
