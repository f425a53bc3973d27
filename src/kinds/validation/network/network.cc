// SPDX-License-Identifier: Apache-2.0
#include "kinds/validation/network/network.h"

#include "kube/scalars/ip.h"
#include "kube/selectors/label_selector.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

void check_backend(View backend, const FieldPath& path, FieldErrors& errors) {
  const View service = backend.get("service");
  const View resource = backend.get("resource");
  if (!service.is_null() && !resource.is_null()) {
    note_invalid(path, "", "cannot set both resource and service backends", errors);
    return;
  }
  if (!resource.is_null()) {
    const FieldPath here = path.child("resource");
    require_text(resource.get("kind"), here.child("kind"), errors);
    require_text(resource.get("name"), here.child("name"), errors);
    return;
  }
  if (service.is_null()) {
    note_invalid(path, "", "resource or service backend is required", errors);
    return;
  }
  const FieldPath here = path.child("service");
  const auto name = service.get("name").as_string();
  if (name.empty()) {
    note_required(here.child("name"), errors);
  } else {
    kube::note_problems(here.child("name"), name, kube::dns1035_label_problems, errors);
  }
  const View port_name = service.get("port", "name");
  const View number = service.get("port", "number");
  const FieldPath port = here.child("port");
  if (!port_name.as_string().empty() && number.as_int() != 0) {
    note_invalid(path, "", "cannot set both port name & port number", errors);
  } else if (!port_name.as_string().empty()) {
    check_messages(kube::port_name_problems(port_name.as_string()), port_name, port.child("name"),
                   errors);
  } else if (number.as_int() != 0) {
    check_port(number, port.child("number"), errors);
  } else {
    note_required(path, errors, "port name or number is required");
  }
}

void check_exact_path(View value, const FieldPath& path, FieldErrors& errors) {
  const auto text = value.as_string();
  if (!text.starts_with('/')) note_invalid(path, text, "must be an absolute path", errors);
  for (const std::string_view sequence : {"//", "/./", "/../", "%2f", "%2F"}) {
    if (text.find(sequence) != std::string_view::npos) {
      note_invalid(path, text, fmt::format("must not contain '{}'", sequence), errors);
    }
  }
  for (const std::string_view suffix : {"/..", "/."}) {
    if (text.ends_with(suffix)) {
      note_invalid(path, text, fmt::format("cannot end with '{}'", suffix), errors);
    }
  }
}

void check_http_path(View rule, const FieldPath& path, FieldErrors& errors) {
  const View type = rule.get("pathType");
  const View where = rule.get("path");
  if (type.is_null()) {
    note_required(path.child("pathType"), errors, "pathType must be specified");
    return;
  }
  const auto kind = type.as_string();
  if (kind == "Exact" || kind == "Prefix") {
    check_exact_path(where, path.child("path"), errors);
  } else if (kind == "ImplementationSpecific") {
    if (!where.as_string().empty() && !where.as_string().starts_with('/')) {
      note_invalid(path.child("path"), where, "must be an absolute path", errors);
    }
  } else {
    note_unsupported(path.child("pathType"), kind, {"Exact", "ImplementationSpecific", "Prefix"},
                     errors);
  }
  check_backend(rule.get("backend"), path.child("backend"), errors);
}

void check_host(View host, const FieldPath& path, FieldErrors& errors) {
  const auto name = host.as_string();
  if (name.empty()) return;
  if (kube::parse_ip(name, kube::IpSyntax::Legacy)) {
    note_invalid(path, name, "must be a DNS name, not an IP address", errors);
  }
  kube::note_problems(path, name,
                      name.find('*') != std::string_view::npos
                          ? kube::wildcard_dns1123_subdomain_problems
                          : kube::dns1123_subdomain_problems,
                      errors);
}

void check_ingress_rules(View rules, const FieldPath& path, FieldErrors& errors) {
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const FieldPath here = path.index(i);
    check_host(rules[i].get("host"), here.child("host"), errors);
    const View http = rules[i].get("http");
    if (http.is_null()) continue;
    const FieldPath http_path = here.child("http");
    const FieldPath paths = http_path.child("paths");
    if (http.get("paths").empty()) note_required(paths, errors);
    for (std::size_t j = 0; j < http.get("paths").size(); ++j) {
      check_http_path(http.get("paths")[j], paths.index(j), errors);
    }
  }
}

