// SPDX-License-Identifier: Apache-2.0
#include "node/names/names.h"

#include "base/file.h"
#include "kube/meta/metadata.h"
#include "node/agent/kinds.h"
#include "node/names/dns_message.h"
#include "node/process/run_spec.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <sstream>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace fixpoint::node {
namespace {

constexpr std::uint16_t kPort = 53;
constexpr std::string_view kServiceLabel = "kubernetes.io/service-name";

sockaddr_in address_of(const std::string& text) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_port = htons(kPort);
  if (::inet_pton(AF_INET, text.c_str(), &out.sin_addr) != 1) out.sin_family = AF_UNSPEC;
  return out;
}

// "a.b.c" from its end: c, b, a.
std::vector<std::string_view> labels_of(std::string_view name) {
  std::vector<std::string_view> out;
  while (!name.empty()) {
    const auto dot = name.rfind('.');
    const auto begin = dot == std::string_view::npos ? 0 : dot + 1;
    out.push_back(name.substr(begin));
    name = name.substr(0, dot == std::string_view::npos ? 0 : dot);
  }
  return out;
}

// [ns, svc, host] of a service's name; empty when it is none.
std::vector<std::string_view> service_labels(std::string_view name, std::string_view domain) {
  const std::string tail = fmt::format(".svc.{}", domain);
  if (!name.ends_with(tail)) return {};
  name.remove_suffix(tail.size());
  auto labels = labels_of(name);
  return labels.size() <= 3 ? labels : std::vector<std::string_view>{};
}

bool selects(json::View service, json::View pod) {
  const json::View selector = service.get("spec", "selector");
  if (selector.empty()) return false;
  return std::ranges::all_of(selector.members(), [&](const json::Member& member) {
    return kube::label_of(pod, member.key) == member.value.as_string();
  });
}

// Is this what the name is about: the service, or a host of it?
bool meant(const std::vector<std::string_view>& labels, std::string_view host) {
  return labels.size() == 2 || (!host.empty() && host == labels[2]);
}

void add_pods(const std::vector<std::string_view>& labels, json::View service,
              const std::vector<json::View>& pods, NameAnswer& answer) {
  const bool early = service.get("spec", "publishNotReadyAddresses").as_bool();
  for (const json::View pod : pods) {
    const json::View spec = pod.get("spec");
    const bool own_name = spec.get("subdomain").as_string() == labels[1];
    if (!selects(service, pod)) continue;
    if (!meant(labels, own_name ? spec.get("hostname").as_string() : "")) continue;
    if (!early && !kube::condition_is_true(pod, "Ready")) continue;
    answer.addresses.emplace_back(pod.get("status", "podIP").as_string());
  }
}

void add_endpoints(const std::vector<std::string_view>& labels,
                   const std::vector<json::View>& slices, NameAnswer& answer) {
  for (const json::View slice : slices) {
    if (kube::label_of(slice, kServiceLabel) != labels[1]) continue;
    for (const json::View endpoint : slice.get("endpoints").elements()) {
      if (!meant(labels, endpoint.get("hostname").as_string())) continue;
      if (!endpoint.get("conditions", "ready").as_bool(true)) continue;
      for (const json::View address : endpoint.get("addresses").elements()) {
        answer.addresses.emplace_back(address.as_string());
      }
    }
  }
}

std::string machines_server() {
  auto text = read_file("/etc/resolv.conf");
  if (!text) return {};
  std::istringstream lines(*text);
  std::string word;
  while (lines >> word) {
    std::string server;
    if (word == "nameserver" && lines >> server && server.find(':') == std::string::npos) {
      return server;
    }
  }
  return {};
}

}  // namespace

std::string namespace_in(std::string_view name, std::string_view domain) {
  const auto labels = service_labels(name, domain);
  return labels.empty() ? std::string{} : std::string{labels[0]};
}

NameAnswer look_up(std::string_view name, std::string_view domain, const NameSources& sources) {
  NameAnswer answer;
  answer.ours = name == domain || name.ends_with(fmt::format(".{}", domain));
  const auto labels = service_labels(name, domain);
  if (labels.size() < 2) return answer;
  const auto service = std::ranges::find_if(
      sources.services, [&](json::View one) { return kube::name_of(one) == labels[1]; });
  if (service == sources.services.end()) return answer;
  add_pods(labels, *service, sources.pods, answer);
  add_endpoints(labels, sources.slices, answer);
  std::ranges::sort(answer.addresses);
  const auto twice = std::ranges::unique(answer.addresses);
  answer.addresses.erase(twice.begin(), twice.end());
  answer.known = labels.size() == 2 || !answer.addresses.empty();
  return answer;
}

