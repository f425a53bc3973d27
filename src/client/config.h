// SPDX-License-Identifier: Apache-2.0
//
// Config: which server, and as whom; found the way every Kubernetes tool finds it.
//
// Precedence: the --kubeconfig flag, KUBECONFIG, in-cluster, the kubeconfig in the home directory.
// What may change on disk while a program runs stays a path here; credentials.h reads it, again
// and again. Messages name the file, the field and the way out, and never a secret.
#pragma once

#include "base/error.h"
#include "client/access.h"
#include "net/http.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fixpoint::client {

// Text that is given, or the file that holds it. Given text wins, as it does for kubectl.
struct Material {
  std::string text;
  std::string file;

  bool empty() const { return text.empty() && file.empty(); }
};

// How often a plugin may ask a person: we never have one.
enum class InteractiveMode : std::uint8_t { Never, IfAvailable, Always };

struct ExecPlugin {
  std::string api_version;  // client.authentication.k8s.io/v1 or v1beta1
  std::string command;      // a path, or a name to be found in PATH
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;
  std::string install_hint;
  bool provide_cluster_info = false;
  InteractiveMode interactive_mode = InteractiveMode::IfAvailable;
};

struct Config {
  std::string source;  // for messages: "context dev of ~/.kube/config"
  ServerAddress server;
  std::string url;  // as it was written
  bool tls = true;
  bool insecure_skip_verify = false;
  Material certificate_authority;  // empty: the machine's own
  Material client_certificate;
  Material client_key;
  Material token;  // a file's is read again
  std::string username;
  std::string password;
  std::optional<ExecPlugin> exec;
  net::Headers impersonation;  // Impersonate-User and the like
  std::string default_namespace = "default";
};

// The process's surroundings, so that tests have others.
struct Surroundings {
  // Nothing when the variable is not set.
  std::function<std::optional<std::string>(const std::string& name)> variable;
  std::string service_account_directory = "/var/run/secrets/kubernetes.io/serviceaccount";

  static Surroundings of_process();
};

struct ConfigChoice {
  std::string kubeconfig;  // the flag; empty: look around
  std::string context;     // empty: the current one
};
Result<Config> load_config(const ConfigChoice& choice, const Surroundings& surroundings);

// "https://host:port/path"; `what` names where it was written, for the message.
Result<void> read_server_url(const std::string& url, std::string_view what, Config& config);

}  // namespace fixpoint::client
