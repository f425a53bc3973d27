// SPDX-License-Identifier: Apache-2.0
//
// Quantities, semantic versions and named formats.
#include "cel/library/functions.h"
#include "cel/library/named_format.h"
#include "kube/meta/names.h"
#include "kube/scalars/quantity.h"
#include "kube/scalars/url.h"
#include "kube/schema/validate_format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <expected>
#include <string>

#include <fmt/format.h>

namespace fixpoint::cel {
namespace {

Value to_quantity(Args args) {
  if (!args[0].is(Kind::String)) return no_overload("quantity", args);
  auto found = kube::Quantity::parse(args[0].text());
  return found ? Value::quantity(std::move(*found)) : Value::error(found.error().message);
}

Value is_quantity(Args args) {
  if (!args[0].is(Kind::String)) return no_overload("isQuantity", args);
  return Value::boolean(kube::Quantity::parse(args[0].text()).has_value());
}

Value quantity_sign(Args args) {
  if (!args[0].is(Kind::Quantity)) return no_overload("sign", args);
  return Value::integer(args[0].quantity().sign());
}

Value as_float(Args args) {
  if (!args[0].is(Kind::Quantity)) return no_overload("asApproximateFloat", args);
  return Value::number(args[0].quantity().approximate());
}

Value is_integer(Args args) {
  if (!args[0].is(Kind::Quantity)) return no_overload("isInteger", args);
  return Value::boolean(args[0].quantity().exact().has_value());
}

Value as_integer(Args args) {
  if (!args[0].is(Kind::Quantity)) return no_overload("asInteger", args);
  const auto exact = args[0].quantity().exact();
  return exact ? Value::integer(*exact) : Value::error("cannot convert value to integer");
}

// Quantities, or versions.
Value compared(Args args) {
  const bool known = (args[0].is(Kind::Quantity) && args[1].is(Kind::Quantity)) ||
                     (args[0].is(Kind::Semver) && args[1].is(Kind::Semver));
  return known ? compare(args[0], args[1]) : no_overload("compareTo", args);
}
Value is_greater(Args args) {
  const auto order = compared(args);
  return order.is_error() ? order : Value::boolean(order.as_int() > 0);
}
Value is_less(Args args) {
  const auto order = compared(args);
  return order.is_error() ? order : Value::boolean(order.as_int() < 0);
}

std::optional<kube::Quantity> operand(const Value& value) {
  if (value.is(Kind::Quantity)) return value.quantity();
  if (value.is(Kind::Int)) {
    return kube::Quantity::of(value.as_int(), kube::Quantity::Format::DecimalExponent);
  }
  return std::nullopt;
}

Value add_quantity(Args args) {
  const auto other = operand(args[1]);
  if (!args[0].is(Kind::Quantity) || !other) return no_overload("add", args);
  return Value::quantity(args[0].quantity() + *other);
}
Value sub_quantity(Args args) {
  const auto other = operand(args[1]);
  if (!args[0].is(Kind::Quantity) || !other) return no_overload("sub", args);
  return Value::quantity(args[0].quantity() - *other);
}

using Version = std::expected<Semver, std::string>;

bool all_of(std::string_view text, std::string_view allowed) {
  return text.find_first_not_of(allowed) == text.npos;
}
constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kIdentifier =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-";

std::expected<std::uint64_t, std::string> version_number(std::string_view text,
                                                         std::string_view which) {
  if (!all_of(text, kDigits)) {
    return std::unexpected(
        fmt::format("Invalid character(s) found in {} number \"{}\"", which, text));
  }
  if (text.size() > 1 && text[0] == '0') {
    return std::unexpected(
        fmt::format("{} number must not contain leading zeroes \"{}\"",
                    which == "major" ? "Major" : (which == "minor" ? "Minor" : "Patch"), text));
  }
  std::uint64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{} || end != text.data() + text.size()) {
    return std::unexpected(fmt::format(
        "strconv.ParseUint: parsing \"{}\": {}", text,
        error == std::errc::result_out_of_range ? "value out of range" : "invalid syntax"));
  }
  return out;
}

std::expected<std::vector<std::string>, std::string> identifiers(std::string_view text,
                                                                 bool before) {
  std::vector<std::string> out;
  while (true) {
    const auto dot = text.find('.');
    const auto part = text.substr(0, dot);
    if (part.empty()) {
      return std::unexpected(before ? "Prerelease is empty" : "Build meta data is empty");
    }
    if (!all_of(part, kIdentifier)) {
      return std::unexpected(fmt::format("Invalid character(s) found in {} \"{}\"",
                                         before ? "prerelease" : "build meta data", part));
    }
    if (before && part.size() > 1 && part[0] == '0' && all_of(part, kDigits)) {
      return std::unexpected(
          fmt::format("Numeric PreRelease version must not contain leading zeroes \"{}\"", part));
    }
    out.emplace_back(part);
    if (dot == text.npos) return out;
    text.remove_prefix(dot + 1);
  }
}

Version parse_version(std::string_view text) {
  if (text.empty()) return std::unexpected("Version string empty");
  const auto first = text.find('.');
  const auto second = first == text.npos ? first : text.find('.', first + 1);
  if (second == text.npos) return std::unexpected("No Major.Minor.Patch elements found");
  Semver out;
  const auto major = version_number(text.substr(0, first), "major");
  if (!major) return std::unexpected(major.error());
  const auto minor = version_number(text.substr(first + 1, second - first - 1), "minor");
  if (!minor) return std::unexpected(minor.error());
  auto rest = text.substr(second + 1);
  if (const auto plus = rest.find('+'); plus != rest.npos) {
    if (const auto build = identifiers(rest.substr(plus + 1), false); !build) {
      return std::unexpected(build.error());
    }
    rest = rest.substr(0, plus);
  }
  if (const auto dash = rest.find('-'); dash != rest.npos) {
    auto before = identifiers(rest.substr(dash + 1), true);
    if (!before) return std::unexpected(before.error());
    out.before = std::move(*before);
    rest = rest.substr(0, dash);
  }
  const auto patch = version_number(rest, "patch");
  if (!patch) return std::unexpected(patch.error());
  out.major = *major;
  out.minor = *minor;
  out.patch = *patch;
  return out;
}

// "v01.2" as "1.2.0".
Version parse_loose_version(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size() && parts.size() < 3;) {
    const auto dot = parts.size() < 2 ? text.find('.', at) : text.npos;
    std::string part{text.substr(at, dot - at)};
    if (part.size() > 1) {
      const auto zeroes = std::min(part.find_first_not_of('0'), part.size());
      part.erase(0, zeroes);
      if (part.empty() || !kDigits.contains(part[0])) part.insert(0, "0");
    }
    parts.push_back(std::move(part));
    if (dot == text.npos) break;
    at = dot + 1;
  }
  if (parts.size() < 3 && parts.back().find_first_of("+-") != std::string::npos) {
    return std::unexpected("short version cannot contain PreRelease/Build meta data");
  }
  parts.resize(3, "0");
  return parse_version(fmt::format("{}.{}.{}", parts[0], parts[1], parts[2]));
}

