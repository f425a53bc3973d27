// SPDX-License-Identifier: Apache-2.0
//
// The core in process: the same URLs, no sockets, no threads, a store of its own for every
// sequence.
#include "apiserver/core.h"
#include "base/clock.h"
#include "base/rng.h"
#include "cluster/controllers.h"
#include "front/answers/answer.h"
#include "front/identity/certificates.h"
#include "front/router.h"
#include "json/print.h"
#include "net/loop.h"
#include "tests/conformance/local.h"

namespace fixpoint::conformance {
namespace {

// Far more than the definitions of one sequence need to come to rest.
constexpr std::size_t kStepsMax = 10'000;

apiserver::User admin() {
  return {
      .name = "kubernetes-admin",
      .uid = {},
      .groups = {"system:masters", "system:authenticated"},
      .extra = {}
  };
}

std::string event_line(const apiserver::WatchEvent& event) {
  return R"({"type":")" + std::string{to_string(event.type)} + R"(","object":)" +
         json::to_text(event.object) + "}\n";
}

class CoreStream final : public Stream {
 public:
  CoreStream(apiserver::Watch watch, const store::Store& store, std::string_view warning)
      : watch_(std::move(watch)), store_(store), warning_(warning) {}

  bool ended() const override { return true; }

  Answer take() override {
    Answer answer{.code = 200, .headers = {{"content-type", "application/json"}}, .body = {}};
    if (!warning_.empty()) front::add_warnings(answer.headers, {warning_});
    for (const auto& event : watch_.initial) answer.body += event_line(event);
    const auto events = store_.events_after(watch_.from);
    if (!events) return answer;  // from the future: nothing happened since
    for (const auto& event : *events) {
      if (const auto told = watch_.next(event)) answer.body += event_line(*told);
    }
    return answer;
  }

 private:
  apiserver::Watch watch_;
  const store::Store& store_;
  std::string warning_;
};

class RefusedStream final : public Stream {
 public:
  explicit RefusedStream(Answer answer) : answer_(std::move(answer)) {}
  bool ended() const override { return true; }
  Answer take() override { return answer_; }

 private:
  Answer answer_;
};

class CoreServer final : public Server, public cluster::Server {
 public:
  CoreServer(store::Store base, apiserver::Weakness weakness)
      : base_(std::move(base)), store_(base_), weakness_(weakness) {
    begin();
  }

  std::string_view name() const override { return "core"; }
  bool in_process() const override { return true; }
  void wait(Duration) override {}

  void begin() override {
    store_ = base_.fork();
    controllers_ = cluster::Controllers::of_server();
    controllers_.begin(*this);
    seen_ = store_.revision();
  }

  Answer call(const Call& call) override {
    auto request = request_of(call);
    if (!request) return answer(apiserver::failure(request.error()), {});
    auto response = core_.handle(*request, store_, environment());
    const auto resource = core_.kinds().find(store_.latest(), request->resource);
    auto made = answer(response, resource);
    settle();
    return made;
  }

  std::unique_ptr<Stream> open(const Call& call) override {
    auto request = request_of(call);
    if (!request) {
      return std::make_unique<RefusedStream>(answer(apiserver::failure(request.error()), {}));
    }
    request->verb = apiserver::Verb::Watch;
    auto watch = core_.open_watch(*request, store_, environment());
    if (!watch) {
      return std::make_unique<RefusedStream>(answer(apiserver::failure(watch.error()), {}));
    }
    const auto resource = core_.kinds().find(store_.latest(), request->resource);
    return std::make_unique<CoreStream>(*std::move(watch), store_,
                                        resource ? resource->deprecation() : std::string_view{});
  }

  // What the definitions' loop may do.
  apiserver::Response call(const apiserver::Request& request) override {
    return core_.handle(request, store_, environment());
  }
  const store::Snapshot& latest() const override { return store_.latest(); }
  apiserver::CustomKinds& kinds() override { return core_.kinds(); }
  Instant now() const override { return net::system_clock().wall(); }

 private:
  apiserver::Environment environment() {
    return {.now = now(), .rng = rng_, .weakness = weakness_};
  }

  static kube::Answer<apiserver::Request> request_of(const Call& call) {
    auto route = front::route(call.method, call.path, call.query);
    if (!route) return std::unexpected(kube::bad_request("the path does not decode"));
    if (!route->resource) return std::unexpected(kube::not_found_path());
    auto request = std::move(route->request);
    request.user = admin();
    if (const auto* type = call.headers.find("content-type")) request.content_type = *type;
    if (const auto* agent = call.headers.find("user-agent")) request.user_agent = *agent;
    request.body = call.body;
    return request;
  }

  static Answer answer(const apiserver::Response& response,
                       const std::optional<apiserver::Resource>& resource) {
    Answer made{
        .code = response.code, .headers = {{"content-type", "application/json"}}, .body = {}};
    front::add_warnings(made.headers, response.warnings);
    const json::View retry = response.body.get("details", "retryAfterSeconds");
    if (!response.ok() && retry.as_int() > 0) {
      made.headers.add("retry-after", std::to_string(retry.as_int()));
    }
    // An empty log is nothing at all, and nothing has no type.
    if (response.code == 204) return Answer{.code = response.code, .headers = {}, .body = {}};
    made.body =
        response.list ? front::list_text(*response.list, *resource) : json::to_text(response.body);
    return made;
  }

  void settle() {
    while (store_.revision() != seen_) {
      const auto events = store_.events_after(seen_);
      FP_CHECK(events.has_value());
      seen_ = store_.revision();
      controllers_.observe(*events);
      controllers_.run(*this, kStepsMax);
    }
  }

  store::Store base_;
  store::Store store_;
  apiserver::Weakness weakness_;
  apiserver::Core core_{nullptr, &front::certificates()};
  Rng rng_ = Rng::from_kernel();
  cluster::Controllers controllers_ = cluster::Controllers::of_server();
  store::Revision seen_;
};

}  // namespace

std::unique_ptr<Server> make_core_server(store::Store base, apiserver::Weakness weakness) {
  return std::make_unique<CoreServer>(std::move(base), weakness);
}

}  // namespace fixpoint::conformance
