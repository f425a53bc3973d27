// SPDX-License-Identifier: Apache-2.0
#include "client/config/kubeconfig.h"

#include "base/base64.h"
#include "client/config/files.h"
#include "client/config/proxy.h"
#include "json/strings.h"
#include "json/yaml/yaml.h"

#include <filesystem>
#include <map>

#include <fmt/format.h>

namespace fixpoint::client {
namespace {

// One named entry and the file it stands in.
struct Entry {
  json::Value value;
  std::string path;

  std::string at(std::string_view field) const { return fmt::format("{}: {}", path, field); }
};
using Entries = std::map<std::string, Entry, std::less<>>;

struct Merged {
  Entries clusters;
  Entries users;
  Entries contexts;
  std::string current;
  std::string paths;  // for messages
};

void take(json::View list, std::string_view inner, const std::string& path, Entries& into) {
  for (const json::View item : list.elements()) {
    const std::string name{item.get("name").as_string()};
    into.try_emplace(name, Entry{.value = json::Value{item.get(inner)}, .path = path});
  }
}

Result<void> merge_file(const std::string& path, MissingFiles missing, Merged& into) {
  auto text = read_small_file(path);
  if (!text && missing == MissingFiles::Skip && text.error().kind == ErrorKind::NotFound) return {};
  if (!text) return fail_in("kubeconfig", std::move(text).error());
  auto parsed = json::parse_yaml(*text, json::Duplicates::KeepLast);
  // The parser's words may quote a line, and a line may hold a secret.
  if (!parsed || !(parsed->is_object() || parsed->is_null())) {
    return fail(ErrorKind::Invalid, "kubeconfig " + path + " is no valid YAML of a kubeconfig");
  }
  take(parsed->get("clusters"), "cluster", path, into.clusters);
  take(parsed->get("users"), "user", path, into.users);
  take(parsed->get("contexts"), "context", path, into.contexts);
  if (into.current.empty()) into.current = parsed->get("current-context").as_string();
  into.paths += (into.paths.empty() ? "" : ", ") + path;
  return {};
}

std::string beside(const std::string& file, std::string_view path) {
  const std::filesystem::path given{path};
  if (given.is_absolute()) return given.string();
  return (std::filesystem::path{file}.parent_path() / given).lexically_normal().string();
}

std::string field(const Entry& entry, std::string_view name) {
  return std::string{entry.value.get(name).as_string()};
}

// The pair of `name` (a path) and `name`-data (base64).
Result<Material> material(const Entry& entry, std::string_view name, std::string_view where) {
  Material out;
  if (const auto path = field(entry, name); !path.empty()) out.file = beside(entry.path, path);
  const auto data_name = std::string{name} + "-data";
  const auto data = field(entry, data_name);
  if (data.empty()) return out;
  auto text = base64_decode(data);
  if (!text) {
    return fail(ErrorKind::Invalid, entry.at(fmt::format("{}.{} is no base64", where, data_name)));
  }
  out.text = *std::move(text);
  return out;
}

Result<void> read_cluster(const Entry& entry, const std::string& where, Config& config) {
  const auto url = field(entry, "server");
  if (url.empty()) {
    return fail(ErrorKind::Invalid, entry.at(where + ".server is missing; it is the server's URL"));
  }
  FP_TRY_VOID(read_server_url(url, entry.at(where + ".server"), config));
  config.server.server_name = field(entry, "tls-server-name");
  config.insecure_skip_verify = entry.value.get("insecure-skip-tls-verify").as_bool();
  FP_TRY(authority, material(entry, "certificate-authority", where));
  if (config.insecure_skip_verify && !authority.empty()) {
    return fail(ErrorKind::Invalid,
                entry.at(where + ": certificate-authority and insecure-skip-tls-verify exclude "
                                 "each other; remove one"));
  }
  config.certificate_authority = std::move(authority);
  if (const auto proxy = field(entry, "proxy-url"); !proxy.empty()) {
    FP_TRY(read, read_proxy_url(proxy, entry.at(where + ".proxy-url")));
    config.server.proxy = std::move(read);
  }
  return {};
}

Result<InteractiveMode> interactive_mode(const Entry& entry, json::View exec,
                                         const std::string& where) {
  const auto mode = exec.get("interactiveMode").as_string();
  if (mode == "Never") return InteractiveMode::Never;
  if (mode == "Always") return InteractiveMode::Always;
  if (mode == "IfAvailable") return InteractiveMode::IfAvailable;
  // v1 asks for it, v1beta1 has this default.
  if (mode.empty() && exec.get("apiVersion").as_string().ends_with("/v1beta1")) {
    return InteractiveMode::IfAvailable;
  }
  return fail(ErrorKind::Invalid,
              entry.at(where + ".exec.interactiveMode must be Never, IfAvailable or Always"));
}

Result<ExecPlugin> read_exec(const Entry& entry, const std::string& where) {
  const auto exec = entry.value.get("exec");
  ExecPlugin plugin;
  plugin.api_version = exec.get("apiVersion").as_string();
  if (plugin.api_version != "client.authentication.k8s.io/v1" &&
      plugin.api_version != "client.authentication.k8s.io/v1beta1") {
    return fail(ErrorKind::Invalid,
                entry.at(fmt::format("{}.exec.apiVersion is \"{}\"; supported are "
                                     "client.authentication.k8s.io/v1 and v1beta1",
                                     where, plugin.api_version)));
  }
  const auto command = exec.get("command").as_string();
  if (command.empty()) {
    return fail(ErrorKind::Invalid, entry.at(where + ".exec.command is missing"));
  }
  plugin.command = command.contains('/') ? beside(entry.path, command) : std::string{command};
  plugin.arguments = json::strings_of(exec.get("args"));
  for (const json::View variable : exec.get("env").elements()) {
    plugin.environment.emplace_back(variable.get("name").as_string(),
                                    variable.get("value").as_string());
  }
  plugin.install_hint = exec.get("installHint").as_string();
  plugin.provide_cluster_info = exec.get("provideClusterInfo").as_bool();
  FP_TRY(mode, interactive_mode(entry, exec, where));
  plugin.interactive_mode = mode;
  return plugin;
}

void read_impersonation(const Entry& entry, Config& config) {
  const auto user = field(entry, "as");
  if (user.empty()) return;
  config.impersonation.add("impersonate-user", user);
  if (const auto uid = field(entry, "as-uid"); !uid.empty()) {
    config.impersonation.add("impersonate-uid", uid);
  }
  for (const auto& group : json::strings_of(entry.value.get("as-groups"))) {
    config.impersonation.add("impersonate-group", group);
  }
  for (const auto [key, values] : entry.value.get("as-user-extra").members()) {
    for (const auto& value : json::strings_of(values)) {
      config.impersonation.add("impersonate-extra-" + std::string{key}, value);
    }
  }
}

Result<void> read_user(const Entry& entry, const std::string& where, Config& config) {
  FP_TRY(certificate, material(entry, "client-certificate", where));
  FP_TRY(key, material(entry, "client-key", where));
  if (certificate.empty() != key.empty()) {
    return fail(ErrorKind::Invalid,
                entry.at(where + ": client-certificate and client-key belong together; one is "
                                 "missing"));
  }
  config.client_certificate = std::move(certificate);
  config.client_key = std::move(key);
  config.token.text = field(entry, "token");
  // A file wins over text here, since it is the one that is kept fresh.
  if (const auto path = field(entry, "tokenFile"); !path.empty()) {
    config.token = {.text = {}, .file = beside(entry.path, path)};
  }
  config.username = field(entry, "username");
  config.password = field(entry, "password");
  read_impersonation(entry, config);
  if (entry.value.get("exec").is_object()) {
    FP_TRY(plugin, read_exec(entry, where));
    config.exec = std::move(plugin);
  }
  if (entry.value.get("auth-provider").is_object()) {
    return fail(ErrorKind::Invalid,
                entry.at(where + ".auth-provider is no longer part of Kubernetes; use exec"));
  }
  return {};
}

std::string names(const Entries& entries) {
  std::string list;
  for (const auto& [name, entry] : entries) list += (list.empty() ? "" : ", ") + name;
  return list.empty() ? "none" : list;
}

Result<const Entry*> pick(const Entries& entries, std::string_view kind, const std::string& name,
                          const std::string& paths) {
  const auto found = entries.find(name);
  if (found != entries.end()) return &found->second;
  return fail(ErrorKind::NotFound,
              fmt::format("kubeconfig {}: there is no {} \"{}\" (there is: {})", paths, kind, name,
                          names(entries)));
}

Result<Config> config_of(const Merged& merged, const std::string& context) {
  const auto& wanted = context.empty() ? merged.current : context;
  if (wanted.empty()) {
    return fail(ErrorKind::Invalid,
                fmt::format("kubeconfig {}: no current-context is set; set it, or choose one with "
                            "--context (there is: {})",
                            merged.paths, names(merged.contexts)));
  }
  FP_TRY(chosen, pick(merged.contexts, "context", wanted, merged.paths));
  const auto cluster_name = field(*chosen, "cluster");
  const auto user_name = field(*chosen, "user");
  FP_TRY(cluster, pick(merged.clusters, "cluster", cluster_name, merged.paths));
  Config config;
  config.source = fmt::format("context {} of {}", wanted, chosen->path);
  FP_TRY_VOID(read_cluster(*cluster, "clusters." + cluster_name, config));
  if (!user_name.empty()) {
    FP_TRY(user, pick(merged.users, "user", user_name, merged.paths));
    FP_TRY_VOID(read_user(*user, "users." + user_name, config));
  }
  if (auto ns = field(*chosen, "namespace"); !ns.empty()) config.default_namespace = std::move(ns);
  return config;
}

}  // namespace

Result<Config> load_kubeconfig(const std::vector<std::string>& paths, MissingFiles missing,
                               const std::string& context) {
  Merged merged;
  for (const auto& path : paths) FP_TRY_VOID(merge_file(path, missing, merged));
  if (merged.paths.empty()) {
    std::string all;
    for (const auto& path : paths) all += (all.empty() ? "" : ", ") + path;
    return fail(ErrorKind::NotFound, "KUBECONFIG names no file that exists: " + all);
  }
  return config_of(merged, context);
}

}  // namespace fixpoint::client
