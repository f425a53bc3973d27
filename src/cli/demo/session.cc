// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/session.h"

#include "base/base64.h"
#include "base/file.h"
#include "json/parsing/parse.h"
#include "json/yaml/yaml.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::cli::demo {
namespace {

Result<json::Value> read_kubeconfig(const std::filesystem::path& path) {
  FP_TRY(text, read_file(path));
  return json::parse_yaml(text);
}

// A whole answer that is being received.
struct Receiving {
  int status = 0;
  std::string body;

  Result<Reply> reply() const {
    FP_TRY(value, json::parse(body));
    return Reply{status, value};
  }
};

// Cuts a stream into lines, however the network cut it into pieces.
struct Lines {
  std::string rest;

  void add(std::string_view bytes, const std::function<void(std::string_view)>& on_line) {
    rest.append(bytes);
    std::size_t begin = 0;
    for (auto end = rest.find('\n'); end != std::string::npos; end = rest.find('\n', begin)) {
      on_line(std::string_view{rest}.substr(begin, end - begin));
      begin = end + 1;
    }
    rest.erase(0, begin);
  }
};

}  // namespace

double millis_since(Stopwatch begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

Result<void> Stage::wait(std::string_view what, const std::function<bool()>& done,
                         std::chrono::seconds patience) {
  const bool in_time =
      loop.run_until([&] { return interrupted || !problem.empty() || done(); }, patience);
  if (!problem.empty()) return fail(ErrorKind::Internal, problem);
  if (interrupted) return fail(ErrorKind::Unavailable, "interrupted");
  if (in_time) return {};
  return fail(ErrorKind::Unavailable,
              fmt::format("{} did not come within {} s", what, patience.count()));
}

Result<std::unique_ptr<Session>> Session::open(Stage& stage, const Child& server,
                                               const std::filesystem::path& kubeconfig) {
  FP_TRY(config, read_kubeconfig(kubeconfig));
  const auto cluster = config.get("clusters")[0].get("cluster");
  FP_TRY(authority, base64_decode(cluster.get("certificate-authority-data").as_string()));
  FP_TRY(tls, net::make_client_tls({.ca_pem = authority,
                                    .certificate_pem = {},
                                    .private_key_pem = {},
                                    .check = net::PeerCheck::Verify,
                                    .versions = net::HttpVersions::OnlyHttp2}));
  net::ClientOptions options;
  options.host = "127.0.0.1";
  options.port = server.port();
  options.tls = std::move(tls);
  std::string token{config.get("users")[0].get("user", "token").as_string()};
  return std::unique_ptr<Session>(
      new Session(stage, net::Connection::open(stage.loop, std::move(options)), std::move(token)));
}

Session::Session(Stage& stage, std::shared_ptr<net::Connection> connection, std::string token)
    : stage_(stage), connection_(std::move(connection)), token_(std::move(token)) {}

net::ClientRequest Session::request_of(Call&& call) const {
  net::ClientRequest request;
  request.method = std::move(call.method);
  request.target = std::move(call.target);
  request.body = std::move(call.body);
  request.headers.add("authorization", "Bearer " + token_);
  request.headers.add("accept", std::move(call.accept));
  request.headers.add("user-agent", "fixpoint-demo");
  if (!request.body.empty()) request.headers.add("content-type", std::move(call.content_type));
  return request;
}

void Session::send(Call call, Done done) {
  auto receiving = std::make_shared<Receiving>();
  net::ResponseHandlers handlers;
  handlers.on_headers = [receiving](int status, const net::Headers&) {
    receiving->status = status;
  };
  handlers.on_body = [receiving](std::string_view bytes) { receiving->body.append(bytes); };
  handlers.on_end = [receiving, done = std::move(done)](Result<void> outcome) {
    if (!outcome) {
      done(std::unexpected(std::move(outcome).error()));
    } else {
      done(receiving->reply());
    }
  };
  connection_->send(request_of(std::move(call)), std::move(handlers));
}

Result<Reply> Session::call(Call call) {
  const auto what = fmt::format("{} {}", call.method, call.target);
  // Shared: a callback that comes after we gave up must not write into a dead frame.
  auto reply = std::make_shared<std::optional<Result<Reply>>>();
  send(std::move(call), [reply](Result<Reply> result) { *reply = std::move(result); });
  FP_TRY_VOID(stage_.wait("the answer to " + what, [&] { return reply->has_value(); }));
  if (!**reply) return fail_in(what, std::move(**reply).error());
  return **std::move(*reply);
}

Result<json::Value> Session::expect(int status, Call call) {
  const auto what = fmt::format("{} {}", call.method, call.target);
  FP_TRY(reply, this->call(std::move(call)));
  if (reply.status == status) return reply.body;
  return fail(ErrorKind::Internal,
              fmt::format("{}: expected {}, was answered {}: {}", what, status, reply.status,
                          reply.body.get("message").as_string()));
}

Watching Session::watch(Call call, OnEvent on_event) {
  auto lines = std::make_shared<Lines>();
  net::ResponseHandlers handlers;
  auto& problem = stage_.problem;
  handlers.on_headers = [&problem, target = call.target](int status, const net::Headers&) {
    if (status != 200) problem = fmt::format("watch {}: was answered {}", target, status);
  };
  handlers.on_body = [lines, &problem, on_event = std::move(on_event)](std::string_view bytes) {
    lines->add(bytes, [&](std::string_view line) {
      const auto event = json::parse(line);
      if (!event) {
        problem = "a watch sent what is no JSON: " + event.error().message;
      } else if (event->get("type").as_string() == "ERROR") {
        problem = fmt::format("a watch ended: {}", event->get("object", "message").as_string());
      } else if (problem.empty()) {
        on_event(*event);
      }
    });
  };
  handlers.on_end = [](Result<void>) {};  // whoever waits for an event learns that it did not come
  const auto id = connection_->send(request_of(std::move(call)), std::move(handlers));
  return {connection_, id};
}

}  // namespace fixpoint::cli::demo
