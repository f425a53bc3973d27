// SPDX-License-Identifier: Apache-2.0
//
// Which names Kubernetes takes, and what it says about those it does not.
//
// Each `*_problems` function gives the messages of a real server, none when the value is fine. A
// value that breaks several rules gets several messages, in Kubernetes' order.
// Read next: validate_metadata.h, which applies them to an object's metadata.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint {
class Rng;
}

namespace fixpoint::kube {

using Messages = std::vector<std::string>;

inline constexpr std::size_t kDnsLabelBytesMax = 63;
inline constexpr std::size_t kDnsSubdomainBytesMax = 253;
inline constexpr std::size_t kLabelValueBytesMax = 63;

Messages dns1123_label_problems(std::string_view value);
Messages dns1123_subdomain_problems(std::string_view value);
Messages dns1123_subdomain_with_underscore_problems(std::string_view value);
Messages wildcard_dns1123_subdomain_problems(std::string_view value);
Messages dns1035_label_problems(std::string_view value);
// `name` or `example.com/name`: label keys, finalizers, condition types.
Messages qualified_name_problems(std::string_view value);
Messages label_value_problems(std::string_view value);
Messages config_map_key_problems(std::string_view value);
Messages env_var_name_problems(std::string_view value);         // printable ASCII without '='
Messages strict_env_var_name_problems(std::string_view value);  // what warnings compare with
Messages c_identifier_problems(std::string_view value);
Messages http_header_name_problems(std::string_view value);
Messages condition_reason_problems(std::string_view value);
Messages percent_problems(std::string_view value);
Messages port_number_problems(std::int64_t port);
Messages port_name_problems(std::string_view value);
Messages user_id_problems(std::int64_t id);
Messages ip_problems(std::string_view value);
// The same of a field that never took old spellings.
Messages strict_ip_problems(std::string_view value);
Messages cidr_problems(std::string_view value);
Messages in_range_problems(std::int64_t value, std::int64_t low, std::int64_t high);

// "must be no more than N characters"; "must be between A and B, inclusive".
std::string max_length_message(std::size_t length);
std::string range_message(std::int64_t low, std::int64_t high);
// `what (e.g. 'a',  or 'b', regex used for validation is '…')`
std::string regex_message(std::string_view what, std::string_view regex,
                          const std::vector<std::string>& examples);

// A whole name, or the generateName prefix of one, which may end in a dash.
enum class NamePart : std::uint8_t { Whole, Prefix };
using NameCheck = Messages (*)(std::string_view name, NamePart part);

Messages name_is_dns_subdomain(std::string_view name, NamePart part);
Messages name_is_dns_label(std::string_view name, NamePart part);
Messages name_is_dns1035_label(std::string_view name, NamePart part);
Messages name_is_path_segment(std::string_view name, NamePart part);

// The prefix, cut so that the whole stays a label, and five random characters.
std::string generate_name(std::string_view prefix, Rng& rng);

}  // namespace fixpoint::kube
