// SPDX-License-Identifier: Apache-2.0
#include "cli/up/access_log.h"

#include "base/rfc3339.h"
#include "json/draft.h"
#include "json/print.h"

#include <chrono>
#include <cstdio>
#include <iterator>

#include <fmt/format.h>

namespace fixpoint::cli {
namespace {

bool is_worth_telling(const front::AccessLine& line) {
  return line.code >= 400 || (line.method != "GET" && line.method != "HEAD");
}

double milliseconds(const front::AccessLine& line) {
  return std::chrono::duration<double, std::milli>(line.took).count();
}

void append_text(std::string& out, const front::AccessLine& line, Instant now) {
  const auto at = format_seconds(now);
  fmt::format_to(std::back_inserter(out), "{} {:>3} {:<6} {} {} {:.1f}ms\n", at.substr(11, 8),
                 line.code, line.method, line.path, line.user, milliseconds(line));
}

void append_json(std::string& out, const front::AccessLine& line, Instant now) {
  const auto entry = json::Draft::object({
      {"time",   format_micros(now)                 },
      {"level",  line.code >= 500 ? "error" : "info"},
      {"msg",    "request"                          },
      {"method", line.method                        },
      {"path",   line.path                          },
      {"user",   line.user                          },
      {"code",   line.code                          },
      {"ms",     milliseconds(line)                 }
  });
  const json::Value frozen = entry.freeze();
  out += json::to_text(frozen, json::Escape::Plain);
  out += '\n';
}

}  // namespace

void AccessLog::tell(const front::AccessLine& line) {
  if (!is_worth_telling(line)) return;
  if (lines_.empty()) loop_.post_end_of_tick([this] { write(); });
  const auto append = format_ == runtime::LogFormat::Json ? append_json : append_text;
  append(lines_, line, loop_.clock().wall());
}

void AccessLog::write() {
  runtime::Log::to_stdout()(lines_);
  lines_.clear();
}

}  // namespace fixpoint::cli
