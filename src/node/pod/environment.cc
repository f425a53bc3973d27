// SPDX-License-Identifier: Apache-2.0
#include "node/pod/environment.h"

#include "base/base64.h"
#include "kube/meta/metadata.h"
#include "node/pod/downward.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include <fmt/format.h>

namespace fixpoint::node {
namespace {

std::string variable_name(std::string_view name) {
  std::string out{name};
  std::ranges::transform(out, out.begin(), [](unsigned char c) {
    return c == '-' ? '_' : static_cast<char>(std::toupper(c));
  });
  return out;
}

std::string lower(std::string_view text) {
  std::string out{text};
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

Result<std::string> decoded(json::View value) {
  return base64_decode(value.as_string());
}

enum class From : std::uint8_t { ConfigMap, Secret };

std::string_view word(From from) {
  return from == From::ConfigMap ? "configmap" : "secret";
}

class Builder {
 public:
  Builder(json::View pod, json::View container, const Sources& sources, const Place& place)
      : pod_(pod), container_(container), sources_(sources), place_(place) {}

  Result<Environment> run() {
    Environment services = service_variables();
    for (const json::View from : container_.get("envFrom").elements()) {
      FP_TRY_VOID(take_all(from.get("configMapRef"), from.get("prefix"), From::ConfigMap));
      FP_TRY_VOID(take_all(from.get("secretRef"), from.get("prefix"), From::Secret));
    }
    for (const json::View variable : container_.get("env").elements()) {
      const std::string name{variable.get("name").as_string()};
      if (const auto text = variable.get("value").as_string(); !text.empty()) {
        Environment known = own_;
        known.insert(services.begin(), services.end());
        own_[name] = expand(text, known);
        continue;
      }
      FP_TRY(value, from_source(variable.get("valueFrom")));
      if (value) own_[name] = *std::move(value);
    }
    own_.merge(services);
    return std::move(own_);
  }

 private:
  Environment service_variables() const {
    Environment out;
    const auto own = kube::namespace_of(pod_);
    const auto add = [&](json::View service) { add_service_variables(service, out); };
    // The API server's is in every pod, whatever its namespace.
    sources_.each_service("default", [&](json::View service) {
      if (kube::name_of(service) == "kubernetes") add(service);
    });
    if (pod_.get("spec", "enableServiceLinks").as_bool(true)) sources_.each_service(own, add);
    return out;
  }

  json::View find(From from, std::string_view name) const {
    const kube::Key key{std::string{kube::namespace_of(pod_)}, std::string{name}};
    return from == From::ConfigMap ? sources_.config_map(key) : sources_.secret(key);
  }

  static std::unexpected<Error> missing(From from, std::string_view name) {
    return fail(ErrorKind::NotFound, fmt::format("{} \"{}\" not found", word(from), name));
  }

  Result<void> take_all(json::View reference, json::View prefix, From from) {
    if (reference.is_null()) return {};
    const auto name = reference.get("name").as_string();
    const json::View source = find(from, name);
    if (source.is_null()) {
      if (reference.get("optional").as_bool()) return {};
      return missing(from, name);
    }
    for (const auto [key, value] : source.get("data").members()) {
      std::string text{value.as_string()};
      if (from == From::Secret) {
        FP_TRY(plain, decoded(value));
        text = std::move(plain);
      }
      own_[std::string{prefix.as_string()} + std::string{key}] = std::move(text);
    }
    return {};
  }

  // Nothing: what it refers to is optional and not there.
  Result<std::optional<std::string>> from_source(json::View source) const {
    if (const json::View field = source.get("fieldRef"); !field.is_null()) {
      FP_TRY(value, field_value(field, pod_, place_));
      return value;
    }
    if (const json::View resource = source.get("resourceFieldRef"); !resource.is_null()) {
      FP_TRY(value, resource_value(resource, pod_, container_, place_));
      return value;
    }
    if (const json::View reference = source.get("configMapKeyRef"); !reference.is_null()) {
      return key_of(reference, From::ConfigMap);
    }
    if (const json::View reference = source.get("secretKeyRef"); !reference.is_null()) {
      return key_of(reference, From::Secret);
    }
    return std::string{};
  }

  Result<std::optional<std::string>> key_of(json::View reference, From from) const {
    const auto name = reference.get("name").as_string();
    const auto key = reference.get("key").as_string();
    const bool optional = reference.get("optional").as_bool();
    const json::View source = find(from, name);
    if (source.is_null()) {
      if (optional) return std::nullopt;
      return missing(from, name);
    }
    const auto value = source.get("data").find(key);
    if (!value) {
      if (optional) return std::nullopt;
      return fail(ErrorKind::NotFound, fmt::format("couldn't find key {} in {} {}/{}", key,
                                                   from == From::ConfigMap ? "ConfigMap" : "Secret",
                                                   kube::namespace_of(pod_), name));
    }
    if (from == From::ConfigMap) return std::string{value->as_string()};
    FP_TRY(plain, decoded(*value));
    return plain;
  }

  json::View pod_;
  json::View container_;
  const Sources& sources_;
  const Place& place_;
  Environment own_;
};

}  // namespace

std::string expand(std::string_view text, const Environment& environment) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '$' || at + 1 == text.size()) {
      out += text[at];
      continue;
    }
    if (text[at + 1] == '$') {
      out += text[++at];
      continue;
    }
    const auto close = text[at + 1] == '(' ? text.find(')', at) : std::string_view::npos;
    if (close == std::string_view::npos) {
      out += text[at];
      continue;
    }
    const std::string name{text.substr(at + 2, close - at - 2)};
    const auto found = environment.find(name);
    out += found == environment.end() ? "$(" + name + ")" : found->second;
    at = close;
  }
  return out;
}

void add_service_variables(json::View service, Environment& out) {
  const auto ip = service.get("spec", "clusterIP").as_string();
  const json::View ports = service.get("spec", "ports");
  if (ip.empty() || ip == "None" || ports.empty()) return;
  const std::string host =
      ip.find(':') == std::string_view::npos ? std::string{ip} : fmt::format("[{}]", ip);
  const std::string prefix = variable_name(kube::name_of(service));
  out[prefix + "_SERVICE_HOST"] = ip;
  out[prefix + "_SERVICE_PORT"] = std::to_string(ports[0].get("port").as_int());
  for (const json::View port : ports.elements()) {
    const auto number = std::to_string(port.get("port").as_int());
    const std::string_view protocol = port.get("protocol").as_string("TCP");
    if (const auto name = port.get("name").as_string(); !name.empty()) {
      out[prefix + "_SERVICE_PORT_" + variable_name(name)] = number;
    }
    const std::string url = fmt::format("{}://{}:{}", lower(protocol), host, number);
    if (port.same_as(ports[0])) out[prefix + "_PORT"] = url;
    const std::string one = fmt::format("{}_PORT_{}_{}", prefix, number, variable_name(protocol));
    out[one] = url;
    out[one + "_PROTO"] = lower(protocol);
    out[one + "_PORT"] = number;
    out[one + "_ADDR"] = ip;
  }
}

Result<Environment> environment_of(json::View pod, json::View container, const Sources& sources,
                                   const Place& place) {
  return Builder(pod, container, sources, place).run();
}

CommandLine command_line_of(json::View container, const Environment& environment) {
  CommandLine line;
  for (const json::View word : container.get("command").elements()) {
    line.command.push_back(expand(word.as_string(), environment));
  }
  for (const json::View word : container.get("args").elements()) {
    line.args.push_back(expand(word.as_string(), environment));
  }
  return line;
}

}  // namespace fixpoint::node
