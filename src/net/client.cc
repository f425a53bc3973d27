// SPDX-License-Identifier: Apache-2.0
#include "net/client.h"

#include "net/loop.h"
#include "net/protocol/client_session.h"
#include "net/transport/wire.h"

#include <optional>
#include <unordered_map>
#include <vector>

namespace fixpoint::net {
namespace {

class ClientConnection final : public Connection,
                               public WireUser,
                               public ClientHost,
                               public std::enable_shared_from_this<ClientConnection> {
 public:
  ClientConnection(Loop& loop, ClientOptions options)
      : loop_(loop),
        options_(std::move(options)),
        authority_(options_.authority.empty()
                       ? to_string(Endpoint{.host = options_.host, .port = options_.port})
                       : options_.authority),
        last_received_(loop.now()) {}
  ~ClientConnection() override;

  void connect();
  // None with a proxy that is spoken plainly with.
  Result<std::unique_ptr<TlsSession>> tls_with(const Proxy& proxy) const;

  RequestId send(ClientRequest request, ResponseHandlers handlers) override;
  bool cancel(RequestId id) override;
  void close() override;
  bool is_open() const override { return !closing_ && !broken_; }
  bool speaks_http2() const override { return session_ && session_->is_http2(); }
  std::size_t requests_at_once() const override {
    return session_ ? session_->requests_at_once() : 1;
  }
  MonotonicInstant last_received() const override { return last_received_; }
  void ping() override {
    if (session_ && !broken_) session_->ping();
  }
  void pause() override {
    if (wire_) wire_->pause();
  }
  void resume() override {
    if (wire_) wire_->resume();
  }
  void set_patient(bool patient) override {
    if (wire_) wire_->set_patient(patient);
  }

  void wire_opened() override;
  void wire_received(std::string_view bytes) override {
    last_received_ = loop_.now();
    session_->received(bytes);
  }
  std::size_t wire_pull(std::span<char> into) override;
  void wire_flushed() override {}
  void wire_ended() override { session_->peer_ended(); }
  void wire_failed(Error error) override { broken(std::move(error)); }
  std::shared_ptr<WireUser> wire_guard() override { return shared_from_this(); }

  const ClientOptions& options() const override { return options_; }
  const std::string& authority() const override { return authority_; }
  void output_ready() override {
    if (wire_) wire_->schedule_flush();
  }
  void finished(const CallRef& call, Result<void> outcome) override;
  void closing() override { closing_ = true; }
  void broken(Error error) override;

 private:
  void submit(const CallRef& call);
  void refuse_later(const CallRef& call, Error error);
  void arm(const CallRef& call);
  void timed_out(const CallRef& call);

  Loop& loop_;
  ClientOptions options_;
  std::string authority_;
  std::optional<Wire> wire_;
  std::unique_ptr<ClientSession> session_;  // none until connected
  std::unordered_map<RequestId, CallRef> calls_;
  std::vector<CallRef> waiting_;  // for the connection
  RequestId last_id_ = 0;
  MonotonicInstant last_received_;
  TimerId connect_timer_;
  std::optional<Error> broken_;
  bool closing_ = false;
};

ClientConnection::~ClientConnection() {
  loop_.cancel(connect_timer_);
  for (auto& [id, call] : calls_) loop_.cancel(call->timer);
}

Result<std::unique_ptr<TlsSession>> ClientConnection::tls_with(const Proxy& proxy) const {
  if (proxy.kind != Proxy::Kind::HttpsConnect) return nullptr;
  auto context = options_.tls;
  if (!context) {
    FP_TRY(made, make_client_tls({}));
    context = std::move(made);
  }
  const auto& name = proxy.server_name.empty() ? proxy.host : proxy.server_name;
  return std::make_unique<TlsSession>(context, name, TlsSession::Partner::Proxy);
}

void ClientConnection::connect() {
  const Endpoint target{.host = options_.host, .port = options_.port};
  auto endpoint = target;
  if (options_.proxy) endpoint = {.host = options_.proxy->host, .port = options_.proxy->port};
  auto fd = start_connecting(endpoint);
  if (!fd) return broken(std::move(fd).error());
  Wire::Parts parts;
  parts.fd = std::move(*fd);
  parts.connecting_to = endpoint;
  if (options_.proxy) {
    parts.tunnel = make_tunnel(*options_.proxy, target);
    auto tls = tls_with(*options_.proxy);
    if (!tls) return broken(std::move(tls).error());
    parts.proxy_tls = *std::move(tls);
  }
  if (options_.tls) {
    const auto& name = options_.server_name.empty() ? options_.host : options_.server_name;
    parts.tls = std::make_unique<TlsSession>(options_.tls, name);
  }
  wire_.emplace(loop_, *this, std::move(parts));
  wire_->start();
  connect_timer_ = loop_.after(options_.connect_timeout, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self && !self->session_) {
      self->broken({ErrorKind::Unavailable, "connect to " + self->authority_ + ": timed out"});
    }
  });
}

