// SPDX-License-Identifier: Apache-2.0
#include "kube/protobuf/protobuf.h"

#include "base/base64.h"
#include "json/draft.h"
#include "json/parsing/parse.h"
#include "json/print.h"
#include "json/text.h"
#include "kube/nesting.h"
#include "kube/protobuf/wire.h"
#include "kube/scalars/duration.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

using json::Draft;

constexpr std::string_view kMagic{"k8s\0", 4};
constexpr std::size_t kEmbeddedDepthMax = json::kDepthMax - 2 * kMessageDepthMax - 2;

// Years 0 to 9999, as Go prints times, in seconds since 1970.
constexpr std::int64_t kSecondsMin = -62'167'219'200;
constexpr std::int64_t kSecondsMax = 253'402'300'799;
constexpr std::int64_t kZeroTime = -62'135'596'800;  // Go's time.Time{}, which prints as null

std::string time_text(std::int64_t seconds) {
  using namespace std::chrono;
  const sys_seconds at{std::chrono::seconds{seconds}};
  const auto day = floor<days>(at);
  const year_month_day date{day};
  const hh_mm_ss time{at - day};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     time.hours().count(), time.minutes().count(), time.seconds().count());
}

// One int64 or string of a small message of fixed shape.
Result<std::int64_t> integer_in(WireFields fields, std::uint32_t number, std::string_view name) {
  FP_TRY(value, last_integer(with_number(fields, number), Wire::Varint, name));
  return static_cast<std::int64_t>(value);
}

Result<std::string_view> bytes_in(WireFields fields, std::uint32_t number, std::string_view name) {
  return last_bytes(with_number(fields, number), name);
}

enum class Precision : std::uint8_t { Seconds, Micros };

Result<Draft> time_value(std::string_view message, Precision precision) {
  constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
  constexpr std::int64_t kNanosPerMicro = 1'000;
  if (message.empty()) return Draft{};
  FP_TRY(fields, wire_fields(message, "Timestamp"));
  FP_TRY(seconds, integer_in(fields, 1, "Seconds"));
  FP_TRY(wide_nanos, integer_in(fields, 2, "Nanos"));
  if (seconds < kSecondsMin || seconds > kSecondsMax) {
    return fail(ErrorKind::Invalid, "Time.MarshalJSON: year outside of range [0,9999]");
  }
  if (precision == Precision::Seconds) {
    return seconds == kZeroTime ? Draft{} : Draft{time_text(seconds) + "Z"};
  }
  std::int64_t nanos = static_cast<std::int32_t>(wide_nanos);
  nanos -= nanos % kNanosPerMicro;
  const auto carry = nanos >= 0 ? nanos / kNanosPerSecond : -1 - (-nanos - 1) / kNanosPerSecond;
  const auto whole = seconds + carry;
  const auto micros = (nanos - carry * kNanosPerSecond) / kNanosPerMicro;
  if (whole < kSecondsMin || whole > kSecondsMax) {
    return fail(ErrorKind::Invalid, "Time.MarshalJSON: year outside of range [0,9999]");
  }
  if (whole == kZeroTime && micros == 0) return Draft{};
  return Draft{fmt::format("{}.{:06}Z", time_text(whole), micros)};
}

Result<Draft> duration_value(std::string_view message) {
  FP_TRY(fields, wire_fields(message, "Duration"));
  FP_TRY(nanos, integer_in(fields, 1, "Duration"));
  return Draft{duration_text(Duration{nanos})};
}

Result<Draft> quantity_value(std::string_view message) {
  FP_TRY(fields, wire_fields(message, "Quantity"));
  FP_TRY(text, bytes_in(fields, 1, "String_"));
  return Draft{text.empty() ? std::string_view{"0"} : text};
}

