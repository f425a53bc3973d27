// SPDX-License-Identifier: Apache-2.0
//
// ApiServer: HTTP requests in, Kubernetes answers out. Who is it, what do they want, may they, run
// it, wait for the disk, print it in the form they like.
//
// Read next: router.h (URLs), front/identity/identity.h (who), service.h (the store), watch_hub.h
// (streams), front/pages/pages.h (everything that is no resource).
#pragma once

#include "apiserver/request.h"
#include "front/identity/identity.h"
#include "front/pages/meter.h"
#include "front/pages/metrics.h"
#include "front/pages/pages.h"
#include "front/pod_streams.h"
#include "front/service.h"
#include "front/watch_hub.h"
#include "net/server.h"

#include <functional>
#include <memory>
#include <string>

namespace fixpoint::front {

// One finished request, for the log. Holds no secrets: no headers, no bodies.
struct AccessLine {
  std::string method;
  std::string path;
  std::string user;
  int code = 0;
  Duration took{};
};

class ApiServer {
 public:
  using AccessLog = std::function<void(const AccessLine&)>;

  ApiServer(Service& service, const Identity& identity, AccessLog log);
  ~ApiServer() { *self_ = nullptr; }
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  net::Handler handler();
  // The words of errors that the HTTP layer itself answers, as Kubernetes Statuses.
  static net::ErrorPages error_pages();
  // Who is asked about the pods that run beside us; null: nobody.
  void ask_about_pods(PodStreams* streams) { pod_streams_ = streams; }
  // Who knows what they use; null: nobody, and then there is no such API.
  void ask_about_usage(const Meter* meter);
  // What /api tells clients about where it serves.
  void serves_at(const std::string& address) { pages_.serves_at(address); }

 private:
  struct Call;
  void handle(net::Request&& request, std::shared_ptr<net::Exchange> exchange);
  void serve_page(const std::shared_ptr<Call>& call);
  void serve_resource(const std::shared_ptr<Call>& call);
  void serve_watch(const std::shared_ptr<Call>& call);
  std::shared_ptr<net::Exchange> leave_http(Call& call);
  void serve_usage(const std::shared_ptr<Call>& call);
  void answer_usage(const std::shared_ptr<Call>& call, const Measurement& before);
  bool serve_pod_stream(const std::shared_ptr<Call>& call, int code);
  void answer(const std::shared_ptr<Call>& call, apiserver::Response response);
  void show(const std::shared_ptr<Call>& call, Page page);
  void no_resource(const std::shared_ptr<Call>& call, const kube::Status& status);
  void refuse(const std::shared_ptr<Call>& call, const kube::Status& status);
  void finish(const Call& call, int code);

  Service& service_;
  const Identity& identity_;
  AccessLog log_;
  Metrics metrics_;
  WatchHub watches_;
  Pages pages_;
  PodStreams* pod_streams_ = nullptr;
  const Meter* meter_ = nullptr;
  // An answer about usage comes a while after its question.
  std::shared_ptr<ApiServer*> self_ = std::make_shared<ApiServer*>(this);
};

}  // namespace fixpoint::front