FieldErrors check_ingress(View object) {
  FieldErrors errors;
  const View spec = object.get("spec");
  const FieldPath path{"spec"};
  const View backend = spec.get("defaultBackend");
  if (spec.get("rules").empty() && backend.is_null()) {
    note_invalid(path, spec.get("rules"), "either `defaultBackend` or `rules` must be specified",
                 errors);
  }
  if (!backend.is_null()) check_backend(backend, path.child("defaultBackend"), errors);
  check_ingress_rules(spec.get("rules"), path.child("rules"), errors);
  const FieldPath tls_path = path.child("tls");
  const View tls = spec.get("tls");
  for (std::size_t i = 0; i < tls.size(); ++i) {
    const FieldPath here = tls_path.index(i);
    const FieldPath hosts_path = here.child("hosts");
    for (std::size_t j = 0; j < tls[i].get("hosts").size(); ++j) {
      check_host(tls[i].get("hosts")[j], hosts_path.index(j), errors);
    }
    if (const auto secret = tls[i].get("secretName").as_string(); !secret.empty()) {
      kube::note_problems(here.child("secretName"), secret, kube::dns1123_subdomain_problems,
                          errors);
    }
  }
  if (const View name = spec.get("ingressClassName"); !name.is_null()) {
    kube::note_problems(path.child("ingressClassName"), name.as_string(),
                        kube::dns1123_subdomain_problems, errors);
  }
  return errors;
}

FieldErrors check_ingress_class(View object) {
  FieldErrors errors;
  const View spec = object.get("spec");
  const FieldPath path{"spec"};
  const View controller = spec.get("controller");
  constexpr std::size_t kControllerBytesMax = 250;
  if (controller.as_string().size() > kControllerBytesMax) {
    errors.push_back(kube::too_long(path.child("controller"), kControllerBytesMax));
  }
  if (controller.as_string().empty()) {
    note_required(path.child("controller"), errors);
  } else {
    check_domain_prefixed(controller, path.child("controller"), errors);
  }
  const View parameters = spec.get("parameters");
  if (parameters.is_null()) return errors;
  const FieldPath here = path.child("parameters");
  require_text(parameters.get("kind"), here.child("kind"), errors);
  require_text(parameters.get("name"), here.child("name"), errors);
  check_one_of(parameters.get("scope"), here.child("scope"), {"Cluster", "Namespace"}, errors);
  const View ns = parameters.get("namespace");
  if (parameters.get("scope").as_string() == "Namespace" && ns.as_string().empty()) {
    note_required(here.child("namespace"), errors, "`parameters.scope` is set to 'Namespace'");
  }
  if (parameters.get("scope").as_string() == "Cluster" && !ns.as_string().empty()) {
    note_forbidden(here.child("namespace"), "`parameters.scope` is set to 'Cluster'", errors);
  }
  return errors;
}

void check_policy_port(View port, const FieldPath& path, FieldErrors& errors) {
  check_optional_one_of(port.get("protocol"), path.child("protocol"), {"TCP", "UDP", "SCTP"},
                        errors);
  const View number = port.get("port");
  const View end = port.get("endPort");
  const FieldPath end_path = path.child("endPort");
  if (number.is_null()) {
    if (!end.is_null()) {
      note_invalid(end_path, end, "may not be specified when `port` is not specified", errors);
    }
    return;
  }
  if (number.is_int() && !end.is_null()) {
    check_port(number, path.child("port"), errors);
    if (end.as_int() < number.as_int()) {
      note_invalid(end_path, number, "must be greater than or equal to `port`", errors);
    }
    check_messages(kube::port_number_problems(end.as_int()), end, end_path, errors);
    return;
  }
  if (!end.is_null()) {
    note_invalid(end_path, end, "may not be specified when `port` is non-numeric", errors);
  }
  check_port_or_name(number, path.child("port"), errors);
}

