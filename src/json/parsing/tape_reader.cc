// SPDX-License-Identifier: Apache-2.0
#include "json/parsing/tape_reader.h"

#include <bit>

namespace fixpoint::json {
namespace {

KeyGuess& thread_guess() {
  thread_local KeyGuess guess;
  return guess;
}

constexpr std::string_view kApiVersion = "apiVersion";
constexpr std::string_view kKind = "kind";

}  // namespace

TapeReader::TapeReader(const Tape& tape) : tape_(tape), guess_(thread_guess()) {}

std::optional<Value> TapeReader::whole(std::size_t at) {
  at_ = at;
  out_ = &BlockBuilder::fresh();
  const auto root = out_->reserve(1);
  value(kNoKey, root);
  if (odd_) return std::nullopt;
  return out_->finish();
}

std::optional<Value> TapeReader::cut(std::size_t at, const Shape::Node& shape, Stamp stamp) {
  at_ = at;
  out_ = &BlockBuilder::fresh();
  kept_.clear();
  const auto root = out_->reserve(1);
  const bool stamped = !stamp.kind.empty() || !stamp.api_version.empty();
  if (stamped && tape_.type(at) == '{') {
    cut_object(shape, stamp, kNoKey, root);
  } else {
    cut_value(shape, kNoKey, root);
  }
  if (odd_) return std::nullopt;
  return out_->finish();
}

void TapeReader::value(std::uint32_t key, std::uint32_t to) {
  switch (tape_.type(at_)) {
    case '"': out_->at(to) = out_->valid_string(key, tape_.string(at_)); break;
    case 'l':
      out_->at(to) = BlockBuilder::integer(key, static_cast<std::int64_t>(tape_.words[++at_]));
      break;
    case 'u':
      out_->at(to) = BlockBuilder::number(key, static_cast<double>(tape_.words[++at_]));
      break;
    case 'd':
      out_->at(to) = BlockBuilder::number(key, std::bit_cast<double>(tape_.words[++at_]));
      break;
    case 't': out_->at(to) = BlockBuilder::boolean(key, true); break;
    case 'f': out_->at(to) = BlockBuilder::boolean(key, false); break;
    case 'n': out_->at(to) = BlockBuilder::null(key); break;
    default: container(key, to); return;
  }
  ++at_;
}

void TapeReader::container(std::uint32_t key, std::uint32_t to) {
  const auto count = tape_.count(at_);
  if (count == Tape::kCountMax) odd_ = true;
  if (odd_) return;
  const bool is_object = tape_.type(at_) == '{';
  ++at_;
  const auto first = out_->reserve(count);
  out_->at(to) = BlockBuilder::container(is_object ? Type::Object : Type::Array, key, count, first);
  if (is_object) {
    members(key, first, count);
  } else {
    for (std::uint32_t i = 0; i < count && !odd_; ++i) value(kNoKey, first + i);
  }
  ++at_;  // the closing word
}

std::uint32_t TapeReader::next_key(Order& order, std::string_view name) {
  auto next = guess_.ask(order.place, name);
  if (next.key == kNoKey) {
    next = {out_->key(name), order.first || order.last < name};
    guess_.learn(order.place, next);
  }
  order.sorted = order.sorted && next.ascending;
  order.first = false;
  order.last = name;
  order.place.before = next.key;
  return next.key;
}

// Once something odd was met, the rest of the members was not read and must not be looked at.
void TapeReader::settle(const Order& order, std::uint32_t first, std::uint32_t count) {
  if (!odd_ && !order.sorted && !out_->sort_members(first, count)) odd_ = true;
}

void TapeReader::members(std::uint32_t own_key, std::uint32_t first, std::uint32_t count) {
  Order order{
      .place = {own_key, kNoKey}
  };
  for (std::uint32_t i = 0; i < count && !odd_; ++i) {
    const auto key = next_key(order, tape_.string(at_++));
    value(key, first + i);
  }
  settle(order, first, count);
}

void TapeReader::cut_value(const Shape::Node& shape, std::uint32_t key, std::uint32_t to) {
  const char type = tape_.type(at_);
  if (shape.whole() || (type != '{' && type != '[')) {
    value(key, to);
  } else if (type == '{') {
    cut_object(shape, {}, key, to);
  } else {
    cut_array(shape, key, to);
  }
}

void TapeReader::cut_array(const Shape::Node& shape, std::uint32_t key, std::uint32_t to) {
  const auto count = tape_.count(at_);
  if (count == Tape::kCountMax) odd_ = true;
  if (odd_) return;
  ++at_;
  const auto first = out_->reserve(count);
  out_->at(to) = BlockBuilder::container(Type::Array, key, count, first);
  for (std::uint32_t i = 0; i < count && !odd_; ++i) cut_value(shape, kNoKey, first + i);
  ++at_;
}

std::uint32_t TapeReader::choose(const Shape::Node& shape, std::size_t end, bool& has_version,
                                 bool& has_kind) {
  std::uint32_t count = 0;
  for (auto at = at_; at < end; at = tape_.after(at + 1)) {
    const auto name = tape_.string(at);
    const auto* part = shape.of(name);
    kept_.push_back(part);
    if (part == nullptr) continue;
    ++count;
    has_version = has_version || name == kApiVersion;
    has_kind = has_kind || name == kKind;
  }
  return count;
}

void TapeReader::cut_object(const Shape::Node& shape, Stamp stamp, std::uint32_t key,
                            std::uint32_t to) {
  const auto base = kept_.size();
  const auto end = tape_.end(at_);
  ++at_;
  bool has_version = stamp.api_version.empty();
  bool has_kind = stamp.kind.empty();
  auto count = choose(shape, end, has_version, has_kind);
  count += (has_version ? 0U : 1U) + (has_kind ? 0U : 1U);

  const auto first = out_->reserve(count);
  out_->at(to) = BlockBuilder::container(Type::Object, key, count, first);
  Order order{
      .place = {key, kNoKey}
  };
  auto next = first;
  if (!has_version) {
    const auto name = next_key(order, kApiVersion);
    out_->at(next++) = out_->valid_string(name, stamp.api_version);
  }
  if (!has_kind) {
    const auto name = next_key(order, kKind);
    out_->at(next++) = out_->valid_string(name, stamp.kind);
  }
  for (auto i = base; at_ < end && !odd_; ++i) {
    const auto* part = kept_[i];
    if (part == nullptr) {
      at_ = tape_.after(at_ + 1);
    } else {
      const auto name = next_key(order, tape_.string(at_++));
      cut_value(*part, name, next++);
    }
  }
  settle(order, first, count);
  kept_.resize(base);
  at_ = end + 1;
}

}  // namespace fixpoint::json
