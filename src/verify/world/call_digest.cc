// SPDX-License-Identifier: Apache-2.0
#include "verify/world/call_digest.h"

#include <bit>
#include <cstdint>
#include <string>

namespace fixpoint::verify::world {
namespace {

template <class Enum>
void add_enum(DigestBuilder& out, Enum value) {
  out.number(static_cast<std::uint64_t>(value));
}

void add_resource(DigestBuilder& out, const client::Resource& resource) {
  out.text(resource.kind.group);
  out.text(resource.kind.version);
  out.text(resource.kind.kind);
  out.text(resource.plural);
}

void add_selector(DigestBuilder& out, const client::Selector& selector) {
  out.text(selector.labels);
  out.text(selector.fields);
}

}  // namespace

Digest digest_of(const client::Call& call) {
  DigestBuilder out;
  add_enum(out, call.verb);
  add_resource(out, call.resource);
  out.text(call.key.ns);
  out.text(call.key.name);
  out.text(call.subresource);
  out.part(digest_of(call.body));
  add_enum(out, call.patch_type);
  out.text(call.field_manager);
  add_enum(out, call.force);
  add_enum(out, call.dry_run);
  add_enum(out, call.field_validation);
  out.version(call.resource_version);
  add_selector(out, call.selector);
  out.text(call.preconditions.uid);
  out.version(call.preconditions.resource_version);
  add_enum(out, call.propagation);
  out.truth(call.grace_seconds.has_value());
  out.number(std::bit_cast<std::uint64_t>(call.grace_seconds.value_or(0)));
  out.text(call.as_user);
  out.number(call.as_groups.size());
  for (const auto& group : call.as_groups) out.text(group);
  out.number(call.query.size());
  for (const auto& [name, value] : call.query) {
    out.text(name);
    out.text(value);
  }
  return out.finish();
}

Digest digest_of(const client::ListCall& call) {
  DigestBuilder out;
  add_resource(out, call.collection.resource);
  out.text(call.collection.ns);
  add_selector(out, call.collection.selector);
  out.truth(call.collection.metadata_only);
  out.number(call.limit);
  out.text(call.continue_token);
  out.version(call.resource_version);
  out.text(call.resource_version_match);
  return out.finish();
}

}  // namespace fixpoint::verify::world
