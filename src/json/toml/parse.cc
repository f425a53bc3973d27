// SPDX-License-Identifier: Apache-2.0
//
// Tables from lines. Each table remembers how it came to be, since TOML lets a table be opened
// once, lets a head's path run through tables that no head named yet, and lets nobody add to what
// was written on one line.
#include "json/draft.h"
#include "json/toml/cursor.h"
#include "json/toml/toml.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

namespace fixpoint::json {
namespace {

enum class Origin : std::uint8_t {
  Passed,  // a head named something below it
  Head,    // [a]
  Dotted,  // a.b = 1
};

struct Table;
using Tables = std::vector<std::unique_ptr<Table>>;  // [[a]]
// A value once written cannot be added to.
using TomlNode = std::variant<Draft, std::unique_ptr<Table>, Tables>;

struct Table {
  Origin origin = Origin::Passed;
  std::map<std::string, TomlNode, std::less<>> members;
};

Draft to_draft(const Table& table) {
  Draft out = Draft::object();
  for (const auto& [key, node] : table.members) {
    if (const auto* value = std::get_if<Draft>(&node)) {
      out[key] = *value;
    } else if (const auto* inner = std::get_if<std::unique_ptr<Table>>(&node)) {
      out[key] = to_draft(**inner);
    } else {
      Draft list = Draft::array();
      for (const auto& one : std::get<Tables>(node)) list.push_back(to_draft(*one));
      out[key] = std::move(list);
    }
  }
  return out;
}

struct KeyPart {
  std::string name;
  std::size_t place;
};
using KeyPath = std::vector<KeyPart>;

class Parser {
 public:
  explicit Parser(std::string_view text) : cursor_(text) {}

  Result<Value> run() {
    FP_TRY_VOID(cursor_.check_characters());
    if (cursor_.looking_at("\xEF\xBB\xBF")) cursor_.skip(3);
    Table* here = &root_;
    while (true) {
      FP_TRY_VOID(cursor_.skip_lines());
      if (cursor_.at_end()) break;
      if (cursor_.peek() == '[') {
        FP_TRY(opened, head());
        here = opened;
      } else {
        FP_TRY_VOID(pair(*here, 0));
      }
      FP_TRY_VOID(cursor_.end_line());
    }
    return to_draft(root_).freeze();
  }

 private:
  Result<KeyPath> key() {
    KeyPath path;
    while (true) {
      cursor_.skip_blanks();
      const auto place = cursor_.place();
      FP_TRY(part, cursor_.key_part());
      path.push_back({std::move(part), place});
      if (path.size() > kTomlDepthMax) return cursor_.wrong("too many tables in each other");
      cursor_.skip_blanks();
      if (cursor_.peek() != '.') return path;
      cursor_.skip();
    }
  }

  // The table a head's path runs through.
  Result<Table*> pass(Table& from, const KeyPart& part) {
    auto [found, fresh] = from.members.try_emplace(part.name, std::make_unique<Table>());
    if (auto* table = std::get_if<std::unique_ptr<Table>>(&found->second)) return table->get();
    if (auto* list = std::get_if<Tables>(&found->second)) return list->back().get();
    return cursor_.wrong_at(part.place, fmt::format("\"{}\" is a value, no table", part.name));
  }

  Result<Table*> head() {
    cursor_.skip();
    const bool list = cursor_.peek() == '[';
    if (list) cursor_.skip();
    FP_TRY(path, key());
    if (!cursor_.looking_at(list ? "]]" : "]")) {
      return cursor_.wrong(list ? "\"]]\" is expected here" : "\"]\" is expected here");
    }
    cursor_.skip(list ? 2 : 1);
    Table* here = &root_;
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
      FP_TRY(next, pass(*here, path[i]));
      here = next;
    }
    return list ? append(*here, path.back()) : open(*here, path.back());
  }

  Result<Table*> open(Table& in, const KeyPart& part) {
    auto [found, fresh] = in.members.try_emplace(part.name, std::make_unique<Table>());
    auto* table = std::get_if<std::unique_ptr<Table>>(&found->second);
    if (table == nullptr || (!fresh && (*table)->origin != Origin::Passed)) {
      return cursor_.wrong_at(part.place, fmt::format("\"{}\" is there already", part.name));
    }
    (*table)->origin = Origin::Head;
    return table->get();
  }

  Result<Table*> append(Table& in, const KeyPart& part) {
    auto [found, fresh] = in.members.try_emplace(part.name, Tables{});
    auto* list = std::get_if<Tables>(&found->second);
    if (list == nullptr) {
      return cursor_.wrong_at(part.place, fmt::format("\"{}\" is there already", part.name));
    }
    list->push_back(std::make_unique<Table>());
    list->back()->origin = Origin::Head;
    return list->back().get();
  }

  Result<void> pair(Table& table, int depth) {
    FP_TRY(path, key());
    if (cursor_.peek() != '=') return cursor_.wrong("\"=\" is expected here");
    cursor_.skip();
    cursor_.skip_blanks();
    Table* here = &table;
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
      auto [found, fresh] = here->members.try_emplace(path[i].name, std::make_unique<Table>());
      auto* inner = std::get_if<std::unique_ptr<Table>>(&found->second);
      if (fresh) (*inner)->origin = Origin::Dotted;
      if (inner == nullptr || (*inner)->origin != Origin::Dotted) {
        return cursor_.wrong_at(path[i].place,
                                fmt::format("\"{}\" is there already", path[i].name));
      }
      here = inner->get();
    }
    FP_TRY(read, value(depth + static_cast<int>(path.size())));
    if (!here->members.try_emplace(path.back().name, std::move(read)).second) {
      return cursor_.wrong_at(path.back().place,
                              fmt::format("\"{}\" is there already", path.back().name));
    }
    return {};
  }

  Result<Draft> value(int depth) {
    if (depth > kTomlDepthMax) return cursor_.wrong("too many arrays and tables in each other");
    const char c = cursor_.peek();
    if (c == '"' || c == '\'') {
      FP_TRY(text, cursor_.string());
      return Draft{std::move(text)};
    }
    if (c == '[') return array(depth);
    if (c == '{') return inline_table(depth);
    return cursor_.word();
  }

  Result<Draft> array(int depth) {
    cursor_.skip();
    Draft out = Draft::array();
    while (true) {
      FP_TRY_VOID(cursor_.skip_lines());
      if (cursor_.peek() == ']') break;
      FP_TRY(element, value(depth + 1));
      out.push_back(std::move(element));
      FP_TRY_VOID(cursor_.skip_lines());
      if (cursor_.peek() == ']') break;
      if (cursor_.peek() != ',') return cursor_.wrong("\",\" or \"]\" is expected here");
      cursor_.skip();
    }
    cursor_.skip();
    return out;
  }

  Result<Draft> inline_table(int depth) {
    cursor_.skip();
    Table table;
    cursor_.skip_blanks();
    if (cursor_.peek() == '}') {
      cursor_.skip();
      return Draft::object();
    }
    while (true) {
      FP_TRY_VOID(pair(table, depth));
      cursor_.skip_blanks();
      if (cursor_.peek() == '}') break;
      if (cursor_.peek() != ',') return cursor_.wrong("\",\" or \"}\" is expected here");
      cursor_.skip();
    }
    cursor_.skip();
    return to_draft(table);
  }

  TomlCursor cursor_;
  Table root_;
};

}  // namespace

Result<Value> parse_toml(std::string_view text) {
  return Parser(text).run();
}

}  // namespace fixpoint::json