std::optional<Version> version_of(Args args) {
  if (!args[0].is(Kind::String) || (args.size() > 1 && !args[1].is(Kind::Bool))) {
    return std::nullopt;
  }
  const bool loose = args.size() > 1 && args[1].as_bool();
  return loose ? parse_loose_version(args[0].text()) : parse_version(args[0].text());
}

Value to_semver(Args args) {
  auto found = version_of(args);
  if (!found) return no_overload("semver", args);
  return *found ? Value::semver(std::move(**found)) : Value::error(found->error());
}
Value is_semver(Args args) {
  const auto found = version_of(args);
  return found ? Value::boolean(found->has_value()) : no_overload("isSemver", args);
}
Value major(Args args) {
  if (!args[0].is(Kind::Semver)) return no_overload("major", args);
  return Value::integer(static_cast<std::int64_t>(args[0].semver().major));
}
Value minor(Args args) {
  if (!args[0].is(Kind::Semver)) return no_overload("minor", args);
  return Value::integer(static_cast<std::int64_t>(args[0].semver().minor));
}
Value patch(Args args) {
  if (!args[0].is(Kind::Semver)) return no_overload("patch", args);
  return Value::integer(static_cast<std::int64_t>(args[0].semver().patch));
}

using Messages = kube::Messages;

