// SPDX-License-Identifier: Apache-2.0
//
// One walk over schema and text together.
//
// Go tells two kinds of failure apart, and so must we to pick the same message: a value of the
// wrong JSON type is noted and decoding goes on; a value whose own parser refuses it ends decoding
// at once.
#include "kube/typed/read.h"

#include "base/base64.h"
#include "json/parsing/go_cursor.h"
#include "json/parsing/go_parse.h"
#include "json/parsing/number.h"
#include "kube/go/scalars.h"
#include "kube/go/text.h"
#include "kube/scalars/quantity.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <set>

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

using json::Draft;

// Kubernetes stops listing what strict decoding objects to after as many.
constexpr std::size_t kProblemsMax = 100;

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
  if (name.starts_with("struct {")) return name;  // has no name of its own
  const auto last = name.rfind('.');
  return name.substr(name.rfind('.', last - 1) + 1);
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

bool fits(GoKind kind, std::int64_t value) {
  const auto within = [&]<class T>(T) {
    return value >= static_cast<std::int64_t>(std::numeric_limits<T>::min()) &&
           value <= static_cast<std::int64_t>(std::numeric_limits<T>::max());
  };
  switch (kind) {
    case GoKind::Uint8: return within(std::uint8_t{});
    case GoKind::Uint16: return within(std::uint16_t{});
    case GoKind::Uint32: return within(std::uint32_t{});
    case GoKind::Uint64: return value >= 0;
    case GoKind::Int32:
    case GoKind::IntOrString: return within(std::int32_t{});
    default: return true;
  }
}

std::optional<std::int64_t> whole_number(std::string_view digits) {
  std::int64_t value = 0;
  const auto* last = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), last, value);
  if (read.ec != std::errc{} || read.ptr != last) return std::nullopt;
  return value;
}

class TypedReader {
 public:
  // Go's decoder inside a type's own UnmarshalJSON reports nothing unknown or double.
  enum class Report : std::uint8_t { Problems, Nothing };

  TypedReader(std::string_view text, Report report) : at_(text), report_(report) {}

  // `target` holds what an earlier value for the same key left there.
  void value(const Schema& schema, Draft& target, const Frame& frame) {
    if (stopped_) return;
    if (at_.next() == 'n') return null(schema, target);
    switch (schema.go_kind) {
      case GoKind::Struct: return structure(schema, target, frame);
      case GoKind::Map: return map(schema, target, frame);
      case GoKind::Slice: return slice(schema, target, frame);
      case GoKind::String:
      case GoKind::Duration: return string(schema, target, frame);
      case GoKind::Bool: return boolean(schema, target, frame);
      case GoKind::Float64: return real(schema, target, frame);
      case GoKind::Bytes: return bytes(schema, target, frame);
      case GoKind::Time: return time(target, frame, canonical_time);
      case GoKind::MicroTime: return time(target, frame, canonical_micro_time);
      case GoKind::Quantity: return quantity(target);
      case GoKind::IntOrString: return int_or_string(schema, target, frame);
      case GoKind::Json:
        if (schema.additional_properties != nullptr) return either(schema, target, frame);
        return raw(target);
      case GoKind::RawExtension:
      case GoKind::FieldsV1:
      case GoKind::None: return raw(target);
      default: return integer(schema, schema.go_type, target, frame);
    }
  }

  // What decoding ends with: the refusal of a value's own parser, else the first type mismatch.
  std::optional<Error> take_error() {
    if (stopped_) return Error{ErrorKind::Invalid, std::move(stop_message_)};
    if (noted_) return Error{ErrorKind::Invalid, std::move(*noted_)};
    return std::nullopt;
  }
  std::vector<FieldProblem> take_problems() { return std::move(problems_); }

 private:
  // Null leaves plain values and structs as they are; the rest becomes nil.
  void null(const Schema& schema, Draft& target) {
    at_.literal();
    switch (schema.go_kind) {
      case GoKind::Struct:
      case GoKind::String:
      case GoKind::Bool:
      case GoKind::Int32:
      case GoKind::Int64:
      case GoKind::Uint8:
      case GoKind::Uint16:
      case GoKind::Uint32:
      case GoKind::Uint64:
      case GoKind::Float64:
      case GoKind::IntOrString: return;
      default: target = Draft{};
    }
  }

