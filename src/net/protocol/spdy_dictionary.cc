// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/spdy_dictionary.h"

#include <array>
#include <string_view>

namespace fixpoint::net {
namespace {

// Each with its length before it, as in a block of headers.
constexpr std::array<std::string_view, 65> kWords{"options",
                                                  "head",
                                                  "post",
                                                  "put",
                                                  "delete",
                                                  "trace",
                                                  "accept",
                                                  "accept-charset",
                                                  "accept-encoding",
                                                  "accept-language",
                                                  "accept-ranges",
                                                  "age",
                                                  "allow",
                                                  "authorization",
                                                  "cache-control",
                                                  "connection",
                                                  "content-base",
                                                  "content-encoding",
                                                  "content-language",
                                                  "content-length",
                                                  "content-location",
                                                  "content-md5",
                                                  "content-range",
                                                  "content-type",
                                                  "date",
                                                  "etag",
                                                  "expect",
                                                  "expires",
                                                  "from",
                                                  "host",
                                                  "if-match",
                                                  "if-modified-since",
                                                  "if-none-match",
                                                  "if-range",
                                                  "if-unmodified-since",
                                                  "last-modified",
                                                  "location",
                                                  "max-forwards",
                                                  "pragma",
                                                  "proxy-authenticate",
                                                  "proxy-authorization",
                                                  "range",
                                                  "referer",
                                                  "retry-after",
                                                  "server",
                                                  "te",
                                                  "trailer",
                                                  "transfer-encoding",
                                                  "upgrade",
                                                  "user-agent",
                                                  "vary",
                                                  "via",
                                                  "warning",
                                                  "www-authenticate",
                                                  "method",
                                                  "get",
                                                  "status",
                                                  "200 OK",
                                                  "version",
                                                  "HTTP/1.1",
                                                  "url",
                                                  "public",
                                                  "set-cookie",
                                                  "keep-alive",
                                                  "origin"};

constexpr std::string_view kRest =
    "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505"
    "203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request"
    "401 Unauthorized403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented"
    "503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 "
    "Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,"
    "application/xml,application/xhtml+xml,text/plain,text/javascript,publicprivatemax-age="
    "gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.";

std::string make() {
  std::string text;
  for (const auto word : kWords) {
    text.append(3, '\0');
    text += static_cast<char>(word.size());
    text += word;
  }
  return text.append(kRest);
}

}  // namespace

const std::string& spdy_dictionary() {
  static const std::string text = make();
  return text;
}

}  // namespace fixpoint::net
