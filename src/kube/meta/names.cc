// SPDX-License-Identifier: Apache-2.0
//
// The rules are small regular expressions; they are matched by hand because every object passes
// through here on every write. names_test.cc compares them with the expressions themselves.
#include "kube/meta/names.h"

#include "base/ascii.h"
#include "base/rng.h"
#include "kube/go/text.h"
#include "kube/scalars/ip.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

constexpr std::string_view kQualifiedNameRegex = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
constexpr std::string_view kDnsLabelRegex = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
constexpr std::string_view kDnsSubdomainRegex =
    "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";

bool lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool lower_or_digit(char c) {
  return lower(c) || is_digit(c);
}
bool alphanumeric(char c) {
  return is_letter(c) || is_digit(c);
}

bool all_of(std::string_view text, bool (*good)(char)) {
  return std::ranges::all_of(text, good);
}

bool dns_label(std::string_view text) {
  return !text.empty() && lower_or_digit(text.front()) && lower_or_digit(text.back()) &&
         all_of(text, [](char c) { return lower_or_digit(c) || c == '-'; });
}

bool dns_label_with_underscore(std::string_view text) {
  if (text.starts_with('_')) text.remove_prefix(1);
  return !text.empty() && lower_or_digit(text.front()) && lower_or_digit(text.back()) &&
         all_of(text, [](char c) { return lower_or_digit(c) || c == '-' || c == '_'; });
}

