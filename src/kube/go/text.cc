// SPDX-License-Identifier: Apache-2.0
#include "kube/go/text.h"

#include "json/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

struct CodeRange {
  char32_t first;
  char32_t last;
};

// Ranges above ASCII that Go does not print as they are.
constexpr std::array kUnprintable{
    CodeRange{0x80,    0xa0    },
    CodeRange{0xad,    0xad    },
    CodeRange{0x600,   0x605   },
    CodeRange{0x61c,   0x61c   },
    CodeRange{0x1680,  0x1680  },
    CodeRange{0x180e,  0x180e  },
    CodeRange{0x2000,  0x200f  },
    CodeRange{0x2028,  0x202f  },
    CodeRange{0x205f,  0x206f  },
    CodeRange{0x3000,  0x3000  },
    CodeRange{0xd800,  0xf8ff  },
    CodeRange{0xfeff,  0xfeff  },
    CodeRange{0xfff0,  0xfffb  },
    CodeRange{0xfffe,  0xffff  },
    CodeRange{0xe0000, 0xe00ff },
    CodeRange{0xe01f0, 0x10ffff}
};

// How many bytes a lead byte announces; 0 for one that cannot lead.
std::size_t announced_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  return 0;
}

bool overlong_or_surrogate(char32_t value, std::size_t bytes) {
  if (bytes == 3) return value < 0x800 || (value >= 0xd800 && value <= 0xdfff);
  if (bytes == 4) return value < 0x10000 || value > 0x10ffff;
  return false;
}

void append_escaped(char32_t value, std::string& out) {
  switch (value) {
    case '\a': out += "\\a"; return;
    case '\b': out += "\\b"; return;
    case '\f': out += "\\f"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    case '\v': out += "\\v"; return;
    default: break;
  }
  const auto number = static_cast<std::uint32_t>(value);
  if (number < 0x80) {
    out += fmt::format("\\x{:02x}", number);
  } else if (number < 0x10000) {
    out += fmt::format("\\u{:04x}", number);
  } else {
    out += fmt::format("\\U{:08x}", number);
  }
}

}  // namespace

bool printable(char32_t code_point) {
  if (code_point < 0x80) return code_point >= 0x20 && code_point < 0x7f;
  return std::ranges::none_of(kUnprintable, [&](const CodeRange& range) {
    return code_point >= range.first && code_point <= range.last;
  });
}

CodePoint first_code_point(std::string_view text) {
  constexpr CodePoint kBroken{0xfffd, 1, false};
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const std::size_t bytes = announced_length(byte(0));
  if (bytes == 1) return {byte(0), 1, true};
  if (bytes == 0 || text.size() < bytes) return kBroken;
  char32_t value = byte(0) & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return kBroken;
    value = (value << 6U) | (byte(i) & 0x3fU);
  }
  return overlong_or_surrogate(value, bytes) ? kBroken : CodePoint{value, bytes, true};
}

std::string go_quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    const std::string_view bytes = text.substr(0, point.bytes);
    if (!point.valid) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes[0]));
    } else if (point.value == '"' || point.value == '\\') {
      out += '\\';
      out += bytes;
    } else if (printable(point.value)) {
      out += bytes;
    } else {
      append_escaped(point.value, out);
    }
    text.remove_prefix(point.bytes);
  }
  return out + "\"";
}

namespace {

struct Escape {
  char letter;
  char means;
};
constexpr std::array kLetterEscapes{
    Escape{'a',  '\a'},
    Escape{'b',  '\b'},
    Escape{'f',  '\f'},
    Escape{'n',  '\n'},
    Escape{'r',  '\r'},
    Escape{'t',  '\t'},
    Escape{'v',  '\v'},
    Escape{'"',  '"' },
    Escape{'\\', '\\'},
};

// Reads what follows a backslash and takes it off `text`; false if it is no escape.
bool append_unescaped(std::string_view& text, std::string& out) {
  if (text.empty()) return false;
  const char letter = text.front();
  text.remove_prefix(1);
  const auto* simple = std::ranges::find(kLetterEscapes, letter, &Escape::letter);
  if (simple != kLetterEscapes.end()) {
    out += simple->means;
    return true;
  }
  const std::size_t digits = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
  std::uint32_t number = 0;
  const auto* const end = text.data() + std::min(digits, text.size());
  const auto read = std::from_chars(text.data(), end, number, 16);
  if (digits == 0 || text.size() < digits || read.ptr != end) return false;
  text.remove_prefix(digits);
  if (letter == 'x') {
    out += static_cast<char>(number);
  } else {
    json::append_rune(static_cast<char32_t>(number), out);
  }
  return true;
}

}  // namespace

std::optional<std::string> go_unquoted(std::string_view quoted) {
  if (quoted.size() < 2 || quoted.front() != '"' || quoted.back() != '"') return std::nullopt;
  std::string_view text = quoted.substr(1, quoted.size() - 2);
  std::string out;
  while (!text.empty()) {
    const char next = text.front();
    text.remove_prefix(1);
    if (next == '"') return std::nullopt;
    if (next != '\\') {
      out += next;
    } else if (!append_unescaped(text, out)) {
      return std::nullopt;
    }
  }
  return out;
}

std::string go_syntax(std::span<const std::string> strings) {
  std::string out = "[]string{";
  for (std::size_t i = 0; i < strings.size(); ++i) {
    if (i > 0) out += ", ";
    out += go_quoted(strings[i]);
  }
  return out + "}";
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const auto first = std::min(text.find_first_not_of(kSpace), text.size());
  text.remove_prefix(first);
  return text.substr(0, text.find_last_not_of(kSpace) + 1);
}

std::string lower_case(std::string_view text) {
  std::string out{text};
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string joined(std::span<const std::string> parts, std::string_view between) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += between;
    out += parts[i];
  }
  return out;
}

std::string go_aggregate(std::span<const std::string> messages) {
  if (messages.size() == 1) return messages[0];
  return "[" + joined(messages, ", ") + "]";
}

}  // namespace fixpoint::kube