  void stop(std::string message) {
    stopped_ = true;
    stop_message_ = std::move(message);
  }

  void note(TypeMismatch mismatch, const Frame& frame) {
    if (noted_) return;
    noted_ = describe(mismatch, frame);
    first_mismatch_ = std::move(mismatch);
  }

  void mismatch(const Schema& schema, const Frame& frame) {
    note({std::string{json::go_word_for(at_.next())}, std::string{go_type_of(schema)}}, frame);
    at_.skip();
  }

  void report(FieldProblem::Kind kind, const Frame& frame, std::string_view key) {
    if (report_ == Report::Nothing || problems_.size() >= kProblemsMax) return;
    FieldProblem problem{kind, {}};
    append_strict_path(frame, problem.path);
    if (frame.step != Frame::Step::Root) problem.path += '.';
    problem.path += key;
    if (std::ranges::find(problems_, problem) == problems_.end()) {
      problems_.push_back(std::move(problem));
    }
  }

  void structure(const Schema& schema, Draft& target, const Frame& frame) {
    if (at_.next() != '{') return mismatch(schema, frame);
    if (!target.is_object()) target = Draft::object();
    std::set<const Property*> seen;
    at_.enter();
    while (!stopped_ && !at_.leaves('}')) {
      const auto name = at_.key();
      const Property* property = schema.property(name);
      if (property == nullptr) {
        report(FieldProblem::Kind::Unknown, frame, name);
        at_.skip();
        continue;
      }
      if (!seen.insert(property).second) report(FieldProblem::Kind::Duplicate, frame, name);
      Draft& member = target[name];
      if (property->pointer && at_.next() == 'n') member = Draft{};
      value(*property->schema, member, frame.field(schema, property->name));
    }
  }

  void map(const Schema& schema, Draft& target, const Frame& frame) {
    if (at_.next() != '{') return mismatch(schema, frame);
    if (!target.is_object()) target = Draft::object();
    std::set<std::string, std::less<>> seen;
    at_.enter();
    while (!stopped_ && !at_.leaves('}')) {
      const auto name = at_.key();
      if (!seen.insert(name).second) report(FieldProblem::Kind::Duplicate, frame, name);
      Draft entry;
      value(*schema.additional_properties, entry, frame.key(name));
      target[name] = std::move(entry);
    }
  }

  // An element goes into what an earlier list for the same key had in its place.
  void slice(const Schema& schema, Draft& target, const Frame& frame) {
    if (at_.next() != '[') return mismatch(schema, frame);
    if (!target.is_array()) target = Draft::array();
    auto& elements = target.elements();
    std::size_t index = 0;
    at_.enter();
    for (; !stopped_ && !at_.leaves(']'); ++index) {
      if (index == elements.size()) elements.emplace_back();
      value(*schema.items, elements[index], frame.at(index));
    }
    elements.resize(index);
  }

  void string(const Schema& schema, Draft& target, const Frame& frame) {
    if (at_.next() != '"') return mismatch(schema, frame);
    target = at_.string();
  }

  void boolean(const Schema& schema, Draft& target, const Frame& frame) {
    const char first = at_.next();
    if (first != 't' && first != 'f') return mismatch(schema, frame);
    at_.literal();
    target = first == 't';
  }

  bool on_number() {
    const char first = at_.next();
    return first == '-' || (first >= '0' && first <= '9');
  }

  void integer(const Schema& schema, std::string_view go_type, Draft& target, const Frame& frame) {
    if (!on_number()) {
      note({std::string{json::go_word_for(at_.next())}, std::string{go_type}}, frame);
      at_.skip();
      return;
    }
    const auto digits = at_.number();
    const auto number = whole_number(digits);
    if (!number || !fits(schema.go_kind, *number)) {
      return note({fmt::format("number {}", digits), std::string{go_type}}, frame);
    }
    target = *number;
  }

  // It has a parser of its own, whose refusal is final.
  void int_or_string(const Schema& schema, Draft& target, const Frame& frame) {
    if (at_.next() == '"') {
      target = at_.string();
      return;
    }
    const auto before = std::exchange(noted_, std::nullopt);
    integer(schema, "int32", target, frame);
    if (noted_) stop(*noted_);
    noted_ = before;
  }