Result<Draft> int_or_string_value(std::string_view message) {
  FP_TRY(fields, wire_fields(message, "IntOrString"));
  FP_TRY(type, integer_in(fields, 1, "Type"));
  FP_TRY(number, integer_in(fields, 2, "IntVal"));
  FP_TRY(text, bytes_in(fields, 3, "StrVal"));
  if (type == 0) return Draft{std::int64_t{static_cast<std::int32_t>(number)}};
  if (type == 1) return Draft{text};
  return fail(ErrorKind::Invalid, "impossible IntOrString.Type");
}

// RawExtension, FieldsV1 and JSON: a message of one field, which holds JSON.
Result<Draft> embedded_json(std::string_view message) {
  FP_TRY(fields, wire_fields(message, "RawExtension"));
  FP_TRY(text, bytes_in(fields, 1, "Raw"));
  if (text.empty()) return Draft{};
  FP_TRY(value, json::parse(text));
  if (deeper_than(value.view(), kEmbeddedDepthMax)) {
    return fail(ErrorKind::Invalid, "exceeded max depth");
  }
  return Draft{std::move(value)};
}

Result<Draft> real_value(std::uint64_t bits) {
  const auto value = std::bit_cast<double>(bits);
  if (!std::isfinite(value)) {
    return fail(ErrorKind::Invalid, fmt::format("json: unsupported value: {}", value));
  }
  // As its text reads back: JSON tells 2 from 2.0, Go's printer does not.
  const auto number = json::Value::number(value);
  FP_TRY(read, json::parse(json::to_text(number)));
  return Draft{std::move(read)};
}

// As Go's decoders do, bits that the type has no room for are dropped.
Draft integer_value(GoKind kind, std::uint64_t value) {
  switch (kind) {
    case GoKind::Bool: return Draft{value != 0};
    case GoKind::Int32: return Draft{std::int64_t{static_cast<std::int32_t>(value)}};
    case GoKind::Uint8: return Draft{std::int64_t{static_cast<std::uint8_t>(value)}};
    case GoKind::Uint16: return Draft{std::int64_t{static_cast<std::uint16_t>(value)}};
    case GoKind::Uint32: return Draft{std::int64_t{static_cast<std::uint32_t>(value)}};
    case GoKind::Uint64:
      if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        return Draft{static_cast<double>(value)};
      }
      break;
    default: break;
  }
  return Draft{static_cast<std::int64_t>(value)};
}

bool is_integer(GoKind kind) {
  switch (kind) {
    case GoKind::Bool:
    case GoKind::Int32:
    case GoKind::Int64:
    case GoKind::Uint8:
    case GoKind::Uint16:
    case GoKind::Uint32:
    case GoKind::Uint64: return true;
    default: return false;
  }
}

// Sorts, and of equal keys keeps the last, as Go's maps do.
Draft object_of(Draft::Object members) {
  std::ranges::stable_sort(members, {}, &Draft::Entry::key);
  Draft::Object kept;
  kept.reserve(members.size());
  for (auto& member : members) {
    if (!kept.empty() && kept.back().key == member.key) kept.pop_back();
    kept.push_back(std::move(member));
  }
  Draft object = Draft::object();
  object.members() = std::move(kept);
  return object;
}

// "Data" of data: errors name the field of the Go struct.
std::string go_field_name(std::string_view name) {
  if (name == "metadata") return "ObjectMeta";
  std::string made{name};
  if (made.front() >= 'a' && made.front() <= 'z')
    made.front() = static_cast<char>(made.front() - 32);
  return made;
}

using FieldNumbers = decltype(Property::field_numbers);

// The numbers so far and one more, if any property can be there.
struct NumberPath {
  FieldNumbers path{};
  std::size_t steps = 0;

  bool leads_to(const Property& property) const {
    return std::equal(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(steps),
                      property.field_numbers.begin());
  }
  bool is(const Property& property) const { return path == property.field_numbers; }
  std::optional<NumberPath> step(std::uint32_t number) const {
    if (steps == path.size() || number > std::numeric_limits<std::uint8_t>::max()) {
      return std::nullopt;
    }
    NumberPath next = *this;
    next.path[next.steps++] = static_cast<std::uint8_t>(number);
    return next;
  }
};

