// SPDX-License-Identifier: Apache-2.0
//
// A life line for each of the cast, time downwards, an arrow for each step. What a step changed is
// written under its arrow; a loop has a frame.
#include "verify/report/page.h"
#include "verify/report/page_text.h"
#include "verify/report/story.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace fixpoint::verify {
namespace {

constexpr int kLaneWidth = 220;
constexpr int kLeft = 130;
constexpr int kTop = 70;
constexpr int kLine = 16;
constexpr int kStepGap = 22;
constexpr std::size_t kNoteChars = 110;  // longer lines are cut; the text below the diagram has all

class Diagram {
 public:
  explicit Diagram(const Trace& trace) : trace_(trace), names_(cast(trace)) {}

  std::string draw() {
    for (std::size_t i = 0; i < trace_.steps.size(); ++i) {
      if (trace_.loop_from == i) loop_top_ = y_ - 14;
      step(i + 1, trace_.steps[i].telling);
    }
    const int width = kLeft + kLaneWidth * static_cast<int>(names_.size()) + 420;
    std::string svg = fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="img">)",
        width, y_ + 20);
    if (trace_.loop_from) frame(width, svg);
    for (std::size_t i = 0; i < names_.size(); ++i) life_line(i, svg);
    return svg + body_ + "</svg>\n";
  }

 private:
  int lane(const std::string& name) const {
    const auto at = std::ranges::find(names_, name) - names_.begin();
    return kLeft + kLaneWidth * static_cast<int>(at);
  }

  void text(int x, int y, std::string_view kind, std::string_view words) {
    body_ += fmt::format(R"(<text class="{}" x="{}" y="{}">{}</text>)", kind, x, y,
                         escaped(shortened(words, kNoteChars)));
  }

  void step(std::size_t number, const Telling& told) {
    const int from = lane(told.from);
    const int to = told.to.empty() ? from : lane(told.to);
    text(8, y_, "number", std::to_string(number));
    text(std::min(from, to) + 8, y_ - 6, "asks", told.asks);
    if (from == to) {
      body_ += fmt::format(R"(<circle class="act" cx="{}" cy="{}" r="4"/>)", from, y_);
    } else {
      body_ += fmt::format(R"(<path class="ask" d="M{} {}H{}"/>)", from, y_, to);
    }
    if (!told.answer.empty()) {
      y_ += kLine + 4;
      if (from != to) {
        body_ += fmt::format(R"(<path class="answer" d="M{} {}H{}"/>)", to, y_, from);
      }
      text(std::min(from, to) + 8, y_ - 4, "answer", told.answer);
    }
    for (const auto& change : told.changes) {
      y_ += kLine;
      text(std::max(from, to) + 14, y_, "change", change);
    }
    y_ += kStepGap + kLine;
  }

  void life_line(std::size_t index, std::string& svg) const {
    const int x = kLeft + kLaneWidth * static_cast<int>(index);
    svg += fmt::format(
        R"(<path class="life" d="M{0} 40V{1}"/><text class="who" x="{0}" y="28">{2}</text>)", x, y_,
        escaped(names_[index]));
  }

  void frame(int width, std::string& svg) {
    const bool rests = trace_.loop_from == trace_.steps.size();
    const int top = rests ? y_ - 14 : loop_top_;
    svg += fmt::format(
        R"(<rect class="loop" x="30" y="{}" width="{}" height="{}"/><text class="loop" x="36" y="{}">{}</text>)",
        top - 14, width - 50, std::max(24, y_ - top), top,
        rests ? "for ever: nothing" : "for ever");
  }

  const Trace& trace_;
  std::vector<std::string> names_;
  std::string body_;
  int y_ = kTop;
  int loop_top_ = kTop;
};

}  // namespace

std::string sequence_diagram(const Trace& trace) {
  return Diagram(trace).draw();
}

}  // namespace fixpoint::verify
