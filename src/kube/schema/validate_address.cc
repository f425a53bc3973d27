// SPDX-License-Identifier: Apache-2.0
#include "kube/schema/validate_address.h"

#include "base/ascii.h"
#include "kube/scalars/quoted_string.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>
#include <vector>

namespace fixpoint::kube {
namespace {

bool hex(char c) {
  return std::isxdigit(static_cast<unsigned char>(c)) != 0;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

bool is_ipv4(std::string_view text, LeadingZeros zeros) {
  const auto parts = split(text, '.');
  if (parts.size() != 4) return false;
  return std::ranges::all_of(parts, [&](std::string_view part) {
    if (part.empty() || !std::ranges::all_of(part, is_digit)) return false;
    if (part.size() > 1 && part[0] == '0' && zeros == LeadingZeros::Refused) return false;
    int value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    return error == std::errc{} && end == part.data() + part.size() && value <= 255;
  });
}

// Groups of up to four hex digits; the last may be an IPv4 address and then counts twice. -1:
// wrong.
int ipv6_groups(std::string_view text, LeadingZeros zeros) {
  if (text.empty()) return 0;
  int groups = 0;
  const auto parts = split(text, ':');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i + 1 == parts.size() && parts[i].contains('.')) {
      if (!is_ipv4(parts[i], zeros)) return -1;
      groups += 2;
    } else if (parts[i].empty() || parts[i].size() > 4 || !std::ranges::all_of(parts[i], hex)) {
      return -1;
    } else {
      ++groups;
    }
  }
  return groups;
}

bool is_ipv6(std::string_view text, LeadingZeros zeros) {
  const auto gap = text.find("::");
  if (gap == text.npos) return ipv6_groups(text, zeros) == 8;
  const auto head = text.substr(0, gap);
  if (head.contains('.')) return false;
  const int before = ipv6_groups(head, zeros);
  const int after = ipv6_groups(text.substr(gap + 2), zeros);
  return before >= 0 && after >= 0 && before + after <= 7;
}

// What a URL's host part may hold without being an escape.
bool host_byte(char c) {
  constexpr std::string_view kMarks = "!$&'()*+,;=:[]<>\"-_.~%";
  return is_letter(c) || is_digit(c) || kMarks.contains(c) || static_cast<unsigned char>(c) >= 0x80;
}

bool good_escapes(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') continue;
    if (i + 2 >= text.size() || !hex(text[i + 1]) || !hex(text[i + 2])) return false;
  }
  return true;
}

bool good_authority(std::string_view authority) {
  if (const auto at = authority.rfind('@'); at != authority.npos) {
    constexpr std::string_view kMarks = "-._:~!$&'()*+,;=%@";
    const auto user = authority.substr(0, at);
    const bool valid = std::ranges::all_of(
        user, [&](char c) { return is_letter(c) || is_digit(c) || kMarks.contains(c); });
    if (!valid || !good_escapes(user)) return false;
    authority.remove_prefix(at + 1);
  }
  std::string_view port;
  if (authority.starts_with('[')) {
    const auto end = authority.rfind(']');
    if (end == authority.npos) return false;
    port = authority.substr(end + 1);
    if (!port.empty() && port[0] != ':') return false;
    if (!is_ip(authority.substr(1, end - 1), LeadingZeros::Refused)) return false;
  } else if (const auto colon = authority.rfind(':'); colon != authority.npos) {
    port = authority.substr(colon);
  }
  if (!port.empty() && !std::ranges::all_of(port.substr(1), is_digit)) return false;
  return std::ranges::all_of(authority, host_byte);
}

bool atom_byte(char c) {
  constexpr std::string_view kMarks = "!#$%&'*+-/=?^_`{|}~";
  return is_letter(c) || is_digit(c) || kMarks.contains(c) || static_cast<unsigned char>(c) >= 0x80;
}