class MessageReader {
 public:
  Result<Draft> structure(const Schema& schema, std::string_view message) {
    if (depth_ == kMessageDepthMax) {
      return fail(ErrorKind::Invalid, "proto: exceeded max depth");
    }
    ++depth_;
    Draft::Object members;
    auto filled = fill(schema, NumberPath{}, message, members);
    --depth_;
    if (!filled) return std::unexpected(std::move(filled).error());
    return object_of(std::move(members));
  }

 private:
  // The members in a message that is the struct itself or, further down a path, a struct that Go
  // embeds in it. Fields that no property has are skipped.
  Result<void> fill(const Schema& schema, const NumberPath& place, std::string_view message,
                    Draft::Object& members) {
    FP_TRY(fields, wire_fields(message, schema.go_type));
    WireFields rest{fields};
    while (!rest.empty()) {
      const auto group = take_group(rest);
      const auto here = place.step(group.front().number);
      if (!here) continue;
      const auto found = std::ranges::find_if(
          schema.properties, [&](const Property& property) { return here->leads_to(property); });
      if (found == schema.properties.end()) continue;
      if (here->is(*found)) {
        FP_TRY(made, value(*found->schema, group, go_field_name(found->name)));
        members.push_back({found->name, std::move(made)});
      } else {
        std::string joined;
        FP_TRY(inner, all_bytes(group, schema.go_type, joined));
        FP_TRY_VOID(fill(schema, *here, inner, members));
      }
    }
    return {};
  }

  Result<Draft> value(const Schema& schema, WireFields group, std::string_view name) {
    switch (schema.go_kind) {
      case GoKind::Slice: return slice(schema, group, name);
      case GoKind::Map: return map(schema, group, name);
      default: return single(schema, group, name);
    }
  }

  // A field that is no list: the last one counts, or of a struct all together.
  Result<Draft> single(const Schema& schema, WireFields group, std::string_view name) {
    if (is_integer(schema.go_kind)) {
      FP_TRY(integer, last_integer(group, Wire::Varint, name));
      return integer_value(schema.go_kind, integer);
    }
    if (schema.go_kind == GoKind::Float64) {
      FP_TRY(bits, last_integer(group, Wire::Fixed64, name));
      return real_value(bits);
    }
    if (schema.go_kind == GoKind::Struct) {
      std::string joined;
      FP_TRY(message, all_bytes(group, name, joined));
      return structure(schema, message);
    }
    FP_TRY(bytes, last_bytes(group, name));
    return from_bytes(schema, bytes);
  }

  Result<Draft> from_bytes(const Schema& schema, std::string_view bytes) {
    switch (schema.go_kind) {
      case GoKind::String: return Draft{bytes};
      case GoKind::Bytes: return Draft{base64_encode(bytes)};
      case GoKind::Time: return time_value(bytes, Precision::Seconds);
      case GoKind::MicroTime: return time_value(bytes, Precision::Micros);
      case GoKind::Duration: return duration_value(bytes);
      case GoKind::Quantity: return quantity_value(bytes);
      case GoKind::IntOrString: return int_or_string_value(bytes);
      case GoKind::RawExtension:
      case GoKind::FieldsV1: return embedded_json(bytes);
      case GoKind::Json:
        return schema.additional_properties == nullptr ? embedded_json(bytes)
                                                       : either(schema, bytes);
      default: break;
    }
    return fail(ErrorKind::Internal, "no protobuf form is known of " + schema.go_type);
  }

