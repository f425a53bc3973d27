// SPDX-License-Identifier: Apache-2.0
#include "front/api_server.h"

#include "apiserver/rbac.h"
#include "apiserver/table.h"
#include "front/answer.h"
#include "front/router.h"
#include "json/draft.h"
#include "json/print.h"

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
  std::string_view header(std::string_view name) const {
    const std::string* value = http.headers.find(name);
    return value == nullptr ? std::string_view{} : std::string_view{*value};
  }
};

namespace {

// Browsers and curl get indented JSON unless they say otherwise, as on a real server.
bool wants_pretty(std::string_view parameter, std::string_view user_agent) {
  if (!parameter.empty()) return parameter == "true" || parameter == "1";
  return user_agent.starts_with("curl") || user_agent.starts_with("Wget") ||
         user_agent.starts_with("Mozilla/5.0");
}

kube::Status lost_write(const Error& why) {
  return kube::internal_error("the write could not be put on disk and was taken back: " +
                              why.message);
}

json::Value list_metadata(const apiserver::ListPage& page) {
  json::Draft metadata = json::Draft::object();
  metadata["resourceVersion"] = std::to_string(page.revision.value);
  if (!page.continue_token.empty()) metadata["continue"] = page.continue_token;
  if (page.remaining_item_count) metadata["remainingItemCount"] = *page.remaining_item_count;
  return metadata.freeze();
}

json::Value object_metadata(json::View object) {
  return json::Draft::object(
             {
                 {"resourceVersion", object.get("metadata", "resourceVersion").as_string()}
  })
      .freeze();
}

std::string event_line(const apiserver::WatchEvent& event, json::View object) {
  std::string line = R"({"type":")";
  line += to_string(event.type);
  line += R"(","object":)";
  json::print(object, line);
  line += "}\n";
  return line;
}

}  // namespace

ApiServer::ApiServer(Service& service, const Identity& identity, AccessLog log)
    : service_(service),
      identity_(identity),
      log_(std::move(log)),
      watches_(service),
      pages_(service) {}

net::Handler ApiServer::handler() {
  return [this](net::Request&& request, std::shared_ptr<net::Exchange> exchange) {
    handle(std::move(request), std::move(exchange));
  };
}

