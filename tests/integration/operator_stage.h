// SPDX-License-Identifier: Apache-2.0
//
// OperatorStage: a cluster, ours or a real one, and the example operators on it, for tests of the
// shipped binary.
#pragma once

#include "net/http.h"
#include "tests/integration/cluster_access.h"
#include "tests/integration/collections.h"
#include "tests/integration/meddler.h"
#include "tests/integration/running_operator.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint {

inline const std::string kLease =
    "/apis/coordination.k8s.io/v1/namespaces/default/leases/fixpoint-greeting";

// Of several processes, with times that a test can wait for.
inline const std::vector<std::string> kElected{"--leader-elect", "--leader-elect-lease-duration=6s",
                                               "--leader-elect-renew-deadline=4s",
                                               "--leader-elect-retry-period=500ms"};

class OperatorStage {
 public:
  OperatorStage() = default;
  OperatorStage(ClusterAccess cluster, std::filesystem::path scratch)
      : cluster_(std::move(cluster)), scratch_path_(std::move(scratch)) {}

  const ClusterAccess& cluster() const { return cluster_; }
  const std::filesystem::path& scratch() const { return scratch_path_; }

  // Runs the operator against the cluster itself, or against whoever that kubeconfig names.
  std::unique_ptr<RunningOperator> run(const std::string& name,
                                       std::vector<std::string> flags = {}) const;
  std::unique_ptr<RunningOperator> run(const RunningOperator::Setup& setup) const;
  // Somebody between an operator and the cluster, with a kubeconfig in a directory of that name.
  std::unique_ptr<Meddler> meddle(const std::string& name) const;

  // PATCH is a merge patch.
  net::Response call(std::string method, std::string target, std::string body = {}) const {
    return cluster_.call(std::move(method), std::move(target), std::move(body));
  }
  // The kinds of both examples, served when this returns.
  void install() const;
  void greet(std::string_view name, std::string_view message = "hello") const;
  bool has(const std::string& path) const { return call("GET", path).status == 200; }
  // A field of an object as text; empty when either is not there.
  template <class... Keys>
  std::string text(const std::string& path, Keys... keys) const {
    return text_at(path, {std::string_view{keys}...});
  }
  std::string page_of(std::string_view name) const;
  // Everything that a greeting is to become is there, and its status says so.
  bool greeted(std::string_view name) const;
  std::string holder() const { return text(kLease, "spec", "holderIdentity"); }
  static bool leads(const RunningOperator& process);
  // Removes what tests made, so that the next finds an empty namespace.
  void clean() const;

 protected:
  void set(ClusterAccess cluster, std::filesystem::path scratch) {
    cluster_ = std::move(cluster);
    scratch_path_ = std::move(scratch);
  }

 private:
  std::string text_at(const std::string& path, const std::vector<std::string_view>& keys) const;

  ClusterAccess cluster_;
  std::filesystem::path scratch_path_;
};

}  // namespace fixpoint
