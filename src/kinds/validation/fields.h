// SPDX-License-Identifier: Apache-2.0
//
// The small rules that validators of many kinds share: required, enumerated, non-negative, unique,
// a resource's name and amount. Each notes its errors in Kubernetes' words.
#pragma once

#include "json/value.h"
#include "kube/errors/field_error.h"
#include "kube/meta/names.h"
#include "kube/meta/validate_metadata.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::kinds {

using json::View;
using kube::FieldErrors;
using kube::FieldPath;

inline constexpr std::string_view kNegative = "must be greater than or equal to 0";
inline constexpr std::string_view kImmutable = "field is immutable";

// Invalid with a text as the value shown.
void note_invalid(const FieldPath& path, std::string_view text, std::string_view detail,
                  FieldErrors& errors);
void note_invalid(const FieldPath& path, View value, std::string_view detail, FieldErrors& errors);
// Invalid without a value: what is wrong is a combination.
void note_combination(const FieldPath& path, std::string detail, FieldErrors& errors);
void note_required(const FieldPath& path, FieldErrors& errors, std::string_view detail = {});
void note_forbidden(const FieldPath& path, std::string_view detail, FieldErrors& errors);
void note_unsupported(const FieldPath& path, std::string_view value,
                      const std::vector<std::string>& supported, FieldErrors& errors);

// A string that must be there.
void require_text(View value, const FieldPath& path, FieldErrors& errors);
// One of a few; an absent one shows as "".
void check_one_of(View value, const FieldPath& path, const std::vector<std::string>& supported,
                  FieldErrors& errors);
// The same, but absent is fine.
void check_optional_one_of(View value, const FieldPath& path,
                           const std::vector<std::string>& supported, FieldErrors& errors);
void check_nonnegative(View value, const FieldPath& path, FieldErrors& errors);
void check_port(View value, const FieldPath& path, FieldErrors& errors);
// A number from 1 to 65535, or a port's name.
void check_port_or_name(View value, const FieldPath& path, FieldErrors& errors);
void check_messages(const kube::Messages& messages, View value, const FieldPath& path,
                    FieldErrors& errors);
void check_immutable(View value, View old_value, const FieldPath& path, FieldErrors& errors);
void check_quantity_nonnegative(View value, const FieldPath& path, FieldErrors& errors);

// Names of countable things: cpu, requests.memory, hugepages-2Mi, example.com/gpu, …
bool is_extended_resource(std::string_view name);
bool is_huge_page(std::string_view name);
void check_resource_name(std::string_view name, const FieldPath& path, FieldErrors& errors);
void check_container_resource_name(std::string_view name, const FieldPath& path,
                                   FieldErrors& errors);
void check_quota_resource_name(std::string_view name, const FieldPath& path, FieldErrors& errors);
// Not negative, and whole where only whole things are counted.
void check_resource_amount(std::string_view name, View amount, const FieldPath& path,
                           FieldErrors& errors);

// Go prints a struct's members in its own order: those named, absent ones left out.
std::string shown_struct(View object, const std::vector<std::string>& order);

// "acme.io/foo": a domain, a slash, a path.
void check_domain_prefixed(View value, const FieldPath& path, FieldErrors& errors);

}  // namespace fixpoint::kinds
