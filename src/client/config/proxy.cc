// SPDX-License-Identifier: Apache-2.0
#include "client/config/proxy.h"

#include "client/config/url.h"
#include "client/http/resolve_name.h"

#include <array>
#include <charconv>
#include <cstring>
#include <ranges>

#include <arpa/inet.h>

namespace fixpoint::client {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

struct Address {
  std::array<unsigned char, 16> bytes{};
  int size = 0;  // 0: no address
};
Address address_of(const std::string& text) {
  Address address;
  if (inet_pton(AF_INET, text.c_str(), address.bytes.data()) == 1) address.size = 4;
  if (address.size == 0 && inet_pton(AF_INET6, text.c_str(), address.bytes.data()) == 1) {
    address.size = 16;
  }
  return address;
}

bool in_network(std::string_view network, const std::string& host) {
  const auto slash = network.find('/');
  if (slash == std::string_view::npos) return false;
  const auto base = address_of(std::string{network.substr(0, slash)});
  const auto address = address_of(host);
  int bits = -1;
  const auto width = network.substr(slash + 1);
  std::from_chars(width.data(), width.data() + width.size(), bits);
  if (base.size == 0 || base.size != address.size || bits < 0 || bits > base.size * 8) return false;
  for (int bit = 0; bit < bits; ++bit) {
    const auto byte = static_cast<std::size_t>(bit / 8);
    const auto mask = 0x80 >> (bit % 8);
    if (((base.bytes[byte] ^ address.bytes[byte]) & mask) != 0) return false;
  }
  return true;
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || in_network("127.0.0.0/8", host);
}

bool named(std::string_view entry, const std::string& host, std::uint16_t port) {
  if (entry == "*") return true;
  if (entry.contains('/')) return in_network(entry, host);
  if (const auto colon = entry.rfind(':');
      colon != std::string_view::npos && entry.find(':') == colon) {
    if (entry.substr(colon + 1) != std::to_string(port)) return false;
    entry = entry.substr(0, colon);
  }
  if (entry.starts_with("*.")) entry.remove_prefix(1);
  if (entry == host) return true;
  const auto suffix = entry.starts_with('.') ? std::string{entry} : "." + std::string{entry};
  return !is_numeric_address(host) && host.ends_with(suffix);
}

}  // namespace

bool spared_from_proxy(std::string_view list, const std::string& host, std::uint16_t port) {
  if (is_loopback(host)) return true;
  for (const auto part : std::views::split(list, ',')) {
    const auto entry = trimmed({part.begin(), part.end()});
    if (!entry.empty() && named(entry, host, port)) return true;
  }
  return false;
}

Result<net::Proxy> read_proxy_url(const std::string& url, std::string_view what) {
  auto parsed = parse_url(url);
  if (!parsed) {
    return fail(ErrorKind::Invalid,
                std::string{what} + " is no URL of a proxy; write http://host:port");
  }
  net::Proxy proxy;
  if (parsed->scheme == "socks5" || parsed->scheme == "socks5h") {
    proxy.kind = net::Proxy::Kind::Socks5;
    proxy.port = 1080;
  } else if (parsed->scheme == "https") {
    proxy.kind = net::Proxy::Kind::HttpsConnect;
    proxy.port = 443;
  } else if (parsed->scheme == "http") {
    proxy.port = 80;
  } else {
    return fail(ErrorKind::Invalid, std::string{what} + ": a proxy reached by " + parsed->scheme +
                                        " is not supported; http, https and socks5 are");
  }
  proxy.host = std::move(parsed->host);
  proxy.port = parsed->port.value_or(proxy.port);
  proxy.user = std::move(parsed->user);
  proxy.password = std::move(parsed->password);
  return proxy;
}

Result<std::optional<net::Proxy>> proxy_from(const Surroundings& surroundings,
                                             const ServerAddress& server, bool tls) {
  const auto either = [&](const char* upper, const char* lower) {
    const auto value = surroundings.variable(upper).value_or("");
    return value.empty() ? surroundings.variable(lower).value_or("") : value;
  };
  const std::string name = tls ? "HTTPS_PROXY" : "HTTP_PROXY";
  auto url = tls ? either("HTTPS_PROXY", "https_proxy") : either("HTTP_PROXY", "http_proxy");
  if (url.empty() || spared_from_proxy(either("NO_PROXY", "no_proxy"), server.host, server.port)) {
    return std::optional<net::Proxy>{};
  }
  if (!url.contains("://")) url = "http://" + url;
  FP_TRY(proxy, read_proxy_url(url, "the environment variable " + name));
  return std::optional{std::move(proxy)};
}

}  // namespace fixpoint::client
