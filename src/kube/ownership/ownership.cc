// SPDX-License-Identifier: Apache-2.0
//
// managedFields entries to Owners and back.
#include "kube/ownership/ownership.h"

#include "base/rfc3339.h"
#include "json/print.h"
#include "kube/errors/field_error.h"

#include <algorithm>
#include <chrono>
#include <tuple>

#include <fmt/format.h>

namespace fixpoint::kube {

namespace {

std::string_view operation_name(Operation operation) {
  return operation == Operation::Apply ? "Apply" : "Update";
}

void add_member(std::string& out, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  if (out.size() > 1) out += ',';
  out.append("\"").append(name).append("\":");
  json::print_string(value, out);
}

Result<Operation> parse_operation(std::string_view text) {
  if (text == "Apply") return Operation::Apply;
  if (text == "Update") return Operation::Update;
  return fail(ErrorKind::Invalid, "operation must be `Apply` or `Update`");
}

Result<Owner> decode_owner(json::View entry, std::size_t index, Source source) {
  FP_TRY(operation, parse_operation(entry.get("operation").as_string()));
  Owner owner;
  owner.manager = entry.get("manager").as_string();
  owner.operation = operation;
  owner.api_version = entry.get("apiVersion").as_string();
  owner.subresource = entry.get("subresource").as_string();
  if (owner.api_version.empty()) return fail(ErrorKind::Invalid, "apiVersion must not be empty");
  const std::string_view type = entry.get("fieldsType").as_string();
  if (type.empty())
    return fail(ErrorKind::Invalid,
                fmt::format("missing fieldsType in managed fields entry {}", index));
  if (type != "FieldsV1")
    return fail(ErrorKind::Invalid, fmt::format("invalid fieldsType {} in managed fields entry {}",
                                                kube::shown(type), index));
  if (const std::string_view time = entry.get("time").as_string(); !time.empty()) {
    FP_TRY(at, parse_rfc3339(time));
    owner.time = at;
  }
  FP_TRY(fields, parse_fields_v1(entry.get("fieldsV1")));
  owner.fields = std::move(fields);
  if (source == Source::Stored) owner.stored = entry.get("fieldsV1");
  return owner;
}

bool wire_order(const Owner* a, const Owner* b) {
  const auto rank = [](const Owner* owner) {
    return std::tuple(owner->operation, owner->seconds(), std::string_view(owner->manager),
                      std::string_view(owner->api_version), std::string_view(owner->subresource));
  };
  return rank(a) < rank(b);
}

json::Draft encode_owner(const Owner& owner) {
  json::Draft entry = json::Draft::object();
  entry["apiVersion"] = json::Draft(owner.api_version);
  entry["fieldsType"] = json::Draft("FieldsV1");
  entry["fieldsV1"] =
      json::Draft(owner.stored.is_null() ? to_fields_v1(owner.fields) : owner.stored);
  if (!owner.manager.empty()) entry["manager"] = json::Draft(owner.manager);
  entry["operation"] = json::Draft(operation_name(owner.operation));
  if (!owner.subresource.empty()) entry["subresource"] = json::Draft(owner.subresource);
  if (owner.time) entry["time"] = json::Draft(format_seconds(*owner.time));
  return entry;
}

}  // namespace

std::int64_t Owner::seconds() const {
  if (!time) return 0;
  return std::chrono::floor<std::chrono::seconds>(*time).time_since_epoch().count();
}

std::string Owner::id() const {
  std::string out = "{";
  add_member(out, "manager", manager);
  add_member(out, "operation", operation_name(operation));
  if (!applied()) add_member(out, "apiVersion", api_version);
  add_member(out, "subresource", subresource);
  return out + "}";
}

std::string Owner::shown() const {
  std::string out = kube::shown(manager);
  if (!subresource.empty()) out += " with subresource " + kube::shown(subresource);
  if (!applied()) out += " using " + api_version;
  return out;
}

void Owner::own(FieldSet set) {
  if (set == fields) return;
  fields = std::move(set);
  stored = {};
}

void Owner::gain(FieldSet more) {
  if (more.empty()) return;
  fields = unite(std::move(fields), std::move(more));
  stored = {};
}

void Owner::lose(const FieldSet& taken) {
  if (!overlap(fields, taken)) return;
  fields = subtract(std::move(fields), taken);
  stored = {};
}

Owner* Ownership::find(std::string_view id) {
  const auto at =
      std::ranges::find_if(owners_, [&](const Owner& owner) { return owner.id() == id; });
  return at == owners_.end() ? nullptr : &*at;
}

Owner& Ownership::at(const Owner& identity) {
  const std::string id = identity.id();
  auto at = owners_.begin();
  for (; at != owners_.end(); ++at) {
    const std::string other = at->id();
    if (other == id) return *at;
    if (other > id) break;
  }
  Owner fresh = identity;
  fresh.fields = {};
  fresh.stored = {};
  return *owners_.insert(at, std::move(fresh));
}

void Ownership::erase(std::string_view id) {
  std::erase_if(owners_, [&](const Owner& owner) { return owner.id() == id; });
}

void Ownership::drop_empty() {
  std::erase_if(owners_, [](const Owner& owner) { return owner.fields.empty(); });
}

Result<Ownership> decode_ownership(json::View managed_fields, Source source) {
  Ownership out;
  std::size_t index = 0;
  if (!managed_fields.is_array()) return out;
  for (const json::View entry : managed_fields.elements()) {
    FP_TRY(owner, decode_owner(entry, index++, source));
    out.at(owner) = std::move(owner);
  }
  return out;
}

json::Draft encode_ownership(const Ownership& ownership) {
  if (ownership.empty()) return {};
  std::vector<const Owner*> sorted;
  for (const Owner& owner : ownership.owners()) sorted.push_back(&owner);
  std::ranges::sort(sorted, wire_order);
  json::Draft entries = json::Draft::array();
  for (const Owner* owner : sorted) entries.push_back(encode_owner(*owner));
  return entries;
}

}  // namespace fixpoint::kube
