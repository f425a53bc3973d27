// SPDX-License-Identifier: Apache-2.0
//
// The reader proper, over text that go_check() has accepted: it looks at no byte twice and cannot
// run past the end.
#include "json/go_parse.h"

#include "base/hash.h"
#include "json/builder.h"
#include "json/number.h"
#include "json/text.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>

namespace fixpoint::json {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

char32_t hex_value(std::string_view digits) {
  std::uint32_t code = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
  return code;
}

bool is_high(char32_t code) {
  return code >= 0xD800 && code < 0xDC00;
}
bool is_low(char32_t code) {
  return code >= 0xDC00 && code < 0xE000;
}

class Reader {
 public:
  Reader(std::string_view text, BlockBuilder& out) : text_(text), out_(out) {}

  Result<Parsed> read() {
    const auto root = out_.reserve(1);
    const auto node = value(kNoKey);
    out_.at(root) = node;
    if (!error_.empty()) return fail(ErrorKind::Invalid, std::move(error_));
    auto whole = out_.finish();
    if (replaced_) whole = repacked(whole);
    return Parsed{std::move(whole), std::move(duplicates_)};
  }

 private:
  char peek() const { return text_[at_]; }
  void skip_space() {
    while (is_space(text_[at_])) ++at_;
  }

  // What lost against a later duplicate is still in the block: leave it behind.
  static Value repacked(const Value& value) {
    auto& builder = BlockBuilder::fresh();
    builder.copy(value, kNoKey, builder.reserve(1));
    return builder.finish();
  }

  Node value(std::uint32_t key) {
    skip_space();
    switch (peek()) {
      case '{':
      case '[': return container(key);
      case '"': return out_.valid_string(key, string());
      case 't': at_ += 4; return BlockBuilder::boolean(key, true);
      case 'f': at_ += 5; return BlockBuilder::boolean(key, false);
      case 'n': at_ += 4; return BlockBuilder::null(key);
      default: return number(key);
    }
  }

  Node number(std::uint32_t key) {
    const auto end = std::min(text_.find_first_not_of("+-.0123456789eE", at_), text_.size());
    const auto number = text_.substr(at_, end - at_);
    at_ = end;
    std::int64_t whole = 0;
    const auto* last = number.data() + number.size();
    const auto read = std::from_chars(number.data(), last, whole);
    if (read.ec == std::errc{} && read.ptr == last) return BlockBuilder::integer(key, whole);
    if (const auto real = read_double(number)) return BlockBuilder::number(key, *real);
    if (error_.empty()) {
      error_ =
          "json: cannot unmarshal number " + std::string{number} + " into Go value of type float64";
    }
    return BlockBuilder::null(key);
  }

  Node container(std::uint32_t key) {
    ++depth_;
    const auto node = peek() == '{' ? object(key) : array(key);
    --depth_;
    return node;
  }

  Node array(std::uint32_t key) {
    const auto base = pending_.size();
    const auto path = path_.size();
    for (++at_; !closes(']');) {
      path_.append("[").append(std::to_string(pending_.size() - base)).append("]");
      const auto node = value(kNoKey);
      pending_.push_back(node);
      path_.resize(path);
    }
    return settle(Type::Array, key, base);
  }

  Node object(std::uint32_t key) {
    const auto base = pending_.size();
    const auto path = path_.size();
    std::unordered_map<std::string, std::size_t, StringHash> seen;
    for (++at_; !closes('}');) {
      auto name = string();
      skip_space();
      ++at_;  // the colon
      const auto [entry, first_time] = seen.try_emplace(name, pending_.size());
      const auto slot = entry->second;
      if (first_time) {
        pending_.push_back(BlockBuilder::null(out_.key(name)));
      }
      path_.append(depth_ > 1 ? "." : "").append(name);
      if (!first_time) note_duplicate();
      const auto node = value(pending_[slot].key());
      pending_[slot] = node;
      path_.resize(path);
    }
    return settle(Type::Object, key, base);
  }

  // At a separator or right after the opening bracket: past it, and past the close if that is next.
  bool closes(char close) {
    skip_space();
    if (peek() == ',') {
      ++at_;
      skip_space();
      return false;
    }
    if (peek() != close) return false;
    ++at_;
    return true;
  }

  void note_duplicate() {
    replaced_ = true;
    if (duplicates_.size() == kDuplicatesMax || std::ranges::count(duplicates_, path_) > 0) return;
    duplicates_.push_back(path_);
  }

  // The children read since `base` move to their final places, side by side.
  Node settle(Type type, std::uint32_t key, std::size_t base) {
    const auto count = static_cast<std::uint32_t>(pending_.size() - base);
    const auto first = out_.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) out_.at(first + i) = pending_[base + i];
    pending_.resize(base);
    if (type == Type::Object) FP_CHECK(out_.sort_members(first, count));
    return BlockBuilder::container(type, key, count, first);
  }

  std::string string() {
    std::string out;
    for (++at_; peek() != '"';) {
      if (peek() == '\\') {
        escape(out);
      } else if (static_cast<unsigned char>(peek()) < 0x80) {
        out.push_back(text_[at_++]);
      } else {
        const auto rune = decode_rune(text_.substr(at_));
        append_rune(rune.code, out);
        at_ += rune.bytes;
      }
    }
    ++at_;
    return out;
  }

  void escape(std::string& out) {
    constexpr std::string_view kNames = "bfnrt";
    constexpr std::string_view kNamed = "\b\f\n\r\t";
    const char c = text_[at_ + 1];
    if (c == 'u') return unicode(out);
    const auto named = kNames.find(c);
    out.push_back(named == std::string_view::npos ? c : kNamed[named]);
    at_ += 2;
  }

  void unicode(std::string& out) {
    auto code = hex_value(text_.substr(at_ + 2, 4));
    at_ += 6;
    if (is_high(code) && text_.substr(at_, 2) == "\\u") {
      if (const auto low = hex_value(text_.substr(at_ + 2, 4)); is_low(low)) {
        at_ += 6;
        code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
      }
    }
    if (is_high(code) || is_low(code)) code = kReplacementRune;
    append_rune(code, out);
  }

  std::string_view text_;
  BlockBuilder& out_;
  std::size_t at_ = 0;
  std::vector<Node> pending_;  // children of the containers being read
  std::string path_;
  std::size_t depth_ = 0;
  std::vector<std::string> duplicates_;
  bool replaced_ = false;
  std::string error_;
};

}  // namespace

Result<Parsed> go_parse(std::string_view text) {
  FP_TRY_VOID(go_check(text));
  return Reader{text, BlockBuilder::fresh()}.read();
}

}  // namespace fixpoint::json
