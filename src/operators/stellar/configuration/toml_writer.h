// SPDX-License-Identifier: Apache-2.0
//
// TomlWriter: TOML text in the one order that TOML has: keys of the file, then tables.
//
// A key written after the first table would belong to that table, which is how configuration files
// of this kind usually go wrong; here it is a broken invariant. Text is escaped, never trusted.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fixpoint::operators::stellar {

// "a \"b\"\n" with quotes and escapes, as a basic string.
std::string toml_string(std::string_view text);
// The name as it stands before an equals sign or in a table's head: bare where it may be.
std::string toml_key(std::string_view name);

class TomlWriter {
 public:
  void comment(std::string_view text);

  // Keys of the file; before the first table only.
  void set(std::string_view key, std::string_view text);
  void set(std::string_view key, const char* text) { set(key, std::string_view{text}); }
  void set(std::string_view key, std::int64_t number);
  void set(std::string_view key, bool value);
  void set(std::string_view key, std::span<const std::string> texts);

  // [A.b] and [[A]]; keys go into it with `put`. A path is made by toml_key of its parts.
  void table(std::string_view path);
  void table_of_array(std::string_view path);
  void put(std::string_view key, std::string_view text);
  void put(std::string_view key, std::int64_t number);
  void put(std::string_view key, std::span<const std::string> texts);

  std::string take() && { return std::move(text_); }

 private:
  void line(std::string_view key, std::string_view value);
  void at_top() const;

  std::string text_;
  bool in_table_ = false;
};

}  // namespace fixpoint::operators::stellar
