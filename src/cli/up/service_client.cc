// SPDX-License-Identifier: Apache-2.0
#include "cli/up/service_client.h"

#include <functional>
#include <optional>
#include <utility>

namespace fixpoint::cli {

class ServiceClient::Api final : public client::LocalApi {
 public:
  explicit Api(front::Service& service) : service_(service) {}
  apiserver::Response run(const apiserver::Request& request) override {
    return service_.run(request);
  }
  kube::Answer<apiserver::Watch> open_watch(const apiserver::Request& request) override {
    return service_.open_watch(request);
  }
  const store::Store& store() const override { return service_.store(); }
  apiserver::CustomKinds& kinds() override { return service_.core().kinds(); }
  store::Revision durable() const override { return service_.durable(); }
  void when_durable(store::Revision revision,
                    std::function<void(std::optional<Error>)> callback) override {
    service_.when_durable(revision, std::move(callback));
  }

 private:
  front::Service& service_;
};

ServiceClient::ServiceClient(front::Service& service)
    : api_(std::make_unique<Api>(service)),
      client_(std::make_unique<client::LocalClient>(
          *api_, [&loop = service.loop()](auto task) { loop.post(std::move(task)); })) {
  client_->keep_time(service.loop().clock(), [&loop = service.loop()](Duration wait, auto task) {
    loop.after(wait, std::move(task));
  });
  self_ = std::make_shared<client::LocalClient*>(client_.get());
  service.listen([self = self_](const auto&) {
    if (*self != nullptr) (*self)->changed();
  });
}

ServiceClient::~ServiceClient() {
  *self_ = nullptr;
}

}  // namespace fixpoint::cli
