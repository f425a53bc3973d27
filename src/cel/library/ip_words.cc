// SPDX-License-Identifier: Apache-2.0
#include "cel/library/ip_words.h"

#include "base/ascii.h"
#include "kube/go/text.h"

#include <charconv>
#include <cstddef>

#include <fmt/format.h>

namespace fixpoint::cel {
namespace {

// What is wrong and the rest of the text from there on, where that is told.
struct Problem {
  std::string_view what;
  std::string_view at = {};
};

constexpr std::size_t kAddressBytes = 16;
constexpr std::size_t kEmbeddedAt = 12;  // where an IPv4 address in an IPv6 one begins
constexpr std::size_t kGroupDigits = 4;

std::optional<Problem> v4_problem(std::string_view text) {
  int value = 0;
  int dots = 0;
  int digits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_digit(text[i])) {
      if (digits == 1 && value == 0) return Problem{"IPv4 field has octet with leading zero"};
      value = value * 10 + (text[i] - '0');
      ++digits;
      if (value > 255) return Problem{"IPv4 field has value >255"};
    } else if (text[i] == '.') {
      if (i == 0 || i + 1 == text.size() || text[i - 1] == '.') {
        return Problem{"IPv4 field must have at least one digit", text.substr(i)};
      }
      if (dots == 3) return Problem{"IPv4 address too long"};
      ++dots;
      value = 0;
      digits = 0;
    } else {
      return Problem{"unexpected character", text.substr(i)};
    }
  }
  if (dots < 3) return Problem{"IPv4 address too short"};
  return std::nullopt;
}

// Takes the groups of an IPv6 address off, one after the other.
class Groups {
 public:
  explicit Groups(std::string_view text) : rest_(text) {}

  std::optional<Problem> problem() {
    if (rest_.starts_with("::")) {
      gap_ = 0;
      rest_.remove_prefix(2);
      if (rest_.empty()) return std::nullopt;
    }
    while (bytes_ < kAddressBytes && !done_) {
      if (auto wrong = group()) return wrong;
    }
    if (!rest_.empty()) return Problem{"trailing garbage after address", rest_};
    if (bytes_ < kAddressBytes && !gap_) return Problem{"address string too short"};
    if (bytes_ == kAddressBytes && gap_) {
      return Problem{"the :: must expand to at least one field of zeros"};
    }
    return std::nullopt;
  }

 private:
  std::optional<Problem> group() {
    std::size_t digits = 0;
    for (; digits < rest_.size() && is_hex(rest_[digits]); ++digits) {
      if (digits == kGroupDigits) return Problem{"each group must have 4 or less digits", rest_};
    }
    if (digits == 0) {
      return Problem{"each colon-separated field must have at least one digit", rest_};
    }
    if (digits < rest_.size() && rest_[digits] == '.') return embedded();
    bytes_ += 2;
    rest_.remove_prefix(digits);
    return colon();
  }

  std::optional<Problem> embedded() {
    if (!gap_ && bytes_ != kEmbeddedAt) {
      return Problem{"embedded IPv4 address must replace the final 2 fields of the address", rest_};
    }
    if (bytes_ > kEmbeddedAt) {
      return Problem{"too many hex fields to fit an embedded IPv4 at the end of the address",
                     rest_};
    }
    auto wrong = v4_problem(rest_);
    rest_ = {};
    bytes_ += 4;
    done_ = true;
    return wrong;
  }

  std::optional<Problem> colon() {
    done_ = rest_.empty();
    if (done_) return std::nullopt;
    if (rest_[0] != ':') return Problem{"unexpected character, want colon", rest_};
    if (rest_.size() == 1) return Problem{"colon must be followed by more characters", rest_};
    rest_.remove_prefix(1);
    if (rest_[0] != ':') return std::nullopt;
    if (gap_) return Problem{"multiple :: in address", rest_};
    gap_ = bytes_;
    rest_.remove_prefix(1);
    done_ = rest_.empty();
    return std::nullopt;
  }

  std::string_view rest_;
  std::size_t bytes_ = 0;
  std::optional<std::size_t> gap_;  // where "::" was
  bool done_ = false;
};

std::optional<Problem> v6_problem(std::string_view text) {
  const auto zone = text.find('%');
  if (zone + 1 == text.size()) return Problem{"zone must be a non-empty string"};
  return Groups{text.substr(0, zone)}.problem();
}

std::optional<Problem> problem_of(std::string_view text) {
  const auto mark = text.find_first_of(".:%");
  if (mark == std::string_view::npos) return Problem{"unable to parse IP"};
  if (text[mark] == '%') return Problem{"missing IPv6 address"};
  return text[mark] == '.' ? v4_problem(text) : v6_problem(text);
}

}  // namespace

std::optional<std::string> address_problem(std::string_view text) {
  const auto problem = problem_of(text);
  if (!problem) return std::nullopt;
  auto words = fmt::format("ParseAddr({}): {}", kube::go_quoted(text), problem->what);
  if (!problem->at.empty()) words += fmt::format(" (at {})", kube::go_quoted(problem->at));
  return words;
}

std::optional<std::string> network_problem(std::string_view text) {
  const auto slash = text.rfind('/');
  if (slash == std::string_view::npos) return "no '/'";
  const auto address = text.substr(0, slash);
  if (auto wrong = address_problem(address)) return wrong;
  if (address.contains('%')) return "IPv6 zones cannot be present in a prefix";
  const auto bits = text.substr(slash + 1);
  int count = 0;
  const auto read = std::from_chars(bits.data(), bits.data() + bits.size(), count);
  const bool odd = bits.size() > 1 && (bits[0] < '1' || bits[0] > '9');
  if (odd || read.ec != std::errc{} || read.ptr != bits.data() + bits.size()) {
    return "bad bits after slash: " + kube::go_quoted(bits);
  }
  constexpr int kBitsOfV4 = 32;
  constexpr int kBitsOfV6 = 128;
  const int most = address.contains(':') ? kBitsOfV6 : kBitsOfV4;
  if (count < 0 || count > most) return "prefix length out of range";
  return std::nullopt;
}

}  // namespace fixpoint::cel
