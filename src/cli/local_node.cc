// SPDX-License-Identifier: Apache-2.0
#include "cli/local_node.h"

#include "base/rfc3339.h"
#include "kube/metadata.h"

#include <charconv>
#include <utility>

namespace fixpoint::cli {
namespace {

constexpr Duration kStopGrace = std::chrono::milliseconds(1'500);
// Of a reader that does not take what comes; more and it is cut.
constexpr std::size_t kBacklogMax = std::size_t{16} << 20U;

bool is_true(std::string_view text) {
  return text == "true" || text == "1";
}

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || end.ec != std::errc{}) return std::nullopt;
  return value;
}

std::string container_of(const front::PodStreamCall& call) {
  const auto given = call.request.parameter("container");
  if (!given.empty()) return std::string{given};
  return std::string{call.pod.get("spec", "containers")[0].get("name").as_string()};
}

node::LogRequest log_request(const front::PodStreamCall& call, Instant now) {
  const auto& request = call.request;
  node::LogRequest out;
  out.name = {.pod_uid = std::string{kube::uid_of(call.pod)}, .container = container_of(call)};
  out.previous = is_true(request.parameter("previous"));
  out.follow = is_true(request.parameter("follow"));
  out.query.timestamps = is_true(request.parameter("timestamps"));
  if (const auto lines = number(request.parameter("tailLines"))) {
    out.query.tail_lines = static_cast<std::size_t>(*lines);
  }
  if (const auto bytes = number(request.parameter("limitBytes"))) {
    out.query.bytes_max = static_cast<std::size_t>(*bytes);
  }
  if (const auto seconds = number(request.parameter("sinceSeconds"))) {
    out.query.since = now - std::chrono::seconds(*seconds);
  }
  if (auto time = parse_rfc3339(request.parameter("sinceTime"))) out.query.since = *time;
  return out;
}

}  // namespace

// One reader of one log; keeps itself until either side ends.
class LocalNode::LogAnswer : public std::enable_shared_from_this<LogAnswer> {
 public:
  LogAnswer(net::Loop& loop, std::unique_ptr<node::LogStream> stream,
            std::shared_ptr<net::Exchange> exchange)
      : loop_(loop), stream_(std::move(stream)), exchange_(std::move(exchange)) {}

  void run(net::Headers headers) {
    headers.set("content-type", "text/plain");
    exchange_->start(200, std::move(headers));
    exchange_->on_closed([self = shared_from_this()] { self->let_go(); });
    stream_->run([self = shared_from_this()](std::string text) { self->more(std::move(text)); },
                 [self = shared_from_this()] { self->end(); });
  }

 private:
  void more(std::string text) {
    if (!exchange_->is_open()) return;
    if (exchange_->backlog_bytes() > kBacklogMax) return exchange_->abort();
    exchange_->write(net::make_chunk(std::move(text)));
  }
  void end() {
    exchange_->end();
    let_go();
  }
  // In a turn of its own: the stream may be what calls, and it holds this.
  void let_go() {
    loop_.post([old = std::move(stream_)] {});
  }

  net::Loop& loop_;
  std::unique_ptr<node::LogStream> stream_;
  std::shared_ptr<net::Exchange> exchange_;
};

LocalNode::LocalNode(front::Host& host) : host_(host), client_(host.service()) {}

LocalNode::~LocalNode() {
  host_.ask_about_pods(nullptr);
}

Result<std::unique_ptr<LocalNode>> LocalNode::open(front::Host& host, const runtime::Log& log,
                                                   node::NodeOptions options) {
  std::unique_ptr<LocalNode> local(new LocalNode(host));
  auto agent =
      node::Agent::open({host.service().loop(), local->client_.client(), log}, std::move(options));
  if (!agent) return std::unexpected(std::move(agent).error());
  local->agent_ = *std::move(agent);
  host.ask_about_pods(local.get());
  return local;
}

void LocalNode::stop(std::function<void()> done) {
  agent_->stop(kStopGrace, std::move(done));
}

kube::Answer<bool> LocalNode::serve(const front::PodStreamCall& call) {
  if (call.request.subresource != "log") return false;
  if (!agent_->has_pod(kube::uid_of(call.pod))) return false;
  auto stream = agent_->open_log(log_request(call, host_.service().loop().clock().wall()));
  if (!stream) return std::unexpected(kube::bad_request(stream.error().message));
  std::make_shared<LogAnswer>(host_.service().loop(), *std::move(stream), call.exchange)
      ->run(call.headers);
  return true;
}

}  // namespace fixpoint::cli
