// SPDX-License-Identifier: Apache-2.0
//
// One walk over schema and input together. An input that is already what Go would print is answered
// as it is, without a copy: levels are rebuilt only from the first difference up.
//
// What is wrong with an input, and what it has too much of, is only counted here: read.h
// finds the words.
#include "kube/typed/typed.h"

#include "base/base64.h"
#include "json/draft.h"
#include "json/print.h"
#include "kube/go/order.h"
#include "kube/go/scalars.h"
#include "kube/go/text.h"
#include "kube/scalars/quantity.h"
#include "kube/typed/read.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace fixpoint::kube {
namespace {

using json::Draft;
using json::Type;
using json::View;

const Property& ranked(const Schema& schema, std::size_t rank) {
  return schema.properties[schema.by_name[rank].at];
}

// The first property, in name order and from `rank` on, whose name is not less.
std::size_t find_rank(const Schema& schema, std::size_t rank, std::string_view name) {
  const auto prefix = name_prefix(name);
  const auto less = [&](const PropertyName& property, std::string_view key) {
    if (property.prefix != prefix) return property.prefix < prefix;
    return schema.properties[property.at].name < key;
  };
  const auto from = schema.by_name.begin() + static_cast<std::ptrdiff_t>(rank);
  const auto found = std::lower_bound(from, schema.by_name.end(), name, less);
  return static_cast<std::size_t>(found - schema.by_name.begin());
}

// What a nil or zero Go value prints as.
Draft zero(const Schema& schema) {
  switch (schema.go_kind) {
    case GoKind::Struct: {
      auto made = Draft::object();
      for (const auto rank : schema.always_printed) {
        const auto& property = ranked(schema, rank);
        made.members().push_back(
            {property.name, property.pointer ? Draft{} : zero(*property.schema)});
      }
      return made;
    }
    case GoKind::String: return Draft{""};
    case GoKind::Bool: return Draft{false};
    case GoKind::Duration: return Draft{"0s"};
    case GoKind::Quantity: return Draft{"0"};
    case GoKind::Int32:
    case GoKind::Int64:
    case GoKind::Uint8:
    case GoKind::Uint16:
    case GoKind::Uint32:
    case GoKind::Uint64:
    case GoKind::Float64:
    case GoKind::IntOrString: return Draft{0};
    default: return Draft{};
  }
}

// Most quantities by far: a few digits and a suffix, already in canonical form. Anything else is
// left to Quantity. Six digits with these suffixes fit 64 bits.
bool is_plain_quantity(std::string_view text) {
  constexpr std::size_t kDigitsMax = 6;
  std::int64_t value = 0;
  std::size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') {
    if (digits == kDigitsMax) return false;
    value = value * 10 + (text[digits++] - '0');
  }
  if (value == 0 || text[0] == '0') return false;
  const auto suffix = text.substr(digits);
  if (suffix.empty()) return value % 1000 != 0;
  if (std::string_view{"mkMGT"}.find(suffix[0]) == std::string_view::npos) {
    return suffix == "Ki" && value % 1024 != 0;
  }
  if (suffix.size() == 1) return value % 1000 != 0;
  return suffix.size() == 2 && suffix[1] == 'i' && suffix[0] >= 'A' && suffix[0] <= 'Z' &&
         value % 1024 != 0;
}

struct IntRange {
  std::int64_t min;
  std::int64_t max;
};

