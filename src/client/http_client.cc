// SPDX-License-Identifier: Apache-2.0
#include "client/http_client.h"

#include "client/http/discovery.h"
#include "client/http/http_watch.h"
#include "client/http/outgoing.h"
#include "client/http/page.h"

#include <utility>

namespace fixpoint::client {

HttpClient::HttpClient(net::Loop& loop, HttpClientOptions options)
    : access_(std::move(options.access)),
      pool_(std::make_unique<Pool>(loop, std::move(options.server), options.limits)),
      requester_(std::make_shared<Requester>(loop, *pool_, *access_, std::move(options.requests))) {
}

HttpClient::~HttpClient() {
  requester_->shut_down();
}

void HttpClient::call(Call call, Done done) {
  auto request = outgoing(call);
  requester_->run({.outgoing = std::move(request),
                   .deadline = call.deadline,
                   .caller = std::move(call.field_manager)},
                  [done = std::move(done)](std::expected<HttpAnswer, CallError> answer) mutable {
                    if (!answer) return done(std::unexpected(std::move(answer).error()));
                    done(reply_of(*std::move(answer)));
                  });
}

void HttpClient::list(ListCall call, PageDone done) {
  auto request = outgoing(call);
  const auto deadline = call.deadline;
  requester_->run({.outgoing = std::move(request), .deadline = deadline, .caller = "list"},
                  [call = std::move(call),
                   done = std::move(done)](std::expected<HttpAnswer, CallError> answer) mutable {
                    if (!answer) return done(std::unexpected(std::move(answer).error()));
                    done(page_of(call, *std::move(answer)));
                  });
}

std::unique_ptr<Watching> HttpClient::watch(WatchCall call, WatchHandlers handlers) {
  return start_watch(requester_, std::move(call), std::move(handlers), streaming_refused_);
}

void HttpClient::resolve(kube::GroupVersionKind kind, Resolved done) {
  discover(requester_, std::move(kind), std::move(done));
}

}  // namespace fixpoint::client
