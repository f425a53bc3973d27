// SPDX-License-Identifier: Apache-2.0
#include "operators/stellar/configuration/toml_writer.h"

#include "base/error.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::operators::stellar {
namespace {

constexpr unsigned char kFirstPrintable = 0x20;
constexpr unsigned char kDelete = 0x7f;

std::string array_of(std::span<const std::string> texts) {
  if (texts.empty()) return "[]";
  std::string out = "[\n";
  for (const auto& text : texts) out += fmt::format("  {},\n", toml_string(text));
  return out + "]";
}

bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

}  // namespace

std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\t': out += "\\t"; break;
      case '\r': out += "\\r"; break;
      default:
        if (byte < kFirstPrintable || byte == kDelete) {
          out += fmt::format("\\u{:04X}", byte);
        } else {
          out += c;
        }
    }
  }
  return out + "\"";
}

std::string toml_key(std::string_view name) {
  if (!name.empty() && std::ranges::all_of(name, is_bare)) return std::string{name};
  return toml_string(name);
}

void TomlWriter::line(std::string_view key, std::string_view value) {
  text_ += fmt::format("{}={}\n", toml_key(key), value);
}

void TomlWriter::at_top() const {
  FP_CHECK(!in_table_);
}

void TomlWriter::comment(std::string_view text) {
  FP_CHECK(text.find('\n') == std::string_view::npos);
  text_ += fmt::format("# {}\n", text);
}

void TomlWriter::set(std::string_view key, std::string_view text) {
  at_top();
  line(key, toml_string(text));
}

void TomlWriter::set(std::string_view key, std::int64_t number) {
  at_top();
  line(key, std::to_string(number));
}

void TomlWriter::set(std::string_view key, bool value) {
  at_top();
  line(key, value ? "true" : "false");
}

void TomlWriter::set(std::string_view key, std::span<const std::string> texts) {
  at_top();
  line(key, array_of(texts));
}

void TomlWriter::table(std::string_view path) {
  in_table_ = true;
  text_ += fmt::format("\n[{}]\n", path);
}

void TomlWriter::table_of_array(std::string_view path) {
  in_table_ = true;
  text_ += fmt::format("\n[[{}]]\n", path);
}

void TomlWriter::put(std::string_view key, std::string_view text) {
  FP_CHECK(in_table_);
  line(key, toml_string(text));
}

void TomlWriter::put(std::string_view key, std::int64_t number) {
  FP_CHECK(in_table_);
  line(key, std::to_string(number));
}

void TomlWriter::put(std::string_view key, std::span<const std::string> texts) {
  FP_CHECK(in_table_);
  line(key, array_of(texts));
}

}  // namespace fixpoint::operators::stellar