void check_ip_block(View block, const FieldPath& path, FieldErrors& errors) {
  const View cidr = block.get("cidr");
  if (cidr.as_string().empty()) {
    note_required(path.child("cidr"), errors);
    return;
  }
  kube::note_problems(path.child("cidr"), cidr.as_string(), kube::cidr_problems, errors);
  const auto outer = kube::parse_cidr(cidr.as_string());
  if (!outer) return;
  const FieldPath except_path = path.child("except");
  const View except = block.get("except");
  for (std::size_t i = 0; i < except.size(); ++i) {
    const auto inner = kube::parse_cidr(except[i].as_string());
    kube::note_problems(except_path.index(i), except[i].as_string(), kube::cidr_problems, errors);
    if (!inner) continue;
    if (!outer->contains(inner->address) || inner->prefix_bits <= outer->prefix_bits) {
      note_invalid(except_path.index(i), except[i], "must be a strict subset of `cidr`", errors);
    }
  }
}

void check_peer(View peer, const FieldPath& path, FieldErrors& errors) {
  int kinds = 0;
  for (const std::string_view selector : {"podSelector", "namespaceSelector"}) {
    if (peer.get(selector).is_null()) continue;
    ++kinds;
    kube::append(errors, kube::validate_label_selector(peer.get(selector), path.child(selector)));
  }
  const bool block = !peer.get("ipBlock").is_null();
  if (block) check_ip_block(peer.get("ipBlock"), path.child("ipBlock"), errors);
  if (kinds == 0 && !block) note_required(path, errors, "must specify a peer");
  if (kinds > 0 && block) {
    note_forbidden(path, "may not specify both ipBlock and another peer", errors);
  }
}

void check_policy_rules(View rules, std::string_view peers, const FieldPath& path,
                        FieldErrors& errors) {
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const FieldPath here = path.index(i);
    const FieldPath ports_path = here.child("ports");
    for (std::size_t j = 0; j < rules[i].get("ports").size(); ++j) {
      check_policy_port(rules[i].get("ports")[j], ports_path.index(j), errors);
    }
    const FieldPath peers_path = here.child(peers);
    for (std::size_t j = 0; j < rules[i].get(peers).size(); ++j) {
      check_peer(rules[i].get(peers)[j], peers_path.index(j), errors);
    }
  }
}

}  // namespace

FieldErrors validate_ingress(View object) {
  constexpr std::string_view kClass = "kubernetes.io/ingress.class";
  FieldErrors errors = check_ingress(object);
  const View annotated = object.get("metadata", "annotations", kClass);
  const View named = object.get("spec", "ingressClassName");
  if (!annotated.is_null() && !named.is_null() && !(annotated == named)) {
    const FieldPath annotations{"annotations"};
    note_invalid(annotations.child(kClass), annotated,
                 "must match `ingressClassName` when both are specified", errors);
  }
  return errors;
}

FieldErrors validate_ingress_update(View object, View) {
  return check_ingress(object);
}

FieldErrors validate_ingress_class(View object) {
  return check_ingress_class(object);
}

FieldErrors validate_ingress_class_update(View object, View old_object) {
  FieldErrors errors;
  const FieldPath path{"spec"};
  const auto controller = object.get("spec", "controller").as_string();
  if (controller != old_object.get("spec", "controller").as_string()) {
    note_invalid(path.child("controller"), controller, kImmutable, errors);
  }
  kube::append(errors, check_ingress_class(object));
  return errors;
}

FieldErrors validate_network_policy(View object) {
  FieldErrors errors;
  const View spec = object.get("spec");
  const FieldPath path{"spec"};
  kube::append(errors,
               kube::validate_label_selector(spec.get("podSelector"), path.child("podSelector")));
  check_policy_rules(spec.get("ingress"), "from", path.child("ingress"), errors);
  check_policy_rules(spec.get("egress"), "to", path.child("egress"), errors);
  const View types = spec.get("policyTypes");
  const FieldPath types_path = path.child("policyTypes");
  if (types.size() > 2) {
    note_invalid(types_path, types, "may not specify more than two policyTypes", errors);
    return errors;
  }
  for (std::size_t i = 0; i < types.size(); ++i) {
    check_one_of(types[i], types_path.index(i), {"Ingress", "Egress"}, errors);
  }
  return errors;
}

FieldErrors validate_network_policy_update(View object, View) {
  return validate_network_policy(object);
}

}  // namespace fixpoint::kinds
