// SPDX-License-Identifier: Apache-2.0
//
// A table as SVG: phases on an ellipse in the order of the table, arrows as curves that bend to
// their right, so that there and back do not cover each other. Text alone, no script, no style of
// the page: it looks the same wherever it is opened.
#include "fsm/diagram.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fixpoint::fsm {
namespace {

constexpr double kWidth = 1'400;
constexpr double kHeight = 1'000;
constexpr double kRadiusX = 520;
constexpr double kRadiusY = 380;
constexpr double kBoxWidth = 150;
constexpr double kBoxHeight = 40;
constexpr double kBend = 0.12;  // of the distance
constexpr std::string_view kAnywhere = "any phase";

struct Point {
  double x = 0;
  double y = 0;
};

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char character : text) {
    switch (character) {
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '&': safe += "&amp;"; break;
      case '"': safe += "&quot;"; break;
      default: safe += character;
    }
  }
  return safe;
}

// "any phase" is in the middle: its arrows cross the fewest others.
Point place_of(const Diagram& diagram, std::string_view phase) {
  const auto found = std::ranges::find(diagram.phases, phase);
  if (found == diagram.phases.end()) return {kWidth / 2, kHeight / 2};
  const auto at = static_cast<double>(found - diagram.phases.begin());
  const double angle =
      2 * std::numbers::pi * at / static_cast<double>(diagram.phases.size()) - std::numbers::pi / 2;
  return {kWidth / 2 + kRadiusX * std::cos(angle), kHeight / 2 + kRadiusY * std::sin(angle)};
}

// Where the line from the middle of a box towards `to` leaves the box.
Point edge_of(Point box, Point to) {
  const double dx = to.x - box.x;
  const double dy = to.y - box.y;
  const double share = std::min(kBoxWidth / 2 / std::max(std::abs(dx), 1.0),
                                kBoxHeight / 2 / std::max(std::abs(dy), 1.0));
  return {box.x + dx * share, box.y + dy * share};
}

std::string box(Point at, std::string_view phase, bool rounded) {
  return fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" rx=\"{}\" fill=\"#eef3fb\" "
      "stroke=\"#345\"/>\n<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" "
      "font-weight=\"bold\">{}</text>\n",
      at.x - kBoxWidth / 2, at.y - kBoxHeight / 2, kBoxWidth, kBoxHeight, rounded ? 20 : 6, at.x,
      at.y + 5, escaped(phase));
}

std::string curve(const Diagram& diagram, const Arrow& arrow) {
  const Point from = place_of(diagram, arrow.from);
  const Point to = place_of(diagram, arrow.to);
  const Point bend{(from.x + to.x) / 2 - (to.y - from.y) * kBend,
                   (from.y + to.y) / 2 + (to.x - from.x) * kBend};
  const Point start = edge_of(from, bend);
  const Point end = edge_of(to, bend);
  // The middle of a quadratic curve.
  const Point label{(start.x + 2 * bend.x + end.x) / 4, (start.y + 2 * bend.y + end.y) / 4};
  std::string text = fmt::format(
      "<path d=\"M {:.1f} {:.1f} Q {:.1f} {:.1f} {:.1f} {:.1f}\" fill=\"none\" stroke=\"#678\" "
      "marker-end=\"url(#tip)\"/>\n",
      start.x, start.y, bend.x, bend.y, end.x, end.y);
  text += fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" font-size=\"11\">{}</text>\n",
      label.x, label.y, escaped(fmt::format("{}", fmt::join(arrow.events, ", "))));
  return text;
}

}  // namespace

std::string svg(const Diagram& diagram) {
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" "
      "font-size=\"14\">\n<title>{}</title>\n<defs><marker id=\"tip\" viewBox=\"0 0 10 10\" "
      "refX=\"9\" refY=\"5\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto-start-reverse\">"
      "<path d=\"M 0 0 L 10 5 L 0 10 z\" fill=\"#678\"/></marker></defs>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      kWidth, kHeight, escaped(diagram.title));
  for (const Arrow& arrow : diagram.arrows) text += curve(diagram, arrow);
  for (const std::string& phase : diagram.phases) {
    const bool end = phase == diagram.initial || phase == diagram.last;
    text += box(place_of(diagram, phase), phase, end);
  }
  if (std::ranges::any_of(diagram.arrows, &std::string::empty, &Arrow::from)) {
    text += box(place_of(diagram, {}), kAnywhere, true);
  }
  return text + "</svg>\n";
}

}  // namespace fixpoint::fsm
