// SPDX-License-Identifier: Apache-2.0
#include "operators/stellar/health/outside.h"

#include "client/config/url.h"
#include "json/draft.h"
#include "net/client.h"
#include "net/tls.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>

namespace fixpoint::operators::stellar {
namespace {

constexpr Duration kProbeDeadline = std::chrono::seconds(5);
constexpr Duration kArchiveDeadline = std::chrono::seconds(10);
constexpr std::string_view kGetHealth = R"({"jsonrpc":"2.0","id":1,"method":"getHealth"})";
constexpr std::string_view kArchiveState = "/.well-known/stellar-history.json";

struct Question {
  net::ClientOptions to;
  net::ClientRequest request;
};

RawAnswer missing(std::string problem) {
  return {.kind = RawAnswer::Kind::Missing, .problem = std::move(problem)};
}

RawAnswer ask_now(const Question& question, Duration limit) {
  auto response = net::blocking_request(question.to, question.request, limit, kAnswerBytesMax);
  if (response) return RawAnswer::complete(response->status, std::move(response->body));
  RawAnswer answer = missing(response.error().message);
  if (answer.problem.ends_with("Connection refused")) answer.kind = RawAnswer::Kind::Refused;
  return answer;
}

bool is_numeric(const std::string& host) {
  in6_addr address{};
  return host == "localhost" || ::inet_pton(AF_INET, host.c_str(), &address) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

class HttpOutside final : public runtime::Outside {
 public:
  Result<json::Value> probe(const runtime::Probe& probe) override {
    const json::View arguments = probe.arguments;
    const auto passphrase = arguments.get("passphrase").as_string();
    const auto at = [&](std::string target) { return ask(arguments, std::move(target), probe); };
    if (probe.name == kCoreInfoProbe) return judge_core_info(at("/info"), passphrase).to_json();
    if (probe.name == kCoreMetricsProbe) return judge_core_metrics(at("/metrics")).to_json();
    if (probe.name == kHorizonHealthProbe) return judge_horizon_health(at("/health")).to_json();
    if (probe.name == kHorizonRootProbe) {
      return judge_horizon_root(at("/"), passphrase).to_json();
    }
    if (probe.name == kRpcHealthProbe) {
      return judge_rpc_health(ask(arguments, "/", probe, std::string{kGetHealth})).to_json();
    }
    if (probe.name == kArchiveProbe) return remembered_archive(probe);
    return fail(ErrorKind::Invalid, fmt::format("there is no probe \"{}\"", probe.name));
  }

  // Everything it does to a node it does through the API.
  Result<json::Value> perform(const runtime::EffectStep& effect) override {
    return fail(ErrorKind::Invalid, fmt::format("there is no effect \"{}\"", effect.name));
  }

 private:
  RawAnswer ask(json::View arguments, std::string target, const runtime::Probe& probe,
                std::string body = {}) {
    Question question;
    question.to.host = arguments.get("host").as_string();
    question.to.port = static_cast<std::uint16_t>(arguments.get("port").as_int());
    question.request.target = std::move(target);
    question.request.headers.add("accept", "application/json");
    if (!body.empty()) {
      question.request.method = "POST";
      question.request.headers.add("content-type", "application/json");
      question.request.body = std::move(body);
    }
    return within(std::move(question), probe.deadline);
  }

  // By what was said then: an old answer beside a new ledger would make every archive late.
  Result<json::Value> remembered_archive(const runtime::Probe& probe) {
    const json::View arguments = probe.arguments;
    const std::chrono::seconds keep{arguments.get("remembered").as_int()};
    if (keep <= keep.zero()) return archive(probe);
    const auto name = fmt::format("{} {}", arguments.get("url").as_string(),
                                  arguments.get("passphrase").as_string());
    {
      const std::lock_guard lock(mutex_);
      const auto found = archives_.find(name);
      if (found != archives_.end() && Clock::now() < found->second.until) {
        return found->second.answer;
      }
    }
    FP_TRY(answer, archive(probe));
    const bool read = !answer.get("ledger").is_null();
    const auto until = Clock::now() + (read ? Duration{keep} : kArchiveAgain);
    const std::lock_guard lock(mutex_);
    if (archives_.size() >= kArchivesMax) {
      std::erase_if(archives_,
                    [now = Clock::now()](const auto& entry) { return entry.second.until <= now; });
    }
    if (archives_.size() < kArchivesMax || archives_.contains(name)) {
      archives_.insert_or_assign(name, Remembered{answer, until});
    }
    return answer;
  }

  Result<json::Value> archive(const runtime::Probe& probe) {
    const auto text = probe.arguments.get("url").as_string();
    const auto url = client::parse_url(text);
    if (!url || (url->scheme != "http" && url->scheme != "https")) {
      return fail(ErrorKind::Invalid, fmt::format("\"{}\" is no URL of an archive", text));
    }
    const bool secure = url->scheme == "https";
    Question question;
    question.to.host = url->host;
    question.to.port = url->port.value_or(secure ? 443 : 80);
    if (secure) {
      FP_TRY(tls, net::make_client_tls({.versions = net::HttpVersions::OnlyHttp1}));
      question.to.tls = std::move(tls);
    }
    std::string_view path = url->path;
    while (path.ends_with('/')) path.remove_suffix(1);
    question.request.target = fmt::format("{}{}", path, kArchiveState);
    const auto answer = within(std::move(question), probe.deadline);
    const json::View ledger = probe.arguments.get("ledger");
    return judge_archive(answer, ledger.is_int() ? std::optional{ledger.as_int()} : std::nullopt,
                         probe.arguments.get("passphrase").as_string())
        .to_json();
  }

  // A name is looked up by the system's resolver, which knows no deadline: that happens on a thread
  // that may be left behind.
  RawAnswer within(Question question, Duration limit) {
    if (is_numeric(question.to.host)) return ask_now(question, limit);
    const auto abandoned = abandoned_;
    if (abandoned->load() >= kAbandonedMax) return missing("names cannot be looked up now");
    abandoned->fetch_add(1);
    std::promise<RawAnswer> promise;
    auto answer = promise.get_future();
    try {
      std::thread([abandoned, limit, question = std::move(question),
                   promise = std::move(promise)]() mutable {
        promise.set_value(ask_now(question, limit));
        abandoned->fetch_sub(1);
      }).detach();
    } catch (const std::system_error& error) {
      abandoned->fetch_sub(1);
      return missing(fmt::format("no thread for the look-up: {}", error.what()));
    }
    if (answer.wait_for(limit) == std::future_status::ready) return answer.get();
    return missing("no answer within the deadline");
  }

  using Clock = std::chrono::steady_clock;
  struct Remembered {
    json::Value answer;
    Clock::time_point until;
  };
  std::mutex mutex_;  // guards archives_
  std::map<std::string, Remembered, std::less<>> archives_;

  // Outlives us: threads that were left behind count down.
  std::shared_ptr<std::atomic<int>> abandoned_ = std::make_shared<std::atomic<int>>(0);
};

json::Draft place(const Address& at) {
  return json::Draft::object({
      {"host", at.host},
      {"port", at.port}
  });
}

runtime::Probe make(std::string_view name, json::Draft arguments, std::string_view passphrase,
                    Duration deadline = kProbeDeadline) {
  if (!passphrase.empty()) arguments["passphrase"] = passphrase;
  return {.name = std::string{name}, .arguments = arguments.freeze(), .deadline = deadline};
}

}  // namespace

runtime::Probe core_info_probe(const Address& at, std::string_view passphrase) {
  return make(kCoreInfoProbe, place(at), passphrase);
}

runtime::Probe core_metrics_probe(const Address& at) {
  return make(kCoreMetricsProbe, place(at), {});
}

runtime::Probe horizon_health_probe(const Address& at) {
  return make(kHorizonHealthProbe, place(at), {});
}

runtime::Probe horizon_root_probe(const Address& at, std::string_view passphrase) {
  return make(kHorizonRootProbe, place(at), passphrase);
}

runtime::Probe rpc_health_probe(const Address& at) {
  return make(kRpcHealthProbe, place(at), {});
}

runtime::Probe archive_probe(std::string_view url, std::optional<std::int64_t> network_ledger,
                             std::string_view passphrase, Duration remembered) {
  json::Draft arguments = json::Draft::object({
      {"url", url}
  });
  if (network_ledger) arguments["ledger"] = *network_ledger;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(remembered).count();
  if (seconds > 0) arguments["remembered"] = static_cast<std::int64_t>(seconds);
  return make(kArchiveProbe, std::move(arguments), passphrase, kArchiveDeadline);
}

std::shared_ptr<runtime::Outside> make_outside() {
  return std::make_shared<HttpOutside>();
}

}  // namespace fixpoint::operators::stellar
