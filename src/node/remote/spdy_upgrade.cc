// SPDX-License-Identifier: Apache-2.0
#include "node/remote/spdy_upgrade.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fixpoint::node {
namespace {

constexpr std::string_view kProtocolHeader = "X-Stream-Protocol-Version";

}  // namespace

std::string choose_spdy_protocol(const StreamAsk& ask, std::span<const std::string_view> ours) {
  const auto asked = header_list(ask.request, kProtocolHeader);
  if (asked.empty()) {
    answer_in_words(ask, 400, fmt::format("unable to upgrade: {} is required", kProtocolHeader));
    return {};
  }
  for (const auto& name : asked) {
    if (std::ranges::find(ours, name) != ours.end()) return name;
  }
  StreamAsk refused = ask;
  for (const auto name : ours) {
    refused.answer.add("X-Accepted-Stream-Protocol-Versions", std::string(name));
  }
  answer_in_words(refused, 403,
                  fmt::format("unable to upgrade: unable to negotiate protocol: client supports "
                              "[{}], server accepts [{}]",
                              fmt::join(asked, " "), fmt::join(ours, " ")));
  return {};
}

std::shared_ptr<net::SpdySession> upgrade_to_spdy(const StreamAsk& ask, std::string_view protocol,
                                                  net::SpdySession::Handlers handlers) {
  constexpr std::string_view kSpdy = "SPDY/3.1";
  const bool asked =
      ask.request.has_token("connection", "upgrade") && ask.request.has_token("upgrade", kSpdy);
  if (!asked) {
    answer_in_words(ask, 400, "unable to upgrade: missing upgrade headers in request");
    return nullptr;
  }
  auto headers = ask.answer;
  headers.set(std::string(kProtocolHeader), std::string(protocol));
  auto session = std::make_shared<net::SpdySession>(std::move(handlers));
  auto stream = ask.exchange->upgrade(kSpdy, headers, session->below());
  if (!stream) {
    answer_in_words(ask, 500, "unable to upgrade: unable to hijack response");
    return nullptr;
  }
  session->use(std::move(stream));
  return session;
}

}  // namespace fixpoint::node