template <kube::NameCheck Check, kube::NamePart Part>
Messages name_problems(std::string_view text) {
  return Check(text, Part);
}

Messages uri_problems(std::string_view text) {
  const auto found = kube::parse_request_url(text);
  if (found) return {};
  return {fmt::format("parse \"{}\": {}", text, found.error().message)};
}

template <kube::Format Format>
Messages format_problems(std::string_view text) {
  if (kube::has_format(text, Format)) return {};
  switch (Format) {
    case kube::Format::Uuid: return {"does not match the UUID format"};
    case kube::Format::Byte: return {"invalid base64"};
    case kube::Format::Date: return {"invalid date"};
    default: return {"invalid datetime"};
  }
}

constexpr std::array<NamedFormat, 13> kFormats{
    {{"dns1123Label", 30, name_problems<kube::name_is_dns_label, kube::NamePart::Whole>},
     {"dns1123Subdomain", 60, name_problems<kube::name_is_dns_subdomain, kube::NamePart::Whole>},
     {"dns1035Label", 30, name_problems<kube::name_is_dns1035_label, kube::NamePart::Whole>},
     {"qualifiedName", 60, kube::qualified_name_problems},
     {"dns1123LabelPrefix", 30, name_problems<kube::name_is_dns_label, kube::NamePart::Prefix>},
     {"dns1123SubdomainPrefix", 60,
      name_problems<kube::name_is_dns_subdomain, kube::NamePart::Prefix>},
     {"dns1035LabelPrefix", 30, name_problems<kube::name_is_dns1035_label, kube::NamePart::Prefix>},
     {"labelValue", 40, kube::label_value_problems},
     {"uri", 1103, uri_problems},
     {"uuid", 66, format_problems<kube::Format::Uuid>},
     {"byte", 84, format_problems<kube::Format::Byte>},
     {"date", 71, format_problems<kube::Format::Date>},
     {"datetime", 71, format_problems<kube::Format::DateTime>}}
};

template <std::size_t Index>
Value constant_format(Args) {
  return Value::format(kFormats[Index]);
}

Value named_format(Args args) {
  if (!args[0].is(Kind::String)) return no_overload("format.named", args);
  const auto found = std::ranges::find(kFormats, args[0].text(), &NamedFormat::name);
  return found == kFormats.end() ? Value::none() : Value::optional(Value::format(*found));
}

Value validate(Args args) {
  if (!args[0].is(Kind::Format) || !args[1].is(Kind::String)) {
    return no_overload("validate", args);
  }
  Value::List problems;
  for (auto& each : args[0].format().problems(args[1].text())) {
    problems.push_back(Value::string(std::move(each)));
  }
  return problems.empty() ? Value::none() : Value::optional(Value::list(std::move(problems)));
}

constexpr std::array<Native, 31> kKubeFunctions{
    {{"quantity", to_quantity},
     {"isQuantity", is_quantity},
     {"sign", quantity_sign},
     {"asApproximateFloat", as_float},
     {"isInteger", is_integer},
     {"asInteger", as_integer},
     {"compareTo", compared},
     {"isGreaterThan", is_greater},
     {"isLessThan", is_less},
     {"add", add_quantity},
     {"sub", sub_quantity},
     {"semver", to_semver},
     {"isSemver", is_semver},
     {"major", major},
     {"minor", minor},
     {"patch", patch},
     {"format.dns1123Label", constant_format<0>},
     {"format.dns1123Subdomain", constant_format<1>},
     {"format.dns1035Label", constant_format<2>},
     {"format.qualifiedName", constant_format<3>},
     {"format.dns1123LabelPrefix", constant_format<4>},
     {"format.dns1123SubdomainPrefix", constant_format<5>},
     {"format.dns1035LabelPrefix", constant_format<6>},
     {"format.labelValue", constant_format<7>},
     {"format.uri", constant_format<8>},
     {"format.uuid", constant_format<9>},
     {"format.byte", constant_format<10>},
     {"format.date", constant_format<11>},
     {"format.datetime", constant_format<12>},
     {"format.named", named_format},
     {"validate", validate}}
};

}  // namespace

std::span<const Native> kube_functions() {
  return kKubeFunctions;
}

}  // namespace fixpoint::cel
