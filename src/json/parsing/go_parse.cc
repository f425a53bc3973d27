// SPDX-License-Identifier: Apache-2.0
//
// The reader proper, over text that go_check() has accepted.
#include "json/parsing/go_parse.h"

#include "base/hash.h"
#include "json/builder.h"
#include "json/parsing/go_cursor.h"
#include "json/parsing/number.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>

namespace fixpoint::json {
namespace {

class Reader {
 public:
  Reader(std::string_view text, BlockBuilder& out) : at_(text), out_(out) {}

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
  // What lost against a later duplicate is still in the block: leave it behind.
  static Value repacked(const Value& value) {
    auto& builder = BlockBuilder::fresh();
    builder.copy(value, kNoKey, builder.reserve(1));
    return builder.finish();
  }

  Node value(std::uint32_t key) {
    const char first = at_.next();
    switch (first) {
      case '{':
      case '[': return container(key, first);
      case '"': return out_.valid_string(key, at_.string());
      case 't':
      case 'f': at_.literal(); return BlockBuilder::boolean(key, first == 't');
      case 'n': at_.literal(); return BlockBuilder::null(key);
      default: return number(key);
    }
  }

  Node number(std::uint32_t key) {
    const auto number = at_.number();
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

  Node container(std::uint32_t key, char bracket) {
    ++depth_;
    at_.enter();
    const auto node = bracket == '{' ? object(key) : array(key);
    --depth_;
    return node;
  }

  Node array(std::uint32_t key) {
    const auto base = pending_.size();
    const auto path = path_.size();
    while (!at_.leaves(']')) {
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
    while (!at_.leaves('}')) {
      const auto name = at_.key();
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

  GoCursor at_;
  BlockBuilder& out_;
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
