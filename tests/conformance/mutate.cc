// SPDX-License-Identifier: Apache-2.0
//
// Bodies with one thing wrong. The tree is printed as it is but at one place, picked evenly among
// all its values; what is printed there may be no JSON value, or one that a Value cannot hold (keys
// twice, numbers beyond 64 bits).
#include "base/error.h"
#include "json/print.h"
#include "tests/conformance/gen.h"

namespace fixpoint::conformance {
namespace {

enum class Wrong : std::uint8_t {
  Dropped,
  Doubled,
  Renamed,
  Moved,
  Retyped,
  Overflowing,
  Long,
  Unicode,
  Nested,
  Extra,
  Broken,
};

std::int64_t count_values(json::View value) {
  std::int64_t count = 1;
  for (const auto [key, child] : value.members()) count += count_values(child);
  for (const auto child : value.elements()) count += count_values(child);
  return count;
}

class Mutator {
 public:
  Mutator(Gen& gen, json::View body) : gen_(gen) {
    // The root itself is rarely the place.
    const auto all = count_values(body);
    place_ = all > 1 && gen.chance(97) ? gen.between(1, all - 1) : 0;
    wrong_ = static_cast<Wrong>(gen.between(0, static_cast<int>(Wrong::Broken)));
    if (wrong_ == Wrong::Broken && !gen.chance(40)) wrong_ = Wrong::Retyped;
  }

  std::string text(json::View body) {
    print(body);
    if (wrong_ == Wrong::Broken) break_text();
    return std::move(out_);
  }

 private:
  bool here() { return at_++ == place_; }

  void print(json::View value) {
    if (here()) {
      print_wrong(value);
    } else {
      print_whole(value);
    }
  }

  void print_whole(json::View value) {
    if (value.is_object()) {
      print_object(value);
    } else if (value.is_array()) {
      print_array(value);
    } else {
      json::print(value, out_, json::Escape::Plain);
    }
  }

  void print_array(json::View value) {
    out_ += '[';
    bool first = true;
    for (const auto element : value.elements()) {
      if (!first) out_ += ',';
      first = false;
      if (at_ == place_ && wrong_ == Wrong::Doubled) {
        out_ += json::to_text(element, json::Escape::Plain) + ',';
      }
      print(element);
    }
    out_ += ']';
  }

  void print_object(json::View value) {
    out_ += '{';
    const auto start = out_.size();
    for (const auto [key, child] : value.members()) {
      const bool target = at_ == place_;
      if (target && wrong_ == Wrong::Dropped) {
        at_ += count_values(child);
        continue;
      }
      if (out_.size() > start) out_ += ',';
      if (target && wrong_ == Wrong::Doubled) {
        print_member(key, child);
        out_ += ',';
      }
      json::print_string(target && wrong_ == Wrong::Renamed ? other_name(key) : std::string{key},
                         out_, json::Escape::Plain);
      out_ += ':';
      print(child);
    }
    out_ += '}';
  }

  void print_member(std::string_view key, json::View value) {
    json::print_string(key, out_, json::Escape::Plain);
    out_ += ':' + json::to_text(value, json::Escape::Plain);
  }

  std::string other_name(std::string_view key) {
    std::string name{key};
    switch (gen_.between(0, 4)) {
      case 0:
        // A decoder in Go takes names that differ in case only; Kubernetes' does not.
        if (!name.empty() && name[0] >= 'a' && name[0] <= 'z') {
          name[0] = static_cast<char>(name[0] - 'a' + 'A');
        }
        return name + (name == key ? "x" : "");
      case 1: return "";
      case 2: return name + "é";
      case 3: return name + ".x";
      default: return name + "x";
    }
  }

  void print_wrong(json::View value) {
    switch (wrong_) {
      case Wrong::Retyped: out_ += other_type(value); return;
      case Wrong::Overflowing:
        out_ += gen_.pick({"2147483648", "-2147483649", "9223372036854775807",
                           "9223372036854775808", "-9223372036854775809", "18446744073709551616",
                           "1e3", "1e400", "1.5", "-0", "0.1e1", "-1", "1e-2"});
        return;
      case Wrong::Long:
        out_ += '"' + std::string(static_cast<std::size_t>(gen_.between(1, 400)), 'l') + '"';
        return;
      case Wrong::Unicode:
        out_ += gen_.pick({R"("é")", R"("\u00e9")", R"("\ud83d\ude00")", R"("😀")", R"("\ud800")",
                           R"("\u0000")", R"("<&>")", R"("\u2028")", R"("\n\t")", R"("\"")"});
        return;
      case Wrong::Nested: print_nested(value); return;
      case Wrong::Moved:
        out_ += R"({"moved":)";
        print_whole(value);
        out_ += '}';
        return;
      case Wrong::Extra: print_extra(value); return;
      case Wrong::Dropped:
      case Wrong::Doubled:
      case Wrong::Renamed:
      case Wrong::Broken: print_whole(value); return;
    }
  }

  std::string other_type(json::View value) {
    for (;;) {
      auto text = gen_.pick({"null", "true", "false", "0", "7", R"("")", R"("text")", R"("7")",
                             "[]", "{}", R"(["text"])", R"({"a":"b"})", "[null]", "[[]]", "1.25"});
      if (text != json::to_text(value)) return text;
    }
  }

  void print_nested(json::View value) {
    const auto depth = static_cast<std::size_t>(gen_.between(1, 40));
    const bool arrays = gen_.chance(50);
    for (std::size_t i = 0; i < depth; ++i) out_ += arrays ? "[" : R"({"n":)";
    out_ += json::to_text(value, json::Escape::Plain);
    out_.append(depth, arrays ? ']' : '}');
  }

  void print_extra(json::View value) {
    if (!value.is_object()) return print_whole(value);
    out_ += R"({"bogus":)" + gen_.pick({"1", "null", R"({"a":1})", R"([{"b":2,"b":3}])"});
    for (const auto [key, child] : value.members()) {
      out_ += ',';
      print_member(key, child);
    }
    out_ += '}';
  }

  void break_text() {
    switch (gen_.between(0, 5)) {
      case 0:
        out_.resize(static_cast<std::size_t>(gen_.between(0, static_cast<int>(out_.size()) - 1)));
        return;
      case 1: out_ += gen_.pick({"}", " ", "x", "{}", ",", "\n\n"}); return;
      case 2: out_.insert(0, gen_.pick({" ", "x", "[", "\n", "\xef\xbb\xbf"})); return;
      case 3: out_ = gen_.pick({"[]", "{}", "null", "7", R"("text")", "", "{", "true"}); return;
      case 4: out_ = "[" + out_ + "]"; return;
      default: {
        const auto at = gen_.between(0, static_cast<int>(out_.size()) - 1);
        out_[static_cast<std::size_t>(at)] = gen_.pick({"x", "\"", "{", ",", ":", "'"})[0];
      }
    }
  }

  Gen& gen_;
  std::int64_t place_ = 0;
  std::int64_t at_ = 0;
  Wrong wrong_ = Wrong::Dropped;
  std::string out_;
};

}  // namespace

std::string mutated(Gen& gen, json::View body) {
  return Mutator{gen, body}.text(body);
}

}  // namespace fixpoint::conformance
