// SPDX-License-Identifier: Apache-2.0
//
// One walk over both trees feeds both forms.
#include "json/patch/diff.h"

#include "json/draft.h"
#include "json/patch/pointer.h"
#include "json/print.h"

#include <algorithm>

namespace fixpoint::json {
namespace {

class Differ {
 public:
  std::vector<Change> run(View from, View to) {
    compare(from, to);
    return std::move(changes_);
  }

 private:
  void compare(View from, View to) {
    if (from == to) return;
    if (from.is_object() && to.is_object()) return compare_members(from, to);
    if (from.is_array() && to.is_array()) return compare_elements(from, to);
    changes_.push_back({path_, Value{from}, Value{to}});
  }

  template <class Visit>
  void at(std::string_view token, Visit visit) {
    const auto length = path_.size();
    path_.append("/").append(escape_token(token));
    visit();
    path_.resize(length);
  }

  // Both sides are sorted: one merge walk.
  void compare_members(View from, View to) {
    auto left = from.members();
    auto right = to.members();
    while (left.first != left.last || right.first != right.last) {
      const bool left_over = right.first == right.last;
      const bool right_over = left.first == left.last;
      if (left_over || (!right_over && (*left.first).key < (*right.first).key)) {
        const auto [key, value] = *left.first++;
        at(key, [&, v = value] { changes_.push_back({path_, Value{v}, std::nullopt}); });
      } else if (right_over || (*right.first).key < (*left.first).key) {
        const auto [key, value] = *right.first++;
        at(key, [&, v = value] { changes_.push_back({path_, std::nullopt, Value{v}}); });
      } else {
        const auto before = (*left.first++).value;
        const auto [key, after] = *right.first++;
        at(key, [&, now = after] { compare(before, now); });
      }
    }
  }

  void compare_elements(View from, View to) {
    std::size_t head = 0;
    const auto shorter = std::min(from.size(), to.size());
    while (head < shorter && from[head] == to[head]) ++head;
    std::size_t tail = 0;
    while (tail < shorter - head && from[from.size() - 1 - tail] == to[to.size() - 1 - tail]) {
      ++tail;
    }
    const auto common = shorter - tail;
    for (auto i = head; i < common; ++i) {
      at(std::to_string(i), [&] { compare(from[i], to[i]); });
    }
    for (auto i = common; i < to.size() - tail; ++i) {
      at(std::to_string(i), [&] { changes_.push_back({path_, std::nullopt, Value{to[i]}}); });
    }
    // From the end, so that each index is still right when the earlier removals have been done.
    for (auto i = from.size() - tail; i > common; --i) {
      at(std::to_string(i - 1),
         [&] { changes_.push_back({path_, Value{from[i - 1]}, std::nullopt}); });
    }
  }

  std::string path_;
  std::vector<Change> changes_;
};

std::string dotted(std::string_view pointer) {
  std::string out;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const auto token = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(token.size());
    const bool index = !token.empty() && token.find_first_not_of("0123456789") == token.npos;
    if (index) {
      out.append("[").append(token).append("]");
    } else {
      if (!out.empty()) out.push_back('.');
      out.append(unescape_token(token));
    }
  }
  return out.empty() ? "(document)" : out;
}

}  // namespace

std::vector<Change> diff(View from, View to) {
  return Differ{}.run(from, to);
}

std::string to_text(const Change& change) {
  const auto path = dotted(change.path);
  if (!change.before) return "+ " + path + ": " + to_text(*change.after, Escape::Plain);
  if (!change.after) return "- " + path + ": " + to_text(*change.before, Escape::Plain);
  return "~ " + path + ": " + to_text(*change.before, Escape::Plain) + " -> " +
         to_text(*change.after, Escape::Plain);
}

Value make_patch(View from, View to) {
  auto operations = Draft::array();
  for (const auto& change : diff(from, to)) {
    auto operation = Draft::object({
        {"path", change.path}
    });
    if (!change.after) {
      operation["op"] = "remove";
    } else {
      operation["op"] = change.before ? "replace" : "add";
      operation["value"] = *change.after;
    }
    operations.push_back(std::move(operation));
  }
  return operations.freeze();
}

}  // namespace fixpoint::json
