// SPDX-License-Identifier: Apache-2.0
//
// FakeClient: a Client whose every request waits until the test answers it, in any order and in any
// way, so that a test is a script: what was asked, what came back, what was asked then.
//
// Answers are given from outside the call that asked, as the contract of Client says.
#pragma once

#include "base/error.h"
#include "client/client.h"
#include "runtime/test_replies.h"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fixpoint::runtime {

class FakeClient final : public client::Client {
 public:
  template <class Request, class Done>
  struct Asked {
    Request request;
    Done done;
  };

  // A watch stays in the list after its end, so that a test can look at what was asked.
  struct Watch {
    client::WatchCall request;
    client::WatchHandlers handlers;
    bool open = true;
    bool cancelled = false;

    void send(client::EventType type, json::Value object) {
      FP_CHECK(open);
      handlers.on_event({type, std::move(object)});
    }
    void end(std::optional<client::CallError> why = std::nullopt) {
      FP_CHECK(open);
      open = false;
      auto on_end = handlers.on_end;  // it may destroy this watch and make another
      on_end(std::move(why));
    }
  };

  std::deque<Asked<client::Call, Done>> calls;
  std::deque<Asked<client::ListCall, PageDone>> lists;
  std::deque<Asked<kube::GroupVersionKind, Resolved>> resolves;
  std::vector<std::shared_ptr<Watch>> watches;

  void call(client::Call request, Done done) override {
    calls.push_back({std::move(request), std::move(done)});
  }
  void list(client::ListCall request, PageDone done) override {
    lists.push_back({std::move(request), std::move(done)});
  }
  void resolve(kube::GroupVersionKind kind, Resolved done) override {
    resolves.push_back({std::move(kind), std::move(done)});
  }
  std::unique_ptr<client::Watching> watch(client::WatchCall request,
                                          client::WatchHandlers handlers) override {
    watches.push_back(std::make_shared<Watch>(Watch{std::move(request), std::move(handlers)}));
    return std::make_unique<Handle>(watches.back());
  }

  // Answers the oldest open request and returns it.
  client::Call answer(client::Reply reply) { return answer_oldest(calls, std::move(reply)); }
  client::ListCall answer_list(client::PageReply reply) {
    return answer_oldest(lists, std::move(reply));
  }
  kube::GroupVersionKind answer_resolve(std::expected<client::Resource, client::CallError> reply) {
    return answer_oldest(resolves, std::move(reply));
  }

  // The newest watch; it must be open.
  Watch& watching() {
    FP_CHECK(!watches.empty() && watches.back()->open);
    return *watches.back();
  }
  bool has_open_watch() const { return !watches.empty() && watches.back()->open; }

 private:
  class Handle final : public client::Watching {
   public:
    explicit Handle(std::shared_ptr<Watch> watch) : watch_(std::move(watch)) {}
    ~Handle() override {
      watch_->cancelled = watch_->open;
      watch_->open = false;
    }

   private:
    std::shared_ptr<Watch> watch_;
  };

  template <class Request, class Done, class Reply>
  static Request answer_oldest(std::deque<Asked<Request, Done>>& open, Reply reply) {
    FP_CHECK(!open.empty());
    auto asked = std::move(open.front());
    open.pop_front();
    asked.done(std::move(reply));
    return std::move(asked.request);
  }
};

}  // namespace fixpoint::runtime
