// SPDX-License-Identifier: Apache-2.0
#include "sim/stellar/stand_in.h"

#include "base/print_to.h"
#include "net/loop.h"
#include "net/server.h"

#include <csignal>
#include <cstdio>
#include <deque>
#include <memory>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::sim {
namespace {

constexpr std::string_view kBehave = "/fixpoint/behave";
// Unanswered requests that are kept while it hangs; the oldest give way.
constexpr std::size_t kHeldMax = 1'000;
// For the answer to whoever told it to die.
constexpr Duration kLastWords = std::chrono::milliseconds(50);

class Running {
 public:
  explicit Running(StandIn stand_in)
      : stand_in_(std::move(stand_in)),
        life_{.pace = stand_in_.pace, .started = loop_.clock().wall()} {}

  Result<int> run() {
    for (const int signal : {SIGTERM, SIGINT}) {
      FP_TRY_VOID(loop_.on_signal(signal, [this] { loop_.stop(); }));
    }
    for (const auto& port : stand_in_.ports) {
      net::ServerOptions options;
      options.address = port.address;
      options.port = port.number;
      FP_TRY(server, net::Server::listen(loop_, std::move(options),
                                         [this, &port](net::Request&& request,
                                                       std::shared_ptr<net::Exchange> exchange) {
                                           handle(port, request, std::move(exchange));
                                         }));
      say(fmt::format("{} listens on {}:{}", port.what, port.address, server->port()));
      servers_.push_back(std::move(server));
    }
    loop_.run();
    held_.clear();
    say(status_ == 0 ? "ends" : "dies, as it was told");
    return status_;
  }

 private:
  void say(std::string_view what) const {
    print_to(stdout, fmt::format("{} (stand-in): {}\n", stand_in_.name, what));
  }

  void handle(const Port& port, const net::Request& request,
              std::shared_ptr<net::Exchange> exchange) {
    if (request.path() == kBehave) return behave(request, *exchange);
    if (behaviour_.mode == Mode::Hang) {
      if (held_.size() == kHeldMax) held_.pop_front();
      held_.push_back(std::move(exchange));
      return;
    }
    if (behaviour_.mode == Mode::Late) {
      loop_.after(behaviour_.delay,
                  [this, &port, request, exchange] { answer(port, request, *exchange); });
      return;
    }
    answer(port, request, *exchange);
  }

  void answer(const Port& port, const net::Request& request, net::Exchange& exchange) {
    if (behaviour_.mode == Mode::Fail) return respond(exchange, {.status = 500, .body = "{}\n"});
    const Asked asked{.method = request.method, .path = request.path(), .body = request.body};
    const auto moment = at(life_, loop_.clock().wall());
    const auto page = port.pages ? port.pages(asked, moment) : std::nullopt;
    respond(exchange, page.value_or(Page{.status = 404, .type = "text/plain", .body = "404\n"}));
  }

  static void respond(net::Exchange& exchange, Page page) {
    exchange.respond(page.status,
                     {
                         {"content-type", page.type}
    },
                     std::move(page.body));
  }

  void behave(const net::Request& request, net::Exchange& exchange) {
    const auto wanted = parse_behaviour(request.query());
    if (!wanted) {
      return respond(exchange,
                     {.status = 400, .type = "text/plain", .body = wanted.error().message + "\n"});
    }
    const auto now = loop_.clock().wall();
    const bool stays = wanted->mode == Mode::Lag;
    life_.stuck_at = stays ? std::optional{at(life_, now).ledger} : std::nullopt;
    behaviour_ = *wanted;
    say(fmt::format("told to {}", to_string(behaviour_.mode)));
    respond(exchange, {.type = "text/plain", .body = fmt::format("{}\n", to_string(wanted->mode))});
    if (behaviour_.mode != Mode::Hang) held_.clear();  // cut: whoever waits sees it
    if (behaviour_.mode == Mode::Die) {
      status_ = 1;
      loop_.after(kLastWords, [this] { loop_.stop(); });
    }
  }

  net::Loop loop_;
  StandIn stand_in_;
  Life life_;
  Behaviour behaviour_;
  int status_ = 0;
  std::deque<std::shared_ptr<net::Exchange>> held_;
  std::vector<std::unique_ptr<net::Server>> servers_;
};

}  // namespace

Result<int> run(StandIn stand_in) {
  return Running(std::move(stand_in)).run();
}

}  // namespace fixpoint::sim