  void real(const Schema& schema, Draft& target, const Frame& frame) {
    if (!on_number()) return mismatch(schema, frame);
    const auto digits = at_.number();
    if (const auto whole = whole_number(digits)) {
      target = *whole;
    } else if (const auto number = json::read_double(digits)) {
      target = *number;
    } else {
      note({fmt::format("number {}", digits), std::string{go_type_of(schema)}}, frame);
    }
  }

  void bytes(const Schema& schema, Draft& target, const Frame& frame) {
    if (at_.next() == '[') return byte_list(target, frame);
    if (at_.next() != '"') return mismatch(schema, frame);
    auto text = at_.string();
    if (auto canonical = canonical_base64(text); !canonical) {
      if (!noted_) noted_ = canonical.error().message;
      return;
    }
    target = std::move(text);
  }

  // Go also fills bytes from a list of numbers.
  void byte_list(Draft& target, const Frame& frame) {
    Schema byte;
    byte.go_kind = GoKind::Uint8;
    byte.go_type = "uint8";
    std::string raw;
    at_.enter();
    for (std::size_t index = 0; !at_.leaves(']'); ++index) {
      Draft element;
      value(byte, element, frame.at(index));
      raw.push_back(static_cast<char>(element.as_int()));
    }
    target = base64_encode(raw);
  }

  // A string, read by a parser of its own.
  void time(Draft& target, const Frame& frame, Result<std::string> (*canonical)(std::string_view)) {
    if (at_.next() != '"') {
      return stop(describe({std::string{json::go_word_for(at_.next())}, "string"}, frame));
    }
    auto text = at_.string();
    if (auto made = canonical(text); !made) return stop(std::move(made.error().message));
    target = std::move(text);
  }

  void quantity(Draft& target) {
    const auto text = at_.next() == '"' ? at_.string() : std::string{at_.skip()};
    auto parsed = Quantity::parse(trimmed(text));
    if (!parsed) return stop(std::move(parsed.error().message));
    target = parsed->to_string();
  }

  // Kept as it is; a key given twice counts once, the last time.
  void raw(Draft& target) {
    auto parsed = json::go_parse(at_.skip());
    if (!parsed) return stop(std::move(parsed.error().message));
    target = std::move(parsed->value);
  }

  // A schema, or a bool, a list of schemas, a list of names. Their parsers start a decoder of their
  // own, so paths inside do not show.
  void either(const Schema& schema, Draft& target, const Frame& frame) {
    const auto text = at_.skip();
    TypedReader inner{text, Report::Nothing};
    inner.alternative(schema, target);
    if (inner.first_mismatch_) return stop(describe(*inner.first_mismatch_, frame));
    if (inner.stopped_) return stop(std::move(inner.stop_message_));
    if (inner.noted_) return stop(std::move(*inner.noted_));
  }

  void alternative(const Schema& schema, Draft& target) {
    const auto& props = *schema.additional_properties;
    const char first = at_.next();
    target = Draft{};
    if (first == '{') return structure(props, target, Frame{});
    if (schema.go_type == "v1.JSONSchemaPropsOrBool") {
      if (first != 't' && first != 'f') return stop("boolean or JSON schema expected");
      target = first == 't';
      return;
    }
    if (first != '[') return;
    if (schema.go_type != "v1.JSONSchemaPropsOrArray") return raw(target);
    Schema list;
    list.go_kind = GoKind::Slice;
    list.items = &props;
    slice(list, target, Frame{});
  }

  json::GoCursor at_;
  Report report_;
  std::vector<FieldProblem> problems_;
  std::optional<TypeMismatch> first_mismatch_;
  std::optional<std::string> noted_;
  bool stopped_ = false;
  std::string stop_message_;
};

}  // namespace

std::string FieldProblem::sentence() const {
  return fmt::format("{} field \"{}\"", kind == Kind::Unknown ? "unknown" : "duplicate", path);
}

Result<ReadObject> read_object(const Schema& schema, std::string_view text) {
  TypedReader reader{text, TypedReader::Report::Problems};
  ReadObject read;
  reader.value(schema, read.object, Frame{});
  if (auto error = reader.take_error()) return std::unexpected(*std::move(error));
  read.problems = reader.take_problems();
  return read;
}

}  // namespace fixpoint::kube
