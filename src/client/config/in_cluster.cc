// SPDX-License-Identifier: Apache-2.0
#include "client/config/in_cluster.h"

#include "client/config/files.h"

#include <charconv>
#include <filesystem>

namespace fixpoint::client {

bool inside_cluster(const Surroundings& surroundings) {
  return !surroundings.variable("KUBERNETES_SERVICE_HOST").value_or("").empty() &&
         !surroundings.variable("KUBERNETES_SERVICE_PORT").value_or("").empty() &&
         std::filesystem::exists(surroundings.service_account_directory + "/token");
}

Result<Config> in_cluster_config(const Surroundings& surroundings) {
  const auto& directory = surroundings.service_account_directory;
  const auto port = surroundings.variable("KUBERNETES_SERVICE_PORT").value_or("");
  Config config;
  config.source = "the service account of this pod";
  config.server.host = surroundings.variable("KUBERNETES_SERVICE_HOST").value_or("");
  const auto* end = port.data() + port.size();
  const auto read = std::from_chars(port.data(), end, config.server.port);
  if (read.ec != std::errc{} || read.ptr != end) {
    return fail(ErrorKind::Invalid,
                "the environment variable KUBERNETES_SERVICE_PORT is no port: \"" + port + "\"");
  }
  config.url = "https://" + config.server.host + ":" + port;
  config.token.file = directory + "/token";
  const auto authority = directory + "/ca.crt";
  // Some clusters serve with a certificate of a public authority and mount none.
  if (std::filesystem::exists(authority)) config.certificate_authority.file = authority;
  if (auto name = read_small_file(directory + "/namespace"); name && !name->empty()) {
    config.default_namespace = trimmed_line(*name);
  }
  return config;
}

}  // namespace fixpoint::client