  Result<Draft> slice(const Schema& schema, WireFields group, std::string_view name) {
    Draft list = Draft::array();
    for (std::size_t i = 0; i < group.size(); ++i) {
      if (is_integer(schema.items->go_kind) && group[i].wire == Wire::Bytes) {
        FP_TRY(packed, packed_varints(group[i].bytes));
        for (const auto integer : packed) {
          list.push_back(integer_value(schema.items->go_kind, integer));
        }
        continue;
      }
      FP_TRY(item, single(*schema.items, group.subspan(i, 1), name));
      list.push_back(std::move(item));
    }
    return list;
  }

  // A list of messages {key = 1, value = 2}.
  Result<Draft> map(const Schema& schema, WireFields group, std::string_view name) {
    Draft::Object members;
    for (std::size_t i = 0; i < group.size(); ++i) {
      FP_TRY(entry, last_bytes(group.subspan(i, 1), name));
      FP_TRY(fields, wire_fields(entry, name));
      FP_TRY(key, bytes_in(fields, 1, name));
      FP_TRY(made, map_value(*schema.additional_properties, with_number(fields, 2), name));
      members.push_back({json::repaired_utf8(key), std::move(made)});
    }
    return object_of(std::move(members));
  }

  // A map cannot hold lists: those are wrapped in a message {items = 1}.
  Result<Draft> map_value(const Schema& schema, WireFields group, std::string_view name) {
    if (schema.go_kind != GoKind::Slice) return single(schema, group, name);
    std::string joined;
    FP_TRY(message, all_bytes(group, name, joined));
    FP_TRY(fields, wire_fields(message, name));
    return slice(schema, with_number(fields, 1), name);
  }

  // A schema, or a bool, a list of schemas, a list of names.
  Result<Draft> either(const Schema& schema, std::string_view message) {
    const auto& props = *schema.additional_properties;
    FP_TRY(fields, wire_fields(message, schema.go_type));
    const bool or_bool = schema.go_type == "v1.JSONSchemaPropsOrBool";
    const auto schemas = with_number(fields, or_bool ? 2 : 1);
    if (or_bool) {
      if (!schemas.empty()) return single(props, schemas, "Schema");
      FP_TRY(allows, integer_in(fields, 1, "Allows"));
      return Draft{allows != 0};
    }
    const auto others = with_number(fields, 2);
    if (!others.empty()) {
      Schema names;
      names.go_kind = GoKind::String;
      Schema list;
      list.go_kind = GoKind::Slice;
      list.items = schema.go_type == "v1.JSONSchemaPropsOrArray" ? &props : &names;
      return slice(list, others, "Schema");
    }
    return schemas.empty() ? Result<Draft>{Draft{}} : single(props, schemas, "Schema");
  }

  std::size_t depth_ = 0;
};

}  // namespace

Result<ProtobufEnvelope> decode_envelope(std::string_view body) {
  if (body.empty()) return fail(ErrorKind::Invalid, "empty data");
  if (!body.starts_with(kMagic)) {
    return fail(ErrorKind::Invalid,
                "provided data does not appear to be a protobuf message, expected prefix "
                "[107 56 115 0]");
  }
  body.remove_prefix(kMagic.size());
  if (body.empty()) return fail(ErrorKind::Invalid, "empty body");
  FP_TRY(fields, wire_fields(body, "Unknown"));
  FP_TRY(type_meta, bytes_in(fields, 1, "TypeMeta"));
  FP_TRY(raw, bytes_in(fields, 2, "Raw"));
  FP_TRY(head, wire_fields(type_meta, "TypeMeta"));
  FP_TRY(api_version, bytes_in(head, 1, "APIVersion"));
  FP_TRY(kind, bytes_in(head, 2, "Kind"));
  return ProtobufEnvelope{json::repaired_utf8(api_version), json::repaired_utf8(kind), raw};
}

Result<json::Value> decode_protobuf(const Schema& schema, std::string_view message) {
  FP_CHECK(schema.go_kind == GoKind::Struct);
  FP_TRY(object, MessageReader{}.structure(schema, message));
  return object.freeze();
}

}  // namespace fixpoint::kube
