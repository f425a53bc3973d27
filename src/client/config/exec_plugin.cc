// SPDX-License-Identifier: Apache-2.0
#include "client/config/exec_plugin.h"

#include "base/base64.h"
#include "base/rfc3339.h"
#include "client/config/child.h"
#include "client/config/files.h"
#include "json/draft.h"
#include "json/parsing/parse.h"
#include "json/print.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::client {
namespace {

// The end of what a failed plugin wrote to its standard error.
constexpr std::size_t kShownErrorBytesMax = 1000;

std::string exec_info(const PluginRun& run) {
  auto spec = json::Draft::object({
      {"interactive", false}
  });
  if (!run.cluster_info.empty()) {
    if (auto cluster = json::parse(run.cluster_info)) spec["cluster"] = *std::move(cluster);
  }
  const auto info = json::Draft::object({
                                            {"apiVersion", run.plugin.api_version},
                                            {"kind",       "ExecCredential"      },
                                            {"spec",       std::move(spec)       }
  })
                        .freeze();
  return json::to_text(info);
}

std::string hinted(const ExecPlugin& plugin, std::string message) {
  if (!plugin.install_hint.empty()) message += "; " + plugin.install_hint;
  return message;
}

}  // namespace

PluginRun plugin_run(const Config& config, const std::string& certificate_authority_pem) {
  PluginRun run{.plugin = *config.exec, .cluster_info = {}};
  if (!run.plugin.provide_cluster_info) return run;
  auto cluster = json::Draft::object({
      {"server", config.url}
  });
  if (!config.server.server_name.empty()) cluster["tls-server-name"] = config.server.server_name;
  if (config.insecure_skip_verify) cluster["insecure-skip-tls-verify"] = true;
  if (!certificate_authority_pem.empty()) {
    cluster["certificate-authority-data"] = base64_encode(certificate_authority_pem);
  }
  cluster["config"] = json::Draft{};
  const auto frozen = cluster.freeze();
  run.cluster_info = json::to_text(frozen);
  return run;
}

Result<PluginCredential> read_exec_credential(const ExecPlugin& plugin, std::string_view text) {
  const auto wrong = [&](std::string_view why) {
    return fail(ErrorKind::Invalid,
                fmt::format("the credential plugin {} {}", plugin.command, why));
  };
  // The parser's message would quote what may be a secret.
  const auto parsed = json::parse(text);
  if (!parsed) return wrong("printed no JSON");
  if (parsed->get("kind").as_string() != "ExecCredential")
    return wrong("printed no ExecCredential");
  if (parsed->get("apiVersion").as_string() != plugin.api_version) {
    return wrong(fmt::format("answered in version \"{}\" when asked in \"{}\"",
                             parsed->get("apiVersion").as_string(), plugin.api_version));
  }
  const auto status = parsed->get("status");
  PluginCredential credential;
  credential.token = status.get("token").as_string();
  credential.certificate_pem = status.get("clientCertificateData").as_string();
  credential.private_key_pem = status.get("clientKeyData").as_string();
  if (credential.certificate_pem.empty() != credential.private_key_pem.empty()) {
    return wrong("gave a certificate without its key, or a key without its certificate");
  }
  if (credential.token.empty() && credential.certificate_pem.empty()) {
    return wrong("gave neither a token nor a certificate");
  }
  if (const auto until = status.get("expirationTimestamp"); until.is_string()) {
    auto expires = parse_rfc3339(until.as_string());
    if (!expires) return wrong("gave an expirationTimestamp that is no time");
    credential.expires = *expires;
  }
  return credential;
}

Result<PluginCredential> run_plugin(const PluginRun& run) {
  const auto& plugin = run.plugin;
  if (plugin.interactive_mode == InteractiveMode::Always) {
    return fail(ErrorKind::Invalid, "the credential plugin " + plugin.command +
                                        " needs a terminal (interactiveMode: Always), and there "
                                        "is none; use another way to log in");
  }
  ChildRun child{.command = plugin.command,
                 .arguments = plugin.arguments,
                 .environment = plugin.environment,
                 .deadline = run.deadline};
  child.environment.emplace_back("KUBERNETES_EXEC_INFO", exec_info(run));
  auto end = run_child(child);
  if (!end) {
    if (end.error().kind != ErrorKind::NotFound) return std::unexpected(std::move(end).error());
    return fail(ErrorKind::Invalid,
                hinted(plugin, "the credential plugin " + plugin.command + " is not installed"));
  }
  if (end->code != 0) {
    const auto from = end->errors.size() - std::min(end->errors.size(), kShownErrorBytesMax);
    return fail(ErrorKind::Unavailable,
                hinted(plugin, fmt::format("the credential plugin {} failed with code {}: {}",
                                           plugin.command, end->code,
                                           trimmed_line(end->errors.substr(from)))));
  }
  return read_exec_credential(plugin, end->output);
}

}  // namespace fixpoint::client