void ClientConnection::wire_opened() {
  loop_.cancel(connect_timer_);
  last_received_ = loop_.now();
  const auto* tls = wire_->tls();
  const bool http2 =
      tls != nullptr ? tls->negotiated_http2() : options_.plain_version == HttpVersions::OnlyHttp2;
  session_ = http2 ? make_http2_client(*this) : make_http1_client(*this);
  output_ready();
  for (const auto& call : std::exchange(waiting_, {})) {
    if (!call->over) session_->submit(call);
  }
  if (const auto ready = std::exchange(options_.on_ready, {})) ready();
}

RequestId ClientConnection::send(ClientRequest request, ResponseHandlers handlers) {
  auto call = std::make_shared<Call>();
  call->id = ++last_id_;
  call->request = std::move(request);
  call->handlers = std::move(handlers);
  calls_[call->id] = call;
  if (broken_) {
    refuse_later(call, *broken_);
  } else if (closing_) {
    refuse_later(call, {ErrorKind::Unavailable, "the server is closing the connection"});
  } else if (calls_.size() > options_.requests_max) {
    refuse_later(call, {ErrorKind::Exhausted, "too many requests wait on one connection"});
  } else {
    arm(call);
    submit(call);
  }
  return call->id;
}

void ClientConnection::submit(const CallRef& call) {
  if (session_) {
    session_->submit(call);
  } else {
    waiting_.push_back(call);
  }
}

// Never from inside `send`: the caller does not have the id yet.
void ClientConnection::refuse_later(const CallRef& call, Error error) {
  loop_.post_end_of_tick([weak = weak_from_this(), call, error = std::move(error)]() mutable {
    if (const auto self = weak.lock()) self->finished(call, std::unexpected(std::move(error)));
  });
}

void ClientConnection::arm(const CallRef& call) {
  if (call->request.timeout <= Duration::zero()) return;
  call->timer = loop_.after(call->request.timeout, [weak = weak_from_this(), call] {
    call->timer = {};
    if (const auto self = weak.lock()) self->timed_out(call);
  });
}

void ClientConnection::timed_out(const CallRef& call) {
  if (call->over) return;
  finished(call, fail(ErrorKind::Unavailable, call->request.method + " " + call->request.target +
                                                  ": no answer within the deadline"));
  if (session_ && !broken_) session_->cancel(call);
}

void ClientConnection::finished(const CallRef& call, Result<void> outcome) {
  calls_.erase(call->id);
  loop_.cancel(call->timer);
  if (std::exchange(call->over, true)) return;
  const auto handlers = std::exchange(call->handlers, {});
  if (!outcome && !call->sent && handlers.on_unsent) handlers.on_unsent();
  if (handlers.on_end) handlers.on_end(std::move(outcome));
}

bool ClientConnection::cancel(RequestId id) {
  const auto found = calls_.find(id);
  if (found == calls_.end()) return false;
  const auto call = found->second;
  calls_.erase(found);
  loop_.cancel(call->timer);
  call->over = true;
  if (session_ && !broken_) session_->cancel(call);
  return !call->sent;
}

void ClientConnection::broken(Error error) {
  if (broken_) return;
  broken_ = std::move(error);
  if (wire_) wire_->close();
  loop_.cancel(connect_timer_);
  waiting_.clear();
  for (const auto& [id, call] : calls_) refuse_later(call, *broken_);
  options_.on_ready = {};
  if (!options_.on_broken) return;
  loop_.post_end_of_tick([weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self) return;
    if (const auto tell = std::exchange(self->options_.on_broken, {})) tell(*self->broken_);
  });
}

void ClientConnection::close() {
  if (wire_) wire_->finish();  // a farewell, if the socket takes it now
  broken({ErrorKind::Unavailable, "the connection was closed"});
}

std::size_t ClientConnection::wire_pull(std::span<char> into) {
  return session_ && !broken_ ? session_->pull(into) : 0;
}

}  // namespace

std::shared_ptr<Connection> Connection::open(Loop& loop, ClientOptions options) {
  auto connection = std::make_shared<ClientConnection>(loop, std::move(options));
  connection->connect();
  return connection;
}

Result<Response> blocking_request(const ClientOptions& options, ClientRequest request,
                                  Duration limit, std::size_t body_bytes_max) {
  Loop loop;
  const auto connection = Connection::open(loop, options);
  Response response;
  std::optional<Result<void>> outcome;
  ResponseHandlers handlers;
  handlers.on_headers = [&](int status, const Headers& headers) {
    response.status = status;
    response.headers = headers;
  };
  handlers.on_body = [&](std::string_view bytes) {
    if (response.body.size() + bytes.size() > body_bytes_max) {
      if (!outcome) outcome = fail(ErrorKind::Exhausted, "the answer is too large to hold");
      return;
    }
    response.body.append(bytes);
  };
  handlers.on_end = [&](Result<void> ended) {
    if (!outcome) outcome = std::move(ended);
  };
  const auto what = request.method + " " + request.target;
  connection->send(std::move(request), std::move(handlers));
  if (!loop.run_until([&] { return outcome.has_value(); }, limit)) {
    return fail(ErrorKind::Unavailable, what + ": no answer within the deadline");
  }
  if (!*outcome) return std::unexpected(std::move(*outcome).error());
  return response;
}

}  // namespace fixpoint::net