net::ErrorPages ApiServer::error_pages() {
  return [](int code, const std::string& message) {
    kube::Status status = code == 413   ? kube::request_entity_too_large(message)
                          : code == 400 ? kube::bad_request(message)
                                        : kube::unreasoned(code, message);
    const json::Value body = kube::to_json(status);
    return net::ErrorPage{.headers = {{"content-type", "application/json"}},
                          .body = json::to_text(body) + "\n"};
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
  send_status(call->exchange, call->headers(), status);
}

void ApiServer::handle(net::Request&& request, std::shared_ptr<net::Exchange> exchange) {
  auto call = std::make_shared<Call>();
  call->http = std::move(request);
  call->exchange = std::move(exchange);
  call->audit_id = service_.rng().uuid();
  call->began = service_.loop().clock().monotonic();

  auto route = front::route(call->http.method, call->http.path(), call->http.query());
  if (!route) return refuse(call, route.error());
  call->route = *std::move(route);

  auto user = caller_of(*call);
  if (!user) {
    if (user.error().reason.empty() && user.error().code == 500) {
      call->exchange->respond(500,
                              {
                                  {"content-type", "text/plain; charset=utf-8"}
      },
                              user.error().message);
      return finish(*call, 500);
    }
    return refuse(call, user.error());
  }
  call->user = *std::move(user);
  if (call->route.resource) {
    serve_resource(call);
  } else {
    serve_page(call);
  }
}

// The sender, or whoever they may act as.
kube::Answer<User> ApiServer::caller_of(const Call& call) {
  const auto now = service_.loop().clock().wall();
  const auto& snapshot = service_.store().latest();
  auto sender = identity_.sender(call.http, now, snapshot);
  if (!sender) return sender;
  if (sender->in_group("system:unauthenticated") && !Pages::is_public(call.route.path)) {
    return std::unexpected(kube::unauthorized());
  }
  auto asked = impersonation(call.http.headers);
  if (!asked) return sender;
  if (asked->without_user) {
    std::string groups;
    for (const auto& group : asked->user.groups) {
      if (!groups.empty()) groups += ' ';
      groups += "{Group  " + group + "    }";
    }
    return std::unexpected(kube::unreasoned(500, "Internal Server Error: \"" + call.http.target +
                                                     "\": requested [" + groups +
                                                     "] without impersonating a user"));
  }
  const auto may = [&](std::string_view resource, std::string_view group, std::string_view name) {
    const apiserver::Attempt attempt{.verb = "impersonate",
                                     .group = std::string{group},
                                     .resource = std::string{resource},
                                     .subresource = {},
                                     .ns = {},
                                     .name = std::string{name},
                                     .path = {}};
    return authorize(snapshot, *sender, attempt).allowed ? std::nullopt
                                                         : std::optional{refusal(*sender, attempt)};
  };
  if (auto no = may("users", "", asked->user.name)) return std::unexpected(*no);
  for (const auto& group : asked->user.groups) {
    if (auto no = may("groups", "", group)) return std::unexpected(*no);
  }
  if (!asked->user.uid.empty()) {
    if (auto no = may("uids", "authentication.k8s.io", asked->user.uid)) {
      return std::unexpected(*no);
    }
  }
  if (asked->user.name != "system:anonymous") {
    asked->user.groups.emplace_back("system:authenticated");
  }
  return std::move(asked->user);
}

void ApiServer::serve_page(const std::shared_ptr<Call>& call) {
  const auto& path = call->route.path;
  if (!Pages::is_public(path)) {
    const apiserver::Attempt attempt{.verb = net::to_lower(call->http.method),
                                     .group = {},
                                     .resource = {},
                                     .subresource = {},
                                     .ns = {},
                                     .name = {},
                                     .path = path};
    if (!authorize(service_.store().latest(), call->user, attempt).allowed) {
      return refuse(call, refusal(call->user, attempt));
    }
  }
  if (path == "/metrics") {
    finish(*call, 200);
    const Gauges gauges{.objects = service_.store().latest().size(),
                        .revision = service_.store().revision().value,
                        .durable_revision = service_.durable().value,
                        .watchers = watches_.size()};
    call->exchange->respond(200,
                            {
                                {"content-type", "text/plain; version=0.0.4; charset=utf-8"}
    },
                            metrics_.text(gauges));
    return;
  }
  auto page = pages_.find(call->http, path);
  if (!page) {
    finish(*call, 404);
    call->exchange->respond(404,
                            {
                                {"content-type", "text/plain; charset=utf-8"}
    },
                            std::string{"404 page not found\n"});
    return;
  }
  auto headers = call->headers();
  for (const auto& [name, value] : page->headers) headers.set(name, value);
  finish(*call, page->code);
  call->exchange->respond(page->code, std::move(headers), std::move(page->body));
}

void ApiServer::serve_resource(const std::shared_ptr<Call>& call) {
  auto& request = call->route.request;
  request.user = call->user;
  request.content_type = call->header("content-type");
  request.user_agent = call->header("user-agent");
  request.body = std::move(call->http.body);

  const auto attempt = attempt_of(request);
  if (!authorize(service_.store().latest(), call->user, attempt).allowed) {
    return refuse(call, refusal(call->user, attempt));
  }
  auto wanted = negotiate(call->header("accept"));
  if (!wanted) return refuse(call, wanted.error());
  call->wanted = *wanted;
  call->resource = service_.core().kinds().find(service_.store().latest(), request.resource);
  if (!call->resource && !pages_.serves({request.resource.group, request.resource.version})) {
    finish(*call, 404);
    call->exchange->respond(404,
                            {
                                {"content-type", "text/plain; charset=utf-8"}
    },
                            std::string{"404 page not found\n"});
    return;
  }
  if (request.verb == Verb::Watch) return serve_watch(call);

  Response response = service_.run(request);
  const auto visible = response.visible;
  auto held = std::make_shared<Response>(std::move(response));
  service_.when_durable(visible, [this, call, held](const std::optional<Error>& lost) {
    if (lost) return refuse(call, lost_write(*lost));
    answer(call, std::move(*held));
  });
}

// The response in the form that was asked for: a table, metadata only, or as it is.
Response ApiServer::shaped(const Call& call, Response response) const {
  if (!response.ok() || call.wanted.form == Form::Object || !call.resource) return response;
  const auto& request = call.route.request;
  if (!request.subresource.empty() && request.subresource != "status") return response;
  const bool is_status = !response.list && response.body.get("kind").as_string() == "Status";
  if (is_status) return response;

  std::vector<json::Value> objects;
  json::Value metadata;
  if (response.list) {
    for (const auto& record : response.list->items) {
      objects.push_back(apiserver::in_version(*call.resource, record->body));
    }
    metadata = list_metadata(*response.list);
  } else {
    objects.push_back(response.body);
    metadata = object_metadata(response.body);
  }
  if (call.wanted.form == Form::PartialObject) {
    response.body = response.list ? apiserver::partial_list(objects, metadata)
                                  : apiserver::partial_object(objects.front());
  } else {
    auto include = apiserver::parse_include_object(request.parameter("includeObject"));
    if (!include) return apiserver::failure(include.error());
    response.body = apiserver::table_of(*call.resource, objects, metadata,
                                        {.include = *include,
                                         .columns = apiserver::Columns::Named,
                                         .now = service_.loop().clock().wall()});
  }
  response.list.reset();
  return response;
}

void ApiServer::answer(const std::shared_ptr<Call>& call, Response response) {
  finish(*call, response.code);
  auto headers = call->headers();
  const json::View retry = response.body.get("details", "retryAfterSeconds");
  if (!response.ok() && retry.as_int() > 0) {
    headers.set("retry-after", std::to_string(retry.as_int()));
  }
  Answer out{.response = shaped(*call, std::move(response)),
             .wanted = call->wanted,
             .pretty = wants_pretty(call->route.request.parameter("pretty"),
                                    call->route.request.user_agent),
             .gzip_accepted = call->http.headers.has_token("accept-encoding", "gzip")};
  send(call->exchange, std::move(headers), std::move(out), call->resource);
}

void ApiServer::serve_watch(const std::shared_ptr<Call>& call) {
  auto watch = service_.open_watch(call->route.request);
  if (!watch) return refuse(call, watch.error());
  auto include = apiserver::parse_include_object(call->route.request.parameter("includeObject"));
  if (!include) return refuse(call, include.error());

  const auto printer = [resource = *call->resource, form = call->wanted.form, include = *include,
                        &clock = service_.loop().clock()](apiserver::Columns columns) {
    return [=, &clock](const apiserver::WatchEvent& event) {
      if (form == Form::Object || event.type == apiserver::WatchEventType::Error) {
        return event_line(event, event.object);
      }
      if (form == Form::PartialObject) {
        const json::Value partial = apiserver::partial_object(event.object);
        return event_line(event, partial);
      }
      const json::Value metadata = object_metadata(event.object);
      const json::Value table =
          apiserver::table_of(resource, {event.object}, metadata,
                              {.include = include, .columns = columns, .now = clock.wall()});
      return event_line(event, table);
    };
  };
  auto headers = call->headers();
  headers.set("content-type", "application/json");
  const auto from =
      std::min(watch->from, service_.store().revision());  // it may ask for the future
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
    finish(*call, 200);
    watches_.open(std::move(*stream));
  });
}

}  // namespace fixpoint::front
