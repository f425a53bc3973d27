// SPDX-License-Identifier: Apache-2.0
//
// Parsing cut to a Shape: the fast way over the tape, else json::parse's exact reader and a cut of
// what it read. Both give the same trees; a property test and a fuzzer hold them together.
#include "json/draft.h"
#include "json/parsing/go_parse.h"
#include "json/parsing/parse.h"
#include "json/parsing/tape_reader.h"
#include "json/shape/shape.h"
#include "json/shape/shape_node.h"

#include <optional>

namespace fixpoint::json {
namespace {

const Shape::Node& root_of(const Shape* shape) {
  return shape == nullptr ? Shape::Node::kWhole : shape->root();
}

Shape::Node all_but(std::string_view name) {
  const auto nothing =
      std::make_shared<const Shape::Node>(Shape::Node{.others = false, .named = {}});
  return {.others = true, .named = {{std::string{name}, nothing}}};
}

// Where a member of the root object is on a tape.
struct TapePlace {
  bool odd = false;    // given twice
  std::size_t at = 0;  // 0: absent
};
TapePlace find_on_tape(const Tape& tape, std::string_view name) {
  TapePlace place;
  const auto end = tape.end(Tape::kRoot);
  for (auto at = Tape::kRoot + 1; at < end; at = tape.after(at + 1)) {
    if (tape.string(at) != name) continue;
    place.odd = place.at != 0;
    if (place.odd) break;
    place.at = at + 1;
  }
  return place;
}

// Ends the thread's use of the tape, whichever way a function is left.
struct TapeEnd {
  ~TapeEnd() { trim_tape(); }
};

std::optional<Value> fast_shaped(std::string_view text, const Shape* shape) {
  const TapeEnd end;
  const auto tape = tape_of(text);
  if (!tape) return std::nullopt;
  return TapeReader{*tape}.cut(Tape::kRoot, root_of(shape));
}

std::optional<ParsedMember> fast_member(std::string_view text, std::string_view name,
                                        const Shape* shape) {
  const TapeEnd end;
  const auto tape = tape_of(text);
  if (!tape || tape->type(Tape::kRoot) != '{') return std::nullopt;
  const auto place = find_on_tape(*tape, name);
  if (place.odd) return std::nullopt;
  TapeReader reader{*tape};
  auto rest = reader.cut(Tape::kRoot, all_but(name));
  if (!rest) return std::nullopt;
  if (place.at == 0) return ParsedMember{.rest = *std::move(rest), .member = {}};
  auto member = reader.cut(place.at, root_of(shape));
  if (!member) return std::nullopt;
  return ParsedMember{.rest = *std::move(rest), .member = *std::move(member)};
}

std::optional<ParsedList> fast_list(std::string_view text, std::string_view list,
                                    const Shape* shape, Stamp stamp) {
  const TapeEnd end;
  const auto tape = tape_of(text);
  if (!tape || tape->type(Tape::kRoot) != '{') return std::nullopt;
  const auto place = find_on_tape(*tape, list);
  if (place.odd) return std::nullopt;
  if (place.at != 0 && tape->type(place.at) != '[' && tape->type(place.at) != 'n') {
    return std::nullopt;
  }
  TapeReader reader{*tape};
  auto rest = reader.cut(Tape::kRoot, all_but(list));
  if (!rest) return std::nullopt;
  ParsedList parsed{.rest = *std::move(rest), .elements = {}};
  if (place.at == 0 || tape->type(place.at) == 'n') return parsed;
  parsed.elements.reserve(tape->count(place.at));
  const auto last = tape->end(place.at);
  for (auto at = place.at + 1; at < last; at = tape->after(at)) {
    auto element = reader.cut(at, root_of(shape), stamp);
    if (!element) return std::nullopt;
    parsed.elements.push_back(*std::move(element));
  }
  return parsed;
}

Value stamped(Value value, Stamp stamp) {
  const bool lacks_version = !stamp.api_version.empty() && !value.contains("apiVersion");
  const bool lacks_kind = !stamp.kind.empty() && !value.contains("kind");
  if (!value.is_object() || (!lacks_version && !lacks_kind)) return value;
  Draft draft{std::move(value)};
  if (lacks_version) draft["apiVersion"] = stamp.api_version;
  if (lacks_kind) draft["kind"] = stamp.kind;
  return draft.freeze();
}

Value slow_cut(View value, const Shape* shape) {
  return shape == nullptr ? Value{value} : shape->cut(value);
}

// The object in `text` and, apart from it, one of its members.
Result<ParsedMember> slow_member(std::string_view text, std::string_view name) {
  FP_TRY(parsed, go_parse(text));
  if (!parsed.value.is_object()) return fail(ErrorKind::Invalid, "the JSON text is no object");
  Draft rest{parsed.value};
  rest.erase(name);
  return ParsedMember{.rest = rest.freeze(), .member = Value{parsed.value.get(name)}};
}

}  // namespace

Result<Value> parse_shaped(std::string_view text, const Shape* shape) {
  FP_TRY_VOID(check_text_size(text));
  if (auto value = fast_shaped(text, shape)) return *std::move(value);
  FP_TRY(parsed, go_parse(text));
  return slow_cut(parsed.value, shape);
}

Result<ParsedMember> parse_member(std::string_view text, std::string_view name,
                                  const Shape* shape) {
  FP_TRY_VOID(check_text_size(text));
  if (auto parsed = fast_member(text, name, shape)) return *std::move(parsed);
  FP_TRY(parsed, slow_member(text, name));
  return ParsedMember{.rest = std::move(parsed.rest),
                      .member = slow_cut(parsed.member, shape).compact()};
}

Result<ParsedList> parse_list(std::string_view text, std::string_view list, const Shape* shape,
                              Stamp stamp) {
  FP_TRY_VOID(check_text_size(text));
  if (auto parsed = fast_list(text, list, shape, stamp)) return *std::move(parsed);
  FP_TRY(parsed, slow_member(text, list));
  if (!parsed.member.is_array() && !parsed.member.is_null()) {
    return fail(ErrorKind::Invalid, "the member \"" + std::string{list} + "\" is no list");
  }
  ParsedList out{.rest = std::move(parsed.rest), .elements = {}};
  for (const View element : parsed.member.elements()) {
    out.elements.push_back(stamped(slow_cut(element, shape).compact(), stamp));
  }
  return out;
}

}  // namespace fixpoint::json