// Questions that are not ours, asked of the machine's own server and matched by number.
class Names::Upstream final : private net::Pollable {
 public:
  static constexpr std::size_t kWaitingMax = 1'000;

  Upstream(net::Loop& loop, int listener) : loop_(loop), listener_(listener) {
    server_ = address_of(machines_server());
    if (server_.sin_family != AF_INET) return;
    fd_ = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd_ >= 0) loop_.watch(fd_, EPOLLIN, *this);
  }
  ~Upstream() override {
    if (fd_ < 0) return;
    loop_.unwatch(fd_, *this);
    ::close(fd_);
  }

  bool ask(std::string message, const sockaddr_in& from) {
    if (fd_ < 0) return false;
    const auto number = next_++;
    waiting_.push_back({
        .number = number, .asked = {message[0], message[1]},
             .from = from
    });
    if (waiting_.size() > kWaitingMax) waiting_.pop_front();
    message[0] = static_cast<char>(number >> 8U);
    message[1] = static_cast<char>(number & 0xFFU);
    return ::sendto(fd_, message.data(), message.size(), 0,
                    reinterpret_cast<const sockaddr*>(&server_), sizeof(server_)) > 0;
  }

 private:
  struct Waiting {
    std::uint16_t number;
    std::array<char, 2> asked;
    sockaddr_in from;
  };

  void ready(std::uint32_t) override {
    std::array<char, 4096> buffer{};
    while (true) {
      const auto count = ::recv(fd_, buffer.data(), buffer.size(), 0);
      if (count < 2) return;
      const auto number = static_cast<std::uint16_t>(static_cast<unsigned char>(buffer[0]) << 8U |
                                                     static_cast<unsigned char>(buffer[1]));
      const auto found = std::ranges::find(waiting_, number, &Waiting::number);
      if (found == waiting_.end()) continue;
      std::copy(found->asked.begin(), found->asked.end(), buffer.begin());
      // Whoever went away asks again.
      (void)::sendto(listener_, buffer.data(), static_cast<std::size_t>(count), 0,
                     reinterpret_cast<const sockaddr*>(&found->from), sizeof(found->from));
      waiting_.erase(found);
    }
  }

  net::Loop& loop_;
  int listener_;
  int fd_ = -1;
  sockaddr_in server_{};
  std::uint16_t next_ = 1;
  std::deque<Waiting> waiting_;
};

std::unique_ptr<Names> Names::open(net::Loop& loop, const std::string& address,
                                   std::string domain) {
  const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return nullptr;
  const auto place = address_of(address);
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&place), sizeof(place)) != 0) {
    ::close(fd);
    return nullptr;
  }
  return std::unique_ptr<Names>(new Names(loop, fd, address, std::move(domain)));
}

Names::Names(net::Loop& loop, int fd, std::string address, std::string domain)
    : loop_(loop),
      fd_(fd),
      address_(std::move(address)),
      domain_(std::move(domain)),
      upstream_(std::make_unique<Upstream>(loop, fd)) {
  loop_.watch(fd_, EPOLLIN, *this);
}

Names::~Names() {
  loop_.unwatch(fd_, *this);
  ::close(fd_);
}

NameSources Names::sources_for(std::string_view name) const {
  NameSources out;
  const auto ns = namespace_in(name, domain_);
  if (session_ == nullptr || ns.empty()) return out;
  const auto list = [&](const client::Resource& resource) {
    const auto* contents = session_->find(resource.kind);
    return contents == nullptr ? std::vector<json::View>{} : contents->list(ns);
  };
  out.services = list(services());
  out.pods = list(pods());
  out.slices = list(endpoint_slices());
  return out;
}

void Names::ready(std::uint32_t) {
  std::array<char, kMessageBytesMax> buffer{};
  while (true) {
    sockaddr_in from{};
    socklen_t size = sizeof(from);
    const auto count =
        ::recvfrom(fd_, buffer.data(), buffer.size(), 0, reinterpret_cast<sockaddr*>(&from), &size);
    if (count <= 0) return;
    const std::string message(buffer.data(), static_cast<std::size_t>(count));
    const auto question = parse_question(message);
    if (!question) continue;
    const auto found = look_up(question->name, domain_, sources_for(question->name));
    if (!found.ours && upstream_->ask(message, from)) continue;
    const auto outcome = !found.ours   ? DnsOutcome::Failed
                         : found.known ? DnsOutcome::Found
                                       : DnsOutcome::NoSuchName;
    const bool addresses = question->type == kTypeA;
    const auto reply =
        dns_answer(*question, outcome, addresses ? found.addresses : std::vector<std::string>{});
    // Whoever went away asks again.
    (void)::sendto(fd_, reply.data(), reply.size(), 0, reinterpret_cast<const sockaddr*>(&from),
                   size);
  }
}

}  // namespace fixpoint::node
