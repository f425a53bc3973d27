// SPDX-License-Identifier: Apache-2.0
//
// The printer. Most of a Kubernetes object is known keys and strings that need no escape: those are
// single copies, everything else takes the careful way.
#include "json/print.h"

#include "json/sink.h"
#include "json/text.h"

#include <charconv>
#include <cstring>

namespace fixpoint::json {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

void append_unit(unsigned code, std::string& out) {
  out.append("\\u00").push_back(kHex[code >> 4U & 0xFU]);
  out.push_back(kHex[code & 0xFU]);
}

void append_ascii(char c, std::string& out, Escape escape) {
  switch (c) {
    case '"': out.append("\\\""); return;
    case '\\': out.append("\\\\"); return;
    case '\b': out.append("\\b"); return;
    case '\f': out.append("\\f"); return;
    case '\n': out.append("\\n"); return;
    case '\r': out.append("\\r"); return;
    case '\t': out.append("\\t"); return;
    default: break;
  }
  const auto code = static_cast<unsigned char>(c);
  const bool html = c == '<' || c == '>' || c == '&';
  if (code < 0x20 || (html && escape == Escape::Html)) {
    append_unit(code, out);
  } else {
    out.push_back(c);
  }
}

void append_escaped(std::string_view text, std::string& out, Escape escape) {
  while (!text.empty()) {
    const auto rune = decode_rune(text);
    if (rune.code < 0x80) {
      append_ascii(text.front(), out, escape);
    } else if (rune.code == 0x2028 || rune.code == 0x2029) {
      out.append(rune.code == 0x2028 ? "\\u2028" : "\\u2029");
    } else if (rune.code == kReplacementRune && rune.bytes == 1) {
      out.append("\\ufffd");
    } else {
      out.append(text.substr(0, rune.bytes));
    }
    text.remove_prefix(rune.bytes);
  }
}

class Printer {
 public:
  Printer(const Block& block, Sink& out, Escape escape)
      : block_(block), out_(out), escape_(escape) {}

  void print(const Node& node) {
    switch (node.type()) {
      case Type::Null: out_.need(8), out_.put("null"); return;
      case Type::Bool: out_.need(8), out_.put(node.integer != 0 ? "true" : "false"); return;
      case Type::Int: print_int(node.integer); return;
      case Type::Float:
        out_.with_string([&](std::string& out) { print_double(node.number, out); });
        return;
      case Type::String: print_text(node); return;
      case Type::Array: print_children(node, '[', ']'); return;
      case Type::Object: print_children(node, '{', '}'); return;
    }
  }

 private:
  void print_int(std::int64_t value) {
    constexpr std::size_t kDigits = 24;
    out_.need(kDigits);
    out_.advance_to(std::to_chars(out_.at(), out_.at() + kDigits, value).ptr);
  }

  void print_text(const Node& node) {
    if (!node.clean()) return escaped(block_.text(node));
    out_.need(node.size + 16UL);
    out_.put('"');
    if (node.size <= sizeof node.inline_text) {
      std::memcpy(out_.at(), node.inline_text, sizeof node.inline_text);
      out_.advance_to(out_.at() + node.size);
    } else {
      out_.put(block_.text(node));
    }
    out_.put('"');
  }

  void escaped(std::string_view text) {
    out_.with_string([&](std::string& out) { print_string(text, out, escape_); });
  }

  void print_key(std::uint32_t key) {
    if ((key & kLocalKey) == 0 && interned_keys[key].clean) {
      const auto quoted = interned_keys[key].quoted();
      out_.need(kInternedKeyBytesMax + Sink::kPadding);
      out_.put_padded(quoted.data(), quoted.size());
      return;
    }
    escaped(block_.key_text(key));
    out_.need(1);
    out_.put(':');
  }

  void print_children(const Node& node, char open, char close) {
    out_.need(2);
    out_.put(open);
    for (std::uint32_t i = 0; i < node.size; ++i) {
      out_.need(1);
      if (i > 0) out_.put(',');
      const auto& child = block_.node(node.first_child() + i);
      if (open == '{') print_key(child.key());
      print(child);
    }
    out_.need(1);
    out_.put(close);
  }

  const Block& block_;
  Sink& out_;
  Escape escape_;
};

void print_pretty(View value, std::string& out, Escape escape, std::size_t depth) {
  const bool object = value.is_object();
  if (value.empty()) return print(value, out, escape);
  const auto new_line = [&](std::size_t at) { out.append("\n").append(at * 2, ' '); };
  out.push_back(object ? '{' : '[');
  bool first = true;
  const auto separate = [&] {
    if (!first) out.push_back(',');
    first = false;
    new_line(depth + 1);
  };
  for (const auto [key, member] : value.members()) {
    separate();
    print_string(key, out, escape);
    out.append(": ");
    print_pretty(member, out, escape, depth + 1);
  }
  for (const auto element : value.elements()) {
    separate();
    print_pretty(element, out, escape, depth + 1);
  }
  new_line(depth);
  out.push_back(object ? '}' : ']');
}

}  // namespace

void print_string(std::string_view text, std::string& out, Escape escape) {
  out.push_back('"');
  if (traits_of(text).clean && valid_utf8(text)) {
    out.append(text);
  } else {
    append_escaped(text, out, escape);
  }
  out.push_back('"');
}

void print(View value, std::string& out, Escape escape) {
  if (value.block() == nullptr) {
    out.append("null");
    return;
  }
  // The whole of a block prints to about as many bytes as it has; of a part nothing is known.
  Sink sink{out, value.node() == 0 ? value.block()->total_bytes() : 0};
  Printer{*value.block(), sink, escape}.print(value.block()->node(value.node()));
}

std::string to_text(View value, Escape escape) {
  std::string out;
  print(value, out, escape);
  return out;
}

std::string to_pretty_text(View value, Escape escape) {
  std::string out;
  print_pretty(value, out, escape, 0);
  return out;
}

}  // namespace fixpoint::json