bool dotted(std::string_view text, bool (*part_good)(std::string_view)) {
  while (true) {
    const auto dot = text.find('.');
    if (!part_good(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool qualified_part(std::string_view text) {
  return !text.empty() && alphanumeric(text.front()) && alphanumeric(text.back()) &&
         all_of(text, [](char c) { return alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

std::string qualified_message() {
  return regex_message(
      "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
      "alphanumeric character",
      kQualifiedNameRegex, {"MyName", "my.name", "123-abc"});
}

Messages too_long_then(std::string_view value, std::size_t bytes_max) {
  Messages problems;
  if (value.size() > bytes_max) problems.push_back(max_length_message(bytes_max));
  return problems;
}

void note_directory_prefix(std::string_view value, Messages& problems) {
  if (value == ".") {
    problems.push_back("must not be '.'");
  } else if (value == "..") {
    problems.push_back("must not be '..'");
  } else if (value.starts_with("..")) {
    problems.push_back("must not start with '..'");
  }
}

// A prefix may end in the dash that the random part follows.
std::string masked(std::string_view name, NamePart part) {
  std::string text{name};
  if (part == NamePart::Prefix && text.size() > 1 && text.back() == '-') {
    text.resize(text.size() - 2);
    text += 'a';
  }
  return text;
}

}  // namespace

std::string max_length_message(std::size_t length) {
  return fmt::format("must be no more than {} characters", length);
}

std::string range_message(std::int64_t low, std::int64_t high) {
  return fmt::format("must be between {} and {}, inclusive", low, high);
}

std::string regex_message(std::string_view what, std::string_view regex,
                          const std::vector<std::string>& examples) {
  if (examples.empty()) return fmt::format("{} (regex used for validation is '{}')", what, regex);
  std::string text = fmt::format("{} (e.g. ", what);
  for (std::size_t i = 0; i < examples.size(); ++i) {
    if (i > 0) text += " or ";
    text += "'" + examples[i] + "', ";
  }
  return text + fmt::format("regex used for validation is '{}')", regex);
}

Messages dns1123_label_problems(std::string_view value) {
  Messages problems = too_long_then(value, kDnsLabelBytesMax);
  if (dns_label(value)) return problems;
  if (dotted(value, dns_label)) {
    problems.push_back("must not contain dots");
  } else {
    problems.push_back(regex_message(
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
        "must start and end with an alphanumeric character",
        kDnsLabelRegex, {"my-name", "123-abc"}));
  }
  return problems;
}

Messages dns1123_subdomain_problems(std::string_view value) {
  Messages problems = too_long_then(value, kDnsSubdomainBytesMax);
  if (!dotted(value, dns_label)) {
    problems.push_back(regex_message(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
        "'.', and must start and end with an alphanumeric character",
        kDnsSubdomainRegex, {"example.com"}));
  }
  return problems;
}

Messages dns1123_subdomain_with_underscore_problems(std::string_view value) {
  Messages problems = too_long_then(value, kDnsSubdomainBytesMax);
  if (!dotted(value, dns_label_with_underscore)) {
    problems.push_back(regex_message(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', "
        "'-' or '.', and must start and end with an alphanumeric character",
        "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*", {"example.com"}));
  }
  return problems;
}

Messages wildcard_dns1123_subdomain_problems(std::string_view value) {
  Messages problems = too_long_then(value, kDnsSubdomainBytesMax);
  if (!value.starts_with("*.") || !dotted(value.substr(2), dns_label)) {
    problems.push_back(regex_message(
        "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, "
        "which must consist of lower case alphanumeric characters, '-' or '.' and end with an "
        "alphanumeric character",
        fmt::format("\\*\\.{}", kDnsSubdomainRegex), {"*.example.com"}));
  }
  return problems;
}

Messages dns1035_label_problems(std::string_view value) {
  Messages problems = too_long_then(value, kDnsLabelBytesMax);
  if (!dns_label(value) || !lower(value.front())) {
    problems.push_back(regex_message(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
        "alphabetic character, and end with an alphanumeric character",
        "[a-z]([-a-z0-9]*[a-z0-9])?", {"my-name", "abc-123"}));
  }
  return problems;
}

Messages qualified_name_problems(std::string_view value) {
  Messages problems;
  std::string_view name = value;
  if (const auto slash = value.find('/'); slash != std::string_view::npos) {
    const auto prefix = value.substr(0, slash);
    name = value.substr(slash + 1);
    if (name.find('/') != std::string_view::npos) {
      return {"a qualified name " + qualified_message() +
              " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
    }
    if (prefix.empty()) problems.push_back("prefix part must be non-empty");
    if (!prefix.empty()) {
      for (const auto& each : dns1123_subdomain_problems(prefix)) {
        problems.push_back("prefix part " + each);
      }
    }
  }
  if (name.empty()) problems.push_back("name part must be non-empty");
  for (const auto& each : too_long_then(name, kDnsLabelBytesMax)) {
    problems.push_back("name part " + each);
  }
  if (!qualified_part(name)) problems.push_back("name part " + qualified_message());
  return problems;
}

Messages label_value_problems(std::string_view value) {
  Messages problems = too_long_then(value, kLabelValueBytesMax);
  if (!value.empty() && !qualified_part(value)) {
    problems.push_back(regex_message(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
        "'.', and must start and end with an alphanumeric character",
        fmt::format("({})?", kQualifiedNameRegex), {"MyValue", "my_value", "12345"}));
  }
  return problems;
}

Messages config_map_key_problems(std::string_view value) {
  Messages problems = too_long_then(value, kDnsSubdomainBytesMax);
  const auto good = [](char c) { return alphanumeric(c) || c == '-' || c == '_' || c == '.'; };
  if (value.empty() || !all_of(value, good)) {
    problems.push_back(
        regex_message("a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
                      "[-._a-zA-Z0-9]+", {"key.name", "KEY_NAME", "key-name"}));
  }
  note_directory_prefix(value, problems);
  return problems;
}

Messages env_var_name_problems(std::string_view value) {
  if (value.empty()) return {"environment variable name must be non-empty"};
  const auto good = [](char c) { return c >= 0x20 && c < 0x7f && c != '='; };
  if (all_of(value, good)) return {};
  return {
      "a valid environment variable name must consist only of printable ASCII characters other "
      "than "
      "'='"};
}

Messages strict_env_var_name_problems(std::string_view value) {
  Messages problems;
  const auto good = [](char c) { return alphanumeric(c) || c == '-' || c == '_' || c == '.'; };
  if (value.empty() || is_digit(value.front()) || !all_of(value, good)) {
    problems.push_back(regex_message(
        "a valid environment variable name must consist of alphabetic characters, digits, '_', "
        "'-', or '.', and must not start with a digit",
        "[-._a-zA-Z][-._a-zA-Z0-9]*", {"my.env-name", "MY_ENV.NAME", "MyEnvName1"}));
  }
  note_directory_prefix(value, problems);
  return problems;
}

Messages c_identifier_problems(std::string_view value) {
  const auto good = [](char c) { return alphanumeric(c) || c == '_'; };
  if (!value.empty() && !is_digit(value.front()) && all_of(value, good)) return {};
  return {regex_message(
      "a valid C identifier must start with alphabetic character or '_', followed by a string of "
      "alphanumeric characters or '_'",
      "[A-Za-z_][A-Za-z0-9_]*", {"my_name", "MY_NAME", "MyName"})};
}

Messages http_header_name_problems(std::string_view value) {
  const auto good = [](char c) { return alphanumeric(c) || c == '-'; };
  if (!value.empty() && all_of(value, good)) return {};
  return {regex_message("a valid HTTP header must consist of alphanumeric characters or '-'",
                        "[-A-Za-z0-9]+", {"X-Header-Name"})};
}

Messages condition_reason_problems(std::string_view value) {
  const auto inner = [](char c) { return alphanumeric(c) || c == '_' || c == ',' || c == ':'; };
  if (!value.empty() && is_letter(value.front()) && all_of(value, inner) &&
      (alphanumeric(value.back()) || value.back() == '_')) {
    return {};
  }
  return {regex_message(
      "a condition reason must start with alphabetic character, optionally followed by a string of "
      "alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
      "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?",
      {"my_name", "MY_NAME", "MyName", "ReasonA,ReasonB", "ReasonA:ReasonB"})};
}

Messages percent_problems(std::string_view value) {
  if (value.size() > 1 && value.back() == '%' &&
      all_of(value.substr(0, value.size() - 1), is_digit)) {
    return {};
  }
  return {regex_message("a valid percent string must be a numeric string followed by an ending '%'",
                        "[0-9]+%", {"1%", "93%"})};
}

Messages in_range_problems(std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value >= low && value <= high) return {};
  return {range_message(low, high)};
}

Messages port_number_problems(std::int64_t port) {
  return in_range_problems(port, 1, 65535);
}

Messages user_id_problems(std::int64_t id) {
  return in_range_problems(id, 0, 2147483647);
}

Messages port_name_problems(std::string_view value) {
  constexpr std::size_t kBytesMax = 15;  // IANA's limit on service names
  Messages problems = too_long_then(value, kBytesMax);
  if (value.empty() || !all_of(value, [](char c) { return lower_or_digit(c) || c == '-'; })) {
    problems.push_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (std::ranges::none_of(value, lower)) {
    problems.push_back("must contain at least one letter (a-z)");
  }
  if (value.find("--") != std::string_view::npos) {
    problems.push_back("must not contain consecutive hyphens");
  }
  if (value.starts_with('-') || value.ends_with('-')) {
    problems.push_back("must not begin or end with a hyphen");
  }
  return problems;
}

Messages ip_problems(std::string_view value) {
  if (parse_ip(value, IpSyntax::Legacy)) return {};
  return {"must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"};
}

Messages strict_ip_problems(std::string_view value) {
  const auto ip = parse_ip(value, IpSyntax::Legacy);
  if (!ip) return ip_problems(value);
  if (!parse_ip(value, IpSyntax::Strict)) return {"must not have leading 0s"};
  if (ip->v4 && value.find(':') != std::string_view::npos) {
    return {"must not be an IPv4-mapped IPv6 address"};
  }
  if (ip->to_string() == value) return {};
  return {fmt::format("must be in canonical form ({})", go_quoted(ip->to_string()))};
}

Messages cidr_problems(std::string_view value) {
  if (parse_cidr(value)) return {};
  return {"must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"};
}

Messages name_is_dns_subdomain(std::string_view name, NamePart part) {
  return dns1123_subdomain_problems(masked(name, part));
}

Messages name_is_dns_label(std::string_view name, NamePart part) {
  return dns1123_label_problems(masked(name, part));
}

Messages name_is_dns1035_label(std::string_view name, NamePart part) {
  return dns1035_label_problems(masked(name, part));
}

Messages name_is_path_segment(std::string_view name, NamePart part) {
  if (part == NamePart::Whole && (name == "." || name == "..")) {
    return {fmt::format("may not be '{}'", name)};
  }
  Messages problems;
  for (const std::string_view part_text : {"/", "%"}) {
    if (name.find(part_text) != std::string_view::npos) {
      problems.push_back(fmt::format("may not contain '{}'", part_text));
    }
  }
  return problems;
}

std::string generate_name(std::string_view prefix, Rng& rng) {
  constexpr std::size_t kRandomBytes = 5;
  return std::string{prefix.substr(0, kDnsLabelBytesMax - kRandomBytes)} +
         rng.name_suffix(static_cast<int>(kRandomBytes));
}

}  // namespace fixpoint::kube
