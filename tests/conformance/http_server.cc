// SPDX-License-Identifier: Apache-2.0
//
// A server over HTTPS: one HTTP/2 connection that carries the calls and the watches beside them.
#include "base/base64.h"
#include "base/file.h"
#include "json/yaml/yaml.h"
#include "net/loop.h"
#include "tests/conformance/server.h"

#include <charconv>
#include <chrono>

namespace fixpoint::conformance {
namespace {

using std::chrono::seconds;

// No single answer takes longer: a real server waits 3 s at most (a resourceVersion of the future),
// and a loaded machine some more.
constexpr Duration kAnswerLimit = seconds(60);

struct Heard {
  Answer answer;
  bool ended = false;
};

net::ResponseHandlers into(const std::shared_ptr<Heard>& heard) {
  return {
      .on_headers =
          [heard](int status, const net::Headers& headers) {
            heard->answer.code = status;
            heard->answer.headers = headers;
          },
      .on_body = [heard](std::string_view bytes) { heard->answer.body += bytes; },
      .on_end =
          [heard](Result<void> outcome) {
            heard->ended = true;
            if (outcome) return;
            heard->answer.code = 0;
            heard->answer.body = outcome.error().message;
          },
  };
}

class HttpStream final : public Stream {
 public:
  HttpStream(std::shared_ptr<net::Connection> connection, net::RequestId id,
             std::shared_ptr<Heard> heard)
      : connection_(std::move(connection)), id_(id), heard_(std::move(heard)) {}
  ~HttpStream() override {
    if (!heard_->ended) connection_->cancel(id_);
  }
  bool ended() const override { return heard_->ended; }
  Answer take() override { return heard_->answer; }

 private:
  std::shared_ptr<net::Connection> connection_;
  net::RequestId id_;
  std::shared_ptr<Heard> heard_;
};

class HttpServer final : public Server {
 public:
  explicit HttpServer(const Endpoint& endpoint) : endpoint_(endpoint) {
    auto tls = net::make_client_tls({.ca_pem = endpoint.authority_pem,
                                     .certificate_pem = {},
                                     .private_key_pem = {},
                                     .check = endpoint.authority_pem.empty()
                                                  ? net::PeerCheck::InsecureSkipVerify
                                                  : net::PeerCheck::Verify});
    FP_CHECK(tls.has_value());
    tls_ = *std::move(tls);
  }

  std::string_view name() const override { return endpoint_.name; }

  Answer call(const Call& call) override {
    const auto heard = std::make_shared<Heard>();
    connection().send(request(call, kAnswerLimit), into(heard));
    loop_.run_until([&] { return heard->ended; }, kAnswerLimit + seconds(1));
    return heard->answer;
  }

  std::unique_ptr<Stream> open(const Call& call) override {
    auto heard = std::make_shared<Heard>();
    auto& connected = connection();
    const auto id = connected.send(request(call, {}), into(heard));
    // It counts from now on, so it must be there before the next write.
    loop_.run_until([&] { return heard->answer.code != 0 || heard->ended; }, seconds(10));
    return std::make_unique<HttpStream>(connection_, id, heard);
  }

  void wait(Duration longest) override {
    loop_.run_until([] { return false; }, longest);
  }

 private:
  net::Connection& connection() {
    if (connection_ == nullptr || !connection_->is_open()) {
      net::ClientOptions options;
      options.host = endpoint_.host;
      options.port = endpoint_.port;
      options.tls = tls_;
      connection_ = net::Connection::open(loop_, options);
    }
    return *connection_;
  }

  net::ClientRequest request(const Call& call, Duration timeout) const {
    net::ClientRequest request;
    request.method = call.method;
    request.target = call.query.empty() ? call.path : call.path + "?" + call.query;
    request.headers = call.headers;
    if (!request.headers.contains("authorization")) {
      request.headers.add("authorization", "Bearer " + endpoint_.token);
    }
    request.body = call.body;
    request.timeout = timeout;
    return request;
  }

  Endpoint endpoint_;
  net::TlsContextRef tls_;
  net::Loop loop_;
  std::shared_ptr<net::Connection> connection_;
};

}  // namespace

Result<Endpoint> endpoint_in(std::string name, std::string_view kubeconfig) {
  FP_TRY(config, json::parse_yaml(kubeconfig));
  const auto cluster = config.get("clusters")[0].get("cluster");
  std::string_view url = cluster.get("server").as_string();
  Endpoint endpoint;
  endpoint.name = std::move(name);
  const auto colon = url.rfind(':');
  if (!url.starts_with("https://") || colon < 8) {
    return fail(ErrorKind::Invalid, "the kubeconfig has no server of the form https://HOST:PORT");
  }
  endpoint.host = url.substr(8, colon - 8);
  url.remove_prefix(colon + 1);
  std::from_chars(url.data(), url.data() + url.size(), endpoint.port);
  endpoint.token = config.get("users")[0].get("user", "token").as_string();
  if (const auto data = cluster.get("certificate-authority-data").as_string(); !data.empty()) {
    FP_TRY(pem, base64_decode(data));
    endpoint.authority_pem = std::move(pem);
  }
  return endpoint;
}

Result<Endpoint> endpoint_of(std::string name, const std::string& kubeconfig_path) {
  FP_TRY(text, read_file(kubeconfig_path));
  return endpoint_in(std::move(name), text);
}

std::unique_ptr<Server> make_http_server(const Endpoint& endpoint) {
  return std::make_unique<HttpServer>(endpoint);
}

}  // namespace fixpoint::conformance
