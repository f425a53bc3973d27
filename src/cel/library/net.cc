// SPDX-License-Identifier: Apache-2.0
//
// Addresses, networks and URLs.
#include "cel/library/functions.h"
#include "cel/library/ip_words.h"
#include "kube/go/text.h"
#include "kube/scalars/url.h"

#include <algorithm>
#include <array>
#include <expected>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace fixpoint::cel {
namespace {

template <class T>
using ParsedAddress = std::expected<T, std::string>;

ParsedAddress<kube::Ip> parse_ip(std::string_view text) {
  if (const auto wrong = address_problem(text)) {
    return std::unexpected(
        fmt::format("IP Address {} parse error during conversion from string: {}",
                    kube::go_quoted(text), *wrong));
  }
  if (text.contains('%')) {
    return std::unexpected(
        fmt::format("IP address {} with zone value is not allowed", kube::go_quoted(text)));
  }
  const auto found = kube::parse_ip(text, kube::IpSyntax::Strict);
  if (!found) return std::unexpected("unable to parse IP");
  if (found->v4 && text.contains(':')) {
    return std::unexpected(
        fmt::format("IPv4-mapped IPv6 address {} is not allowed", kube::go_quoted(text)));
  }
  return *found;
}

ParsedAddress<kube::Cidr> parse_cidr(std::string_view text) {
  if (const auto wrong = network_problem(text)) {
    return std::unexpected(
        fmt::format("network address parse error during conversion from string: "
                    "netip.ParsePrefix({}): {}",
                    kube::go_quoted(text), *wrong));
  }
  const auto address = kube::parse_ip(text.substr(0, text.rfind('/')), kube::IpSyntax::Strict);
  if (address && address->v4 && text.contains(':')) {
    return std::unexpected(
        fmt::format("IPv4-mapped IPv6 address {} is not allowed", kube::go_quoted(text)));
  }
  const auto found = kube::parse_cidr(text);
  if (!found) return std::unexpected("unable to parse network");
  return *found;
}

Value to_ip(Args args) {
  if (args[0].is(Kind::Cidr)) return Value::ip(args[0].ip());
  if (!args[0].is(Kind::String)) return no_overload("ip", args);
  const auto found = parse_ip(args[0].text());
  return found ? Value::ip(*found) : Value::error(found.error());
}

Value is_ip(Args args) {
  if (!args[0].is(Kind::String)) return no_overload("isIP", args);
  return Value::boolean(parse_ip(args[0].text()).has_value());
}

Value is_canonical(Args args) {
  if (!args[0].is(Kind::String)) return no_overload("ip.isCanonical", args);
  const auto found = parse_ip(args[0].text());
  if (!found) return Value::error(found.error());
  return Value::boolean(found->to_string() == args[0].text());
}

Value family(Args args) {
  if (!args[0].is(Kind::Ip)) return no_overload("family", args);
  return Value::integer(args[0].ip().v4 ? 4 : 6);
}

bool global_unicast(const kube::Ip& ip) {
  const bool multicast = ip.v4 ? (ip.bytes[12] & 0xf0U) == 0xe0 : ip.bytes[0] == 0xff;
  const bool broadcast = ip.v4 && ip.bytes[12] == 255 && ip.bytes[13] == 255 &&
                         ip.bytes[14] == 255 && ip.bytes[15] == 255;
  return !multicast && !broadcast && !ip.unspecified() && !ip.loopback() && !ip.link_local();
}

using Property = bool (*)(const kube::Ip&);

template <Property Holds>
Value ip_property(Args args) {
  return args[0].is(Kind::Ip) ? Value::boolean(Holds(args[0].ip())) : Value::no_overload();
}

constexpr Property kUnspecified = [](const kube::Ip& ip) { return ip.unspecified(); };
constexpr Property kLoopback = [](const kube::Ip& ip) { return ip.loopback(); };
constexpr Property kLinkLocal = [](const kube::Ip& ip) { return ip.link_local(); };
constexpr Property kLinkLocalMulticast = [](const kube::Ip& ip) {
  return ip.link_local_multicast();
};

Value to_cidr(Args args) {
  if (!args[0].is(Kind::String)) return no_overload("cidr", args);
  const auto found = parse_cidr(args[0].text());
  if (found) return Value::cidr(*found);
  return Value::error("network address parse error during conversion from string: " +
                      found.error());
}

Value is_cidr(Args args) {
  if (!args[0].is(Kind::String)) return no_overload("isCIDR", args);
  return Value::boolean(parse_cidr(args[0].text()).has_value());
}

Value contains_ip(Args args) {
  if (!args[0].is(Kind::Cidr)) return no_overload("containsIP", args);
  const auto other = args[1].is(Kind::String) ? to_ip(args.subspan(1)) : args[1];
  if (!other.is(Kind::Ip)) return Value::no_overload();
  return Value::boolean(args[0].cidr().contains(other.ip()));
}

Value contains_cidr(Args args) {
  if (!args[0].is(Kind::Cidr)) return no_overload("containsCIDR", args);
  auto other = args[1].is(Kind::String) ? to_cidr(args.subspan(1)) : args[1];
  if (other.is_error()) return other;
  if (!other.is(Kind::Cidr)) return Value::no_overload();
  return Value::boolean(args[0].cidr().prefix_bits <= other.cidr().prefix_bits &&
                        args[0].cidr().contains(other.ip()));
}

Value prefix_length(Args args) {
  if (!args[0].is(Kind::Cidr)) return no_overload("prefixLength", args);
  return Value::integer(args[0].cidr().prefix_bits);
}

Value masked(Args args) {
  if (!args[0].is(Kind::Cidr)) return no_overload("masked", args);
  return Value::cidr({args[0].cidr().network(), args[0].cidr().prefix_bits});
}

Value to_url(Args args) {
  if (!args[0].is(Kind::String)) return no_overload("url", args);
  const auto text = args[0].text();
  auto found = kube::parse_request_url(text);
  if (!found) {
    return Value::error(fmt::format("URL parse error during conversion from string: parse {}: {}",
                                    kube::go_quoted(text), found.error().message));
  }
  return Value::url({.scheme = found->scheme,
                     .host = std::string{found->host},
                     .path = std::string{found->path},
                     .query = std::string{found->query},
                     .text = std::string{text}});
}

Value is_url(Args args) {
  if (!args[0].is(Kind::String)) return no_overload("isURL", args);
  return Value::boolean(kube::parse_request_url(args[0].text()).has_value());
}

Value get_scheme(Args args) {
  if (!args[0].is(Kind::Url)) return no_overload("getScheme", args);
  return Value::string(args[0].url().scheme);
}
Value get_host(Args args) {
  if (!args[0].is(Kind::Url)) return no_overload("getHost", args);
  return Value::string(args[0].url().host);
}

struct HostPort {
  std::string_view name;
  std::string_view port;
};

HostPort host_port(std::string_view host) {
  const auto bracket = host.starts_with('[') ? host.find(']') : host.npos;
  const auto colon = host.find(':', bracket == host.npos ? 0 : bracket);
  HostPort out{host.substr(0, colon), {}};
  if (colon != host.npos) out.port = host.substr(colon + 1);
  if (bracket != host.npos) out.name = host.substr(1, bracket - 1);
  return out;
}

Value get_hostname(Args args) {
  if (!args[0].is(Kind::Url)) return no_overload("getHostname", args);
  return Value::string(std::string{host_port(args[0].url().host).name});
}
Value get_port(Args args) {
  if (!args[0].is(Kind::Url)) return no_overload("getPort", args);
  return Value::string(std::string{host_port(args[0].url().host).port});
}
Value get_escaped_path(Args args) {
  if (!args[0].is(Kind::Url)) return no_overload("getEscapedPath", args);
  return Value::string(kube::escaped_path(args[0].url().path));
}

// Pairs that are not well escaped are left out, as Go leaves them out.
Value get_query(Args args) {
  if (!args[0].is(Kind::Url)) return no_overload("getQuery", args);
  std::vector<std::pair<std::string, Value::List>> all;
  for (auto& [key, value] : kube::query_pairs(args[0].url().query)) {
    const auto same = [&](const auto& each) { return each.first == key; };
    auto found = std::ranges::find_if(all, same);
    if (found == all.end()) found = all.insert(all.end(), {key, {}});
    found->second.push_back(Value::string(value));
  }
  Map out;
  for (auto& [key, values] : all) out.insert(Value::string(key), Value::list(std::move(values)));
  return Value::map(std::move(out));
}

constexpr std::array<Native, 23> kNetFunctions{
    {{"ip", to_ip},
     {"isIP", is_ip},
     {"ip.isCanonical", is_canonical},
     {"family", family},
     {"isUnspecified", ip_property<kUnspecified>},
     {"isLoopback", ip_property<kLoopback>},
     {"isLinkLocalUnicast", ip_property<kLinkLocal>},
     {"isLinkLocalMulticast", ip_property<kLinkLocalMulticast>},
     {"isGlobalUnicast", ip_property<global_unicast>},
     {"cidr", to_cidr},
     {"isCIDR", is_cidr},
     {"containsIP", contains_ip},
     {"containsCIDR", contains_cidr},
     {"prefixLength", prefix_length},
     {"masked", masked},
     {"url", to_url},
     {"isURL", is_url},
     {"getScheme", get_scheme},
     {"getHost", get_host},
     {"getHostname", get_hostname},
     {"getPort", get_port},
     {"getEscapedPath", get_escaped_path},
     {"getQuery", get_query}}
};

}  // namespace

std::span<const Native> net_functions() {
  return kNetFunctions;
}

}  // namespace fixpoint::cel
