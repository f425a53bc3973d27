// SPDX-License-Identifier: Apache-2.0
#include "kinds/validation/network/addresses.h"

#include "json/print.h"
#include "kube/meta/names.h"
#include "kube/scalars/ip.h"

#include <fmt/format.h>

namespace fixpoint::kinds {
namespace {

constexpr std::size_t kFamilies = 2;

// The server's internal type has no JSON names.
std::string shown_parent(View parent) {
  if (parent.is_null()) return "null";
  const auto text = [&](std::string_view field) {
    return kube::shown(parent.get(field).as_string());
  };
  return fmt::format(R"({{"Group":{},"Resource":{},"Namespace":{},"Name":{}}})", text("group"),
                     text("resource"), text("namespace"), text("name"));
}

void check_parent(View parent, const FieldPath& path, FieldErrors& errors) {
  if (parent.is_null()) return note_required(path, errors);
  if (const auto group = parent.get("group").as_string(); !group.empty()) {
    kube::note_problems(path.child("group"), group, kube::dns1123_subdomain_problems, errors);
  }
  for (const std::string_view field : {"resource", "name", "namespace"}) {
    const auto value = parent.get(field).as_string();
    if (!value.empty()) {
      for (const auto& problem : kube::name_is_path_segment(value, kube::NamePart::Whole)) {
        note_invalid(path.child(field), value, problem, errors);
      }
    } else if (field != "namespace") {
      note_required(path.child(field), errors);
    }
  }
}

bool is_v6(View block) {
  return block.as_string().find(':') != std::string_view::npos;
}

void check_blocks(View spec, const FieldPath& path, FieldErrors& errors) {
  const View blocks = spec.get("cidrs");
  if (blocks.empty()) return note_required(path, errors, "at least one CIDR required");
  if (blocks.size() > kFamilies) {
    errors.push_back(kube::invalid(path, R"({"CIDRs":)" + json::to_text(blocks) + "}",
                                   "may only hold up to 2 values"));
    return;
  }
  const auto before = errors.size();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto text = blocks[i].as_string();
    kube::note_problems(path.index(i), text, kube::cidr_problems, errors);
    const auto block = kube::parse_cidr(text);
    if (block && block->network() != block->address) {
      note_invalid(path.index(i), text, "must not have bits set beyond the prefix length", errors);
    }
  }
  if (errors.size() == before && blocks.size() == kFamilies &&
      is_v6(blocks[0]) == is_v6(blocks[1])) {
    note_invalid(path, blocks,
                 "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and "
                 "2001:db8::/64",
                 errors);
  }
}

}  // namespace

FieldErrors validate_ip_address(View object) {
  FieldErrors errors;
  const FieldPath metadata{"metadata"};
  for (const std::string_view field : {"generateName", "name"}) {
    const auto name = object.get("metadata", field).as_string();
    if (name.empty()) continue;
    kube::note_problems(metadata.child(field), name, kube::strict_ip_problems, errors);
  }
  const FieldPath spec{"spec"};
  check_parent(object.get("spec", "parentRef"), spec.child("parentRef"), errors);
  return errors;
}

FieldErrors validate_ip_address_update(View object, View old_object) {
  FieldErrors errors;
  const View parent = object.get("spec", "parentRef");
  if (parent == old_object.get("spec", "parentRef")) return errors;
  const FieldPath spec{"spec"};
  errors.push_back(
      kube::invalid(spec.child("parentRef"), shown_parent(parent), std::string{kImmutable}));
  return errors;
}

FieldErrors validate_service_cidr(View object) {
  FieldErrors errors;
  const FieldPath spec{"spec"};
  check_blocks(object.get("spec"), spec.child("cidrs"), errors);
  return errors;
}

FieldErrors validate_service_cidr_update(View object, View old_object) {
  FieldErrors errors;
  const FieldPath spec{"spec"};
  const FieldPath path = spec.child("cidrs");
  const View blocks = object.get("spec", "cidrs");
  const View old_blocks = old_object.get("spec", "cidrs");
  const bool grows = old_blocks.size() == 1 && blocks.size() == kFamilies;
  if (blocks.size() != old_blocks.size() && !grows) {
    note_invalid(path, blocks, kImmutable, errors);
    return errors;
  }
  for (std::size_t i = 0; i < old_blocks.size(); ++i) {
    if (blocks[i] == old_blocks[i]) continue;
    note_invalid(path.index(i), blocks[i].as_string(), kImmutable, errors);
  }
  if (grows) check_blocks(object.get("spec"), path, errors);
  return errors;
}

}  // namespace fixpoint::kinds
