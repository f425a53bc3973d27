// SPDX-License-Identifier: Apache-2.0
#include "front/api_server.h"

#include "apiserver/access/rbac.h"
#include "apiserver/access/review.h"
#include "apiserver/read/table.h"
#include "apiserver/subresources/pod_streams.h"
#include "front/answers/answer.h"
#include "front/answers/shape.h"
#include "front/identity/impersonate.h"
#include "front/pages/usage.h"
#include "front/router.h"
#include "front/watch_socket.h"
#include "json/print.h"
#include "net/websocket.h"

namespace fixpoint::front {

using apiserver::Response;
using apiserver::User;
using apiserver::Verb;

// One request on its way through. Shared with callbacks that run once its revision is durable.
struct ApiServer::Call {
  net::Request http;
  std::shared_ptr<net::Exchange> exchange;
  Route route;
  Wanted wanted;
  User user;
  std::optional<apiserver::Resource> resource;
  std::string audit_id;
  MonotonicInstant began;

  net::Headers headers() const { return common_headers(audit_id); }
  bool pretty() const {
    return wants_pretty(route.request.parameter("pretty"), header("user-agent"));
  }
  Wanted status_form() const {
    Wanted form = negotiate_status(header("accept"));
    if (pretty()) form.pretty = true;
    return form;
  }
  std::string_view header(std::string_view name) const {
    const std::string* value = http.headers.find(name);
    return value == nullptr ? std::string_view{} : std::string_view{*value};
  }
};

namespace {

kube::Status lost_write(const Error& why) {
  return kube::internal_error("the write could not be put on disk and was taken back: " +
                              why.message);
}

}  // namespace

ApiServer::ApiServer(Service& service, const Identity& identity, AccessLog log)
    : service_(service),
      identity_(identity),
      log_(std::move(log)),
      watches_(service),
      pages_(service, identity.keys().tokens) {}

net::Handler ApiServer::handler() {
  return [this](net::Request&& request, std::shared_ptr<net::Exchange> exchange) {
    handle(std::move(request), std::move(exchange));
  };
}

net::ErrorPages ApiServer::error_pages() {
  return [](int code, const std::string& message) {
    kube::Status status = code == 413   ? kube::request_entity_too_large(message)
                          : code == 400 ? kube::bad_request(message)
                          : code == 429 ? kube::too_many_requests(message, 1)
                                        : kube::unreasoned(code, message);
    const json::Value body = kube::to_json(status);
    net::ErrorPage page{.headers = {{"content-type", "application/json"}},
                        .body = json::to_text(body) + "\n"};
    if (code == 429) page.headers.set("retry-after", "1");
    return page;
  };
}

void ApiServer::finish(const Call& call, int code) {
  const auto took = service_.loop().clock().monotonic() - call.began;
  const bool resource = call.route.resource;
  metrics_.count(
      resource ? to_string(call.route.request.verb) : std::string_view{"get"},
      call.resource ? std::string_view{call.resource->path.resource} : std::string_view{}, code,
      took);
  if (!log_) return;
  log_({.method = call.http.method,
        .path = std::string{call.http.path()},  // as sent: decoded, it could forge lines
        .user = call.user.name,
        .code = code,
        .took = took});
}

void ApiServer::refuse(const std::shared_ptr<Call>& call, const kube::Status& status) {
  finish(*call, status.code);
  auto headers = call->headers();
  if (call->resource && !apiserver::refused_by_router(status)) {
    add_warning(headers, call->resource->deprecation());
  }
  send_status(call->exchange, std::move(headers), status, call->status_form());
}

void ApiServer::show(const std::shared_ptr<Call>& call, Page page) {
  auto headers = call->headers();
  for (const auto& [name, value] : page.headers) headers.set(name, value);
  finish(*call, page.code);
  call->exchange->respond(page.code, std::move(headers), std::move(page.body));
}

void ApiServer::handle(net::Request&& request, std::shared_ptr<net::Exchange> exchange) {
  auto call = std::make_shared<Call>();
  call->http = std::move(request);
  call->exchange = std::move(exchange);
  call->audit_id = service_.rng().uuid();
  call->began = service_.loop().clock().monotonic();

  auto route = front::route(call->http.method, call->http.path(), call->http.query());
  if (!route) return show(call, text_page(400, "400 Bad Request"));
  call->route = *std::move(route);
  if (call->route.undetermined) {
    // Nobody is asked who they are before it is known what they want.
    return show(call, text_page(500, "Internal Server Error: " + kube::shown(call->http.target) +
                                         ": failed to create RequestInfo: unable to determine kind "
                                         "and namespace from url, " +
                                         call->route.path + "\n"));
  }

  if (const auto bad = bad_timeout(call->route)) return refuse(call, *bad);

  const auto& snapshot = service_.store().latest();
  auto sender = identity_.sender(call->http, service_.loop().clock().wall(), snapshot);
  if (!sender) return refuse(call, sender.error());
  auto user = acting_user(call->http, *std::move(sender), snapshot);
  if (!user) {
    // A question that makes no sense is answered in plain text, as everything before the API is.
    if (user.error().code == 500) return show(call, text_page(500, user.error().message + "\n"));
    return refuse(call, user.error());
  }
  call->user = *std::move(user);
  if (call->route.resource) {
    serve_resource(call);
  } else {
    serve_page(call);
  }
}

void ApiServer::serve_page(const std::shared_ptr<Call>& call) {
  const apiserver::Attempt attempt{.verb = net::to_lower(call->http.method),
                                   .group = {},
                                   .resource = {},
                                   .subresource = {},
                                   .ns = {},
                                   .name = {},
                                   .path = call->route.path};
  const auto decision = authorize(service_.store().latest(), call->user, attempt);
  if (!decision.allowed) return refuse(call, refusal(call->user, attempt, decision));
  if (call->route.path == "/metrics") {
    const Gauges gauges{.objects = service_.store().latest().size(),
                        .revision = service_.store().revision().value,
                        .durable_revision = service_.durable().value,
                        .watchers = watches_.size()};
    Page page = text_page(200, metrics_.text(gauges));
    page.headers.set("content-type", "text/plain; version=0.0.4; charset=utf-8");
    return show(call, std::move(page));
  }
  auto page = pages_.find(call->http, call->route);
  if (!page) return refuse(call, page.error());
  show(call, *std::move(page));
}

// A path that leads nowhere below a group of custom kinds, or of none, is not even the API's.
void ApiServer::no_resource(const std::shared_ptr<Call>& call, const kube::Status& status) {
  const bool nowhere = status.code == 404 && status.details && status.details->kind.empty();
  if (!nowhere) return refuse(call, status);
  auto page = Pages::not_found(call->route.path);
  if (!page) return refuse(call, page.error());
  show(call, *std::move(page));
}

namespace {

// Reviews, and the subresources that are neither the object itself nor a scale, have no rows.
Offer offer_of(const apiserver::Resource& resource, const apiserver::Request& request) {
  const auto& part = request.subresource;
  const bool tabled = part.empty() || part == "status" || part == "scale";
  return tabled && !apiserver::is_review(resource) ? Offer::Objects : Offer::Untabled;
}

}  // namespace

void ApiServer::serve_resource(const std::shared_ptr<Call>& call) {
  auto& request = call->route.request;
  request.user = call->user;
  request.content_type = call->header("content-type");
  request.user_agent = call->header("user-agent");
  request.body = std::move(call->http.body);

  auto attempt = attempt_of(request);
  attempt.verb = call->route.verb(call->http.method);
  const auto decision = authorize(service_.store().latest(), call->user, attempt);
  if (!decision.allowed) return refuse(call, refusal(call->user, attempt, decision));
  if (meter_ != nullptr && request.resource.group == kMetricsGroup) return serve_usage(call);
  auto resource = service_.core().resolve(request, service_.store().latest());
  if (!resource) {
    // A deprecated version says so even where it has nothing.
    call->resource = service_.core().kinds().find(service_.store().latest(), request.resource);
    return no_resource(call, resource.error());
  }
  if (!call->route.has_verb) {
    // HEAD reads custom resources; no router stands before those.
    if (!resource->custom) return refuse(call, kube::method_not_allowed());
    if (call->http.method != "HEAD") {
      return refuse(call, kube::method_not_supported(resource->group_resource(), ""));
    }
  }
  if (resource->builtin != nullptr) {
    const bool collection = request.verb == Verb::List || request.verb == Verb::Watch;
    const auto produces = collection ? Produces::ObjectsAndStreams : Produces::Objects;
    if (auto ok = check_routed(call->header("accept"), produces); !ok) {
      return refuse(call, ok.error());
    }
  }
  call->resource = *std::move(resource);
  auto wanted = negotiate(call->header("accept"), offer_of(*call->resource, request));
  if (!wanted) return refuse(call, wanted.error());
  call->wanted = *wanted;
  if (call->pretty()) call->wanted.pretty = true;
  if (request.verb == Verb::Watch) return serve_watch(call);

  Response response = service_.run(request, *call->resource);
  const auto visible = response.visible;
  auto held = std::make_shared<Response>(std::move(response));
  service_.when_durable(visible, [this, call, held](const std::optional<Error>& lost) {
    if (lost) return refuse(call, lost_write(*lost));
    if (serve_pod_stream(call, held->code)) return;
    answer(call, std::move(*held));
  });
}

// The core has checked the request and knows of nobody to ask. False when nobody here runs the pod.
bool ApiServer::serve_pod_stream(const std::shared_ptr<Call>& call, int code) {
  constexpr int kNobodyToAsk = 500;
  const auto& request = call->route.request;
  if (pod_streams_ == nullptr || code != kNobodyToAsk) return false;
  if (!apiserver::is_pod_stream(*call->resource, request.subresource)) return false;
  const auto pod = service_.store().latest().find(call->resource->key(request.ns, request.name));
  if (!pod) return false;
  const auto served = pod_streams_->serve({.pod = pod->body,
                                           .request = request,
                                           .asked = call->http.headers,
                                           .headers = call->headers(),
                                           .exchange = call->exchange});
  if (!served) {
    refuse(call, served.error());
    return true;
  }
  if (*served) finish(*call, request.subresource == "log" ? 200 : 101);
  return *served;
}

void ApiServer::ask_about_usage(const Meter* meter) {
  meter_ = meter;
  pages_.tells_usage(meter != nullptr);
}

void ApiServer::serve_usage(const std::shared_ptr<Call>& call) {
  if (!call->route.has_verb) return refuse(call, kube::method_not_allowed());
  const auto ok = check_usage_request(call->route.request);
  if (!ok) return no_resource(call, ok.error());
  auto before = std::make_shared<const Measurement>(meter_->measure());
  service_.loop().after(kUsageWindow, [self = self_, call, before] {
    if (*self != nullptr) (*self)->answer_usage(call, *before);
  });
}

void ApiServer::answer_usage(const std::shared_ptr<Call>& call, const Measurement& before) {
  // The node stops, and the server with it.
  if (meter_ == nullptr) return refuse(call, kube::unreasoned(503, "nobody measures any more"));
  const auto usage = usage_of({.request = call->route.request,
                               .snapshot = service_.store().latest(),
                               .before = before,
                               .after = meter_->measure(),
                               .window = service_.loop().clock().monotonic() - call->began,
                               .now = service_.loop().clock().wall()});
  if (!usage) return refuse(call, usage.error());
  show(call, json_page(*usage));
}

void ApiServer::answer(const std::shared_ptr<Call>& call, Response response) {
  auto headers = call->headers();
  const json::View retry = response.body.get("details", "retryAfterSeconds");
  if (!response.ok() && retry.as_int() > 0) {
    headers.set("retry-after", std::to_string(retry.as_int()));
  }
  const auto& request = call->route.request;
  // What is no object, the log of a pod, comes as it is.
  if (response.ok() && (response.list || response.body.is_object())) {
    auto warnings = response.warnings;
    response = shaped({.resource = *call->resource,
                       .wanted = call->wanted,
                       .include_object = request.parameter("includeObject"),
                       .now = service_.loop().clock().wall(),
                       .subresource = request.subresource},
                      std::move(response));
    response.warnings = std::move(warnings);
  }
  finish(*call, response.code);
  Answer out{.response = std::move(response),
             .wanted = call->wanted,
             .gzip_accepted = call->http.headers.has_token("accept-encoding", "gzip")};
  if (!out.response.ok()) out.wanted = call->status_form();
  send(call->exchange, std::move(headers), std::move(out), call->resource);
}

// Null: it was refused.
std::shared_ptr<net::Exchange> ApiServer::leave_http(Call& call) {
  const auto refuse_with = [&](int code) {
    finish(call, code);
    call.exchange->respond(code, {}, std::string{});
    return nullptr;
  };
  const auto& asked = call.http.headers;
  if (const int code = refusal_of_socket(asked); code != 0) return refuse_with(code);
  auto socket = open_watch_socket(service_.loop(), asked, *call.exchange);
  if (!socket) return refuse_with(400);
  return *std::move(socket);
}

void ApiServer::serve_watch(const std::shared_ptr<Call>& call) {
  if (call->wanted.encoding == Encoding::Yaml) {
    return refuse(call, kube::not_acceptable("only the following media types are accepted: "
                                             "application/json;stream=watch, "
                                             "application/vnd.kubernetes.protobuf;stream=watch"));
  }
  auto include = apiserver::IncludeObject::Metadata;
  if (call->wanted.form == Form::Table) {
    auto given = apiserver::parse_include_object(call->route.request.parameter("includeObject"));
    if (!given) return refuse(call, given.error());
    include = *given;
  }
  auto watch = service_.open_watch(call->route.request);
  if (!watch) return refuse(call, watch.error());
  auto headers = call->headers();
  headers.set("content-type", "application/json");
  add_warning(headers, call->resource->deprecation());
  const auto from =
      std::min(watch->from, service_.store().revision());  // it may ask for the future
  const auto printer = [&](apiserver::Columns columns) {
    return event_printer({.resource = *call->resource,
                          .wanted = call->wanted,
                          .include = include,
                          .columns = columns,
                          .clock = service_.loop().clock()});
  };
  auto stream = std::make_shared<WatchHub::Stream>(
      WatchHub::Stream{.watch = *std::move(watch),
                       .wanted = call->wanted,
                       .query = std::string{call->route.request.parameter("includeObject")},
                       .first = printer(apiserver::Columns::Named),
                       .rest = printer(apiserver::Columns::Omitted),
                       .exchange = call->exchange,
                       .headers = std::move(headers)});
  service_.when_durable(from, [this, call, stream](const std::optional<Error>& lost) {
    if (lost) return refuse(call, lost_write(*lost));
    if (net::WebSocket::is_asked_for(call->http.headers)) {
      auto socket = leave_http(*call);
      if (!socket) return;
      stream->exchange = std::move(socket);
    }
    finish(*call, 200);
    watches_.open(std::move(*stream));
  });
}

}  // namespace fixpoint::front
