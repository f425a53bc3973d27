// SPDX-License-Identifier: Apache-2.0
#include "cli/operators.h"

#include "cli/build_info.h"
#include "cli/program.h"
#include "runtime/registry.h"
#include "types/kind.h"

#include <array>
#include <cstdlib>

#include <fmt/format.h>
#include <unistd.h>

namespace fixpoint::cli {
namespace {

// `up` ends within a second or so: passes against a server in the same process are short.
constexpr Duration kLocalDrain = std::chrono::milliseconds(500);

std::string host_name() {
  if (const char* pod = std::getenv("POD_NAME"); pod != nullptr && *pod != '\0') return pod;
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

client::Call definition_call(const types::Kind& kind, client::Verb verb) {
  client::Call call;
  call.verb = verb;
  call.resource = {
      .kind = {"apiextensions.k8s.io", "v1", "CustomResourceDefinition"},
      .plural = "customresourcedefinitions",
      .scope = client::Scope::Cluster
  };
  if (verb != client::Verb::Create) call.key.name = kind.crd_name();
  call.body = types::crd(kind);
  call.field_manager = "fixpoint-up";
  return call;
}

}  // namespace

Result<std::vector<runtime::ManagedPart>> parts_of(std::string_view list) {
  auto chosen = runtime::choose(operators(), list);
  if (!chosen) {
    return fail(ErrorKind::Invalid, fmt::format("--operators{}{}: {}", list.empty() ? "" : " ",
                                                list, chosen.error().message));
  }
  std::vector<runtime::ManagedPart> parts;
  for (const auto* entry : *chosen) {
    for (auto& part : entry->make()) {
      parts.push_back({.entry = std::string{entry->name}, .part = std::move(part)});
    }
  }
  return parts;
}

std::string process_identity(Rng& rng) {
  return fmt::format("{}_{}", host_name(), rng.uuid());
}

runtime::LogFormat log_format_of(std::string_view flag) {
  return flag == "json" ? runtime::LogFormat::Json : runtime::LogFormat::Text;
}

LocalOperators::LocalOperators(front::Service& service, const runtime::Log& log,
                               std::string_view list, std::vector<runtime::ManagedPart> parts)
    : client_(service) {
  install_kinds(log, list);
  auto rng = Rng::from_kernel();
  runtime::ManagerOptions options;
  options.identity = process_identity(rng);
  options.version = kBuildInfo.version;
  options.drain = kLocalDrain;
  manager_ = std::make_unique<runtime::Manager>(
      runtime::Manager::Surroundings{service.loop(), client_.client(), metrics_, log},
      std::move(options), std::move(parts), rng);
}

// A cluster of one's own needs no administrator. What is there from an earlier start is brought up
// to date.
void LocalOperators::install_kinds(const runtime::Log& log, std::string_view list) {
  const auto chosen = runtime::choose(operators(), list);
  FP_CHECK(chosen.has_value());  // they were made from the same list
  for (const auto* entry : *chosen) {
    for (const auto* kind : entry->kinds()) {
      const auto said = [&log, name = kind->crd_name()](const client::Reply& reply) {
        if (!reply)
          log.error("cannot install " + name, {
                                                  {"why", reply.error().status.message}
          });
      };
      auto call = definition_call(*kind, client::Verb::Create);
      client_.client().call(std::move(call), [this, kind, said](const client::Reply& reply) {
        if (reply || !reply.error().is("AlreadyExists")) return said(reply);
        client_.client().call(definition_call(*kind, client::Verb::Patch), said);
      });
    }
  }
}

LocalOperators::~LocalOperators() {
  manager_.reset();
}

}  // namespace fixpoint::cli
