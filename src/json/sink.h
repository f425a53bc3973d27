// SPDX-License-Identifier: Apache-2.0
//
// Sink: appends to a string without asking it for permission each time. The string is grown in
// large steps, unfilled, and cut to what was written when the Sink goes away.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace fixpoint::json {

class Sink {
 public:
  explicit Sink(std::string& out, std::size_t expected) : out_(out), used_(out.size()) {
    grow(expected);
  }
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  ~Sink() { out_.resize(used()); }

  // Room for `bytes` more: puts up to that many need no check of their own.
  void need(std::size_t bytes) {
    if (static_cast<std::size_t>(end_ - at_) < bytes) grow(bytes);
  }
  void put(char c) { *at_++ = c; }
  void put(std::string_view text) {
    std::ranges::copy(text, at_);  // an empty view may point nowhere
    at_ += text.size();
  }
  // `size` bytes at `text`, where at least 32 may be read: two moves instead of a call.
  void put_padded(const char* text, std::size_t size) {
    std::memcpy(at_, text, kPadding);
    if (size > kPadding) std::memcpy(at_ + kPadding, text + kPadding, size - kPadding);
    at_ += size;
  }
  template <class Scalar>
  void put_raw(const Scalar& value) {
    std::memcpy(at_, &value, sizeof value);
    at_ += sizeof value;
  }
  char* at() { return at_; }
  void advance_to(char* at) { at_ = at; }

  // The string itself, complete so far, for code that appends in its own way.
  template <class Append>
  void with_string(Append append) {
    out_.resize(used());
    append(out_);
    used_ = out_.size();
    at_ = nullptr;  // the old place is gone
    grow(kStep);
  }

  static constexpr std::size_t kPadding = 32;

 private:
  static constexpr std::size_t kStep = 256;

  std::size_t used() const {
    return at_ == nullptr ? used_ : static_cast<std::size_t>(at_ - begin_);
  }

  void grow(std::size_t bytes) {
    used_ = used();
    const auto wanted = std::max(used_ + bytes + kStep, used_ + used_ / 2);
    out_.resize_and_overwrite(wanted, [](char*, std::size_t size) { return size; });
    begin_ = out_.data();
    at_ = begin_ + used_;
    end_ = begin_ + wanted;
  }

  std::string& out_;
  std::size_t used_;
  char* begin_ = nullptr;
  char* at_ = nullptr;
  char* end_ = nullptr;
};

}  // namespace fixpoint::json