bool take_dotted_atom(std::string_view& text) {
  std::size_t size = 0;
  while (size < text.size() && (atom_byte(text[size]) || text[size] == '.')) ++size;
  const auto atom = text.substr(0, size);
  text.remove_prefix(size);
  return !atom.empty() && !atom.starts_with('.') && !atom.ends_with('.') && !atom.contains("..");
}

bool take_address(std::string_view& text) {
  const bool local = text.starts_with('"') ? take_quoted(text) : take_dotted_atom(text);
  if (!local) return false;
  skip_blanks(text);
  if (!text.starts_with('@')) return false;
  text.remove_prefix(1);
  skip_blanks(text);
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == text.npos || !is_ip(text.substr(1, end - 1), LeadingZeros::Refused)) return false;
    text.remove_prefix(end + 1);
    return true;
  }
  return take_dotted_atom(text);
}

}  // namespace

bool is_ip(std::string_view text, LeadingZeros zeros) {
  return text.contains(':') ? is_ipv6(text, zeros) : is_ipv4(text, zeros);
}

bool is_cidr(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == text.npos) return false;
  const auto address = text.substr(0, slash);
  const auto bits = text.substr(slash + 1);
  if (!is_ip(address, LeadingZeros::Allowed)) return false;
  if (bits.empty() || bits.size() > 3 || !std::ranges::all_of(bits, is_digit)) return false;
  int value = 0;
  std::from_chars(bits.data(), bits.data() + bits.size(), value);
  return value <= (address.contains(':') ? 128 : 32);
}

bool is_mac(std::string_view text) {
  if (text.size() < 14) return false;
  const bool dotted = text[4] == '.';
  const char between = dotted ? '.' : text[2];
  if (between != ':' && between != '-' && between != '.') return false;
  const std::size_t width = dotted ? 4 : 2;
  if (!dotted && between == '.') return false;
  const auto parts = split(text, between);
  const auto bytes = parts.size() * width / 2;
  if (bytes != 6 && bytes != 8 && bytes != 20) return false;
  return std::ranges::all_of(parts, [&](std::string_view part) {
    return part.size() == width && std::ranges::all_of(part, hex);
  });
}

bool is_request_uri(std::string_view text) {
  const auto control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (text.empty() || std::ranges::any_of(text, control)) return false;
  if (text == "*") return true;
  // A scheme is a letter, then letters, digits and +-. up to the colon.
  std::string_view rest = text;
  std::size_t at = 0;
  while (at < text.size() &&
         (is_letter(text[at]) || (at > 0 && (is_digit(text[at]) || text[at] == '+' ||
                                             text[at] == '-' || text[at] == '.')))) {
    ++at;
  }
  bool scheme = false;
  if (at < text.size() && text[at] == ':') {
    if (at == 0) return false;
    scheme = true;
    rest = text.substr(at + 1);
  }
  rest = rest.substr(0, rest.find('?'));
  if (!rest.starts_with('/')) return scheme;  // opaque: mailto:x
  if (scheme && rest.starts_with("//") && !rest.starts_with("///")) {
    const auto authority =
        rest.substr(2, rest.find('/', 2) == rest.npos ? rest.npos : rest.find('/', 2) - 2);
    if (!good_authority(authority)) return false;
    rest.remove_prefix(2 + authority.size());
  }
  return good_escapes(rest);
}

bool is_email(std::string_view text) {
  skip_blanks(text);
  std::string_view plain = text;
  if (take_address(plain)) {
    skip_blanks(plain);
    return plain.empty();
  }
  // Display name: words and quoted strings, then <address>.
  while (!text.empty() && text[0] != '<') {
    if (text[0] == '"') {
      if (!take_quoted(text)) return false;
    } else if (atom_byte(text[0]) || text[0] == '.') {
      text.remove_prefix(1);
    } else {
      return false;
    }
    skip_blanks(text);
  }
  if (text.empty()) return false;
  text.remove_prefix(1);
  if (!take_address(text) || !text.starts_with('>')) return false;
  text.remove_prefix(1);
  skip_blanks(text);
  return text.empty();
}

}  // namespace fixpoint::kube
