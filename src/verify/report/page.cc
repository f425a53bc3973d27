// SPDX-License-Identifier: Apache-2.0
#include "verify/report/page.h"

#include "verify/report/page_text.h"
#include "verify/report/story.h"

#include <fmt/format.h>

namespace fixpoint::verify {
namespace {

constexpr std::string_view kStyle = R"(
body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#1c2430;background:#fff}
h1{font-size:1.4rem}h2{font-size:1.15rem;margin-top:2.5rem}code,pre{font:13px/1.45 ui-monospace,monospace}
pre{background:#f4f6f9;padding:.8rem;overflow:auto}table{border-collapse:collapse}td,th{padding:.25rem .9rem .25rem 0;text-align:left;vertical-align:top}
table{margin:.6rem 0}.count{text-align:right}
.holds{color:#19703a}.violated,.vacuous{color:#b3261e;font-weight:600}.unknown{color:#8a6100;font-weight:600}
.diagram{overflow:auto;border:1px solid #d8dee6}svg text{font:12px ui-monospace,monospace;fill:#1c2430}
svg .who{font-weight:600;text-anchor:middle}svg .number,svg .change{fill:#5a6675}svg .answer{fill:#5a6675}
svg .life{stroke:#c3cbd6;stroke-dasharray:4 4;fill:none}svg .ask{stroke:#1c2430;fill:none;marker-end:url(#tip)}
svg path.answer{stroke:#5a6675;stroke-dasharray:4 3;fill:none;marker-end:url(#tip)}svg .act{fill:#1c2430}
svg rect.loop{fill:#fdf3e3;stroke:#d9a441}svg text.loop{fill:#8a6100;font-weight:600}
)";

// Once for all diagrams: an id belongs to one element of a page.
constexpr std::string_view kArrowTip =
    R"(<svg xmlns="http://www.w3.org/2000/svg" width="0" height="0"><defs><marker id="tip" )"
    R"(viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">)"
    R"(<path d="M0 0 8 4 0 8z"/></marker></defs></svg>)"
    "\n";

std::string verdict_rows(const Exploration& result) {
  std::string rows;
  for (const auto& verdict : result.verdicts) {
    rows += fmt::format("<tr><td class=\"{0}\">{0}</td><td>{1}</td><td>{2}</td><td>{3}</td></tr>\n",
                        to_string(verdict.outcome), escaped(verdict.name), to_string(verdict.kind),
                        escaped(verdict.detail));
  }
  return rows;
}

std::string figure_rows(const Report& report) {
  std::string rows;
  for (const auto& figure : figures_of(report)) {
    rows += fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", figure.label, escaped(figure.text));
  }
  return rows;
}

// Green, red, or neither.
std::string_view colour_of(const Report& report) {
  switch (report.conclusion()) {
    case Conclusion::Proved: return "holds";
    case Conclusion::Violated: return report.false_on_purpose ? "holds" : "violated";
    case Conclusion::Incomplete:
    case Conclusion::Sampled: return "unknown";
  }
  return "unknown";
}

std::string overview_of(std::span<const Report> reports) {
  std::string html =
      "<table><tr><th>subject</th><th>scenario</th><th class=\"count\">distinct states</th>"
      "<th></th></tr>\n";
  for (const auto& report : reports) {
    html += fmt::format(
        "<tr><td>{}</td><td>{}</td><td class=\"count\">{}</td><td class=\"{}\">{}</td></tr>\n",
        escaped(report.subject), escaped(report.scenario), grouped(report.exploration.distinct),
        colour_of(report), report.verdict());
  }
  return html + "</table>\n";
}

std::string section_of(const Report& report) {
  std::string html = fmt::format(
      "<h2>{} {}: <span class=\"{}\">{}</span></h2>\n<p><code>{}</code></p>\n<table>{}</table>\n",
      escaped(report.subject), escaped(report.scenario), colour_of(report), report.verdict(),
      escaped(report.command()), figure_rows(report));
  html += "<table><tr><th>verdict</th><th>property</th><th>kind</th><th></th></tr>\n" +
          verdict_rows(report.exploration) + "</table>\n";
  for (const auto& section : report.sections) {
    html += fmt::format(
        "<h3>{}{}</h3>\n<pre>{}</pre>\n", escaped(section.title),
        section.missing > 0
            ? fmt::format(" <span class=\"violated\">({} missing)</span>", section.missing)
            : "",
        escaped(section.text));
  }
  for (const auto& verdict : report.exploration.verdicts) {
    if (!verdict.trace) continue;
    html += fmt::format("<h3>{}</h3>\n<div class=\"diagram\">{}</div>\n<pre>{}</pre>\n",
                        escaped(verdict.name), sequence_diagram(*verdict.trace),
                        escaped(story(verdict)));
  }
  return html;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '"': safe += "&quot;"; break;
      default: safe += c;
    }
  }
  return safe;
}

std::string shortened(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string{text};
  // Not in the middle of a character: its later bytes all begin with the bits 10.
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80U) --bytes;
  return std::string{text.substr(0, bytes)} + "…";
}

std::string to_page(std::span<const Report> reports) {
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<title>fixpoint verify</title>\n<style>{}</style>\n</head>\n<body>\n{}<h1>fixpoint "
      "verify</h1>\n",
      kStyle, kArrowTip);
  if (reports.size() > 1) html += overview_of(reports);
  for (const auto& report : reports) html += section_of(report);
  return html + "</body>\n</html>\n";
}

}  // namespace fixpoint::verify