IntRange range_of(GoKind kind) {
  switch (kind) {
    case GoKind::Uint8: return {0, std::numeric_limits<std::uint8_t>::max()};
    case GoKind::Uint16: return {0, std::numeric_limits<std::uint16_t>::max()};
    case GoKind::Uint32: return {0, std::numeric_limits<std::uint32_t>::max()};
    case GoKind::Uint64: return {0, std::numeric_limits<std::int64_t>::max()};
    case GoKind::Int32:
    case GoKind::IntOrString:
      return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
    default:
      return {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
  }
}

// The result of one place: the input itself, or something else.
using Changed = std::optional<Draft>;
constexpr std::nullopt_t kSame = std::nullopt;

// The members of an object being decoded. Nothing is copied until the first difference.
class Rebuilt {
 public:
  explicit Rebuilt(View in) : in_(in) {}

  // The next member of the input, or what it became.
  void add(json::Member member, Changed changed) {
    if (changed) begin();
    if (made_) {
      made_->push_back(
          {std::string{member.key}, changed ? *std::move(changed) : Draft{member.value}});
    }
    ++seen_;
  }

  // The next member of the input goes.
  void drop() {
    begin();
    ++seen_;
  }

  // A property that the input left out and Go prints.
  void insert(const Property& property) {
    begin();
    made_->push_back({property.name, property.pointer ? Draft{} : zero(*property.schema)});
  }

  Changed take() {
    if (!made_) return kSame;
    auto object = Draft::object();
    object.members() = std::move(*made_);
    return object;
  }

 private:
  void begin() {
    if (made_) return;
    made_.emplace();
    made_->reserve(in_.size() + 2);
    auto member = in_.members().begin();
    for (std::size_t i = 0; i < seen_; ++i, ++member) {
      made_->push_back({std::string{(*member).key}, Draft{(*member).value}});
    }
  }

  View in_;
  std::size_t seen_ = 0;  // members handled; all unchanged while made_ is not there
  std::optional<Draft::Object> made_;
};

class Decoder {
 public:
  explicit Decoder(Empties empties) : empties_(empties) {}

  Changed value(const Schema& schema, View in) {
    if (in.is_null()) return zero_for_null(schema);
    switch (schema.go_kind) {
      case GoKind::Struct: return structure(schema, in);
      case GoKind::Map: return map(schema, in);
      case GoKind::Slice: return slice(schema, in);
      case GoKind::String:
      case GoKind::Duration: return in.is_string() ? kSame : refuse();
      case GoKind::Bool: return in.is_bool() ? kSame : refuse();
      case GoKind::Float64: return real(in);
      case GoKind::Bytes: return bytes(in);
      case GoKind::Time:
        if (is_canonical_time(in.as_string())) return kSame;
        return time(in, canonical_time);
      case GoKind::MicroTime: return time(in, canonical_micro_time);
      case GoKind::Quantity: return quantity(in);
      case GoKind::IntOrString: return in.is_string() ? kSame : integer(schema.go_kind, in);
      case GoKind::Json:
        return schema.additional_properties == nullptr ? kSame : either(schema, in);
      case GoKind::RawExtension:
      case GoKind::FieldsV1:
      case GoKind::None: return kSame;
      default: return integer(schema.go_kind, in);
    }
  }

  bool refused() const { return refused_; }
  bool met_unknown() const { return met_unknown_; }
  bool inexact() const { return inexact_; }

 private:
  static Changed zero_for_null(const Schema& schema) {
    auto made = zero(schema);
    if (made.is_null()) return kSame;
    return made;
  }

  Changed refuse() {
    refused_ = true;
    return kSame;
  }

  // Members and properties are both in name order, so one merge finds the property of each member
  // and the printed ones that are missing.
  Changed structure(const Schema& schema, View in) {
    if (!in.is_object()) return refuse();
    Rebuilt rebuilt{in};
    const auto& always = schema.always_printed;
    std::size_t printed = 0;  // in always
    std::size_t rank = 0;
    const auto insert_missing_before = [&](std::size_t end) {
      for (; printed < always.size() && always[printed] < end; ++printed) {
        rebuilt.insert(ranked(schema, always[printed]));
      }
    };
    for (const auto [key, member] : in.members()) {
      rank = find_rank(schema, rank, key);
      insert_missing_before(rank);
      if (rank == schema.by_name.size() || ranked(schema, rank).name != key) {
        met_unknown_ = true;
        rebuilt.drop();
        continue;
      }
      const bool is_printed = printed < always.size() && always[printed] == rank;
      if (is_printed) ++printed;
      property(ranked(schema, rank), is_printed, {key, member}, rebuilt);
    }
    insert_missing_before(schema.by_name.size());
    return rebuilt.take();
  }

  void property(const Property& property, bool always, json::Member member, Rebuilt& rebuilt) {
    if (member.value.is_null()) return null_property(property, always, member, rebuilt);
    Changed child = value(*property.schema, member.value);
    const auto kind = property.schema->go_kind;
    const bool container = kind == GoKind::Slice || kind == GoKind::Map;
    if (property.omit_empty && !property.pointer && (child ? empty(*child) : empty(member.value))) {
      if (!always) return rebuilt.drop();
    }
    if (!property.omit_empty && container && member.value.empty() &&
        empties_ == Empties::AsStored) {
      child = Draft{};
    }
    rebuilt.add(member, std::move(child));
  }

  static void null_property(const Property& property, bool always, json::Member member,
                            Rebuilt& rebuilt) {
    if (!always) return rebuilt.drop();
    if (property.pointer) return rebuilt.add(member, kSame);
    rebuilt.add(member, zero_for_null(*property.schema));
  }

  // Empty in the sense of omitempty.
  template <class Tree>
  static bool empty(const Tree& tree) {
    switch (tree.type()) {
      case Type::Null: return true;
      case Type::Bool: return !tree.as_bool();
      case Type::Int:
      case Type::Float: return tree.as_double() == 0;
      case Type::String: return tree.as_string().empty();
      case Type::Array:
      case Type::Object: return tree.empty();
    }
    return false;
  }

  Changed map(const Schema& schema, View in) {
    if (!in.is_object()) return refuse();
    Rebuilt rebuilt{in};
    for (const auto member : in.members()) {
      auto changed = value(*schema.additional_properties, member.value);
      // Stored bytes are never nil.
      if (member.value.is_null() && schema.additional_properties->go_kind == GoKind::Bytes) {
        changed = Draft{""};
      }
      rebuilt.add(member, std::move(changed));
    }
    return rebuilt.take();
  }

  Changed slice(const Schema& schema, View in) {
    if (!in.is_array()) return refuse();
    Changed made;
    std::size_t index = 0;
    for (const View element : in.elements()) {
      if (auto changed = value(*schema.items, element)) {
        if (!made) made = Draft{in};
        made->elements()[index] = *std::move(changed);
      }
      ++index;
    }
    return made;
  }

  Changed integer(GoKind kind, View in) {
    const auto [min, max] = range_of(kind);
    return in.is_int() && in.as_int() >= min && in.as_int() <= max ? kSame : refuse();
  }

  // Whole floats print as integers.
  Changed real(View in) {
    if (!in.is_number()) return refuse();
    const double number = in.as_double();
    if (in.is_int() || number != std::trunc(number) || std::abs(number) >= 1e15) return kSame;
    return Draft{static_cast<std::int64_t>(number)};
  }

  Changed bytes(View in) {
    if (in.is_array()) return byte_list(in);
    if (!in.is_string()) return refuse();
    auto canonical = canonical_base64(in.as_string());
    if (!canonical) return refuse();
    if (*canonical == in.as_string()) return kSame;
    return Draft{*std::move(canonical)};
  }

  // Go also fills bytes from a list of numbers.
  Changed byte_list(View in) {
    std::string raw;
    for (const View element : in.elements()) {
      if (!element.is_null()) integer(GoKind::Uint8, element);
      raw.push_back(static_cast<char>(element.as_int()));
    }
    return Draft{base64_encode(raw)};
  }

  // Go's zero time prints as null.
  Changed time(View in, Result<std::string> (*canonical)(std::string_view)) {
    if (!in.is_string()) return refuse();
    auto made = canonical(in.as_string());
    if (!made) return refuse();
    if (made->empty()) return Draft{};
    if (*made == in.as_string()) return kSame;
    return Draft{*std::move(made)};
  }

  Changed quantity(View in) {
    if (in.is_number() && !in.is_int()) inexact_ = true;
    if (is_plain_quantity(in.as_string())) return kSame;
    const auto text = in.is_string() ? std::string{in.as_string()} : json::to_text(in);
    auto parsed = Quantity::parse(trimmed(text));
    if (!parsed) return refuse();
    auto canonical = parsed->to_string();
    if (in.is_string() && canonical == text) return kSame;
    return Draft{std::move(canonical)};
  }

  // A schema, or a bool, a list of schemas, a list of names. Unknown fields inside go unnoticed.
  Changed either(const Schema& schema, View in) {
    const bool met_unknown = met_unknown_;
    Changed made = alternative(schema, in);
    met_unknown_ = met_unknown;
    return made;
  }

  Changed alternative(const Schema& schema, View in) {
    const auto& props = *schema.additional_properties;
    if (in.is_object()) return structure(props, in);
    if (schema.go_type == "v1.JSONSchemaPropsOrBool") return in.is_bool() ? kSame : refuse();
    if (!in.is_array()) return Draft{};
    if (schema.go_type != "v1.JSONSchemaPropsOrArray") return kSame;
    Schema list;
    list.go_kind = GoKind::Slice;
    list.items = &props;
    return slice(list, in);
  }

  Empties empties_;
  bool refused_ = false;
  bool met_unknown_ = false;
  bool inexact_ = false;
};

}  // namespace

Result<TypedObject> decode_typed(const Schema& schema, View object, Empties empties) {
  Decoder decoder{empties};
  Changed changed = decoder.value(schema, object);
  TypedObject typed{changed ? changed->freeze() : json::Value{object}, {}, decoder.inexact()};
  if (!decoder.refused() && !decoder.met_unknown()) return typed;

  FP_TRY(read, read_object(schema, likely_text(object)));
  if (decoder.refused()) return fail(ErrorKind::Invalid, "the object is no " + schema.go_type);
  typed.problems = std::move(read.problems);
  return typed;
}

Result<TypedObject> decode_typed_text(const Schema& schema, std::string_view text,
                                      Empties empties) {
  FP_TRY(read, read_object(schema, text));
  const json::Value object = read.object.freeze();
  FP_TRY(typed, decode_typed(schema, object, empties));
  typed.problems = std::move(read.problems);
  return typed;
}

}  // namespace fixpoint::kube
