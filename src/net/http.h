// SPDX-License-Identifier: Apache-2.0
//
// The words HTTP is spoken in: headers, a request, and who sent it.
//
// Header names are lower case from the moment they are received, whichever protocol carried them,
// so comparing names is comparing bytes. Values are kept as sent, without surrounding blanks.
// Read next: server.h and client.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::net {

struct Header {
  std::string name;
  std::string value;
  friend bool operator==(const Header&, const Header&) = default;
};

// An ordered list; the same name may occur many times.
class Headers {
 public:
  Headers() = default;
  Headers(std::initializer_list<Header> list) : list_(list) {}

  void add(std::string name, std::string value) {
    list_.push_back({std::move(name), std::move(value)});
  }
  // Replaces every header of that name by one.
  void set(std::string name, std::string value);
  void remove(std::string_view name);
  // The first value of that name in any letter case, or nullptr.
  const std::string* find(std::string_view name) const;
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  // True when a comma-separated list header holds the token, letter case ignored.
  bool has_token(std::string_view name, std::string_view token) const;

  std::size_t size() const { return list_.size(); }
  bool empty() const { return list_.empty(); }
  void clear() { list_.clear(); }
  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }
  friend bool operator==(const Headers&, const Headers&) = default;

 private:
  std::vector<Header> list_;
};

// What a client certificate that our authority signed says about its holder.
struct CertificateIdentity {
  std::string common_name;
  std::vector<std::string> organizations;
};

// The other end of a connection; one object shared by all its requests.
struct Peer {
  std::string address;  // "127.0.0.1:40112", "[::1]:40112"
  bool tls = false;
  std::optional<CertificateIdentity> identity;
  // Not empty when a client certificate was shown that does not verify: no identity, and why.
  std::string certificate_problem;
};

struct Request {
  std::string method;  // upper case as sent
  std::string target;  // raw path?query
  Headers headers;
  std::string body;
  std::shared_ptr<const Peer> peer;

  std::string_view path() const;
  std::string_view query() const;  // without the question mark, empty when there is none
};

// A piece of a body; one serialised watch event is shared by all its watchers.
using Chunk = std::shared_ptr<const std::string>;
inline Chunk make_chunk(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

std::string_view reason_phrase(int status);
bool equals_ignoring_case(std::string_view a, std::string_view b);
std::string to_lower(std::string_view text);
// Without the spaces and tabs around it.
std::string_view without_blanks(std::string_view text);
// "Sun, 06 Nov 1994 08:49:37 GMT", the form of the Date header.
std::string http_date(std::int64_t unix_seconds);
// That form back; nothing when it is another.
std::optional<std::int64_t> parse_http_date(std::string_view text);

}  // namespace fixpoint::net
