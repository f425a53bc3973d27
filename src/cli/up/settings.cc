// SPDX-License-Identifier: Apache-2.0
#include "cli/up/settings.h"

#include "cli/node_flags.h"
#include "cli/operators.h"
#include "cli/up.h"
#include "kube/scalars/duration.h"
#include "kube/scalars/ip.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace fixpoint::cli {
namespace {

constexpr std::uint16_t kDefaultPort = 6443;

// "127.0.0.1:6443", "localhost:0", "[::1]:6443"; without a port, the one of the fallback.
struct AddressAndPort {
  std::string_view address;
  std::optional<std::string_view> port;
};

AddressAndPort take_apart(std::string_view text) {
  const auto end = text.find(']');
  if (text.starts_with('[') && end != std::string_view::npos) {
    const auto rest = text.substr(end + 1);
    if (rest.empty()) return {.address = text.substr(1, end - 1), .port = std::nullopt};
    if (!rest.starts_with(':')) return {.address = text, .port = std::nullopt};
    return {.address = text.substr(1, end - 1), .port = rest.substr(1)};
  }
  const auto colon = text.rfind(':');
  // More than one colon is an address of the new kind, and all of it.
  if (colon == std::string_view::npos || text.find(':') != colon) {
    return {.address = text, .port = std::nullopt};
  }
  return {.address = text.substr(0, colon), .port = text.substr(colon + 1)};
}

Result<Listen> parse_listen(std::string_view text) {
  const auto bad = [&](std::string_view why) {
    return fail(ErrorKind::Invalid,
                fmt::format("--listen {}: {}, e.g. 127.0.0.1:{}", text, why, kDefaultPort));
  };
  const auto parts = take_apart(text);
  Listen listen{.address = std::string{parts.address}, .port = kDefaultPort};
  if (parts.port) {
    const auto port = parse_port(*parts.port);
    if (!port) return bad(port.error().message);
    listen.port = *port;
  }
  if (listen.address == "localhost") listen.address = "127.0.0.1";
  const auto ip = kube::parse_ip(listen.address, kube::IpSyntax::Strict);
  if (!ip) return bad(fmt::format("\"{}\" is no IP address", listen.address));
  if (!ip->loopback()) {
    return bad(
        "only loopback addresses are served: whoever reaches the port is one token away "
        "from the cluster; forward the port with ssh instead");
  }
  return listen;
}

// "local", "none", or "simulated:500".
Result<cluster::ClusterOptions> parse_nodes(std::string_view nodes, std::string_view ready_after) {
  constexpr std::string_view kSimulated = "simulated:";
  cluster::ClusterOptions options;
  auto delay = kube::parse_duration(ready_after);
  if (!delay || *delay < Duration::zero()) {
    return fail(ErrorKind::Invalid,
                fmt::format("--ready-after {}: a duration like 500ms or 2s", ready_after));
  }
  options.simulation.ready_after = *delay;
  if (nodes == "none" || nodes == kLocalNodes) return options;
  const auto number = nodes.substr(std::min(kSimulated.size(), nodes.size()));
  int& count = options.simulation.nodes;
  const auto end = std::from_chars(number.data(), number.data() + number.size(), count);
  if (!nodes.starts_with(kSimulated) || end.ec != std::errc{} ||
      end.ptr != number.data() + number.size() || count < 0 ||
      count > cluster::nodes::kSimulatedNodesMax) {
    return fail(ErrorKind::Invalid,
                fmt::format("--nodes {}: local, none, or simulated:N with at most {} nodes", nodes,
                            cluster::nodes::kSimulatedNodesMax));
  }
  return options;
}

}  // namespace

Result<UpSettings> up_settings(const Arguments& arguments) {
  UpSettings settings;
  FP_TRY(listen, parse_listen(arguments.value("listen")));
  FP_TRY(cluster, parse_nodes(arguments.value("nodes"), arguments.value("ready-after")));
  FP_TRY(node, node_options(arguments));
  settings.listen = std::move(listen);
  settings.cluster = std::move(cluster);
  settings.node = std::move(node);
  if (arguments.value("operators") != "none") {
    FP_TRY(operators, parts_of(arguments.value("operators")));
    settings.operators = std::move(operators);
  }
  return settings;
}

}  // namespace fixpoint::cli
