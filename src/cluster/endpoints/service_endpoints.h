// SPDX-License-Identifier: Apache-2.0
//
// ServiceEndpoints: keeps EndpointSlices and Endpoints in step with services and their pods, and
// mirrors Endpoints that a person wrote for a service without a selector.
//
// Which pods a service has is kept from events, so that looking at one costs what it has behind it;
// a pod is held only against services that ask for a label it has, and a new service only against
// pods that have such a label.
// A service with many pods is looked at less often the more it has: while ten thousand pods start,
// its slices are written ten times a second and not once for each.
#pragma once

#include "cluster/controller.h"
#include "cluster/deadlines.h"
#include "cluster/decision.h"
#include "cluster/endpoints/backends.h"
#include "kube/selectors/label_selector.h"

#include <chrono>
#include <map>
#include <set>
#include <string>

namespace fixpoint::cluster::endpoints {

class ServiceEndpoints final : public Controller {
 public:
  std::string_view name() const override { return "endpointslice-controller"; }
  void begin(Api& api) override;
  void observe(const store::Event& event) override;
  bool step(Api& api) override;
  std::optional<Instant> wakes() const override { return deadlines_.first(); }

 private:
  // After a write that was refused; a conflict is an event that comes sooner.
  static constexpr std::chrono::seconds kTryAgain{1};
  // For every hundred pods of a service, and at the most.
  static constexpr std::chrono::milliseconds kPausePerHundred{1};
  static constexpr std::chrono::seconds kPauseMax{1};

  struct Service {
    kube::LabelSelector selector;
    std::string label;           // of those it asks for, the one it is filed under
    std::string value;           // that it asks for
    std::set<std::string> pods;  // keys
    Instant rests_until{};
  };
  using Services = std::map<std::string, Service, std::less<>>;  // by name
  using Names = std::set<std::string, std::less<>>;
  // The pods of a namespace by their value of one label; for each the keys.
  using Column = std::map<std::string, Names, std::less<>>;
  // The services of a namespace that have a selector.
  struct Shelf {
    Services services;
    std::map<std::string, Names, std::less<>> by_label;
    // By label: of those under which services are filed, and of these not before it is asked for.
    std::map<std::string, Column, std::less<>> columns;
  };

  void see_service(const store::Event& event);
  void see_pod(const store::Event& event);
  static void note_pod(Shelf& shelf, const store::Event& event);
  static void file(Shelf& shelf, const std::string& name, json::View labels);
  static void take_off(Shelf& shelf, const std::string& name);
  // Who may want a pod with these labels.
  static void add_asking(const Shelf& shelf, json::View labels, Names& names);
  void enlist_fresh(Api& api);
  static void enlist(Api& api, const std::string& ns, Shelf& shelf, const std::string& name);
  static const Column& column(Api& api, const std::string& ns, Shelf& shelf,
                              const std::string& label);
  Service* find(std::string_view ns, std::string_view name);
  void look(Api& api, const std::string& key);
  void write_for_pods(Api& api, const std::string& key, const json::Value& service);
  void mirror(Api& api, const std::string& key, const json::Value& service);
  std::vector<Backend> backends_of(Api& api, json::View service, const Service& known) const;
  // In order; the first refusal ends it until later.
  void send(Api& api, const std::string& key, const std::vector<apiserver::Request>& requests);

  std::map<std::string, Shelf, std::less<>> shelves_;  // by namespace
  std::map<std::string, Names, std::less<>> fresh_;    // whose pods are still to be found
  KeyQueue queue_;
  Deadlines deadlines_;
  std::set<std::string, std::less<>> gone_;  // services whose Endpoints have to go
  std::set<store::Revision> echoes_;         // of what was written here
};

}  // namespace fixpoint::cluster::endpoints
