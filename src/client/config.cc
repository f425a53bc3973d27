// SPDX-License-Identifier: Apache-2.0
#include "client/config.h"

#include "client/config/in_cluster.h"
#include "client/config/kubeconfig.h"
#include "client/config/proxy.h"
#include "client/config/url.h"

#include <cstdlib>
#include <filesystem>
#include <ranges>

namespace fixpoint::client {
namespace {

std::vector<std::string> split_paths(std::string_view list) {
  std::vector<std::string> paths;
  for (const auto part : std::views::split(list, ':')) {
    if (!part.empty()) paths.emplace_back(part.begin(), part.end());
  }
  return paths;
}

Result<Config> found(const ConfigChoice& choice, const Surroundings& surroundings) {
  if (!choice.kubeconfig.empty()) {
    return load_kubeconfig({choice.kubeconfig}, MissingFiles::Refuse, choice.context);
  }
  const auto listed = surroundings.variable("KUBECONFIG").value_or("");
  if (const auto paths = split_paths(listed); !paths.empty()) {
    return load_kubeconfig(paths, MissingFiles::Skip, choice.context);
  }
  if (inside_cluster(surroundings)) return in_cluster_config(surroundings);
  const auto home = surroundings.variable("HOME").value_or("");
  const auto path = home + "/.kube/config";
  if (!home.empty() && std::filesystem::exists(path)) {
    return load_kubeconfig({path}, MissingFiles::Refuse, choice.context);
  }
  return fail(ErrorKind::NotFound,
              "no Kubernetes server is configured: there is no --kubeconfig, KUBECONFIG is not "
              "set, this is no pod, and " +
                  (home.empty() ? "HOME is not set" : path + " does not exist") +
                  "; pass --kubeconfig FILE");
}

}  // namespace

Surroundings Surroundings::of_process() {
  Surroundings surroundings;
  surroundings.variable = [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
  };
  return surroundings;
}

Result<void> read_server_url(const std::string& url, std::string_view what, Config& config) {
  const auto parsed = parse_url(url);
  if (!parsed || (parsed->scheme != "https" && parsed->scheme != "http")) {
    return fail(ErrorKind::Invalid, std::string{what} + ": \"" + url +
                                        "\" is no address of a server; write https://host:port");
  }
  config.url = url;
  config.tls = parsed->scheme == "https";
  config.server.host = parsed->host;
  config.server.port = parsed->port.value_or(config.tls ? 443 : 80);
  config.server.path = parsed->path;
  while (config.server.path.ends_with('/')) config.server.path.pop_back();
  return {};
}

Result<Config> load_config(const ConfigChoice& choice, const Surroundings& surroundings) {
  FP_TRY(config, found(choice, surroundings));
  if (!config.server.proxy) {
    FP_TRY(proxy, proxy_from(surroundings, config.server, config.tls));
    config.server.proxy = std::move(proxy);
  }
  return std::move(config);
}

}  // namespace fixpoint::client
