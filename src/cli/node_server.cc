// SPDX-License-Identifier: Apache-2.0
#include "cli/node_server.h"

#include "front/router.h"
#include "json/draft.h"
#include "net/certificate.h"
#include "net/tls.h"
#include "node/remote/pod_requests.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace fixpoint::cli {
namespace {

constexpr auto kOwnCertificateTime = std::chrono::hours(24 * 365);

void say(net::Exchange& exchange, int code, const std::string& text) {
  exchange.respond(code,
                   {
                       {"content-type", "text/plain; charset=utf-8"}
  },
                   text + "\n");
}

std::vector<std::string> segments_of(std::string_view path) {
  std::vector<std::string> out;
  while (path.starts_with('/')) {
    path.remove_prefix(1);
    const auto end = std::min(path.find('/'), path.size());
    out.emplace_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return out;
}

// /exec/NAMESPACE/POD[/UID]/CONTAINER and the like.
struct Wanted {
  std::string what;
  kube::Key pod;
  std::string uid;
  std::string container;
};

std::optional<Wanted> parse(std::string_view path) {
  const auto decoded = front::percent_decode(path, false);
  if (!decoded) return std::nullopt;
  auto parts = segments_of(*decoded);
  if (parts.size() < 3) return std::nullopt;
  Wanted wanted{
      .what = parts[0], .pod = {parts[1], parts[2]},
           .uid = {},
           .container = {}
  };
  if (wanted.what == "portForward") {
    if (parts.size() > 4) return std::nullopt;
    if (parts.size() == 4) wanted.uid = parts[3];
    return wanted;
  }
  const bool has_uid = parts.size() == 5 && wanted.what != "containerLogs";
  if (parts.size() != 4 && !has_uid) return std::nullopt;
  if (has_uid) wanted.uid = parts[3];
  wanted.container = parts.back();
  const bool known =
      wanted.what == "containerLogs" || wanted.what == "exec" || wanted.what == "attach";
  return known ? std::optional{wanted} : std::nullopt;
}

// An API server has other words for streams towards its nodes than its clients have towards it.
apiserver::Query in_clients_words(apiserver::Query query) {
  for (auto& [key, value] : query) {
    if (key == "input") key = "stdin";
    if (key == "output") key = "stdout";
    if (key == "error") key = "stderr";
    if (key == "port") key = "ports";
  }
  return query;
}

client::Call access_review(const net::Request& request, const std::string& node) {
  const auto& identity = *request.peer->identity;
  json::Draft body = json::Draft::object();
  body["apiVersion"] = "authorization.k8s.io/v1";
  body["kind"] = "SubjectAccessReview";
  json::Draft& spec = body.object_at("spec");
  spec["user"] = identity.common_name;
  for (const auto& group : identity.organizations) spec.array_at("groups").push_back(group);
  spec.array_at("groups").push_back("system:authenticated");
  json::Draft& attributes = spec.object_at("resourceAttributes");
  attributes["verb"] = request.method == "POST" ? "create" : "get";
  attributes["version"] = "v1";
  attributes["resource"] = "nodes";
  attributes["subresource"] = "proxy";
  attributes["name"] = node;
  client::Call call;
  call.verb = client::Verb::Create;
  call.resource = {
      .kind = {"authorization.k8s.io", "v1", "SubjectAccessReview"},
      .plural = "subjectaccessreviews",
      .scope = client::Scope::Cluster
  };
  call.body = body.freeze();
  return call;
}

Result<net::KeyPair> own_certificate(const std::string& address, Instant now) {
  const auto from = now - std::chrono::hours(1);
  const auto until = now + kOwnCertificateTime;
  FP_TRY(authority, net::make_certificate_authority(
                        {.common_name = "fixpoint node", .not_before = from, .not_after = until}));
  return net::issue_certificate(authority, {.common_name = "fixpoint node",
                                            .organizations = {},
                                            .dns_names = {},
                                            .ip_addresses = {address},
                                            .not_before = from,
                                            .not_after = until,
                                            .use = net::CertificateUse::Server});
}

}  // namespace

NodeServer::NodeServer(net::Loop& loop, client::Client& client, std::string node)
    : loop_(loop), client_(client), node_(std::move(node)) {}

NodeServer::~NodeServer() {
  *self_ = nullptr;
}

Result<std::unique_ptr<NodeServer>> NodeServer::open(net::Loop& loop, client::Client& client,
                                                     NodeServerOptions options) {
  net::KeyPair keys{.certificate_pem = std::move(options.certificate_pem),
                    .private_key_pem = std::move(options.private_key_pem)};
  if (keys.certificate_pem.empty()) {
    FP_TRY(made, own_certificate(options.address, loop.clock().wall()));
    keys = std::move(made);
  }
  FP_TRY(tls, net::make_server_tls({.certificate_pem = keys.certificate_pem,
                                    .private_key_pem = keys.private_key_pem,
                                    .client_ca_pem = std::move(options.client_authority_pem)}));
  std::unique_ptr<NodeServer> out(new NodeServer(loop, client, std::move(options.node)));
  net::ServerOptions serving;
  serving.address = options.address;
  serving.port = options.port;
  serving.tls = tls;
  FP_TRY(server,
         net::Server::listen(loop, std::move(serving),
                             [raw = out.get()](net::Request&& request,
                                               const std::shared_ptr<net::Exchange>& exchange) {
                               raw->handle(std::move(request), exchange);
                             }));
  out->server_ = std::move(server);
  return out;
}

void NodeServer::handle(net::Request&& request, const std::shared_ptr<net::Exchange>& exchange) {
  if (!request.peer->identity) return say(*exchange, 401, "Unauthorized");
  auto call = access_review(request, node_);
  const auto held = std::make_shared<net::Request>(std::move(request));
  client_.call(std::move(call), [self = self_, held, exchange](const client::Reply& reply) {
    if (*self == nullptr) return;
    if (!reply) {
      return say(*exchange, 500, "Internal Server Error: " + reply.error().status.message);
    }
    if (reply->body.get("status", "allowed").as_bool()) return (*self)->serve(*held, exchange);
    say(*exchange, 403,
        fmt::format("Forbidden (user={}, verb={}, resource=nodes, subresource(s)=[proxy])",
                    held->peer->identity->common_name, held->method == "POST" ? "create" : "get"));
  });
}

void NodeServer::serve(const net::Request& request,
                       const std::shared_ptr<net::Exchange>& exchange) {
  if (request.path() == "/healthz") return say(*exchange, 200, "ok");
  const auto wanted = parse(request.path());
  if (!wanted) return say(*exchange, 404, "404 page not found");
  auto pod = streams_ == nullptr ? json::Value{} : streams_->find_pod(wanted->pod);
  const bool other = !wanted->uid.empty() && pod.get("metadata", "uid").as_string() != wanted->uid;
  if (pod.is_null() || other) return say(*exchange, 404, "pod does not exist");
  const node::PodRequest asked{
      .pod = std::move(pod),
      .container = wanted->container,
      .query = in_clients_words(front::parse_query(request.query())),
      .ask = {.request = request.headers, .answer = {}, .exchange = exchange}
  };
  if (wanted->what == "containerLogs") {
    if (const auto ok = node::serve_log(loop_, *streams_, asked); !ok) {
      say(*exchange, ok.error().kind == ErrorKind::NotFound ? 404 : 400, ok.error().message);
    }
  } else if (!request.headers.has_token("connection", "upgrade")) {
    say(*exchange, 400, "Upgrade request required");
  } else if (wanted->what == "exec") {
    node::serve_exec(loop_, *streams_, asked);
  } else if (wanted->what == "attach") {
    node::serve_attach(loop_, *streams_, asked);
  } else {
    node::serve_port_forward(loop_, *streams_, asked);
  }
}

}  // namespace fixpoint::cli
