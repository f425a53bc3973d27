// SPDX-License-Identifier: Apache-2.0
//
// The pages of a manager: /healthz, /readyz, /metrics, and /debug for whoever is on this machine.
#include "json/draft.h"
#include "json/print.h"
#include "runtime/manager/manager.h"

#include <fmt/format.h>

namespace fixpoint::runtime {
namespace {

bool is_local(const net::Request& request) {
  if (!request.peer) return false;
  const std::string_view address = request.peer->address;
  return address.starts_with("127.") || address.starts_with("[::1]");
}

void answer(Manager& manager, net::Request&& request, net::Exchange& exchange, bool wants_health,
            bool wants_rest) {
  const auto path = request.path();
  const bool is_health = path == "/healthz" || path == "/readyz" || path == "/livez";
  if (request.method != "GET" && request.method != "HEAD") {
    return exchange.respond(405,
                            {
                                {"allow", "GET, HEAD"}
    },
                            "only GET\n");
  }
  if (is_health ? !wants_health : !wants_rest) return exchange.respond(404, {}, "no such page\n");
  auto page = manager.page(path, request.query(), is_local(request));
  if (!page) return exchange.respond(404, {}, "no such page\n");
  net::Headers headers{
      {"content-type", std::string{page->type}}
  };
  exchange.respond(page->code, std::move(headers), std::move(page->body));
}

Manager::Page json_page(const json::Value& value) {
  return {.code = 200,
          .type = "application/json",
          .body = json::to_pretty_text(value, json::Escape::Plain) + "\n"};
}

std::string_view phase_name(const FollowStatistics& statistics) {
  if (!statistics.served) return "NotServed";
  return statistics.synced ? "Synced" : "Listing";
}

}  // namespace

Result<std::unique_ptr<net::Server>> Manager::listen(const Endpoint& endpoint, Serves what) {
  net::ServerOptions options;
  options.address = endpoint.address;
  options.port = endpoint.port;
  // Probes, a scraper and a person or two.
  options.connections_max = 64;
  options.body_bytes_max = 1024;
  auto server = net::Server::listen(
      around_.loop, std::move(options),
      [this, what](net::Request&& request, const std::shared_ptr<net::Exchange>& exchange) {
        answer(*this, std::move(request), *exchange, what != Serves::Metrics,
               what != Serves::Health);
      });
  if (!server) return server;
  const auto at = fmt::format("{}:{}", endpoint.address, (*server)->port());
  around_.log.info("serving",
                   {
                       {"pages",   what == Serves::Health    ? "/healthz,/readyz"
                                 : what == Serves::Metrics ? "/metrics,/debug"
                                                           : "/healthz,/readyz,/metrics,/debug"},
                       {"address", at                                                                                          }
  });
  return server;
}

std::uint16_t Manager::metrics_port() const {
  return metrics_server_ ? metrics_server_->port() : 0;
}

std::uint16_t Manager::health_port() const {
  return health_server_ ? health_server_->port() : metrics_port();
}

std::optional<Manager::Page> Manager::page(std::string_view path, std::string_view query,
                                           bool local) {
  if (path == "/healthz" || path == "/livez") return Page{.body = "ok"};
  if (path == "/readyz") return ready_page(query);
  if (path == "/metrics") {
    return Page{.type = MetricsRegistry::kContentType, .body = around_.metrics.page()};
  }
  if (!path.starts_with("/debug")) return std::nullopt;
  if (!local) return Page{.code = 403, .body = "debug pages are for this machine only\n"};
  if (path == "/debug") return json_page(debug());
  if (path == "/debug/cache") return json_page(debug_cache());
  if (path == "/debug/guard") {
    auto list = json::Draft::array();
    for (const auto& unit : units_) {
      list.push_back(json::Draft::object({
          {"controller", unit->name()       },
          {"objects",    unit->debug_guard()}
      }));
    }
    return json_page(list.freeze());
  }
  return std::nullopt;
}

// Ready is who could reconcile now: those who stand by are ready to take over.
Manager::Page Manager::ready_page(std::string_view query) const {
  std::string text;
  bool good = true;
  for (const auto& unit : units_) {
    if (unit->synced()) {
      text += fmt::format("[+]{} ok\n", unit->name());
    } else {
      good = false;
      text += fmt::format("[-]{} failed: not listed yet: {}\n", unit->name(), unit->missing());
    }
  }
  if (stopped_) {
    good = false;
    text += "[-]shutdown failed: stopping\n";
  }
  if (!good) return {.code = 500, .body = text + "readyz check failed\n"};
  if (query.find("verbose") == std::string_view::npos) return {.body = "ok"};
  return {.body = text + "readyz check passed\n"};
}

json::Value Manager::debug() const {
  auto controllers = json::Draft::array();
  for (const auto& unit : units_) controllers.push_back(unit->debug());
  return json::Draft::object({
                                 {"identity",    options_.identity                 },
                                 {"leads",       leads()                           },
                                 {"holder",      elector_ ? elector_->holder() : ""},
                                 {"controllers", std::move(controllers)            },
                                 {"cache",       debug_cache()                     }
  })
      .freeze();
}

json::Value Manager::debug_cache() const {
  auto list = json::Draft::array();
  for (const auto& statistics : cache_->statistics()) {
    const auto number = [](std::size_t n) { return static_cast<std::int64_t>(n); };
    list.push_back(json::Draft::object({
        {"kind",            statistics.collection.resource.kind.to_string()},
        {"namespace",       statistics.collection.ns                       },
        {"state",           phase_name(statistics)                         },
        {"objects",         number(statistics.objects)                     },
        {"bytes",           number(statistics.bytes)                       },
        {"controllers",     number(statistics.sessions)                    },
        {"resourceVersion", statistics.resource_version                    },
        {"relists",         static_cast<std::int64_t>(statistics.relists)  },
        {"rewinds",         static_cast<std::int64_t>(statistics.rewinds)  }
    }));
  }
  return list.freeze();
}

}  // namespace fixpoint::runtime
