// SPDX-License-Identifier: Apache-2.0
//
// One walk over schema and input together. An input that is already what Go would print is answered
// as it is, without a copy: levels are rebuilt only from the first difference up.
//
// Go tells two kinds of failure apart, and so must we to pick the same message: a value of the
// wrong JSON type is noted and decoding goes on; a value whose own parser refuses it ends decoding
// at once.
#include "kube/typed.h"

#include "base/base64.h"
#include "json/draft.h"
#include "json/print.h"
#include "kube/go_scalars.h"
#include "kube/quantity.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

using json::Draft;
using json::Type;
using json::View;

// Kubernetes stops listing unknown fields after as many.
constexpr std::size_t kUnknownFieldsMax = 100;

// Where the walk is: a chain of frames on the C++ stack.
struct Frame {
  enum class Step : std::uint8_t { Root, Field, Key, Index };

  const Frame* parent = nullptr;
  Step step = Step::Root;
  std::string_view name;
  std::size_t index = 0;
  const Schema* owner = nullptr;  // Field: the struct it belongs to

  Frame field(const Schema& in, std::string_view named) const {
    return {this, Step::Field, named, 0, &in};
  }
  Frame key(std::string_view named) const { return {this, Step::Key, named, 0, nullptr}; }
  Frame at(std::size_t i) const { return {this, Step::Index, {}, i, nullptr}; }
};

// "spec.containers[0].bar", as strict decoding errors name a place.
void append_strict_path(const Frame& frame, std::string& out) {
  if (frame.step == Frame::Step::Root) return;
  append_strict_path(*frame.parent, out);
  if (frame.step == Frame::Step::Index) {
    out += fmt::format("[{}]", frame.index);
    return;
  }
  if (!out.empty()) out += '.';
  out += frame.name;
}

// "spec.containers.ports", as type errors name it: fields only.
void append_field_path(const Frame& frame, std::string& out) {
  if (frame.step == Frame::Step::Root) return;
  append_field_path(*frame.parent, out);
  if (frame.step != Frame::Step::Field) return;
  if (!out.empty()) out += '.';
  out += frame.name;
}

const Schema* innermost_struct(const Frame& frame) {
  const Frame* at = &frame;
  while (at != nullptr && at->step != Frame::Step::Field) at = at->parent;
  return at == nullptr ? nullptr : at->owner;
}

// With its package: "v1.PodSpec" of io.k8s.api.core.v1.PodSpec.
std::string_view go_type_of(const Schema& schema) {
  if (schema.go_kind != GoKind::Struct) return schema.go_type;
  const std::string_view name = schema.definition;
  const auto last = name.rfind('.');
  return name.substr(name.rfind('.', last - 1) + 1);
}

std::string_view json_word(Type type) {
  switch (type) {
    case Type::Bool: return "bool";
    case Type::Int:
    case Type::Float: return "number";
    case Type::String: return "string";
    case Type::Array: return "array";
    case Type::Object: return "object";
    case Type::Null: break;
  }
  return "null";
}

// A number as its author most likely wrote it: the tree no longer has the text. A float that is
// whole was written with a fraction, an exponent, or more digits than an integer holds.
std::string number_text(View number) {
  if (number.is_int()) return fmt::format("{}", number.as_int());
  constexpr double kExactMax = 9007199254740992.0;
  const double value = number.as_double();
  if (value != std::trunc(value)) return json::to_text(number);
  return std::abs(value) < kExactMax ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value);
}

struct TypeMismatch {
  std::string value;  // "number 1.5"
  std::string go_type;
};

