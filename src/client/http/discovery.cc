// SPDX-License-Identifier: Apache-2.0
#include "client/http/discovery.h"

#include "json/parsing/parse.h"

#include <algorithm>
#include <deque>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::client {
namespace {

// A group with more versions than this has enough to look into.
constexpr std::size_t kVersionsMax = 16;

class Search : public std::enable_shared_from_this<Search> {
 public:
  Search(const std::shared_ptr<Requester>& requester, kube::GroupVersionKind kind,
         Client::Resolved done)
      : requester_(requester), kind_(std::move(kind)), done_(std::move(done)) {}

  void start() {
    if (!kind_.version.empty()) {
      versions_.push_back(kind_.version);
      return next_version();
    }
    if (kind_.group.empty()) {
      versions_.emplace_back("v1");
      return next_version();
    }
    get("/apis/" + escape_path(kind_.group), [](Search& self, json::View group) {
      self.read_versions(group);
      self.next_version();
    });
  }

 private:
  using Then = void (*)(Search&, json::View);

  void get(std::string target, Then then) {
    const auto requester = requester_.lock();
    if (!requester) return;
    requester->run({.outgoing = get_of(std::move(target)), .deadline = kCallDeadline, .caller = ""},
                   [self = shared_from_this(), then](std::expected<HttpAnswer, CallError> answer) {
                     self->got(std::move(answer), then);
                   });
  }

  void got(std::expected<HttpAnswer, CallError> answer, Then then) {
    if (!answer) {
      // A group or version that is not there: nor is the kind.
      if (answer.error().not_found()) return then(*this, json::View{});
      return done_(std::unexpected(std::move(answer).error()));
    }
    const auto body = json::parse(answer->body);
    if (!body) {
      return done_(std::unexpected(
          unknown("the server's discovery is no readable JSON: " + body.error().message)));
    }
    then(*this, *body);
  }

  // The preferred one first.
  void read_versions(json::View group) {
    const auto preferred = group.get("preferredVersion", "version").as_string();
    if (!preferred.empty()) versions_.emplace_back(preferred);
    for (const json::View version : group.get("versions").elements()) {
      const auto name = version.get("version").as_string();
      if (name != preferred && versions_.size() < kVersionsMax) versions_.emplace_back(name);
    }
  }

  void next_version() {
    if (versions_.empty()) return done_(std::unexpected(no_such_kind(kind_)));
    const auto version = versions_.front();
    get(kind_.group.empty() ? "/api/" + escape_path(version)
                            : "/apis/" + escape_path(kind_.group) + "/" + escape_path(version),
        [](Search& self, json::View list) {
          auto wanted = self.kind_;
          wanted.version = self.versions_.front();
          self.versions_.pop_front();
          if (auto found = find_resource(list, wanted)) return self.done_(*std::move(found));
          self.next_version();
        });
  }

  std::weak_ptr<Requester> requester_;
  kube::GroupVersionKind kind_;
  Client::Resolved done_;
  std::deque<std::string> versions_;  // to look into
};

}  // namespace

std::optional<Resource> find_resource(json::View resource_list,
                                      const kube::GroupVersionKind& kind) {
  for (const json::View entry : resource_list.get("resources").elements()) {
    const auto name = entry.get("name").as_string();
    // Subresources may have the kind of another resource: scale, eviction.
    if (entry.get("kind").as_string() != kind.kind || name.contains('/')) continue;
    return Resource{
        .kind = kind,
        .plural = std::string{name},
        .scope = entry.get("namespaced").as_bool() ? Scope::Namespaced : Scope::Cluster};
  }
  return std::nullopt;
}

CallError no_such_kind(const kube::GroupVersionKind& kind) {
  CallError error;
  error.fate = Fate::Refused;
  const auto place = kind.version.empty()
                         ? fmt::format("group \"{}\"", kind.group)
                         : fmt::format("version \"{}\"", kind.group_version().api_version());
  error.status = {.code = 404,
                  .reason = "NotFound",
                  .message = fmt::format("no matches for kind \"{}\" in {}", kind.kind, place),
                  .details = std::nullopt};
  return error;
}

void discover(const std::shared_ptr<Requester>& requester, kube::GroupVersionKind kind,
              Client::Resolved done) {
  std::make_shared<Search>(requester, std::move(kind), std::move(done))->start();
}

}  // namespace fixpoint::client
