// SPDX-License-Identifier: Apache-2.0
#include "node/remote/channels.h"

#include "json/draft.h"
#include "json/parsing/parse.h"
#include "json/print.h"
#include "kube/errors/status.h"
#include "net/websocket.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::node {

std::string Outcome::to_status() const {
  if (!error.empty()) {
    const auto failure = kube::to_json(kube::internal_error(error));
    return json::to_text(failure);
  }
  json::Draft status = json::Draft::object();
  status.object_at("metadata");
  status["status"] = code == 0 ? "Success" : "Failure";
  if (code != 0) {
    status["message"] = to_words();
    status["reason"] = "NonZeroExitCode";
    status.object_at("details")["causes"] = json::Draft::array({
        json::Draft::object({{"reason", "ExitCode"}, {"message", std::to_string(code)}}
        )
    });
  }
  const auto frozen = status.freeze();
  return json::to_text(frozen);
}

std::string Outcome::to_words() const {
  if (!error.empty()) return kube::internal_error(error).message;
  if (code == 0) return {};
  return fmt::format("command terminated with non-zero exit code: exit status {}", code);
}

void answer_in_words(const StreamAsk& ask, int code, const std::string& words) {
  auto headers = ask.answer;
  headers.set("content-type", "text/plain; charset=utf-8");
  ask.exchange->respond(code, std::move(headers), words + "\n");
}

std::vector<std::string> header_list(const net::Headers& headers, std::string_view name) {
  std::vector<std::string> out;
  for (const auto& [key, value] : headers) {
    if (!net::equals_ignoring_case(key, name)) continue;
    std::string_view rest = value;
    while (!rest.empty()) {
      const auto end = std::min(rest.find(','), rest.size());
      auto word = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      while (word.starts_with(' ')) word.remove_prefix(1);
      while (word.ends_with(' ')) word.remove_suffix(1);
      if (!word.empty()) out.emplace_back(word);
    }
  }
  return out;
}

bool parse_size(std::string_view text, TerminalSize& size) {
  const auto parsed = json::parse(text);
  if (!parsed || !parsed->is_object()) return false;
  const auto number = [&](std::string_view key) {
    return static_cast<std::uint16_t>(
        std::clamp<std::int64_t>(parsed->get(key).as_int(), 0, UINT16_MAX));
  };
  size = {.width = number("Width"), .height = number("Height")};
  return size.width > 0 && size.height > 0;
}

bool Channels::tell_trouble_inside(const net::Headers& request) {
  if (!net::WebSocket::is_asked_for(request)) return false;
  const auto asked = header_list(request, "sec-websocket-protocol");
  return std::ranges::find(asked, "v5.channel.k8s.io") != asked.end();
}

std::shared_ptr<Channels> Channels::open(net::Loop& loop, const StreamAsk& ask, StreamSet set,
                                         Handlers handlers) {
  if (net::WebSocket::is_asked_for(ask.request)) {
    return open_websocket_channels(loop, ask, set, std::move(handlers));
  }
  return open_spdy_channels(loop, ask, set, std::move(handlers));
}

}  // namespace fixpoint::node