std::string describe(const TypeMismatch& mismatch, const Frame& frame) {
  const Schema* owner = innermost_struct(frame);
  if (owner == nullptr) {
    return fmt::format("json: cannot unmarshal {} into Go value of type {}", mismatch.value,
                       mismatch.go_type);
  }
  std::string path;
  append_field_path(frame, path);
  return fmt::format("json: cannot unmarshal {} into Go struct field {}.{} of type {}",
                     mismatch.value, owner->go_type, path, mismatch.go_type);
}

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

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const auto first = std::min(text.find_first_not_of(kSpace), text.size());
  text.remove_prefix(first);
  return text.substr(0, text.find_last_not_of(kSpace) + 1);
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
  // Go's decoder inside a type's own UnmarshalJSON reports nothing unknown.
  enum class Unknown : std::uint8_t { Report, Ignore };
  explicit Decoder(Unknown unknown = Unknown::Report) : unknown_(unknown) {}

  Changed value(const Schema& schema, View in, const Frame& frame) {
    if (stopped_) return kSame;
    if (in.is_null()) return zero_for_null(schema);
    switch (schema.go_kind) {
      case GoKind::Struct: return structure(schema, in, frame);
      case GoKind::Map: return map(schema, in, frame);
      case GoKind::Slice: return slice(schema, in, frame);
      case GoKind::String:
      case GoKind::Duration: return in.is_string() ? kSame : mismatch(schema, in, frame);
      case GoKind::Bool: return in.is_bool() ? kSame : mismatch(schema, in, frame);
      case GoKind::Float64: return real(schema, in, frame);
      case GoKind::Bytes: return bytes(schema, in, frame);
      case GoKind::Time:
        if (is_canonical_time(in.as_string())) return kSame;
        return text(in, frame, canonical_time);
      case GoKind::MicroTime: return text(in, frame, canonical_micro_time);
      case GoKind::Quantity: return quantity(in);
      case GoKind::IntOrString: return in.is_string() ? kSame : integer(schema, "int32", in, frame);
      case GoKind::Json:
        return schema.additional_properties == nullptr ? kSame : either(schema, in, frame);
      case GoKind::RawExtension:
      case GoKind::FieldsV1:
      case GoKind::None: return kSame;
      default: return integer(schema, schema.go_type, in, frame);
    }
  }

  // What decoding ends with: the refusal of a value's own parser, else the first type mismatch.
  std::optional<Error> take_error() {
    if (stopped_) return Error{ErrorKind::Invalid, std::move(stop_message_)};
    if (noted_) return Error{ErrorKind::Invalid, std::move(*noted_)};
    return std::nullopt;
  }
  std::vector<std::string> take_unknown() { return std::move(unknown_fields_); }

 private:
  static Changed zero_for_null(const Schema& schema) {
    auto made = zero(schema);
    if (made.is_null()) return kSame;
    return made;
  }

  Changed stop(std::string message) {
    stopped_ = true;
    stop_message_ = std::move(message);
    return kSame;
  }

  Changed note(TypeMismatch mismatch, const Frame& frame) {
    if (!first_mismatch_) {
      noted_ = describe(mismatch, frame);
      first_mismatch_ = std::move(mismatch);
    }
    return kSame;
  }

  Changed mismatch(const Schema& schema, View in, const Frame& frame) {
    return note({std::string{json_word(in.type())}, std::string{go_type_of(schema)}}, frame);
  }

  // Members and properties are both in name order, so one merge finds the property of each member
  // and the printed ones that are missing.
  Changed structure(const Schema& schema, View in, const Frame& frame) {
    if (!in.is_object()) return mismatch(schema, in, frame);
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
        report_unknown(frame, key);
        rebuilt.drop();
        continue;
      }
      const bool is_printed = printed < always.size() && always[printed] == rank;
      if (is_printed) ++printed;
      property(schema, ranked(schema, rank), is_printed, {key, member}, frame, rebuilt);
    }
    insert_missing_before(schema.by_name.size());
    return rebuilt.take();
  }

  void property(const Schema& owner, const Property& property, bool always, json::Member member,
                const Frame& frame, Rebuilt& rebuilt) {
    if (member.value.is_null()) return null_property(property, always, member, rebuilt);
    Changed child = value(*property.schema, member.value, frame.field(owner, property.name));
    const auto kind = property.schema->go_kind;
    const bool container = kind == GoKind::Slice || kind == GoKind::Map;
    if (property.omit_empty && !property.pointer && (child ? empty(*child) : empty(member.value))) {
      if (!always) return rebuilt.drop();
    }
    // What is stored does not tell an empty list from none.
    if (!property.omit_empty && container && member.value.empty()) child = Draft{};
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

  void report_unknown(const Frame& frame, std::string_view key) {
    if (unknown_ == Unknown::Ignore || unknown_fields_.size() >= kUnknownFieldsMax) return;
    std::string path;
    append_strict_path(frame, path);
    if (!path.empty()) path += '.';
    path += key;
    unknown_fields_.push_back(std::move(path));
  }

  Changed map(const Schema& schema, View in, const Frame& frame) {
    if (!in.is_object()) return mismatch(schema, in, frame);
    Rebuilt rebuilt{in};
    for (const auto member : in.members()) {
      auto changed = value(*schema.additional_properties, member.value, frame.key(member.key));
      // Stored bytes are never nil.
      if (member.value.is_null() && schema.additional_properties->go_kind == GoKind::Bytes) {
        changed = Draft{""};
      }
      rebuilt.add(member, std::move(changed));
    }
    return rebuilt.take();
  }

  Changed slice(const Schema& schema, View in, const Frame& frame) {
    if (!in.is_array()) return mismatch(schema, in, frame);
    Changed made;
    std::size_t index = 0;
    for (const View element : in.elements()) {
      if (auto changed = value(*schema.items, element, frame.at(index))) {
        if (!made) made = Draft{in};
        made->elements()[index] = *std::move(changed);
      }
      ++index;
    }
    return made;
  }

  Changed integer(const Schema& schema, std::string_view go_type, View in, const Frame& frame) {
    const auto [min, max] = range_of(schema.go_kind);
    if (in.is_int() && in.as_int() >= min && in.as_int() <= max) return kSame;
    auto shown = in.is_number() ? fmt::format("number {}", number_text(in))
                                : std::string{json_word(in.type())};
    TypeMismatch found{std::move(shown), std::string{go_type}};
    // An int-or-string has a parser of its own, whose refusal is final.
    if (schema.go_kind == GoKind::IntOrString) return stop(describe(found, frame));
    return note(std::move(found), frame);
  }

  // Whole floats print as integers.
  Changed real(const Schema& schema, View in, const Frame& frame) {
    if (!in.is_number()) return mismatch(schema, in, frame);
    const double number = in.as_double();
    if (in.is_int() || number != std::trunc(number) || std::abs(number) >= 1e15) return kSame;
    return Draft{static_cast<std::int64_t>(number)};
  }

  Changed bytes(const Schema& schema, View in, const Frame& frame) {
    if (in.is_array()) return byte_list(in, frame);
    if (!in.is_string()) return mismatch(schema, in, frame);
    auto canonical = canonical_base64(in.as_string());
    if (!canonical) {
      if (!noted_) noted_ = canonical.error().message;
      return kSame;
    }
    if (*canonical == in.as_string()) return kSame;
    return Draft{*std::move(canonical)};
  }

  // Go also fills bytes from a list of numbers.
  Changed byte_list(View in, const Frame& frame) {
    Schema byte;
    byte.go_kind = GoKind::Uint8;
    byte.go_type = "uint8";
    std::string raw;
    std::size_t index = 0;
    for (const View element : in.elements()) {
      integer(byte, byte.go_type, element.is_null() ? View{} : element, frame.at(index++));
      raw.push_back(static_cast<char>(element.as_int()));
    }
    return Draft{base64_encode(raw)};
  }

  // Times: a string, read by a parser of its own. Go's zero time prints as null.
  Changed text(View in, const Frame& frame, Result<std::string> (*canonical)(std::string_view)) {
    if (!in.is_string()) {
      return stop(describe({std::string{json_word(in.type())}, "string"}, frame));
    }
    auto made = canonical(in.as_string());
    if (!made) return stop(std::move(made.error().message));
    if (made->empty()) return Draft{};
    if (*made == in.as_string()) return kSame;
    return Draft{*std::move(made)};
  }

  Changed quantity(View in) {
    if (is_plain_quantity(in.as_string())) return kSame;
    const auto text = in.is_string() ? std::string{in.as_string()} : json::to_text(in);
    auto parsed = Quantity::parse(trimmed(text));
    if (!parsed) return stop(std::move(parsed.error().message));
    auto canonical = parsed->to_string();
    if (in.is_string() && canonical == text) return kSame;
    return Draft{std::move(canonical)};
  }

  // A schema, or a bool, a list of schemas, a list of names. Their parsers start a decoder of their
  // own, so paths inside do not show and unknown fields are not reported.
  Changed either(const Schema& schema, View in, const Frame& frame) {
    Decoder inner{Unknown::Ignore};
    Changed made = inner.alternative(schema, in, Frame{});
    if (inner.stopped_) {
      if (inner.first_mismatch_) return stop(describe(*inner.first_mismatch_, frame));
      return stop(std::move(inner.stop_message_));
    }
    if (inner.first_mismatch_) return stop(describe(*inner.first_mismatch_, frame));
    if (inner.noted_) return stop(std::move(*inner.noted_));
    return made;
  }

  Changed alternative(const Schema& schema, View in, const Frame& root) {
    const auto& props = *schema.additional_properties;
    if (in.is_object()) return structure(props, in, root);
    if (schema.go_type == "v1.JSONSchemaPropsOrBool") {
      return in.is_bool() ? kSame : stop("boolean or JSON schema expected");
    }
    if (!in.is_array()) return Draft{};
    if (schema.go_type != "v1.JSONSchemaPropsOrArray") return kSame;
    Schema list;
    list.go_kind = GoKind::Slice;
    list.items = &props;
    return slice(list, in, root);
  }

  Unknown unknown_;
  std::vector<std::string> unknown_fields_;
  std::optional<TypeMismatch> first_mismatch_;
  std::optional<std::string> noted_;
  bool stopped_ = false;
  std::string stop_message_;
};

}  // namespace

Result<TypedObject> decode_typed(const Schema& schema, View object) {
  Decoder decoder;
  Changed changed = decoder.value(schema, object, Frame{});
  if (auto error = decoder.take_error()) return std::unexpected(*std::move(error));
  return TypedObject{changed ? changed->freeze() : json::Value{object}, decoder.take_unknown()};
}

}  // namespace fixpoint::kube
