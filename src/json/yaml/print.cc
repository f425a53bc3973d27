// SPDX-License-Identifier: Apache-2.0
//
// Value to YAML, through libyaml's emitter with the styles the Go library chooses.
#include "json/print.h"

#include "base/error.h"
#include "json/text.h"
#include "json/yaml/scalar.h"
#include "json/yaml/yaml.h"

#include <list>

#include <yaml.h>

namespace fixpoint::json {
namespace {

bool is_digit_rune(char32_t c) {
  return c >= '0' && c <= '9';
}
// Letters of other scripts count as letters, and so, here, does everything beyond ASCII.
bool is_letter_rune(char32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
}

std::u32string runes_of(std::string_view text) {
  std::u32string out;
  while (!text.empty()) {
    const auto rune = decode_rune(text);
    out.push_back(rune.code);
    text.remove_prefix(rune.bytes);
  }
  return out;
}

struct DigitRun {
  std::uint64_t value;
  std::size_t end;
};

DigitRun digits_from(const std::u32string& text, std::size_t at, std::uint64_t start) {
  DigitRun run{start, at};
  for (; run.end < text.size() && is_digit_rune(text[run.end]); ++run.end) {
    run.value = run.value * 10 + (text[run.end] - '0');
  }
  return run;
}

// Whether the digits before `at` (equal in both keys) have begun a number with something but zeros.
bool inside_number(const std::u32string& text, std::size_t at) {
  for (; at > 0 && is_digit_rune(text[at - 1]); --at) {
    if (text[at - 1] != '0') return true;
  }
  return false;
}

// Natural order: letters after signs and digits, numbers by value.
bool natural_less(const std::u32string& a, const std::u32string& b) {
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (a[i] == b[i]) continue;
    const bool left = is_letter_rune(a[i]);
    const bool right = is_letter_rune(b[i]);
    if (left && right) return a[i] < b[i];
    if (left || right) return right;
    const bool inside = (a[i] == '0' || b[i] == '0') && inside_number(a, i);
    const auto x = digits_from(a, i, inside ? 1 : 0);
    const auto y = digits_from(b, i, inside ? 1 : 0);
    if (x.value != y.value) return x.value < y.value;
    if (x.end != y.end) return x.end < y.end;
    return a[i] < b[i];
  }
  return a.size() < b.size();
}

class Emitter {
 public:
  Emitter() {
    FP_CHECK(yaml_emitter_initialize(&emitter_) != 0);
    yaml_emitter_set_output(&emitter_, &write, &out_);
    yaml_emitter_set_unicode(&emitter_, 1);
  }
  ~Emitter() { yaml_emitter_delete(&emitter_); }
  Emitter(const Emitter&) = delete;
  Emitter& operator=(const Emitter&) = delete;

  std::string print(View value) {
    yaml_stream_start_event_initialize(&event_, YAML_UTF8_ENCODING);
    emit();
    yaml_document_start_event_initialize(&event_, nullptr, nullptr, nullptr, 1);
    emit();
    node(value);
    yaml_document_end_event_initialize(&event_, 1);
    emit();
    emitter_.open_ended = 0;
    yaml_stream_end_event_initialize(&event_);
    emit();
    return std::move(out_);
  }

 private:
  static int write(void* out, unsigned char* bytes, std::size_t size) {
    static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(bytes), size);
    return 1;
  }

  // The emitter refuses only malformed event sequences and invalid UTF-8; a Value has neither.
  void emit() { FP_CHECK(yaml_emitter_emit(&emitter_, &event_) != 0); }

  void node(View value) {
    switch (value.type()) {
      case Type::Null: return scalar("null", YAML_PLAIN_SCALAR_STYLE);
      case Type::Bool: return scalar(value.as_bool() ? "true" : "false", YAML_PLAIN_SCALAR_STYLE);
      case Type::Int: return scalar(std::to_string(value.as_int()), YAML_PLAIN_SCALAR_STYLE);
      case Type::Float: return scalar(general_float(value.as_double()), YAML_PLAIN_SCALAR_STYLE);
      case Type::String: return string(value.as_string());
      case Type::Array: return sequence(value);
      case Type::Object: return mapping(value);
    }
  }

  void scalar(std::string_view text, yaml_scalar_style_t style) {
    const auto* bytes = reinterpret_cast<const yaml_char_t*>(text.data());
    yaml_scalar_event_initialize(&event_, nullptr, nullptr, const_cast<yaml_char_t*>(bytes),
                                 static_cast<int>(text.size()), 1, 1, style);
    emit();
  }

  void string(std::string_view text) {
    if (text.contains('\n')) return scalar(text, YAML_LITERAL_SCALAR_STYLE);
    scalar(text, reads_as_string(text) ? YAML_PLAIN_SCALAR_STYLE : YAML_DOUBLE_QUOTED_SCALAR_STYLE);
  }

  void sequence(View value) {
    yaml_sequence_start_event_initialize(&event_, nullptr, nullptr, 1, YAML_BLOCK_SEQUENCE_STYLE);
    emit();
    for (const auto element : value.elements()) node(element);
    yaml_sequence_end_event_initialize(&event_);
    emit();
  }

  void mapping(View value) {
    struct Entry {
      std::u32string order;
      Member member;
    };
    // A list, because its sort survives an order that is not quite one: natural order of hostile
    // keys need not be transitive.
    std::list<Entry> entries;
    for (const auto member : value.members()) entries.push_back({runes_of(member.key), member});
    entries.sort([](const Entry& a, const Entry& b) { return natural_less(a.order, b.order); });
    yaml_mapping_start_event_initialize(&event_, nullptr, nullptr, 1, YAML_BLOCK_MAPPING_STYLE);
    emit();
    for (const auto& entry : entries) {
      string(entry.member.key);
      node(entry.member.value);
    }
    yaml_mapping_end_event_initialize(&event_);
    emit();
  }

  yaml_emitter_t emitter_{};
  yaml_event_t event_{};
  std::string out_;
};

}  // namespace

std::string to_yaml(View value) {
  return Emitter{}.print(value);
}

}  // namespace fixpoint::json
