// SPDX-License-Identifier: Apache-2.0
//
// The longest block of lines that both have is taken first, then the longest ones before and after
// it, and so on. A line that is in more than a hundredth of a long text says little and starts no
// block.
#include "kube/go/unified_diff.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

namespace fixpoint::kube {
namespace {

constexpr std::size_t kContext = 3;
constexpr std::size_t kLongText = 200;  // lines

using Lines = std::vector<std::string_view>;

Lines lines_of(std::string_view text) {
  Lines lines;
  while (true) {
    const auto end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

struct Span {
  std::size_t from = 0;
  std::size_t to = 0;
};

// `size` lines from `a` of the old text on are those from `b` of the new one on.
struct Block {
  std::size_t a = 0;
  std::size_t b = 0;
  std::size_t size = 0;
};

class Matcher {
 public:
  Matcher(const Lines& before, const Lines& after) : before_(before), after_(after) {
    for (std::size_t i = 0; i < after.size(); ++i) places_[after[i]].push_back(i);
    if (after.size() < kLongText) return;
    const auto often = after.size() / 100 + 1;
    std::erase_if(places_, [&](const auto& entry) { return entry.second.size() > often; });
  }

  // In order, neighbours joined, and an empty one at the end.
  std::vector<Block> blocks() const {
    std::vector<Block> found;
    collect({0, before_.size()}, {0, after_.size()}, found);
    std::vector<Block> joined;
    for (const auto& block : found) {
      if (!joined.empty() && joined.back().a + joined.back().size == block.a &&
          joined.back().b + joined.back().size == block.b) {
        joined.back().size += block.size;
      } else {
        joined.push_back(block);
      }
    }
    joined.push_back({before_.size(), after_.size(), 0});
    return joined;
  }

 private:
  void collect(Span a, Span b, std::vector<Block>& found) const {
    const auto block = longest(a, b);
    if (block.size == 0) return;
    collect({a.from, block.a}, {b.from, block.b}, found);
    found.push_back(block);
    collect({block.a + block.size, a.to}, {block.b + block.size, b.to}, found);
  }

  Block longest(Span a, Span b) const {
    Block best{a.from, b.from, 0};
    // How long the block is that ends at the previous line of the old text and this of the new.
    std::unordered_map<std::size_t, std::size_t> ending;
    for (std::size_t i = a.from; i < a.to; ++i) {
      std::unordered_map<std::size_t, std::size_t> here;
      const auto places = places_.find(before_[i]);
      if (places != places_.end()) {
        for (const auto j : places->second) {
          if (j < b.from || j >= b.to) continue;
          const auto before = j == 0 ? ending.end() : ending.find(j - 1);
          const auto size = (before == ending.end() ? 0 : before->second) + 1;
          here[j] = size;
          if (size > best.size) best = {i + 1 - size, j + 1 - size, size};
        }
      }
      ending = std::move(here);
    }
    while (best.a > a.from && best.b > b.from && before_[best.a - 1] == after_[best.b - 1]) {
      best = {best.a - 1, best.b - 1, best.size + 1};
    }
    while (best.a + best.size < a.to && best.b + best.size < b.to &&
           before_[best.a + best.size] == after_[best.b + best.size]) {
      ++best.size;
    }
    return best;
  }

  const Lines& before_;
  const Lines& after_;
  std::map<std::string_view, std::vector<std::size_t>> places_;
};

struct Edit {
  bool equal = false;
  Span a;
  Span b;
};

std::vector<Edit> edits_of(const Lines& before, const Lines& after) {
  std::vector<Edit> edits;
  std::size_t a = 0;
  std::size_t b = 0;
  for (const auto& block : Matcher{before, after}.blocks()) {
    if (a < block.a || b < block.b)
      edits.push_back({
          false, {a, block.a},
           {b, block.b}
      });
    a = block.a + block.size;
    b = block.b + block.size;
    if (block.size > 0)
      edits.push_back({
          true, {block.a, a},
           {block.b, b}
      });
  }
  return edits;
}

// Edits that are close enough to share their surroundings, with those cut to size.
std::vector<std::vector<Edit>> hunks_of(std::vector<Edit> edits) {
  std::vector<std::vector<Edit>> hunks;
  if (edits.empty()) return hunks;
  const auto keep_last = [](Span& span) {
    span.from = std::max(span.from, span.to - std::min(span.to, kContext));
  };
  const auto keep_first = [](Span& span) { span.to = std::min(span.to, span.from + kContext); };
  if (edits.front().equal) {
    keep_last(edits.front().a);
    keep_last(edits.front().b);
  }
  if (edits.back().equal) {
    keep_first(edits.back().a);
    keep_first(edits.back().b);
  }
  std::vector<Edit> hunk;
  for (auto edit : edits) {
    if (edit.equal && edit.a.to - edit.a.from > 2 * kContext) {
      auto head = edit;
      keep_first(head.a);
      keep_first(head.b);
      hunk.push_back(head);
      hunks.push_back(std::move(hunk));
      hunk.clear();
      keep_last(edit.a);
      keep_last(edit.b);
    }
    hunk.push_back(edit);
  }
  if (hunk.size() > 1 || !hunk.front().equal) hunks.push_back(std::move(hunk));
  return hunks;
}

std::string range(Span span) {
  const auto size = span.to - span.from;
  if (size == 1) return std::to_string(span.from + 1);
  return fmt::format("{},{}", size == 0 ? span.from : span.from + 1, size);
}

void add_lines(std::string& text, char mark, const Lines& lines, Span span) {
  for (auto i = span.from; i < span.to; ++i) text += fmt::format("{}{}\n", mark, lines[i]);
}

}  // namespace

std::string unified_diff(std::string_view before, std::string_view after) {
  const auto old_lines = lines_of(before);
  const auto new_lines = lines_of(after);
  std::string text;
  for (const auto& hunk : hunks_of(edits_of(old_lines, new_lines))) {
    text += fmt::format("@@ -{} +{} @@\n", range({hunk.front().a.from, hunk.back().a.to}),
                        range({hunk.front().b.from, hunk.back().b.to}));
    for (const auto& edit : hunk) {
      if (edit.equal) {
        add_lines(text, ' ', old_lines, edit.a);
        continue;
      }
      add_lines(text, '-', old_lines, edit.a);
      add_lines(text, '+', new_lines, edit.b);
    }
  }
  return text;
}

}  // namespace fixpoint::kube
