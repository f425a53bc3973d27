// SPDX-License-Identifier: Apache-2.0
#include "node/remote/pod_requests.h"

#include "apiserver/body/options.h"
#include "base/rfc3339.h"
#include "kube/meta/metadata.h"
#include "node/remote/attach_session.h"
#include "node/remote/command_session.h"
#include "node/remote/port_forward.h"

#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::node {
namespace {

// Of a log's reader that does not take what comes; more and it is cut.
constexpr std::size_t kLogBacklogMax = std::size_t{16} << 20U;

std::string_view parameter(const PodRequest& request, std::string_view name) {
  for (const auto& [key, value] : request.query) {
    if (key == name) return value;
  }
  return {};
}

bool is_set(const PodRequest& request, std::string_view name) {
  const auto value = parameter(request, name);
  return !value.empty() && apiserver::query_truth(value);
}

std::optional<std::int64_t> leading_number(std::string_view text) {
  std::int64_t value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || end.ec != std::errc{}) return std::nullopt;
  return value;
}

ContainerName name_of(const PodRequest& request) {
  std::string container = request.container;
  if (container.empty()) {
    container = request.pod.get("spec", "containers")[0].get("name").as_string();
  }
  return {.pod_uid = std::string{kube::uid_of(request.pod)}, .container = std::move(container)};
}

LogRequest log_request(const PodRequest& request, Instant now) {
  LogRequest out;
  out.name = name_of(request);
  out.previous = is_set(request, "previous");
  out.follow = is_set(request, "follow");
  out.query.timestamps = is_set(request, "timestamps");
  if (const auto lines = leading_number(parameter(request, "tailLines"))) {
    out.query.tail_lines = static_cast<std::size_t>(*lines);
  }
  if (const auto bytes = leading_number(parameter(request, "limitBytes"))) {
    out.query.bytes_max = static_cast<std::size_t>(*bytes);
  }
  if (const auto age = leading_number(parameter(request, "sinceSeconds"))) {
    out.query.since = now - std::chrono::seconds(*age);
  }
  if (auto time = parse_rfc3339(parameter(request, "sinceTime"))) out.query.since = *time;
  return out;
}

// One reader of one log; keeps itself until either side ends.
class LogAnswer : public std::enable_shared_from_this<LogAnswer> {
 public:
  LogAnswer(net::Loop& loop, std::unique_ptr<LogStream> stream,
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
    if (exchange_->backlog_bytes() > kLogBacklogMax) return exchange_->abort();
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
  std::unique_ptr<LogStream> stream_;
  std::shared_ptr<net::Exchange> exchange_;
};

StreamSet stream_set(const PodRequest& request) {
  StreamSet set{.in = is_set(request, "stdin"),
                .out = is_set(request, "stdout"),
                .err = is_set(request, "stderr"),
                .terminal = is_set(request, "tty")};
  // A terminal has one output.
  if (set.terminal) set.err = false;
  return set;
}

void refuse(net::Loop& loop, const StreamAsk& ask, StreamSet set, int code,
            const std::string& why) {
  if (!Channels::tell_trouble_inside(ask.request)) return answer_in_words(ask, code, why);
  serve_trouble(loop, ask, set, "unable to upgrade connection: " + why);
}

// What exec and attach both need: something to carry, and a container that runs. Without one of
// them the request is refused, in these words where the container is missing.
std::optional<ContainerPlace> place_to_run(net::Loop& loop, Streams& streams,
                                           const PodRequest& request, StreamSet set,
                                           const std::string& missing) {
  if (set.count() == 0) {
    refuse(loop, request.ask, set, 400, "you must specify at least 1 of stdin, stdout, stderr");
    return std::nullopt;
  }
  auto place = streams.find_container(name_of(request));
  if (place && place->running) return *std::move(place);
  refuse(loop, request.ask, set, 500, missing);
  return std::nullopt;
}

std::string full_name(json::View pod) {
  return fmt::format("{}_{}", kube::name_of(pod), kube::namespace_of(pod));
}

}  // namespace

Result<void> serve_log(net::Loop& loop, Streams& streams, const PodRequest& request) {
  FP_TRY(stream, streams.open_log(log_request(request, loop.clock().wall())));
  std::make_shared<LogAnswer>(loop, std::move(stream), request.ask.exchange)
      ->run(request.ask.answer);
  return {};
}

void serve_exec(net::Loop& loop, Streams& streams, const PodRequest& request) {
  const auto set = stream_set(request);
  auto place =
      place_to_run(loop, streams, request, set,
                   fmt::format("container not found (\"{}\")", name_of(request).container));
  if (!place) return;
  std::vector<std::string> words;
  for (const auto& [key, value] : request.query) {
    if (key == "command") words.push_back(value);
  }
  if (words.empty()) return refuse(loop, request.ask, set, 400, "there is no command to run");
  serve_command(
      loop,
      {.ask = request.ask, .set = set, .words = std::move(words), .place = *std::move(place)});
}

void serve_attach(net::Loop& loop, Streams& streams, const PodRequest& request) {
  const auto set = stream_set(request);
  auto place = place_to_run(loop, streams, request, set,
                            fmt::format("container {} not found in pod {}",
                                        name_of(request).container, full_name(request.pod)));
  if (!place) return;
  serve_attached(loop, {.ask = request.ask, .set = set, .place = *std::move(place)});
}

void serve_port_forward(net::Loop& loop, Streams& streams, const PodRequest& request) {
  auto place = streams.find_container(name_of(request));
  if (!place || place->pod_ip.empty()) {
    return answer_in_words(request.ask, 500,
                           fmt::format("pod not found (\"{}\")", full_name(request.pod)));
  }
  auto ports = apiserver::parse_ports(request.query);
  if (!ports) return answer_in_words(request.ask, 400, ports.error().message);
  serve_port_forward(loop, {.ask = request.ask,
                            .pod = full_name(request.pod),
                            .uid = std::string{kube::uid_of(request.pod)},
                            .address = place->pod_ip,
                            .ports = *std::move(ports)});
}

}  // namespace fixpoint::node
